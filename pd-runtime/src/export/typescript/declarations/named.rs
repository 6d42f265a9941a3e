//! The names of the types in one file.

use std::collections::HashSet;

/// Types that a file uses but does not declare.
const GLOBAL: [&str; 3] = ["Promise", "Record", "ToolContent"];

/// The names that are taken in one file.
#[derive(Debug)]
pub(in super::super) struct TypeNames {
    taken: HashSet<String>,
}

impl TypeNames {
    pub(in super::super) fn with_taken(names: &[&str]) -> Self {
        Self {
            taken: GLOBAL
                .iter()
                .chain(names)
                .map(ToString::to_string)
                .collect(),
        }
    }

    pub(super) fn take(&mut self, wanted: &str) -> String {
        // The numbers are endless, so a free name always exists.
        let numbered = (2..).map(|number| format!("{wanted}{number}"));
        let free = std::iter::once(wanted.to_owned())
            .chain(numbered)
            .find(|name| !self.taken.contains(name));
        let name = free.unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }
}
