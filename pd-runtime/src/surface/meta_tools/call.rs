//! Calls a tool through a meta-tool, for hosts that call only listed tools. The gate, the ticket,
//! the validation and the result are the same as for a direct call.

mod nearest;

use super::{MetaToolReply, StaticSchema, arguments::MetaToolArguments, object, read_only_tool};
use crate::{
    catalog::entry::CatalogEntry,
    disclosure::{disclose::render_unknown, view::CallerView},
    policy::{
        meta_tool_purpose::MetaToolPurpose,
        meta_tools::{MetaToolRole, OfferedMetaTool},
    },
    protocol::keys::TICKET_ARGUMENT,
    surface::{
        call_routes, coerce_arguments, description_uri, missing, nested_arguments, read_more,
        unlisted_names::UnlistedNames,
    },
    text::truncate::first_chars,
};

use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};
use std::{borrow::Cow, sync::Arc};

/// The error of a call that names no tool.
const NAMELESS: &str = "`name` must be the name of a tool";

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
    let arguments = call_in_uri(&arguments, view).unwrap_or(arguments);
    let name = arguments.text("name");
    if read_more::is_called(name, view) {
        return Ok(
            read_more::call(tool_arguments(arguments.into_inner(), view), view)
                .await
                .into(),
        );
    }
    if name.is_empty() {
        return nearest::answer_nameless(offer, arguments, view).await;
    }
    if view.resolve(name).is_none() && view.meta_tools().find_name(name).is_none() {
        if let Some(result) = missing::call_result(&beginning(name), view) {
            view.recorder.record_unknown(&beginning(name));
            return Ok(result.into());
        }
        return Ok(nearest::answer_unknown(arguments, view).await.into());
    }
    match target(offer, name, view) {
        Ok(entry) => {
            let schema = &entry.tool.about.input.schema;
            let flattened = view.meta_tools().flattened;
            match nested_arguments::mistake(arguments.members(), schema, flattened) {
                Some(mistake) => Ok(nearest::answer_mistake(entry, &mistake, view).await.into()),
                None => nested_call("name", arguments, entry, view),
            }
        }
        Err(why) => Err(nearest::with_right_call(why, arguments, view)),
    }
}

/// Replaces a call of a meta-tool through `offer` by the call of that meta-tool.
pub(super) fn called_meta_tool<'a>(
    offer: &OfferedMetaTool,
    arguments: &mut MetaToolArguments,
    view: &'a CallerView<'_>,
) -> Option<&'a OfferedMetaTool> {
    // Most calls are of meta-tools that call none, and keep their arguments without a move.
    if !offer.role.calls() {
        return None;
    }
    let mut sent = std::mem::take(arguments).into_inner();
    let inner = named_meta_tool(offer, &mut sent, |name| view.meta_tools().find_name(name));
    if inner.is_some() {
        sent = tool_arguments(sent, view);
    }
    *arguments = MetaToolArguments::new(Some(sent));
    inner
}

/// Returns the meta-tool that a call of `offer` names and that answers it, after calls of `offer`
/// inside one another became the innermost one. Finding, listing and describing change nothing and
/// need no description, so a caller that takes `call_tool` for the way to call everything is
/// answered. What was called as read-only stays so: hosts approve calls by the name of the
/// meta-tool.
pub(crate) fn named_meta_tool<'a>(
    offer: &OfferedMetaTool,
    sent: &mut JsonObject,
    find: impl FnOnce(&str) -> Option<&'a OfferedMetaTool>,
) -> Option<&'a OfferedMetaTool> {
    if !matches!(offer.role, MetaToolRole::Call | MetaToolRole::CallReadOnly) {
        return None;
    }
    nested_arguments::unwrap_call(sent, "name", &offer.name);
    find(sent.get("name")?.as_str()?.trim()).filter(|inner| match inner.role.purpose() {
        MetaToolPurpose::Find | MetaToolPurpose::List | MetaToolPurpose::Describe => true,
        MetaToolPurpose::CallReadOnly => offer.role == MetaToolRole::Call,
        _ => false,
    })
}

/// Returns the arguments for what the call names, wherever they are.
fn tool_arguments(mut sent: JsonObject, view: &CallerView<'_>) -> JsonObject {
    sent.shift_remove("name");
    nested_arguments::take(&mut sent, &JsonObject::new(), false, view)
        .and_then(coerce_arguments::object)
        .unwrap_or(sent)
}

/// Reads a call of a read-only tool from the URI of its description: a model that was told of this
/// URI writes the tool's arguments into its query, and again after it read the call to send.
fn call_in_uri(arguments: &MetaToolArguments, view: &CallerView<'_>) -> Option<MetaToolArguments> {
    if !arguments.text("name").is_empty() || !view.policy.runs_corrected() {
        return None;
    }
    let (names, sent) = description_uri::call_in(arguments.whole_text("uri")?)?;
    let [name] = names.as_slice() else {
        return None;
    };
    let mut call = arguments.clone().into_inner();
    call.shift_remove("uri");
    // What else was sent would be lost.
    if !call
        .keys()
        .all(|key| key == "name" || key == TICKET_ARGUMENT)
    {
        return None;
    }
    view.resolve(name)
        // A header repeats an argument of the call that was sent.
        .filter(|entry| entry.is_read_only() && entry.header_arguments.is_empty())?;
    call.insert("name".to_owned(), name.as_str().into());
    call.insert("arguments".to_owned(), sent.into());
    Some(MetaToolArguments::new(Some(call)))
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
        return Err(NAMELESS.to_owned());
    }
    // Meta-tools are not in the catalog. Without this branch, the error would claim that no such
    // tool exists.
    if let Some(other) = view.meta_tools().find_name(&name) {
        return Err(match other.role.calls() {
            true => format!("`name` must be the name of a tool, and `{name}` calls tools"),
            false => format!("call `{name}` itself, not through {}", offer.name),
        });
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
    let nested = nested.unwrap_or_default();
    let mistake = coerce_arguments::mistake(&nested);
    let mut arguments = coerce_arguments::object(nested).ok_or_else(|| match &mistake {
        Some(mistake) => nearest::not_json(mistake),
        None => nearest::misplaced(naming),
    })?;
    arguments = nested_arguments::unwrap_doubled(arguments, naming, &name, schema);
    if flattened || is_elsewhere && may_stand_beside(&sent, entry, view) {
        // Nested arguments win: the form is the declared one.
        sent.into_iter()
            .for_each(|(key, value)| _ = arguments.entry(key).or_insert(value));
    } else if is_elsewhere {
        return Err(nearest::misplaced_beside(naming, entry, sent, view));
    }
    Ok(reply(entry, arguments, ticket))
}

/// Returns whether arguments beside the name are taken as the tool's own: it is read-only, and all
/// of them are arguments that it has, so nothing is lost or guessed. Small models send them so
/// again whatever they read.
fn may_stand_beside(sent: &JsonObject, entry: &CatalogEntry, view: &CallerView<'_>) -> bool {
    let input = &entry.tool.about.input;
    view.policy.runs_corrected()
        && entry.is_read_only()
        // A header repeats an argument of the call that was sent.
        && entry.header_arguments.is_empty()
        && sent
            .keys()
            .all(|name| nested_arguments::has_property(&input.schema, name))
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
