//! Changes files in TOML, and keeps everything else in them as it is.

use super::client_edit::ClientEdit;
use serde_json::Value;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike};

/// Removes the entries of an edit, and writes the entry for the gateway in the place of the first.
/// Returns `None` if the file does not have them.
pub(super) fn edit(text: &str, edit: &ClientEdit) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let key = edit.location.first()?;
    let servers = document.get_mut(key)?.as_table_like_mut()?;
    let mut table = new_table(&edit.entry)?;
    let mut comments = String::new();
    for label in edit
        .removed
        .iter()
        .map(|(_, label)| label)
        .chain([&edit.name])
    {
        if let Some(Item::Table(removed)) = servers.get(label) {
            // The comments above a table are part of it, and must not go with it.
            comments.push_str(
                removed
                    .decor()
                    .prefix()
                    .and_then(|prefix| prefix.as_str())
                    .unwrap_or_default(),
            );
            let place = table.position().or(removed.position());
            table.set_position(place);
        }
        servers.remove(label);
    }
    if servers.is_empty() && comments.is_empty() {
        // Otherwise the header would follow the text above it without an empty line.
        comments.push('\n');
    }
    table.decor_mut().set_prefix(comments);
    insert(servers, &edit.name, table);
    Some(document.to_string())
}

fn insert(servers: &mut dyn TableLike, name: &str, table: Table) {
    // An inline table cannot contain a table with its own header.
    let _ = servers.insert(name, Item::Table(table));
}

fn new_table(entry: &Value) -> Option<Table> {
    let mut table = Table::new();
    for (key, member) in entry.as_object()? {
        table.insert(key, Item::Value(toml_value(member)?));
    }
    Some(table)
}

fn toml_value(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        // TOML does not have null.
        Value::Null => return None,
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64()?.into(),
        },
        Value::String(text) => text.as_str().into(),
        Value::Array(elements) => elements
            .iter()
            .map(toml_value)
            .collect::<Option<Array>>()?
            .into(),
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(key, member)| Some((key.clone(), toml_value(member)?)));
            members.collect::<Option<InlineTable>>()?.into()
        }
    })
}
