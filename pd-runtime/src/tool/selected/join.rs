//! The join of a chosen row with its other columns.

use super::{mapping::ColumnMapping, row::RawRow, unfit::RowMismatch};
use crate::{
    selective::table::ROW_ID,
    text::truncate::with_ellipsis,
    tool::{argument, error::ToolError},
};
use serde::{Serialize, Serializer, de::DeserializeOwned};
use serde_json::value::{RawValue, to_raw_value};
use std::collections::HashSet;

/// The longest list of names in an error message, in characters.
const NAMES_MAX: usize = 200;

/// The rules by which columns of the other tool become columns of this one.
pub(super) struct JoinRules {
    pub(super) mapping: ColumnMapping,
    /// Whether our row type has a column for the row's number.
    pub(super) is_numbered: bool,
}

/// Joins a row with its other columns, under our names for the columns. Values that the model saw
/// take precedence.
///
/// # Errors
///
/// Returns an error if two columns get the same name, or if the row does not fit `T`.
pub(super) fn join_row<T: DeserializeOwned>(
    chosen: &RawRow,
    rest: Option<&RawRow>,
    joint: &JoinRules,
) -> Result<T, ToolError> {
    let cells = cells(chosen, rest, &joint.mapping).map_err(|problem| fault(chosen, &problem))?;
    let text = text(chosen, &cells, joint)?;
    read(&text).map_err(|_| {
        fault(
            chosen,
            &mismatch_message(&diagnose::<T>(&text), &cells, rest.is_some()),
        )
    })
}

/// Refuses a row that no body can complete. It runs before the body is fetched, because a body can
/// be taken only once.
///
/// # Errors
///
/// Returns an error if two columns get the same name, or if a value does not fit `T`.
pub(super) fn check_chosen<T: DeserializeOwned>(
    chosen: &RawRow,
    joint: &JoinRules,
) -> Result<(), ToolError> {
    let cells = cells(chosen, None, &joint.mapping).map_err(|problem| fault(chosen, &problem))?;
    let text = text(chosen, &cells, joint)?;
    match read::<T>(&text) {
        // A missing field may be in the body.
        Err(error) if !error.to_string().contains("missing field") => match diagnose::<T>(&text) {
            why if why.column.is_some() => {
                Err(fault(chosen, &mismatch_message(&why, &cells, true)))
            }
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

fn fault(row: &RawRow, problem: &str) -> ToolError {
    ToolError::new(
        ToolError::INVALID_ARGUMENTS,
        format!("row {} {problem}", row.id),
    )
}

/// Renders the joined row as one JSON text, with the row's number if `T` has a column for it.
fn text(
    chosen: &RawRow,
    cells: &[(&str, &RawValue)],
    joint: &JoinRules,
) -> serde_json::Result<String> {
    let number = joint
        .is_numbered
        .then(|| to_raw_value(&chosen.id))
        .transpose()?;
    let number = number.iter().map(|number| (ROW_ID, &**number));
    serde_json::to_string(&JoinedRow(number.chain(cells.iter().copied()).collect()))
}

/// Parses a row. The second attempt accepts `1.0` as an integer and costs a `Value`, so it runs
/// only on failure.
fn read<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text).or_else(|_| serde_json::from_str(text).and_then(argument::read))
}

/// Finds out why a row does not fit, without quoting a value: most values were withheld from the
/// model that reads the message.
fn diagnose<T: DeserializeOwned>(text: &str) -> RowMismatch {
    match serde_json::from_str(text) {
        Ok(row) => RowMismatch::diagnose::<T>(&row),
        // The cells were read as `RawValue`s, which have no depth limit. `Value` has serde_json's
        // limit of 128.
        Err(_) => RowMismatch::from_reason("it is nested too deeply"),
    }
}

/// Returns the columns of the abstract and then those columns of the body that the abstract lacks.
fn cells<'a>(
    chosen: &'a RawRow,
    rest: Option<&'a RawRow>,
    mapping: &'a ColumnMapping,
) -> Result<Vec<(&'a str, &'a RawValue)>, String> {
    let seen: HashSet<&str> = chosen.cells.iter().map(|(name, _)| name.as_str()).collect();
    let others = rest
        .into_iter()
        .flat_map(|rest| &rest.cells)
        .filter(|(name, _)| !seen.contains(name.as_str()));
    let mut cells = Vec::new();
    let mut ours = HashSet::new();
    for (name, value) in chosen.cells.iter().chain(others) {
        let name = mapping.ours(name);
        if !ours.insert(name) {
            return Err(format!(
                "has two columns that become `{name}`; rename one of them in `column_mapping`"
            ));
        }
        cells.push((name, &**value));
    }
    Ok(cells)
}

fn mismatch_message(why: &RowMismatch, cells: &[(&str, &RawValue)], has_rest: bool) -> String {
    let names: Vec<_> = cells.iter().map(|(name, _)| format!("`{name}`")).collect();
    let rest = if has_rest {
        ""
    } else {
        ", and nothing of it beside `abstract_data`"
    };
    let why = cut(&why.to_string());
    let names = cut(&names.join(", "));
    format!(
        "does not fit: {why}; it has {names}{rest}; map them to this tool's columns in `column_mapping`"
    )
}

/// Cuts a list of names for a message. Rows can have many columns with long names.
fn cut(names: &str) -> String {
    with_ellipsis(names, NAMES_MAX)
}

/// A JSON object with these entries, in their order.
struct JoinedRow<'a>(Vec<(&'a str, &'a RawValue)>);

impl Serialize for JoinedRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}
