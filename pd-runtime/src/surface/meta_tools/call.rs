//! Calling a tool through a tool, for hosts that call only what is listed. The gate, the ticket, the judging of arguments
//! and the result are those of the tool itself.

use super::{Reply, Schema, arguments::Asked, coerce_arguments, object, telling};
use crate::{
    catalog::entry::Entry,
    disclosure::{disclose::unknown_in_words, view::View},
    policy::meta_tools::{Offer, Purpose, Role},
    tool::descriptor::TICKET_ARGUMENT,
};

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;

/// Where the tool's arguments stand, and what models call that instead.
const ARGUMENTS: [&str; 5] = ["arguments", "args", "parameters", "params", "input"];

static SCHEMA: Schema = Schema::new(|| {
    object(json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "arguments": { "type": "object" } },
        "required": ["name"],
    }))
});

/// Its entry in the list. No host can see the hints of the tool inside, so it carries the most cautious ones.
pub(super) fn definition(offer: &Offer) -> Tool {
    cautious(telling(offer, "Call a tool", &SCHEMA))
}

/// With the most cautious hints: what is called may do anything. That it is not read-only goes without saying.
pub(crate) fn cautious(tool: Tool) -> Tool {
    tool.with_annotations(ToolAnnotations::default().destructive(true).open_world(true))
}

/// The entry of the one that reaches only read-only tools, so that a host need not ask before each call.
pub(super) fn read_only_definition(offer: &Offer) -> Tool {
    telling(offer, "Call a read-only tool", &SCHEMA)
}

/// Calls either of them.
///
/// # Errors
///
/// Says what to send instead.
pub(super) fn call(offer: &Offer, asked: Asked, view: &View<'_>) -> Result<Reply, String> {
    let entry = target(offer, asked.text("name"), view)?;
    nested_call("name", asked, entry, view)
}

/// The tool that a meta-tool may call for this caller.
///
/// # Errors
///
/// Says what to call instead; the same of a hidden tool and of none.
pub(crate) fn target<'a>(offer: &Offer, name: &str, view: &View<'a>) -> Result<&'a Arc<Entry>, String> {
    let name: String = name.chars().take(65).collect();
    if name.is_empty() {
        return Err("`name` must be the name of a tool".to_owned());
    }
    if view.policy.meta_tools().named(&name).is_some() {
        return Err(format!("call `{name}` itself, not through {}", offer.name));
    }
    let entry = view.asked(&name).ok_or_else(|| unknown_in_words(&name, view))?;
    if offer.role == Role::CallReadOnly && entry.tool.about.hints.read_only != Some(true) {
        return Err(match view.policy.meta_tools().name_of(Purpose::Call) {
            Some(any) => format!("`{name}` is not read-only: call it through {any}"),
            None => format!("`{name}` is not read-only: call it by its own name"),
        });
    }
    Ok(entry)
}

/// Calls a tool whose arguments stand in one argument, beside that which names the tool.
///
/// # Errors
///
/// They are nowhere, or no object.
pub(super) fn nested_call(naming: &str, asked: Asked, entry: &Arc<Entry>, view: &View<'_>) -> Result<Reply, String> {
    let mut sent = asked.into_inner();
    sent.shift_remove(naming);
    let ticket = sent.shift_remove(TICKET_ARGUMENT);
    let flattened = view.policy.meta_tools().flattened;
    let nested = nested(&mut sent, &entry.tool.about.input.schema, flattened);
    let is_elsewhere = nested.is_none() && !sent.is_empty();
    let mut arguments = coerce_arguments::object(nested.unwrap_or_default()).ok_or_else(|| misplaced(naming))?;
    if flattened {
        sent.into_iter().for_each(|(key, value)| _ = arguments.entry(key).or_insert(value));
    } else if is_elsewhere {
        return Err(misplaced(naming));
    }
    Ok(reply(entry, arguments, ticket))
}

fn misplaced(naming: &str) -> String {
    format!("the tool's arguments belong in `arguments`, as an object: {{\"{naming}\": …, \"arguments\": {{…}}}}")
}

/// Takes the nested arguments out, whatever they are called. Where they may also stand beside the name, a word that is an
/// argument of the tool means that argument.
fn nested(sent: &mut JsonObject, schema: &JsonObject, flattened: bool) -> Option<Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let is_own = |key: &str| flattened && properties.is_some_and(|properties| properties.contains_key(key));
    let [proper, misnamed @ ..] = ARGUMENTS;
    let misnamed = misnamed.into_iter().filter(|key| !is_own(key));
    std::iter::once(proper).chain(misnamed).find_map(|key| sent.shift_remove(key))
}

/// The call itself; the ticket may have been sent beside the arguments.
pub(crate) fn reply(entry: &Arc<Entry>, mut arguments: JsonObject, ticket: Option<Value>) -> Reply {
    if let Some(ticket) = ticket {
        arguments.entry(TICKET_ARGUMENT).or_insert(ticket);
    }
    coerce_arguments::repair(&mut arguments, &entry.tool.about.input.schema);
    Reply::Call { entry: entry.clone(), arguments }
}
