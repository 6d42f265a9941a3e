//! The argument of a calling meta-tool that contains the arguments of the called tool.

use super::{
    call_forms::{self, ARGUMENTS, is_wrapper},
    coerce_arguments,
};
use crate::{
    disclosure::view::{CallerView, NestedForm},
    protocol::keys::TICKET_ARGUMENT,
    text::loose_json::JsonMistake,
};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// The most calls of the meta-tool inside one another.
const CALLS_MAX: usize = 3;

/// Returns the schema of the argument. Strict modes and clients that validate arguments drop the
/// members of an object without `properties`, and a text survives all of them. Objects are
/// accepted, too.
pub(crate) fn schema() -> Value {
    json!({ "type": "string", "description": "JSON object" })
}

/// Removes the nested arguments under any of their names but those that `means_itself` accepts.
pub(crate) fn remove(sent: &mut JsonObject, means_itself: impl Fn(&str) -> bool) -> Option<Value> {
    let [proper, misnamed @ ..] = ARGUMENTS;
    let misnamed = misnamed.into_iter().filter(|key| !means_itself(key));
    std::iter::once(proper)
        .chain(misnamed)
        .find_map(|key| sent.shift_remove(key))
}

/// Removes the nested arguments, and notes in which form the client sends them. If arguments may
/// also be beside the name, a word that is an argument of the tool means that argument.
pub(super) fn take(
    sent: &mut JsonObject,
    schema: &JsonObject,
    flattened: bool,
    view: &CallerView<'_>,
) -> Option<Value> {
    let nested = remove(sent, |key| flattened && has_property(schema, key));
    if let Some(nested) = &nested {
        // An object arrived, so this client takes one from its model.
        view.note_nested_form(if nested.is_object() {
            NestedForm::Object
        } else {
            NestedForm::Text
        });
    }
    nested
}

/// Returns the mistake in nested arguments that are a text, and were meant as JSON.
pub(super) fn mistake(
    sent: &JsonObject,
    schema: &JsonObject,
    flattened: bool,
) -> Option<JsonMistake> {
    let [proper, misnamed @ ..] = ARGUMENTS;
    let misnamed = misnamed
        .into_iter()
        .filter(|key| !(flattened && has_property(schema, key)));
    let mut names = std::iter::once(proper).chain(misnamed);
    coerce_arguments::mistake(names.find_map(|key| sent.get(key))?)
}

/// Replaces a call of the meta-tool `own` by the call that it contains:
/// `{"arguments": {"name": "log", "arguments": {}}}`.
pub(crate) fn unwrap_call(sent: &mut JsonObject, naming: &str, own: &str) {
    for _ in 0..CALLS_MAX {
        flatten(sent, naming, own);
        let name = sent
            .get(naming)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .trim();
        // Another name is a complete call, and its arguments belong to that tool.
        if !name.is_empty() && name != own {
            return;
        }
        let mut inner = sent
            .get("arguments")
            .cloned()
            .and_then(coerce_arguments::object);
        if let Some(inner) = &mut inner {
            flatten(inner, naming, own);
        }
        // A name inside shows that it is a call, and not an argument that is called `arguments`.
        let Some(mut inner) = inner.filter(|inner| inner.get(naming).is_some_and(Value::is_string))
        else {
            return;
        };
        // The ticket may be at any level. The innermost one wins.
        if let Some(ticket) = sent.shift_remove(TICKET_ARGUMENT) {
            inner.entry(TICKET_ARGUMENT).or_insert(ticket);
        }
        *sent = inner;
    }
}

/// Reads the forms in which providers write a call, also beside the name of the meta-tool itself.
fn flatten(sent: &mut JsonObject, naming: &str, own: &str) {
    // The meta-tools of other systems name tools in other arguments.
    if naming != "name" {
        return;
    }
    let is_itself = sent.get(naming).and_then(Value::as_str).map(str::trim) == Some(own);
    if !is_itself {
        call_forms::flatten(sent);
    } else if !sent.keys().any(|key| is_wrapper(key)) {
        let mut call = sent.clone();
        call.shift_remove(naming);
        call_forms::flatten(&mut call);
        if call.contains_key(naming) {
            *sent = call;
        }
    }
}

