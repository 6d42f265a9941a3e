//! The tools of an upstream as tools of a registry.

use crate::{
    config::{
        ServerTransport, names,
        server_words::{AllServerWords, ServerWords},
    },
    gateway::{
        group_extras::GroupExtras,
        offered_name::renamed,
        server_line::ServerLine,
        tool_groups::{self, GroupNames},
    },
    lists::{
        cached_lists::{CachedLists, ListedTool},
        left_out_tools::LeftOut,
        list,
        odd_definition::{self, ReadableDefinition},
    },
    message::{definition_text::check_text, own_keys::remove_from},
    trust::lock::HeldKind,
    upstream::{Upstream, made_texts::OfferedTool, rows::SelectiveTool},
};
use futures::FutureExt;
use pd_runtime::{
    CallContext, Group, Registry, Tool,
    check::RegistryErrors,
    upstream::{
        LossyValue, SourceNames, is_default_name, map_items, protocol::keys::GROUP_LABEL,
        text::truncate::first_chars,
    },
};
use rmcp::model::{self, JsonObject};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{borrow::Cow, collections::HashSet, sync::Arc, time::Duration};

/// The longest run of a call, unless the entry sets a time. A server that hangs must not hold a
/// call for ever.
const CALL_TIMEOUT: Duration = Duration::from_secs(600);
/// The longest instructions of one server, in characters.
const INSTRUCTIONS_MAX: usize = 4_000;
/// The group of an upstream, and what is left out of it.
type OfferedGroup<S> = (Group<S>, Vec<LeftOut>);

/// Creates the groups of upstreams, under these names. The name of a tool belongs to the first tool
/// that has it.
pub(crate) fn groups<S: Send + Sync + 'static>(
    upstreams: &[(String, Arc<Upstream>)],
) -> Vec<OfferedGroup<S>> {
    let words: Vec<_> = upstreams
        .iter()
        .map(|(group, upstream)| server_words(group, upstream))
        .collect();
    let words = AllServerWords::new(&words);
    let listed: Vec<_> = upstreams
        .iter()
        .flat_map(|(_, upstream)| offered_list(upstream))
        .collect();
    // Checked on all cores, because a client waits for the first list.
    let tools = map_items(&listed, |(upstream, listed)| {
        offered_tool::<S>(upstream, listed)
    });
    let mut tools = listed.iter().zip(tools).peekable();
    let mut taken = HashSet::new();
    let mut extras = GroupExtras::default();
    let mut names = GroupNames::new(upstreams.iter().map(|(name, _)| name));
    let mut groups = Vec::with_capacity(upstreams.len());
    for (place, (name, upstream)) in upstreams.iter().enumerate() {
        let mut offered = Vec::new();
        let mut left_out = Vec::new();
        let lists = upstream.lists();
        let sources = words.sources(place);
        // The tools are in the order of the upstreams, so the tools of one follow each other.
        while let Some(((_, listed), tool)) =
            tools.next_if(|((owner, _), _)| Arc::ptr_eq(owner, upstream))
        {
            match tool.and_then(|tool| tool.map(|tool| untaken(tool, &mut taken)).transpose()) {
                Ok(Some(mut tool)) => {
                    let name = listed.name().into();
                    let alone = words.names_alone(listed.name(), place);
                    let sources = sources.clone();
                    // Callers also find the tool by the name that it has at its server.
                    tool.about.source = Some(Box::new(SourceNames {
                        name,
                        alone,
                        sources,
                    }));
                    offered.push(OfferedTool {
                        tool,
                        has_own_scopes: has_own_scopes(upstream, listed),
                        label: group_label(upstream, listed),
                    });
                }
                // A held tool that was never approved has no text that a model may read.
                Ok(None) => {}
                Err(reason) => left_out.push(LeftOut {
                    tool: match listed.name() {
                        "" => "a tool without `name`".to_owned(),
                        name => name.to_owned(),
                    },
                    reason,
                }),
            }
        }
        // The list has the first definition only (`Pages::add_entry`).
        for tool in lists
            .iter()
            .flat_map(|lists| &lists.repeated)
            .filter(|tool| upstream.entry.settings.offers(tool))
        {
            let reason = format!(
                "the server {}, and the first is offered",
                list::lists_two("tool", tool)
            );
            left_out.push(LeftOut {
                tool: tool.clone(),
                reason,
            });
        }
        let made = upstream.made.of(&offered);
        let mut line = ServerLine::new(upstream, &made);
        if let (None, Some(first)) = (&lists, upstream.lists.first_lines().first()) {
            line.text.clone_from(&first.summary);
        }
        let mut group = Group::new(name.clone(), line.text);
        if line.is_made_of_tools {
            group = group.made_summary();
        }
        group = extras.add(group, upstream);
        if let Some(instructions) = lists
            .as_ref()
            .and_then(|lists| lists.offered().server_text("instructions"))
        {
            group = group.instructions(first_chars(instructions, INSTRUCTIONS_MAX).to_owned());
        }
        let group = tool_groups::add(group, offered, &made, &upstream.entry.settings, &mut names);
        groups.push((group, left_out));
    }
    groups
}

