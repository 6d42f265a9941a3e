//! The mapping of the other tool's column names to ours.

use crate::selective::table::ROW_ID;
use std::collections::{BTreeMap, HashSet};

/// The columns to rename, with their new names.
#[derive(Default)]
pub(super) struct ColumnMapping(BTreeMap<String, String>);

impl ColumnMapping {
    /// Parses a JSON object of names.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not such an object, gives two columns one name, or renames
    /// the row's number.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let names: BTreeMap<String, String> = serde_json::from_str(text).map_err(|error| {
            format!("it is not a JSON object of names, such as {{\"theirs\": \"ours\"}}: {error}")
        })?;
        let mut ours = HashSet::new();
        for (from, to) in &names {
            if from == ROW_ID || to == ROW_ID {
                return Err("`_row_id` is a row's number; leave it as it is".to_owned());
            }
            if !ours.insert(to) {
                return Err(format!(
                    "it makes two columns one, `{to}`; give each a name of its own"
                ));
            }
        }
        Ok(Self(names))
    }

    /// Checks the new names against the columns of our rows. Without a list of columns, every name
    /// is accepted.
    ///
    /// # Errors
    ///
    /// Returns an error if a new name is not one of our columns.
    pub(super) fn check(&self, ours: Option<&[&str]>) -> Result<(), String> {
        let Some(ours) = ours else { return Ok(()) };
        let Some(other) = self.0.values().find(|to| !ours.contains(&to.as_str())) else {
            return Ok(());
        };
        let known: Vec<_> = ours
            .iter()
            .filter(|name| **name != ROW_ID)
            .map(|name| format!("`{name}`"))
            .collect();
        Err(format!(
            "it maps to `{other}`, which is not a column of this tool; its columns are {}",
            known.join(", ")
        ))
    }

    /// Returns our name of the other tool's column.
    pub(super) fn ours<'a>(&'a self, theirs: &'a str) -> &'a str {
        self.0.get(theirs).map_or(theirs, String::as_str)
    }
}
