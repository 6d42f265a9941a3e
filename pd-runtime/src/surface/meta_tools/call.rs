//! Calls a tool through a meta-tool, for hosts that call only listed tools. The gate, the ticket,
//! the validation and the result are the same as for a direct call.

use super::{
    MetaToolReply, StaticSchema, arguments::MetaToolArguments, coerce_arguments, error_result,
    nested_arguments, object, read_only_tool,
};
use crate::{
    catalog::entry::CatalogEntry,
    disclosure::{
        disclose::{render_unknown, render_unknown_briefly, same_source_names},
        view::CallerView,
    },
    policy::{
        meta_tool_purpose::MetaToolPurpose,
        meta_tools::{MetaToolRole, OfferedMetaTool},
    },
    protocol::keys::TICKET_ARGUMENT,
    surface::{
        call_routes,
        corrected_call::{CallRoute, CorrectedCall},
        fitting_tools, missing, read_more,
        unlisted_names::UnlistedNames,
    },
    text::truncate::first_chars,
};

use rmcp::model::{CallToolResult, JsonObject, Tool};
use serde_json::{Value, json};
use std::{borrow::Cow, sync::Arc};

static SCHEMA: StaticSchema = StaticSchema::new(|| {
    object(json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "arguments": nested_arguments::schema() },
        "required": ["name"],
    }))
});

/// Returns the list entry. A host cannot see the annotations of the tool inside, so this one has
/// none: MCP's defaults are the most cautious ones.
pub(super) fn definition(offer: &OfferedMetaTool, view: &CallerView<'_>) -> Tool {
    let text = match describe_names(offer, view) {
        Some(names) => Cow::Owned(names),
        None if call_routes::are_listed_apart(view) => "Call a tool that writes".into(),
        None => "Call a tool".into(),
    };
    Tool::new(offer.name.clone(), text, Arc::clone(&SCHEMA))
}

/// Adds the most cautious annotations, because the called tool may do anything. Not read-only is
/// MCP's default.
#[cfg(any(feature = "code", feature = "presets"))]
pub(crate) fn cautious(tool: Tool) -> Tool {
    tool.with_annotations(
        rmcp::model::ToolAnnotations::default()
            .destructive(true)
            .open_world(true),
    )
}

/// Returns the list entry of the meta-tool that calls only read-only tools, so that a host need not
/// ask before each call.
pub(super) fn read_only_definition(offer: &OfferedMetaTool, view: &CallerView<'_>) -> Tool {
    let text = describe_names(offer, view).map_or("Call a read-only tool".into(), Cow::Owned);
    read_only_tool(offer, text, &SCHEMA)
}

fn describe_names(offer: &OfferedMetaTool, view: &CallerView<'_>) -> Option<String> {
    UnlistedNames::for_caller(view)?.describe(offer.role)
}

/// Calls a tool through either meta-tool.
///
/// # Errors
///
/// Returns an error with what to send instead.
pub(super) async fn call(
    offer: &OfferedMetaTool,
    arguments: MetaToolArguments,
    view: &CallerView<'_>,
) -> Result<MetaToolReply, String> {
    let arguments = arguments.unwrapped("name", &offer.name);
    let name = arguments.text("name");
    if read_more::is_called(name, view) {
        let mut sent = arguments.into_inner();
        sent.shift_remove("name");
        let nested = nested_arguments::take(&mut sent, &JsonObject::new(), false, view)
            .and_then(coerce_arguments::object);
        return Ok(read_more::call(nested.unwrap_or(sent), view).await.into());
    }
    if !name.is_empty()
        && view.resolve(name).is_none()
        && view.meta_tools().find_name(name).is_none()
    {
        if let Some(result) = missing::call_result(&beginning(name), view) {
            view.recorder.record_unknown(&beginning(name));
            return Ok(result.into());
        }
        return Ok(answer_unknown(arguments, view).await.into());
    }
    let entry = target(offer, name, view)?;
    nested_call("name", arguments, entry, view)
}

/// Answers a call of a tool that does not exist with the tools that fit its words and arguments.
async fn answer_unknown(arguments: MetaToolArguments, view: &CallerView<'_>) -> CallToolResult {
    let full = arguments.text("name").to_owned();
    let name = beginning(&full);
    let mut sent = arguments.into_inner();
    sent.shift_remove("name");
    let nested = nested_arguments::take(&mut sent, &JsonObject::new(), false, view)
        .and_then(coerce_arguments::object);
    let arguments = nested.unwrap_or(sent);
    view.recorder.record_unknown(&name);
    // The caller knows which tool it wants, so a search by the words of the call has no use.
    if same_source_names(&full, view).is_some() {
        return error_result(render_unknown(&full, view));
    }
    let fitting = fitting_tools::find(Some(&name), &arguments, view).await;
    if fitting.is_empty() {
        return error_result(render_unknown(&name, view));
    }
    let answer = fitting_tools::render(&fitting, &arguments, view).await;
    let mut result = error_result(format!(
        "{}. These are nearest:\n{}",
        render_unknown_briefly(&name),
        answer.text
    ));
    result.meta = answer.meta;
    result
}