fn has_own_scopes(upstream: &Upstream, listed: &ListedTool) -> bool {
    let own = upstream.entry.settings.tools.get(listed.name());
    own.is_some_and(|own| !own.scopes.is_empty())
}

/// Returns the label of a tool's group. Only the document of an API has labels: a server of MCP
/// could name groups by those of others.
fn group_label(upstream: &Upstream, listed: &ListedTool) -> Option<String> {
    if !matches!(upstream.entry.transport, ServerTransport::OpenApi(_)) {
        return None;
    }
    let meta = listed.definition().get("_meta")?;
    meta.get(GROUP_LABEL)?.as_str().map(str::to_owned)
}

fn server_words(group: &str, upstream: &Upstream) -> ServerWords {
    ServerWords::new(
        upstream.name(),
        &upstream.entry.label,
        group,
        upstream.prefix(),
    )
}

/// Returns the tools of an upstream that its settings do not exclude.
fn offered_list(upstream: &Arc<Upstream>) -> Vec<(Arc<Upstream>, ListedTool)> {
    let lists = upstream.lists();
    let listed = lists.iter().flat_map(listed_tools);
    let offered = listed.filter(|listed| upstream.entry.settings.offers(listed.name()));
    offered.map(|listed| (upstream.clone(), listed)).collect()
}

/// Returns what is not checked or not listed of the tools that are offered, with the reasons.
pub(crate) fn notes(upstream: &Arc<Upstream>) -> Vec<(String, String)> {
    let notes = offered_list(upstream)
        .into_iter()
        .filter_map(|(_, listed)| {
            let notes = ReadableDefinition::new(listed.definition()).notes;
            (!notes.is_empty()).then(|| (listed.name().to_owned(), notes.join("; ")))
        });
    notes.collect()
}

/// Takes the name of a tool.
fn untaken<S>(tool: Tool<S>, taken: &mut HashSet<String>) -> Result<Tool<S>, String> {
    let name = tool.about.name.as_ref();
    if taken.insert(name.to_owned()) {
        return Ok(tool);
    }
    Err(format!(
        "another server has a tool of the name `{name}`; set another `prefix` in the `pd` object of one of them"
    ))
}

fn listed_tools(lists: &Arc<CachedLists>) -> impl Iterator<Item = ListedTool> {
    (0..lists.tools.len()).map(|place| ListedTool {
        lists: lists.clone(),
        place,
    })
}

/// Creates a tool. A held tool has its approved definition, and cannot be called. Returns `None` if
/// it was never approved.
fn offered_tool<S: Send + Sync + 'static>(
    upstream: &Arc<Upstream>,
    listed: &ListedTool,
) -> Result<Option<Tool<S>>, String> {
    let Some(held) = listed.lists.held.tools.get(&listed.place) else {
        return tool(upstream, listed, listed.definition()).map(Some);
    };
    if held.approved.is_none() {
        return Ok(None);
    }
    let reason = held.reason(HeldKind::Tool, upstream.name());
    // The lock is a file that others can edit, so its texts reach no model. A model reads what the
    // server has sent, or the name alone.
    let tool = match &held.sent {
        Some(sent) => tool(upstream, listed, sent)?,
        None => tool(upstream, listed, &held_definition(listed.name(), &reason))?,
    };
    Ok(Some(tool.held(reason)))
}

/// Returns the definition of a held tool without a text that the server has sent to this gateway.
fn held_definition(name: &str, reason: &str) -> Value {
    json!({ "name": name, "description": format!("Held: {reason}"), "inputSchema": { "type": "object" } })
}

fn tool<S: Send + Sync + 'static>(
    upstream: &Arc<Upstream>,
    listed: &ListedTool,
    definition: &Value,
) -> Result<Tool<S>, String> {
    check_text(definition)?;
    let mut own = Cow::Borrowed(definition);
    if definition.get("_meta").is_some() {
        // Copied only if there is metadata, from which a key of the gateway itself is removed.
        remove_from(own.to_mut());
        upstream.view_names().rename_part(own.to_mut());
    }
    let definition = &*own;
    // Nearly all definitions are as MCP has them, and are compiled once.
    if !odd_definition::is_odd(definition)
        && let Ok(tool) = readable_tool(upstream, listed, definition, None)
    {
        return Ok(tool);
    }
    let readable = ReadableDefinition::new(definition);
    readable_tool(upstream, listed, &readable.definition, readable.checked)
}

