//! Which tools have series of their own: as many as any server has, and not one for each name that there ever was. A series
//! stays for as long as the process lives, and registries may be replaced without end.

use std::{
    collections::HashSet,
    sync::{PoisonError, RwLock},
};

/// How many tools have series of their own: about 2 KB each.
const MOST: usize = 5_000;

/// As the semantic conventions call what has no name of its own.
const OTHER: &str = "_OTHER";

/// The names of tools that were counted so far.
#[derive(Debug, Default)]
pub(super) struct Names(RwLock<HashSet<Box<str>>>);

impl Names {
    /// As what the tool is counted.
    pub(super) fn label<'a>(&self, tool: &'a str) -> &'a str {
        let is_known = self.0.read().unwrap_or_else(PoisonError::into_inner).contains(tool);
        if is_known || self.add(tool) { tool } else { OTHER }
    }

    /// Whether it has a place, now or already.
    fn add(&self, tool: &str) -> bool {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let has_room = known.len() < MOST;
        if has_room {
            known.insert(tool.into());
        }
        has_room || known.contains(tool)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_registries_come_there_are_so_many_series_of_tools() {
        let names = Names::default();
        let labels: HashSet<_> =
            (0..2 * MOST).map(|number| names.label(&format!("tool_{number}")).to_owned()).collect();
        assert_eq!(labels.len(), MOST + 1);
        assert_eq!((names.label("tool_7"), names.label("new")), ("tool_7", OTHER), "who has a series keeps it");
    }
}