/// Returns the tool that a meta-tool may call for this caller.
///
/// # Errors
///
/// Returns an error with what to call instead. It is the same for a hidden tool and an unknown
/// name.
pub(crate) fn target<'a>(
    offer: &OfferedMetaTool,
    name: &str,
    view: &CallerView<'a>,
) -> Result<&'a Arc<CatalogEntry>, String> {
    let full = name;
    let name = beginning(full);
    if name.is_empty() {
        return Err("`name` must be the name of a tool".to_owned());
    }
    // Meta-tools are not in the catalog. Without this branch, the error would claim that no such
    // tool exists.
    if view.meta_tools().find_name(&name).is_some() {
        return Err(format!("call `{name}` itself, not through {}", offer.name));
    }
    let entry = view
        .find_or_record_miss(full)
        .ok_or_else(|| render_unknown(full, view))?;
    if offer.role == MetaToolRole::CallReadOnly && !entry.is_read_only() {
        return Err(match view.meta_tools().name_of(MetaToolPurpose::Call) {
            Some(any) => format!("`{name}` is not read-only: call it through {any}"),
            None => format!("`{name}` is not read-only: call it by its own name"),
        });
    }
    Ok(entry)
}

/// Returns the part of a name that an error repeats. Tool names have at most 64 characters, and one
/// more keeps a longer name unknown.
fn beginning(name: &str) -> String {
    first_chars(name, 65).to_owned()
}

/// Calls a tool with arguments that are nested in one argument, beside the argument that names the
/// tool.
///
/// # Errors
///
/// Returns an error if the arguments are misplaced or not an object.
pub(crate) fn nested_call(
    naming: &str,
    arguments: MetaToolArguments,
    entry: &Arc<CatalogEntry>,
    view: &CallerView<'_>,
) -> Result<MetaToolReply, String> {
    let mut sent = arguments.into_inner();
    let name = sent.shift_remove(naming).unwrap_or_default();
    let ticket = sent.shift_remove(TICKET_ARGUMENT);
    let flattened = view.meta_tools().flattened;
    let schema = &entry.tool.about.input.schema;
    let nested = nested_arguments::take(&mut sent, schema, flattened, view);
    // A tool without arguments may be called without `arguments`, so only other keys make their
    // absence an error.
    let is_elsewhere = nested.is_none() && !sent.is_empty();
    let mut arguments =
        coerce_arguments::object(nested.unwrap_or_default()).ok_or_else(|| misplaced(naming))?;
    arguments = nested_arguments::unwrap_doubled(arguments, naming, &name, schema);
    if flattened {
        // Nested arguments win: the form is the declared one.
        sent.into_iter()
            .for_each(|(key, value)| _ = arguments.entry(key).or_insert(value));
    } else if is_elsewhere {
        return Err(misplaced_beside(naming, entry, sent, view));
    }
    Ok(reply(entry, arguments, ticket))
}

fn misplaced(naming: &str) -> String {
    format!(
        "the tool's arguments belong in `arguments`, as a JSON object: {{\"{naming}\": …, \"arguments\": \"{{…}}\"}}"
    )
}

/// Renders the error for arguments that were sent beside the name. A small model sends them there
/// again unless it reads the whole call.
fn misplaced_beside(
    naming: &str,
    entry: &CatalogEntry,
    sent: JsonObject,
    view: &CallerView<'_>,
) -> String {
    let corrected =
        || CorrectedCall::check(entry, sent, None)?.render_request(CallRoute::new(entry, view)?);
    match Some(corrected)
        .filter(|_| naming == "name")
        .and_then(|corrected| corrected())
    {
        Some(request) => {
            format!("the tool's arguments belong in `arguments`, as a JSON object. {request}")
        }
        None => misplaced(naming),
    }
}

/// Builds the call. The ticket may have been sent beside the arguments.
pub(crate) fn reply(
    entry: &Arc<CatalogEntry>,
    mut arguments: JsonObject,
    ticket: Option<Value>,
) -> MetaToolReply {
    if let Some(ticket) = ticket {
        arguments.entry(TICKET_ARGUMENT).or_insert(ticket);
    }
    // Only nested calls need this: the host shows the model no schema for them.
    let is_from_text = coerce_arguments::repair(&mut arguments, &entry.tool.about.input.schema);
    MetaToolReply::Call {
        entry: entry.clone(),
        arguments,
        is_from_text,
    }
}