/// Creates a tool of a definition that clients can read. Calls are checked by `checked_by`, or by
/// the whole input schema.
fn readable_tool<S: Send + Sync + 'static>(
    upstream: &Arc<Upstream>,
    listed: &ListedTool,
    definition: &Value,
    checked_by: Option<Arc<JsonObject>>,
) -> Result<Tool<S>, String> {
    let settings = &upstream.entry.settings;
    let name = listed.name();
    let mut typed = model::Tool::deserialize(definition)
        .map_err(|error| format!("its definition is not valid: {error}"))?;
    let offered = names::prefixed(&upstream.prefix(), name);
    // A server could take the place of a meta-tool: with an empty prefix, or if the meta-tool has a
    // name of the owner's choice.
    if is_default_name(&offered) || upstream.shared.reserved.load().contains(&offered) {
        return Err(format!(
            "`{offered}` is the name of a meta-tool; set a `prefix` in the `pd` object of its server"
        ));
    }
    typed.name = offered.clone().into();
    let lossy = may_be_lossy(definition)
        .then(|| LossyValue::new(renamed(definition, &offered), &typed))
        .flatten();
    let target = upstream.clone();
    let called = listed.clone();
    let selective = SelectiveTool::new(upstream, name, typed.output_schema.as_deref());
    let rows = selective
        .as_ref()
        .map(|selective| Arc::new(selective.source.clone()));
    let mut tool = Tool::from_definition(
        typed,
        move |_: &S, context: &CallContext, arguments: JsonObject| {
            // The future outlives this call of the handler, so it has its own handles.
            let target = target.clone();
            let called = called.clone();
            let rows = rows.clone();
            let context = context.clone();
            async move {
                target
                    .call(&called, rows.as_deref(), &context, arguments)
                    .await
            }
            .boxed()
        },
    )
    .origin(format!("the server {}", upstream.name()));
    tool.about.lossy = lossy;
    tool.about.input.set_checked(checked_by);
    tool.about.input.leave_formats_to_server();
    if let Some(selective) = selective {
        selective.add_arguments(&mut tool.about);
    }
    let own = settings.tools.get(name);
    tool = tool.timeout(
        own.and_then(|own| own.timeout)
            .or(settings.timeout)
            .unwrap_or(CALL_TIMEOUT),
    );
    if let Some(calls) = own.and_then(|own| own.concurrency).or(settings.concurrency) {
        tool = tool.concurrency(calls.get() as usize);
    }
    let result_tokens = own.and_then(|own| own.result_tokens);
    if let Some(tokens) = result_tokens.or(settings.result_tokens) {
        tool = tool.result_tokens(tokens.get() as usize);
    }
    for scope in settings
        .scopes
        .iter()
        .chain(own.into_iter().flat_map(|own| &own.scopes))
    {
        tool = tool.scope(scope.clone());
    }
    if let Some(summary) = own.and_then(|own| own.summary.clone()) {
        tool.about.summary = summary.into();
    }
    if settings.is_eager || settings.pin.iter().any(|pinned| pinned == name) {
        tool = tool.pinned();
    }
    if settings.asks_before(name) {
        tool = tool.confirm();
    }
    if settings.confirms_destructive {
        tool = tool.confirm_destructive();
    }
    checked(tool)
}

/// The keys of a definition that rmcp's type keeps as they are, and of its annotations.
const KEPT_KEYS: [&str; 7] = [
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    "_meta",
];
const KEPT_HINTS: [&str; 5] = [
    "title",
    "readOnlyHint",
    "destructiveHint",
    "idempotentHint",
    "openWorldHint",
];

/// Returns whether rmcp's type may lose a part of a definition. The comparison of both takes
/// longer.
fn may_be_lossy(definition: &Value) -> bool {
    has_others(Some(definition), &KEPT_KEYS)
        || has_others(definition.get("annotations"), &KEPT_HINTS)
}

fn has_others(value: Option<&Value>, kept: &[&str]) -> bool {
    match value {
        None => false,
        // The type reads null as absent, and does not write it again.
        Some(Value::Object(object)) => object
            .iter()
            .any(|(key, value)| value.is_null() || !kept.contains(&key.as_str())),
        Some(_) => true,
    }
}

/// Checks a tool by itself, so that a bad definition takes no other tool with it.
fn checked<S: 'static>(tool: Tool<S>) -> Result<Tool<S>, String> {
    let registry = Registry::builder()
        .tool(tool)
        .build()
        .map_err(|errors: RegistryErrors| {
            let reasons: Vec<String> = errors
                .iter()
                .map(|error| error.kind.render_for_owner())
                .collect();
            reasons.join("; ")
        })?;
    // The registry was built for this check alone, so it holds the only reference.
    let tool = registry.tools.into_iter().next().and_then(Arc::into_inner);
    tool.ok_or_else(|| "it could not be checked".to_owned())
}
