//! The names of servers. A server's name is joined with the names of its tools (`server__tool`), so
//! it has the characters that every client accepts in tool names. Texts show the label instead.

use super::{error::ConfigErrorKind, mistake_collector::MistakeCollector, spanned::SpannedMember};
use crate::config::names::entry_name;
use pd_runtime::provider::NAME_MAX;
use std::collections::BTreeMap;

/// The names of a file's entries.
#[derive(Debug, Default)]
pub(super) struct NameTable {
    /// The name in the file and the line, by mapped name.
    entries: BTreeMap<String, (String, usize)>,
}

impl NameTable {
    /// Adds an entry and returns its name. Reports a name that is empty, too long, or taken.
    pub(super) fn add(
        &mut self,
        entry: &SpannedMember,
        mistakes: &mut MistakeCollector<'_>,
    ) -> String {
        let label = entry.key.as_str();
        let name = entry_name(label);
        let mut report = |kind| mistakes.report(entry.offset, Some(label), "", kind);
        if name.is_empty() {
            report(ConfigErrorKind::EmptyName);
        } else if name.len() > NAME_MAX {
            report(ConfigErrorKind::LongName {
                length: name.len(),
                max: NAME_MAX,
            });
        } else if let Some((other, line)) = self.entries.get(&name) {
            report(ConfigErrorKind::SameName {
                name: name.clone(),
                other: other.clone(),
                line: *line,
            });
        } else {
            // The first entry of a name keeps it, so that the mistakes of later ones name its line.
            self.entries.insert(
                name.clone(),
                (label.to_owned(), mistakes.line(entry.offset)),
            );
        }
        name
    }
}
