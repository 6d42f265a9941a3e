//! Calls as providers and agent frameworks write them, inside the arguments of a call:
//! `{"function": {"name": "log", "arguments": {…}}}`.

use super::coerce_arguments;
use crate::protocol::keys::TICKET_ARGUMENT;
use rmcp::model::JsonObject;
use serde_json::Value;

/// The argument that contains the tool's arguments, followed by the names that models use for it by
/// mistake.
pub(super) const ARGUMENTS: [&str; 5] = ["arguments", "args", "parameters", "params", "input"];
/// The arguments that name a tool. The first one is the declared one.
const NAMINGS: [&str; 5] = ["name", "tool_name", "tool", "function_name", "function"];
/// The arguments that contain a whole call.
const CALLS: [&str; 7] = [
    "function",
    "call",
    "calls",
    "tool_call",
    "tool_calls",
    "function_call",
    "tool",
];
/// What providers write beside a call.
const MARKS: [&str; 4] = ["type", "id", "call_id", "index"];
/// The kinds of calls that providers write as `type`.
const TYPES: [&str; 4] = ["function", "function_call", "tool_call", "tool_use"];
/// The most calls around one another: OpenAI's `tool_calls` has a `function` inside.
const LEVELS_MAX: usize = 3;

/// Returns whether a name is one of those that models give to an object with all arguments.
pub(crate) fn is_wrapper(name: &str) -> bool {
    ARGUMENTS.contains(&name)
}

/// Returns whether models write a tool's name into an argument of this name.
pub(crate) fn is_naming(name: &str) -> bool {
    NAMINGS.contains(&name)
}

/// Returns whether models write a call, or the arguments of one, into an argument of this name.
pub(crate) fn is_call_word(name: &str) -> bool {
    CALLS.contains(&name) || is_wrapper(name)
}

/// Replaces a call inside of a call without a name by that call, and gives its name the declared
/// argument.
pub(super) fn flatten(sent: &mut JsonObject) {
    for _ in 0..LEVELS_MAX {
        if has_name(sent) {
            return;
        }
        let Some((key, mut inner)) = CALLS
            .iter()
            .find_map(|key| Some((*key, only_call(sent.get(*key)?)?)))
        else {
            break;
        };
        sent.shift_remove(key);
        sent.shift_remove("name");
        if is_complete(&inner) || is_marked(sent) {
            sent.retain(|name, _| !MARKS.contains(&name.as_str()));
        }
        // What else was sent stays, so that it is reported.
        let beside = std::mem::take(sent);
        beside
            .into_iter()
            .for_each(|(name, value)| _ = inner.entry(name).or_insert(value));
        *sent = inner;
    }
    name_properly(sent);
}

/// Returns how many calls a list in a call without a name has, and the first one, if there are
/// several.
pub(super) fn several(sent: &JsonObject) -> Option<(usize, JsonObject)> {
    CALLS.iter().find_map(|key| match sent.get(*key)? {
        Value::Array(calls) if calls.len() > 1 => {
            let mut first = only_call(calls.first()?)?;
            flatten(&mut first);
            Some((calls.len(), first))
        }
        _ => None,
    })
}

/// Returns the arguments for a tool that are a whole call of this tool, without the call around
/// them. `is_taken` says which arguments the tool has itself.
pub(crate) fn own_arguments(
    sent: &JsonObject,
    is_own: &dyn Fn(&str) -> bool,
    is_taken: &dyn Fn(&str) -> bool,
) -> Option<JsonObject> {
    if !sent
        .keys()
        .any(|name| is_call_word(name) && !is_taken(name))
    {
        return None;
    }
    own_in(sent.clone(), is_own, is_taken, LEVELS_MAX)
}

fn own_in(
    mut sent: JsonObject,
    is_own: &dyn Fn(&str) -> bool,
    is_taken: &dyn Fn(&str) -> bool,
    levels: usize,
) -> Option<JsonObject> {
    let is_argument = |name: &String| !is_naming(name) && !MARKS.contains(&name.as_str());
    if levels == 0 || sent.keys().any(|name| is_argument(name) && is_taken(name)) {
        return None;
    }
    flatten(&mut sent);
    sent.shift_remove(TICKET_ARGUMENT);
    if is_marked(&sent) && !is_taken("type") {
        sent.retain(|name, _| !MARKS.contains(&name.as_str()));
    }
    let name = sent.shift_remove("name")?;
    let mut members = sent.into_iter();
    // Anything else would be lost.
    let (Some((wrapper, value)), None) = (members.next(), members.next()) else {
        return None;
    };
    if !is_wrapper(&wrapper) || is_taken(&wrapper) {
        return None;
    }
    let mut inner = coerce_arguments::object(value)?;
    // The call may be repeated inside, also around it the call of a meta-tool.
    let innermost = own_in(inner.clone(), is_own, is_taken, levels - 1);
    if innermost.is_some() || !is_own(name.as_str()?.trim()) {
        return innermost;
    }
    inner.shift_remove(TICKET_ARGUMENT);
    Some(inner)
}

