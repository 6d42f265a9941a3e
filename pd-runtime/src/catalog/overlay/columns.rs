//! Checks that the new texts of a selective tool still name its columns. Callers learn the columns
//! from this text only.

use super::error::OverlayErrorKind;
use crate::registry::{selective::columns::ABSTRACT_DOMAINS, tool_spec::ToolSpec};
use pd_schema::reader::SchemaRef;

/// Returns a mistake for each known column that the text does not name, with the JSON pointer of
/// the text.
pub(super) fn missing_columns(edited: &ToolSpec) -> Vec<(String, OverlayErrorKind)> {
    let Some(columns) = &edited.columns else {
        return Vec::new();
    };
    let property = SchemaRef::document(&*edited.input.schema).property(ABSTRACT_DOMAINS);
    let text = property
        .and_then(|property| property.get("description")?.as_str())
        .unwrap_or_default();
    let missing = columns.names().filter(|column| !names(text, column));
    missing
        .map(|column| {
            let at = format!("/inputSchema/properties/{ABSTRACT_DOMAINS}/description");
            (
                at,
                OverlayErrorKind::MissingColumn {
                    column: column.to_owned(),
                },
            )
        })
        .collect()
}

/// Returns whether the text contains the name as a word: `idle` does not contain the word `id`.
fn names(text: &str, column: &str) -> bool {
    let is_part = |character: Option<char>| {
        character.is_some_and(|character| character.is_alphanumeric() || character == '_')
    };
    text.match_indices(column).any(|(at, _)| {
        let before = text.get(..at);
        let after = text.get(at + column.len()..);
        !is_part(before.and_then(|text| text.chars().next_back()))
            && !is_part(after.and_then(|text| text.chars().next()))
    })
}