/// Replaces arguments that contain the tool's name and its arguments once more by these arguments.
/// Semantic Kernel sends them so: it takes a parameter named `arguments` for all arguments. A tool
/// that has such an argument keeps what was sent.
pub(super) fn unwrap_doubled(
    mut arguments: JsonObject,
    naming: &str,
    name: &Value,
    schema: &JsonObject,
) -> JsonObject {
    for _ in 0..CALLS_MAX {
        let is_call = arguments.get(naming) == Some(name)
            && arguments.contains_key("arguments")
            && arguments
                .keys()
                .all(|key| key == naming || key == "arguments" || key == TICKET_ARGUMENT);
        if !is_call || has_property(schema, "arguments") {
            break;
        }
        let Some(mut inner) = arguments
            .get("arguments")
            .cloned()
            .and_then(coerce_arguments::object)
        else {
            break;
        };
        if let Some(ticket) = arguments.shift_remove(TICKET_ARGUMENT) {
            inner.entry(TICKET_ARGUMENT).or_insert(ticket);
        }
        arguments = inner;
    }
    arguments
}

/// Returns whether a schema declares an argument of this name.
pub(super) fn has_property(schema: &JsonObject, key: &str) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.is_some_and(|properties| properties.contains_key(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(value: Value) -> JsonObject {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn a_call_that_contains_the_whole_call_becomes_that_call() {
        let call = json!({ "name": "log", "arguments": { "limit": 3 } });
        for sent in [
            call.clone(),
            json!({ "arguments": call }),
            json!({ "name": "call_tool", "arguments": call }),
            json!({ "name": "", "arguments": call.to_string() }),
            json!({ "arguments": { "name": "call_tool", "arguments": call } }),
        ] {
            let mut unwrapped = object(sent.clone());
            unwrap_call(&mut unwrapped, "name", "call_tool");
            assert_eq!(Value::Object(unwrapped), call, "{sent}");
        }
        for sent in [
            json!({ "name": "call_tool", "arguments": { "limit": 3 } }),
            json!({ "arguments": {} }),
            json!({}),
        ] {
            let mut unwrapped = object(sent.clone());
            unwrap_call(&mut unwrapped, "name", "call_tool");
            assert_eq!(Value::Object(unwrapped), sent);
        }
    }

    #[test]
    fn doubled_arguments_are_unwrapped_unless_the_tool_has_them() {
        let (open, own) = (
            object(json!({})),
            object(json!({ "properties": { "arguments": {} } })),
        );
        let inner = json!({ "limit": 3 });
        let doubled = json!({ "name": "log", "arguments": inner });
        let unwrap = |sent: &Value, schema| {
            Value::Object(unwrap_doubled(
                object(sent.clone()),
                "name",
                &json!("log"),
                schema,
            ))
        };
        assert_eq!(unwrap(&doubled, &open), inner);
        assert_eq!(
            unwrap(
                &json!({ "name": "log", "arguments": inner.to_string() }),
                &open
            ),
            inner
        );
        assert_eq!(
            unwrap(&json!({ "name": "log", "arguments": doubled }), &open),
            inner
        );
        let with_ticket = json!({ "name": "log", "arguments": inner, "disclosure_ticket": "1" });
        assert_eq!(
            unwrap(&with_ticket, &open),
            json!({ "limit": 3, "disclosure_ticket": "1" })
        );
        assert_eq!(unwrap(&doubled, &own), doubled);
        for kept in [
            json!({ "name": "show", "arguments": inner }),
            json!({ "name": "log", "arguments": inner, "more": 1 }),
            json!({ "name": "log", "arguments": [1] }),
            json!({ "name": "log" }),
        ] {
            assert_eq!(unwrap(&kept, &open), kept);
        }
    }
}
