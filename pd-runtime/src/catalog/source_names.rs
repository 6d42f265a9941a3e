//! The names that tools have at their source, such as the server behind a gateway. A model that
//! knows the source calls a tool by the name that it has there.

use super::entry::CatalogEntry;
use std::{collections::HashMap, sync::Arc};

/// The separators of source and tool, as models and clients write them.
const SEPARATORS: [char; 3] = ['.', '/', ':'];
/// The most separators of a requested name that are tried.
const SPLITS_MAX: usize = 32;

/// Finds tools by the names that they have at their source. A name may belong to several tools.
#[derive(Debug, Default)]
pub(super) struct SourceNameIndex {
    /// The places of tools by their names without a source.
    alone: NamedPlaces,
    /// The places of tools by their names after a source.
    in_source: NamedPlaces,
}

type NamedPlaces = HashMap<Box<str>, Vec<usize>>;

impl SourceNameIndex {
    pub(super) fn new(entries: &[Arc<CatalogEntry>]) -> Self {
        let mut index = Self::default();
        for entry in entries {
            let Some(source) = &entry.tool.about.source else {
                continue;
            };
            index
                .in_source
                .entry(source.name.clone())
                .or_default()
                .push(entry.place);
            for name in &source.alone {
                index
                    .alone
                    .entry(name.clone())
                    .or_default()
                    .push(entry.place);
            }
        }
        index
    }

    pub(super) fn is_empty(&self) -> bool {
        self.in_source.is_empty()
    }

    /// Returns the places of the tools that have this name at their source, by itself or after the
    /// source: `log`, `git.log`, `git/log`, `git:log`.
    pub(super) fn find(&self, name: &str, entries: &[Arc<CatalogEntry>]) -> Vec<usize> {
        let mut found = places(&self.alone, name).to_vec();
        // A caller chooses the name, so the number of separators is bounded.
        for (at, separator) in name.match_indices(SEPARATORS).take(SPLITS_MAX) {
            let (Some(source), Some(rest)) = (name.get(..at), name.get(at + separator.len()..))
            else {
                continue;
            };
            // Paths of groups begin with a slash.
            let source = source.trim_start_matches('/');
            found.extend(places(&self.in_source, rest).iter().filter(|place| {
                let about = entries.get(**place).map(|entry| &entry.tool.about);
                let known = about.and_then(|about| about.source.as_ref());
                known.is_some_and(|known| known.sources.iter().any(|name| **name == *source))
            }));
        }
        // A tool may be found by its bare name and after its source.
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn places<'a>(names: &'a NamedPlaces, name: &str) -> &'a [usize] {
    names.get(name).map(Vec::as_slice).unwrap_or_default()
}