fn has_name(sent: &JsonObject) -> bool {
    let name = sent.get("name").and_then(Value::as_str);
    name.is_some_and(|name| !name.trim().is_empty())
}

/// Moves a name under another word to the declared argument. A tool may have such an argument, so
/// only a whole call shows that the word means the tool.
fn name_properly(sent: &mut JsonObject) {
    let is_whole =
        is_complete(sent) || sent.keys().filter(|key| *key != TICKET_ARGUMENT).count() == 1;
    if has_name(sent) || !is_whole {
        return;
    }
    let naming = NAMINGS
        .iter()
        .find(|key| sent.get(**key).is_some_and(Value::is_string));
    if let Some(name) = naming.and_then(|key| sent.shift_remove(*key)) {
        sent.insert("name".to_owned(), name);
    }
}

/// Returns whether arguments for a tool are there.
fn is_complete(sent: &JsonObject) -> bool {
    sent.keys().any(|name| is_wrapper(name))
}

fn is_marked(sent: &JsonObject) -> bool {
    let kind = sent.get("type").and_then(Value::as_str);
    kind.is_some_and(|kind| TYPES.contains(&kind))
}

/// Returns the only call that a value contains.
fn only_call(value: &Value) -> Option<JsonObject> {
    let call = match value {
        Value::Object(call) => call.clone(),
        Value::String(text) if text.contains('{') => coerce_arguments::object(value.clone())?,
        Value::Array(calls) => match calls.as_slice() {
            [Value::Object(call)] => call.clone(),
            _ => return None,
        },
        _ => return None,
    };
    let is_call = has_name(&call)
        || is_complete(&call)
            && NAMINGS
                .iter()
                .any(|key| call.get(*key).is_some_and(Value::is_string))
        || CALLS
            .iter()
            .any(|key| call.get(*key).is_some_and(Value::is_object));
    is_call.then_some(call)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    fn object(value: &Value) -> JsonObject {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn a_call_inside_of_a_call_becomes_that_call() {
        let call = json!({ "name": "log", "arguments": { "limit": 3 } });
        let marked = json!({ "type": "function", "id": "c1", "function": call });
        for sent in [
            json!({ "function": call }),
            json!({ "function": call.to_string() }),
            json!({ "call": call }),
            json!({ "tool_call": call }),
            json!({ "tool": call }),
            json!({ "function_call": call }),
            json!({ "calls": [call] }),
            json!({ "tool_calls": [marked] }),
            marked,
            json!({ "name": "", "function": call }),
            json!({ "function": { "name": "log" }, "arguments": { "limit": 3 } }),
            json!({ "tool": "log", "arguments": { "limit": 3 } }),
            json!({ "tool_name": "log", "arguments": { "limit": 3 } }),
            json!({ "function": "log", "arguments": { "limit": 3 } }),
        ] {
            let mut flat = object(&sent);
            flatten(&mut flat);
            assert_eq!(Value::Object(flat), call, "{sent}");
        }
        for kept in [
            call.clone(),
            json!({ "tool": "hammer", "size": 3 }),
            json!({ "call": { "to": "Ada" } }),
            json!({ "calls": [call, call] }),
        ] {
            let mut flat = object(&kept);
            flatten(&mut flat);
            assert_eq!(Value::Object(flat), kept);
        }
        let (count, first) = several(&object(&json!({ "tool_calls": [call, call] }))).unwrap();
        assert_eq!((count, Value::Object(first)), (2, call));
    }

    #[test]
    fn a_call_of_the_tool_in_its_arguments_is_read_as_their_inside() {
        let inner = json!({ "id": "7" });
        let call = json!({ "name": "log", "arguments": inner });
        let read = |sent: &Value, taken: &[&str]| {
            let own = own_arguments(&object(sent), &|name| name == "log", &|name| {
                taken.contains(&name)
            });
            own.map(Value::Object)
        };
        for sent in [
            call.clone(),
            json!({ "tool": "log", "args": inner }),
            json!({ "tool_name": "log", "input": inner.to_string() }),
            json!({ "name": "log", "parameters": inner, "disclosure_ticket": "1" }),
            json!({ "name": "log", "arguments": call }),
            json!({ "name": "call_tool", "arguments": call }),
            json!({ "function": call }),
            json!({ "type": "tool_use", "id": "c1", "name": "log", "input": inner }),
        ] {
            assert_eq!(read(&sent, &["id", "name"]), Some(inner.clone()), "{sent}");
        }
        for sent in [
            json!({ "name": "show", "arguments": inner }),
            json!({ "name": "log", "arguments": inner, "limit": 3 }),
            json!({ "name": "log", "id": "c1", "arguments": inner }),
            json!({ "name": "log", "arguments": "id: 7" }),
            json!({ "name": "log" }),
            json!({ "arguments": inner }),
        ] {
            assert_eq!(read(&sent, &["id"]), None, "{sent}");
        }
        assert_eq!(read(&call, &["arguments"]), None);
    }
}
