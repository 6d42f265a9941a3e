//! The limit on tools with separate series. A series exists for the lifetime of the process, and a
//! process may replace its registry any number of times, so names from old registries must not add
//! up.

use parking_lot::RwLock;
use std::collections::HashSet;

/// The number of tools with separate series. Each series takes about 2 KB.
const TOOLS_MAX: usize = 5_000;

/// The label of all other tools, as the OpenTelemetry semantic conventions name a catch-all value.
const OTHER: &str = "_OTHER";

/// The names of the tools that were recorded so far.
#[derive(Debug, Default)]
pub(super) struct ToolLabels(RwLock<HashSet<Box<str>>>);

impl ToolLabels {
    /// Returns the label under which the tool is recorded.
    pub(super) fn label<'a>(&self, tool: &'a str) -> &'a str {
        // A read lock is enough for every call but a tool's first one.
        let is_known = self.0.read().contains(tool);
        if is_known || self.add(tool) {
            tool
        } else {
            OTHER
        }
    }

    /// Returns whether the tool has a series, and creates one if the limit allows it.
    fn add(&self, tool: &str) -> bool {
        let mut known = self.0.write();
        let has_room = known.len() < TOOLS_MAX;
        if has_room {
            known.insert(tool.into());
        }
        // Another thread may have added the tool between the two locks.
        has_room || known.contains(tool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_registries_come_there_are_so_many_series_of_tools() {
        let names = ToolLabels::default();
        let labels: HashSet<_> = (0..2 * TOOLS_MAX)
            .map(|number| names.label(&format!("tool_{number}")).to_owned())
            .collect();
        assert_eq!(labels.len(), TOOLS_MAX + 1);
        assert_eq!(
            (names.label("tool_7"), names.label("new")),
            ("tool_7", OTHER),
            "who has a series keeps it"
        );
    }
}
