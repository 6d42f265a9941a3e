//! Changes files in JSON with comments, and keeps everything else in them as it is.

use super::client_edit::ClientEdit;
use crate::config::parse_options;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

/// Adds servers, inputs of VS Code, and `pd.inheritEnv` of all servers to a file. A server of the
/// same name is replaced. Returns `None` if the file has no object for them.
pub(super) fn add_servers(
    text: &str,
    key: &str,
    servers: &[(&str, &Value)],
    inputs: &[&Value],
    variables: &[String],
) -> Option<String> {
    with_root(text, |root| {
        let object = root.object_value_or_create()?;
        let list = object.object_value_or_create(key)?;
        servers
            .iter()
            .for_each(|(name, server)| set(&list, name, server));
        if !inputs.is_empty() {
            let array = object.array_value_or_create("inputs")?;
            inputs
                .iter()
                .for_each(|input| drop(array.append(input_value(input))));
        }
        if !variables.is_empty() {
            set(
                &object.object_value_or_create("pd")?,
                "inheritEnv",
                &Value::from(variables),
            );
        }
        Some(())
    })
}

/// Removes the entries of an edit, and writes the entry for the gateway in the place of the first.
/// Returns `None` if the file does not have them.
pub(super) fn edit(text: &str, edit: &ClientEdit) -> Option<String> {
    with_root(text, |root| {
        let list = object_at(root, &edit.location)?;
        let first = edit
            .removed
            .iter()
            .find(|(location, _)| *location == edit.location);
        if let Some((_, label)) = first.filter(|_| list.get(&edit.name).is_none()) {
            // A new name keeps the comments and the indentation around the entry.
            list.get(label)?
                .name()?
                .as_string_lit()?
                .set_raw_value(Value::from(edit.name.as_str()).to_string());
        }
        set(&list, &edit.name, &edit.entry);
        // A server that moves can have the name of the new entry, which must stay.
        for (location, label) in edit.removed.iter().filter(|(_, label)| *label != edit.name) {
            // The first one has the new name.
            if let Some(property) = object_at(root, location)?.get(label) {
                property.remove();
            }
        }
        Some(())
    })
}

fn with_root(text: &str, change: impl FnOnce(&CstRootNode) -> Option<()>) -> Option<String> {
    // Parsed without the byte order mark, and written with it: only the servers may change.
    let (mark, text) = match text.strip_prefix('\u{feff}') {
        Some(text) => ("\u{feff}", text),
        None => ("", text),
    };
    let root = CstRootNode::parse(text, &parse_options()).ok()?;
    change(&root)?;
    Some(format!("{mark}{root}"))
}

fn object_at(root: &CstRootNode, location: &[String]) -> Option<CstObject> {
    location
        .iter()
        .try_fold(root.object_value()?, |object, key| object.object_value(key))
}

fn set(object: &CstObject, name: &str, value: &Value) {
    match object.get(name) {
        Some(property) => property.set_value(input_value(value)),
        None => drop(object.append(name, input_value(value))),
    }
}

fn input_value(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(elements) => CstInputValue::Array(elements.iter().map(input_value).collect()),
        Value::Object(members) => CstInputValue::Object(
            members
                .iter()
                .map(|(key, member)| (key.clone(), input_value(member)))
                .collect(),
        ),
    }
}
