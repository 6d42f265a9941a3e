//! Extraction of the four arguments from a call.

use super::{
    ABSTRACT_DATA, BODY_DATA, COLUMN_MAPPING, RESOURCE_URL, mapping::ColumnMapping, row::RawRow,
};
use crate::tool::error::ToolError;
use rmcp::model::JsonObject;
use serde_json::Value;

/// The location of the columns that the model did not see.
pub(super) enum RestLocation {
    /// The model saw all columns.
    Nothing,
    /// The columns are in this JSON array of rows.
    Here(String),
    /// The columns are on another server, behind a capability URL.
    At(String),
}

/// Takes the four arguments. A blank string counts as absent.
pub(super) fn take(
    arguments: &mut JsonObject,
) -> Result<(Vec<RawRow>, RestLocation, ColumnMapping), ToolError> {
    let Some(chosen) = text(arguments, ABSTRACT_DATA)? else {
        return Err(ToolError::invalid_argument(
            ABSTRACT_DATA,
            "it is missing; send the chosen rows, or `[]` for none",
        ));
    };
    let chosen = chosen_rows(&chosen)
        .map_err(|problem| ToolError::invalid_argument(ABSTRACT_DATA, &problem))?;
    let mapping = text(arguments, COLUMN_MAPPING)?.map_or(Ok(ColumnMapping::default()), |text| {
        ColumnMapping::read(&text)
    });
    let mapping =
        mapping.map_err(|problem| ToolError::invalid_argument(COLUMN_MAPPING, &problem))?;
    let rest = match (text(arguments, RESOURCE_URL)?, text(arguments, BODY_DATA)?) {
        (None, None) => RestLocation::Nothing,
        (None, Some(body)) => RestLocation::Here(body),
        (Some(url), None) => RestLocation::At(url),
        (Some(_), Some(_)) => {
            let problem = "`resource_url` is sent, too; send the one that the other tool gave";
            return Err(ToolError::invalid_argument(BODY_DATA, problem));
        }
    };
    Ok((chosen, rest, mapping))
}

fn text(arguments: &mut JsonObject, name: &str) -> Result<Option<String>, ToolError> {
    match arguments.get_mut(name).map(Value::take) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
        Some(_) => Err(ToolError::invalid_argument(
            name,
            "it is not a string; send its JSON in one",
        )),
    }
}

/// Parses the chosen rows and refuses a row that occurs twice.
fn chosen_rows(text: &str) -> Result<Vec<RawRow>, String> {
    let rows = RawRow::read_all(text)?;
    let mut ids: Vec<u64> = rows.iter().map(|row| row.id).collect();
    ids.sort_unstable();
    match ids.windows(2).find_map(|pair| {
        matches!(pair, [one, other] if one == other)
            .then(|| pair.first())
            .flatten()
    }) {
        Some(twice) => Err(format!(
            "it has two rows with `_row_id` {twice}; send each row once"
        )),
        None => Ok(rows),
    }
}
