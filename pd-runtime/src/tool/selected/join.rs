//! A chosen row and the rest of it, as one value.

use super::{mapping::Mapping, row::Row};
use crate::{
    table::ROW_ID,
    tool::{argument, error::ToolError},
};
use serde::{Serialize, Serializer, de::DeserializeOwned};
use serde_json::value::{RawValue, to_raw_value};
use std::collections::HashSet;

/// The row with our names for its columns. What the model saw of it stands.
///
/// # Errors
///
/// Two columns become one, or the row does not fit `T`.
pub(super) fn joined<T: DeserializeOwned>(chosen: &Row, rest: Option<&Row>, mapping: &Mapping) -> Result<T, ToolError> {
    let fault = |problem: String| ToolError::new(ToolError::INVALID_ARGUMENTS, format!("row {} {problem}", chosen.id));
    let cells = cells(chosen, rest, mapping).map_err(fault)?;
    let number = to_raw_value(&chosen.id)?;
    let row = Joined(std::iter::once((ROW_ID, &*number)).chain(cells.iter().copied()).collect());
    let text = serde_json::to_string(&row)?;
    serde_json::from_str(&text).or_else(|_| {
        let read = serde_json::from_str(&text).and_then(argument::read);
        read.map_err(|error| fault(unfit(&error, &cells, rest.is_some())))
    })
}

/// The columns of both, those of the abstract first.
fn cells<'a>(
    chosen: &'a Row,
    rest: Option<&'a Row>,
    mapping: &'a Mapping,
) -> Result<Vec<(&'a str, &'a RawValue)>, String> {
    let seen: HashSet<&str> = chosen.cells.iter().map(|(name, _)| name.as_str()).collect();
    let others = rest.into_iter().flat_map(|rest| &rest.cells).filter(|(name, _)| !seen.contains(name.as_str()));
    let (mut cells, mut ours) = (Vec::new(), HashSet::new());
    for (name, value) in chosen.cells.iter().chain(others) {
        let name = mapping.ours(name);
        if !ours.insert(name) {
            return Err(format!("has two columns that become `{name}`; rename one of them in `column_mapping`"));
        }
        cells.push((name, &**value));
    }
    Ok(cells)
}

fn unfit(error: &serde_json::Error, cells: &[(&str, &RawValue)], has_rest: bool) -> String {
    let names: Vec<_> = cells.iter().map(|(name, _)| format!("`{name}`")).collect();
    let rest = if has_rest { "" } else { ", and nothing of it beside `abstract_data`" };
    format!("does not fit: {error}; it has {}{rest}; name ours in `column_mapping`", names.join(", "))
}

/// An object of these entries.
struct Joined<'a>(Vec<(&'a str, &'a RawValue)>);

impl Serialize for Joined<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}
