//! The new text of a client's file.

use super::{PlannedFile, client_edit::ClientEdit, json_edit, toml_edit};
use crate::config::raw_entries::{has_json, parse_document};
use serde_json::Value;
use std::path::Path;

/// Returns the new text of a client's file, and the name of the entry for the gateway. Returns
/// `None` if no server moves.
///
/// # Errors
///
/// Returns an error if the text cannot be changed, or if the change would touch anything else in
/// it.
pub(crate) fn edit_client(
    file: &PlannedFile,
    text: &str,
    program: &str,
    config: &Path,
) -> Result<Option<(String, String)>, String> {
    let Some(edit) = ClientEdit::new(file, text, program, &config.to_string_lossy()) else {
        return Ok(None);
    };
    let is_json = has_json(&file.path, text);
    let changed = if is_json {
        json_edit::edit(text, &edit)
    } else {
        toml_edit::edit(text, &edit)
    };
    // The editors change a text. The same change of the parsed document shows whether they have
    // touched anything else.
    let expected = parse_document(&file.path, text).and_then(|document| applied(document, &edit));
    match changed
        .filter(|changed| expected.is_some() && parse_document(&file.path, changed) == expected)
    {
        Some(changed) => Ok(Some((changed, edit.name))),
        None => Err(format!(
            "{} is not changed: its servers cannot be replaced without touching the rest; replace them by hand",
            file.path.display()
        )),
    }
}

/// Returns a document with an edit, against which the edited text is checked.
fn applied(mut document: Value, edit: &ClientEdit) -> Option<Value> {
    for (location, label) in &edit.removed {
        object_at(&mut document, location)?
            .as_object_mut()?
            .shift_remove(label)?;
    }
    let servers = object_at(&mut document, &edit.location)?.as_object_mut()?;
    servers.insert(edit.name.clone(), edit.entry.clone());
    Some(document)
}

fn object_at<'d>(document: &'d mut Value, location: &[String]) -> Option<&'d mut Value> {
    location
        .iter()
        .try_fold(document, |value, key| value.get_mut(key))
}
