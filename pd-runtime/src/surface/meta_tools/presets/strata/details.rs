//! From categories to actions, and to the schema of one action.

use super::{
    answer,
    cut::{ACTIONS_MAX, ListPart},
    servers, split_names, tools, unknown_category, unknown_server,
};
use crate::{
    catalog::{entry::CatalogEntry, token_cost::CostForm},
    disclosure::{disclose::disclose, view::CallerView},
    policy::{
        meta_tools::{MetaToolRole, OfferedMetaTool},
        preset_role::{PresetRole, StrataRole},
        rate_limit::ChargeKind,
    },
    surface::meta_tools::{arguments::MetaToolArguments, error_result, schemas, text_result},
    text::truncate::first_chars,
};
use pd_schema::suggest;
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::{Value, json};
use std::sync::Arc;

/// The most names that an error suggests.
const NEAREST_MAX: usize = 5;

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
    // An unknown category is an error in its place, so that the others are still answered.
    let entries = names.into_iter().map(|name| match category(&name, view) {
        None => {
            let why = unknown_category(&name, view);
            (name, json!({ "error": why }))
        }
        Some(tools) => {
            let actions = actions(tools, page, offer, &name, view);
            (name, actions)
        }
    });
    Ok(answer(
        "categories",
        entries.collect(),
        left_out,
        "category_names",
        None,
    ))
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
    view.recorder
        .record_listed(part.items.iter().map(|entry| (&***entry, CostForm::Line)));
    let actions = part.items.iter().map(|entry| {
        let summary = entry.tool.about.summary.trim();
        json!({ "name": view.shown_name(entry), "description": summary })
    });
    let actions: Vec<_> = actions.collect();
    let mut answer = JsonObject::from_iter([
        ("action_count".to_owned(), json!(part.total)),
        ("actions".to_owned(), json!(actions)),
    ]);
    part.add_rest(&mut answer, |next| {
        let more = format!("call {} with \"page\": {next}", offer.name);
        match view
            .meta_tools()
            .name_as(MetaToolRole::Preset(PresetRole::Strata(
                StrataRole::Actions,
            ))) {
            Some(discover) => {
                format!(
                    "{more}, or {discover} with {}",
                    json!({ "user_query": "…", "server_names": [category] })
                )
            }
            None => more,
        }
    });
    Value::Object(answer)
}

/// Returns a category's actions. Actions in no group are in the category of their server.
fn category<'a>(name: &str, view: &CallerView<'a>) -> Option<Vec<&'a Arc<CatalogEntry>>> {
    let tools = tools(name, view)?;
    let server = servers::actions_of(name, view)
        .and_then(|actions| Some(servers::server_of(actions.first()?, view)));
    // If a group has the server's name, the answer covers both: all actions.
    let Some(server) = server.filter(|_| view.group(name).is_none() || is_upstream(name, view))
    else {
        return Some(tools);
    };
    Some(
        tools
            .into_iter()
            .filter(|entry| servers::category(entry, view) == server)
            .collect(),
    )
}

/// Returns whether a name means an upstream. Its group has the same name.
fn is_upstream(name: &str, view: &CallerView<'_>) -> bool {
    servers::actions_of(name, view).is_some_and(|actions| {
        actions
            .iter()
            .all(|entry| entry.tool.about.source.is_some())
    })
}

/// Returns an action with its schema, which discloses it.
pub(super) async fn of_action(
    arguments: &MetaToolArguments,
    view: &CallerView<'_>,
) -> CallToolResult {
    if let Err(later) = view.charge(ChargeKind::Describe, 1) {
        return later.into_result();
    }
    let entry = match action(arguments, view) {
        Ok(entry) => entry,
        Err(why) => return error_result(json!({ "error": why }).to_string()),
    };
    let name = [entry.name().to_owned()];
    let disclosure = disclose(&name, CostForm::Definition, view).await;
    let mut action = schemas(&disclosure).into_iter().next().unwrap_or_default();
    if let Value::Object(action) = &mut action {
        // The schema has the name in the catalog. A caller of Strata knows the name at the server.
        action.insert("name".to_owned(), json!(view.shown_name(entry)));
    }
    let mut result = text_result(
        json!({ "server": servers::server_of(entry, view), "action": action }).to_string(),
    );
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
    // Bounded, because errors repeat the name.
    let name: String = first_chars(arguments.text("action_name"), 256).to_owned();
    if name.is_empty() {
        return Err("both `server_name` and `action_name` are required".to_owned());
    }
    let server = arguments.text("server_name");
    let category = arguments.text("category_name");
    let known = tools(server, view).ok_or_else(|| unknown_server(server, view))?;
    let Some(entry) = find(&name, &known, view)? else {
        view.recorder.record_unknown(&name);
        return Err(unknown_action(&name, server, &known, view));
    };
    // Without a category, all actions count as inside.
    let inside = tools(category, view).ok_or_else(|| unknown_category(category, view))?;
    match inside.iter().any(|tool| tool.place == entry.place) {
        true => Ok(entry),
        false => Err(format!(
            "Action '{name}' not found in category '{category}'"
        )),
    }
}

/// Finds an action by its name at its server, or by the name that the tool has elsewhere.
///
/// # Errors
///
/// Returns an error if several servers have such an action.
fn find<'a>(
    name: &str,
    known: &[&'a Arc<CatalogEntry>],
    view: &CallerView<'a>,
) -> Result<Option<&'a Arc<CatalogEntry>>, String> {
    let named: Vec<_> = known
        .iter()
        .copied()
        .filter(|entry| view.shown_name(entry) == name)
        .collect();
    match named.as_slice() {
        [] => Ok(view
            .resolve(name)
            .filter(|entry| known.iter().any(|tool| tool.place == entry.place))),
        [entry] => Ok(Some(entry)),
        several => {
            let servers = servers::servers_of(several.iter().copied(), view).join(", ");
            Err(format!(
                "Action '{name}' is in several servers; send one as `server_name`: {servers}"
            ))
        }
    }
}

/// Renders that a server has no such action, with the nearest names if no other server has it
/// either.
fn unknown_action(
    name: &str,
    server: &str,
    known: &[&Arc<CatalogEntry>],
    view: &CallerView<'_>,
) -> String {
    // Whoever may know of the server that the name belongs to reads why its actions are not known.
    if server.is_empty() && view.missing_for(name).is_some() {
        return unknown_server(name, view);
    }
    let held = if server.is_empty() {
        String::new()
    } else {
        format!(" in server '{server}'")
    };
    let is_elsewhere =
        view.resolve(name).is_some() || view.visible().any(|entry| view.shown_name(entry) == name);
    // If another server has the action, the name is right and `server_name` is wrong.
    let near = match is_elsewhere {
        true => Vec::new(),
        false => suggest::rank(
            name,
            known.iter().map(|entry| view.shown_name(entry)),
            NEAREST_MAX,
        ),
    };
    match near.as_slice() {
        [] => format!("Action '{name}' not found{held}"),
        near => format!(
            "Action '{name}' not found{held}; the nearest: {}",
            near.join(", ")
        ),
    }
}
