//! Whether a selective tool's new texts still name its columns: its callers know them from nowhere else.

use super::error::OverlayFault;
use crate::registry::{selective::columns::ABSTRACT_DOMAINS, tool_spec::About};

/// A mistake for each known column that the text lacks, with where the text stands in the file.
pub(super) fn unnamed(laid: &About) -> Vec<(String, OverlayFault)> {
    let Some(columns) = &laid.columns else { return Vec::new() };
    let property = laid.input.schema.get("properties").and_then(|properties| properties.get(ABSTRACT_DOMAINS));
    let text = property.and_then(|property| property.get("description")?.as_str()).unwrap_or_default();
    let missing = columns.names().filter(|column| !names(text, column));
    let mistake = |column: &str| {
        let at = format!("/inputSchema/properties/{ABSTRACT_DOMAINS}/description");
        (at, OverlayFault::MissingColumn { column: column.to_owned() })
    };
    missing.map(mistake).collect()
}

/// Whether the text has this name as a word of its own: `id` does not stand in `idle`.
fn names(text: &str, column: &str) -> bool {
    let is_part =
        |character: Option<char>| character.is_some_and(|character| character.is_alphanumeric() || character == '_');
    text.match_indices(column).any(|(at, _)| {
        let (before, after) = (text.get(..at), text.get(at + column.len()..));
        !is_part(before.and_then(|text| text.chars().next_back()))
            && !is_part(after.and_then(|text| text.chars().next()))
    })
}
