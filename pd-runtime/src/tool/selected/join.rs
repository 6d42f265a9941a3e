//! A chosen row and the rest of it, as one value.

use super::{mapping::Mapping, row::Row, unfit::Unfit};
use crate::{
    selective::table::ROW_ID,
    tool::{argument, error::ToolError},
};
use serde::{Serialize, Serializer, de::DeserializeOwned};
use serde_json::value::{RawValue, to_raw_value};
use std::collections::HashSet;

/// The longest list of words that is told, in characters.
const WORDS: usize = 200;

/// How the other tool's columns become ours.
pub(super) struct Joint {
    pub(super) mapping: Mapping,
    /// Whether our rows have a column for their number.
    pub(super) is_numbered: bool,
}

/// The row with our names for its columns. What the model saw of it stands.
///
/// # Errors
///
/// Two columns become one, or the row does not fit `T`.
pub(super) fn joined<T: DeserializeOwned>(chosen: &Row, rest: Option<&Row>, joint: &Joint) -> Result<T, ToolError> {
    let cells = cells(chosen, rest, &joint.mapping).map_err(|problem| fault(chosen, &problem))?;
    let text = text(chosen, &cells, joint)?;
    read(&text).map_err(|_| fault(chosen, &unfit(&why::<T>(&text), &cells, rest.is_some())))
}

/// Refuses a row that no rest can mend, before a rest is taken that can be taken once.
///
/// # Errors
///
/// Two columns of it become one, or one does not fit `T`.
pub(super) fn judge<T: DeserializeOwned>(chosen: &Row, joint: &Joint) -> Result<(), ToolError> {
    let cells = cells(chosen, None, &joint.mapping).map_err(|problem| fault(chosen, &problem))?;
    let text = text(chosen, &cells, joint)?;
    match read::<T>(&text) {
        // What is missing may be in the rest.
        Err(error) if !error.to_string().contains("missing field") => match why::<T>(&text) {
            why if why.column.is_some() => Err(fault(chosen, &unfit(&why, &cells, true))),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

fn fault(row: &Row, problem: &str) -> ToolError {
    ToolError::new(ToolError::INVALID_ARGUMENTS, format!("row {} {problem}", row.id))
}

fn text(chosen: &Row, cells: &[(&str, &RawValue)], joint: &Joint) -> serde_json::Result<String> {
    let number = joint.is_numbered.then(|| to_raw_value(&chosen.id)).transpose()?;
    let number = number.iter().map(|number| (ROW_ID, &**number));
    serde_json::to_string(&Joined(number.chain(cells.iter().copied()).collect()))
}

fn read<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text).or_else(|_| serde_json::from_str(text).and_then(argument::read))
}

fn why<T: DeserializeOwned>(text: &str) -> Unfit {
    match serde_json::from_str(text) {
        Ok(row) => Unfit::of::<T>(&row),
        Err(_) => Unfit::because("it is nested too deeply"),
    }
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

fn unfit(why: &Unfit, cells: &[(&str, &RawValue)], has_rest: bool) -> String {
    let names: Vec<_> = cells.iter().map(|(name, _)| format!("`{name}`")).collect();
    let rest = if has_rest { "" } else { ", and nothing of it beside `abstract_data`" };
    let (why, names) = (cut(&why.to_string()), cut(&names.join(", ")));
    format!("does not fit: {why}; it has {names}{rest}; name ours in `column_mapping`")
}

/// Columns may be many, and their names long.
fn cut(words: &str) -> String {
    match words.char_indices().nth(WORDS) {
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or_default()),
        None => words.to_owned(),
    }
}

/// An object of these entries.
struct Joined<'a>(Vec<(&'a str, &'a RawValue)>);

impl Serialize for Joined<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}
