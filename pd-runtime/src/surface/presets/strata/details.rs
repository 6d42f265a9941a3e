//! From categories to actions, and to the schema of one action.

use super::{
    answer,
    cut::{ACTIONS_MAX, ListPart},
    server, split_names, tools,
};
use crate::{
    catalog::{entry::CatalogEntry, token_cost::CostForm},
    disclosure::{
        disclose::{disclose, render_unknown},
        view::CallerView,
    },
    policy::{
        meta_tools::{MetaToolRole, OfferedMetaTool},
        preset_role::{PresetRole, StrataRole},
        rate_limit::ChargeKind,
    },
    surface::meta_tools::{arguments::MetaToolArguments, error_result, schemas, text_result},
};
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::{Value, json};
use std::sync::Arc;

/// Returns the actions of categories, with one line each and no schema.
///
/// # Errors
///
/// Returns an error if an argument is missing.
pub(super) fn of_categories(
    offer: &OfferedMetaTool,
    arguments: &MetaToolArguments,
    view: &CallerView<'_>,
) -> Result<CallToolResult, String> {
    let names = arguments.names("category_names");
    if names.is_empty() {
        return Err("`category_names` is required".to_owned());
    }
    let page = arguments.count("page").unwrap_or(1);
    let (names, left_out) = split_names(names, view);
    let entry = |name: String| match category(&name, view) {
        None => {
            let why = view.missing_for(&name).map(|set| set.state);
            let why = why.unwrap_or_else(|| format!("Category '{name}' not found"));
            (name, json!({ "error": why }))
        }
        Some(tools) => {
            let actions = actions(tools, page, offer, &name, view);
            (name, actions)
        }
    };
    Ok(answer("categories", names.into_iter().map(entry).collect(), left_out, "category_names"))
}

/// Renders one part of a category's actions.
fn actions(
    tools: Vec<&Arc<CatalogEntry>>,
    page: usize,
    offer: &OfferedMetaTool,
    category: &str,
    view: &CallerView<'_>,
) -> Value {
    let part = ListPart::new(tools, page, ACTIONS_MAX);
    view.recorder.record_listed(part.items.iter().map(|entry| (&***entry, CostForm::Line)));
    let action =
        |entry: &&Arc<CatalogEntry>| json!({ "name": entry.name(), "description": entry.tool.about.summary.trim() });
    let actions: Vec<_> = part.items.iter().map(action).collect();
    let mut answer =
        JsonObject::from_iter([("action_count".to_owned(), json!(part.total)), ("actions".to_owned(), json!(actions))]);
    part.add_rest(&mut answer, |next| {
        let more = format!("call {} with \"page\": {next}", offer.name);
        match view.meta_tools().name_as(MetaToolRole::Preset(PresetRole::Strata(StrataRole::Actions))) {
            Some(discover) => {
                format!("{more}, or {discover} with {}", json!({ "user_query": "…", "server_names": [category] }))
            }
            None => more,
        }
    });
    Value::Object(answer)
}

/// Returns a category's tools. Tools in no group are in the category of the server.
fn category<'a>(name: &str, view: &CallerView<'a>) -> Option<Vec<&'a Arc<CatalogEntry>>> {
    let tools = tools(name, view)?;
    // If a group has the server's name, the answer covers both: all visible tools.
    let is_server = name == server(view) && view.group(name).is_none();
    Some(tools.into_iter().filter(|entry| !is_server || view.groups_of(entry).next().is_none()).collect())
}

/// Returns an action with its schema, which discloses it.
pub(super) async fn of_action(arguments: &MetaToolArguments, view: &CallerView<'_>) -> CallToolResult {
    if let Err(later) = view.charge(ChargeKind::Describe, 1) {
        return later.into_result();
    }
    let entry = match action(arguments, view) {
        Ok(entry) => entry,
        Err(why) => return error_result(json!({ "error": why }).to_string()),
    };
    let name = [entry.name().to_owned()];
    let disclosure = disclose(&name, CostForm::Definition, view).await;
    let action = schemas(&disclosure).into_iter().next();
    let mut result = text_result(json!({ "server": server(view), "action": action }).to_string());
    result.meta = disclosure.meta();
    result
}

/// Returns the named action, if the named server or category contains it.
///
/// # Errors
///
/// Returns an error with the missing argument or the nearest names.
pub(super) fn action<'a>(
    arguments: &MetaToolArguments,
    view: &CallerView<'a>,
) -> Result<&'a Arc<CatalogEntry>, String> {
    let name: String = arguments.text("action_name").chars().take(256).collect();
    if name.is_empty() {
        return Err("both `server_name` and `action_name` are required".to_owned());
    }
    let entry = view.find_or_record_miss(&name).ok_or_else(|| render_unknown(&name, view))?;
    for (key, kind) in [("server_name", "server"), ("category_name", "category")] {
        let holder = arguments.text(key);
        let tools = tools(holder, view).ok_or_else(|| match kind {
            "server" => format!("Server '{holder}' not found or not connected"),
            _ => format!("Category '{holder}' not found"),
        })?;
        if !tools.iter().any(|tool| tool.place == entry.place) {
            return Err(format!("Action '{name}' not found in {kind} '{holder}'"));
        }
    }
    Ok(entry)
}
