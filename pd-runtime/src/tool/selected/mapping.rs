//! The other tool's names of columns, to ours.

use crate::selective::table::ROW_ID;
use std::collections::{BTreeMap, HashSet};

/// Which columns are renamed, and how.
#[derive(Default)]
pub(super) struct Mapping(BTreeMap<String, String>);

impl Mapping {
    /// Reads a JSON object of names.
    ///
    /// # Errors
    ///
    /// It is none, makes two columns one, or concerns a row's number.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let names: BTreeMap<String, String> = serde_json::from_str(text)
            .map_err(|error| format!("it is no JSON object of names, such as {{\"theirs\": \"ours\"}}: {error}"))?;
        let mut ours = HashSet::new();
        for (from, to) in &names {
            if from == ROW_ID || to == ROW_ID {
                return Err("`_row_id` is a row's number; leave it as it is".to_owned());
            }
            if !ours.insert(to) {
                return Err(format!("it makes two columns one, `{to}`; give each a name of its own"));
            }
        }
        Ok(Self(names))
    }

    /// Checks the names against those that our rows have, as far as that is known.
    ///
    /// # Errors
    ///
    /// A column is given a name that is none of ours.
    pub(super) fn check(&self, ours: Option<&[&str]>) -> Result<(), String> {
        let Some(ours) = ours else { return Ok(()) };
        let Some(other) = self.0.values().find(|to| !ours.contains(&to.as_str())) else { return Ok(()) };
        let known: Vec<_> = ours.iter().filter(|name| **name != ROW_ID).map(|name| format!("`{name}`")).collect();
        Err(format!("it maps to `{other}`, which is no column of ours; ours are {}", known.join(", ")))
    }

    /// What we call the other tool's column.
    pub(super) fn ours<'a>(&'a self, theirs: &'a str) -> &'a str {
        self.0.get(theirs).map_or(theirs, String::as_str)
    }
}
