//! Strata's funnel: an intent, a category, an action, its schema, the call; and the search that
//! later releases offer instead of categories. The registry is the server, its groups are the
//! categories, and its tools the actions. Behind a gateway, each upstream is a server.

mod cut;
mod details;
mod discover;
mod execute;
mod schemas;
mod servers;

use crate::{
    catalog::entry::CatalogEntry,
    disclosure::{tool_naming::ToolNaming, view::CallerView},
    policy::{
        GateMode,
        meta_tools::{MetaToolRole, MetaTools, OfferedMetaTool},
        preset_role::{PresetRole, StrataRole},
    },
    surface::meta_tools::{
        MetaToolReply, arguments::MetaToolArguments, call::cautious, object, text_result,
    },
    text::truncate::first_chars,
};

use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;

/// The most characters of a server's or category's name that are read, because answers repeat it.
const ECHO_MAX: usize = 200;

/// Returns the list entry of one of the meta-tools.
pub(crate) fn definition(offer: &OfferedMetaTool, role: StrataRole, view: &CallerView<'_>) -> Tool {
    let text = match role {
        // Without the gate, an action can be executed unread.
        StrataRole::ActionDetails if view.gate() != GateMode::Enforce => {
            "Get the schema of an action"
        }
        _ => text(role),
    };
    let tool = Tool::new(
        offer.name.clone(),
        text,
        object(schemas::of_role(role, view)),
    );
    match role {
        StrataRole::Execute => cautious(tool),
        _ => tool.with_annotations(ToolAnnotations::default().read_only(true)),
    }
}

/// Renders the workflow, if a server offers all stages.
pub(crate) fn workflow(offered: &MetaTools) -> Option<String> {
    let name = |role| offered.name_as(MetaToolRole::Preset(PresetRole::Strata(role)));
    let discover = name(StrataRole::Categories).or(name(StrataRole::Actions))?;
    let details = name(StrataRole::ActionDetails)?;
    let execute = name(StrataRole::Execute)?;
    Some(format!(
        "1. PICK an action by its short description, found with {discover}.\n2. FETCH its schema: call {details} with its \
         server and its name.\n3. EXECUTE it with the parameters you learned, through {execute}. An action cannot be \
         executed before its schema was fetched."
    ))
}

fn text(role: StrataRole) -> &'static str {
    match role {
        StrataRole::Categories => {
            "PREFERRED STARTING POINT: discover the categories for what the user wants"
        }
        StrataRole::CategoryActions => "Get the actions of categories",
        StrataRole::ActionDetails => "Get the schema of an action; required before executing it",
        StrataRole::Execute => "Execute an action",
        StrataRole::Actions => "Discover the actions for what the user wants",
        StrataRole::Documentation => "Search the actions by keywords",
    }
}

/// Calls one of the meta-tools.
///
/// # Errors
///
/// Returns an error with what to send instead.
pub(crate) async fn call(
    offer: &OfferedMetaTool,
    role: StrataRole,
    arguments: MetaToolArguments,
    view: &CallerView<'_>,
) -> Result<MetaToolReply, String> {
    // Before anything is rendered, because errors name actions, too.
    view.note_naming(ToolNaming::Actions);
    Ok(match role {
        StrataRole::Categories => discover::categories(offer, &arguments, view).await.into(),
        StrataRole::Actions => discover::actions(offer, &arguments, view).await.into(),
        StrataRole::Documentation => discover::documentation(&arguments, view).await?.into(),
        StrataRole::CategoryActions => details::of_categories(offer, &arguments, view)?.into(),
        StrataRole::ActionDetails => details::of_action(&arguments, view).await.into(),
        StrataRole::Execute => execute::execute(offer, arguments, view)?,
    })
}

/// Returns the actions of a server or category, or all of them if no name is given. Returns `None`
/// for an unknown name.
fn tools<'a>(name: &str, view: &CallerView<'a>) -> Option<Vec<&'a Arc<CatalogEntry>>> {
    if name.is_empty() {
        return Some(view.visible().collect());
    }
    servers::actions_of(name, view).or_else(|| Some(view.all_tools_of(view.group(name)?).collect()))
}

/// Renders that a server does not exist for this caller, or why its actions are not known.
fn unknown_server(name: &str, view: &CallerView<'_>) -> String {
    let why = view.missing_for(name).map(|set| set.state);
    why.unwrap_or_else(|| format!("Server '{name}' not found or not connected"))
}

/// Renders the same for a category.
fn unknown_category(name: &str, view: &CallerView<'_>) -> String {
    let why = view.missing_for(name).map(|set| set.state);
    why.unwrap_or_else(|| format!("Category '{name}' not found"))
}

/// Splits the requested servers or categories into those that one answer covers, and the rest.
fn split_names(names: Vec<String>, view: &CallerView<'_>) -> (Vec<String>, Vec<String>) {
    let names = names.into_iter().take(view.policy.limits.names);
    let mut names: Vec<String> = names
        .map(|name| first_chars(&name, ECHO_MAX).to_owned())
        .collect();
    let left_out = names.split_off(names.len().min(cut::CATEGORIES_MAX));
    (names, left_out)
}

/// Builds an answer with one entry for each name, and the next step for the names left out. `more`
/// is another member.
fn answer(
    key: &str,
    entries: JsonObject,
    left_out: Vec<String>,
    argument: &str,
    more: Option<(&str, Value)>,
) -> CallToolResult {
    let mut answer = JsonObject::from_iter([(key.to_owned(), Value::Object(entries))]);
    if !left_out.is_empty() {
        let most = cut::CATEGORIES_MAX;
        answer.insert("left_out".to_owned(), json!(left_out));
        answer.insert(
            "next".to_owned(),
            json!(format!("send at most {most} names in `{argument}` at once")),
        );
    }
    answer.extend(more.map(|(key, value)| (key.to_owned(), value)));
    text_result(Value::Object(answer).to_string())
}
