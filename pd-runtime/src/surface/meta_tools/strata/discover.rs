//! From what the user wants to categories, to actions, to documentation.

use super::{category, server, tools};
use crate::{
    catalogue::{cost::Form, entry::Entry},
    surface::meta_tools::{asked::Asked, said},
    view::View,
};
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::{Value, json};
use std::{collections::HashSet, sync::Arc};

/// How many actions a request finds.
const ACTIONS_MAX: usize = 50;
/// How many categories answer what the user wants.
const CATEGORIES_MAX: usize = 10;
/// How many results the documentation has, unless the caller says.
pub(super) const RESULTS: usize = 10;
pub(super) const RESULTS_MAX: usize = 50;

type Tools<'a> = Vec<&'a Arc<Entry>>;

/// The categories of what is wanted, best first; all of them where nothing is found.
pub(super) async fn categories(asked: &Asked, view: &View<'_>) -> CallToolResult {
    let query = asked.query("user_query", view);
    let hits = hits(query, view).await;
    by_server(asked, view, |all| {
        let found = those_among(&hits, &all);
        if found.is_empty() && !query.is_empty() {
            view.seen.found(query, std::iter::empty());
        }
        let mut names = names(if found.is_empty() { &all } else { &found }, view);
        if !found.is_empty() {
            names.truncate(CATEGORIES_MAX);
        }
        json!({ "category_count": names.len(), "categories": names })
    })
}

/// The names of the actions that are wanted, best first; the categories where nothing is found.
pub(super) async fn actions(asked: &Asked, view: &View<'_>) -> CallToolResult {
    let query = asked.query("user_query", view);
    let hits = hits(query, view).await;
    by_server(asked, view, |all| {
        let wanted = if query.is_empty() { all.clone() } else { those_among(&hits, &all) };
        match query {
            "" => view.seen.listed(wanted.iter().map(|entry| (&***entry, Form::Name))),
            query => view.seen.found(query, wanted.iter().map(|entry| &***entry)),
        }
        let actions: Vec<&str> = wanted.iter().map(|entry| entry.name()).collect();
        match actions.as_slice() {
            [] => json!({ "action_count": 0, "actions": [], "categories": names(&all, view) }),
            actions => json!({ "action_count": actions.len(), "actions": actions }),
        }
    })
}

/// What is told of each server that was asked for, or of the one there is.
fn by_server<'a>(asked: &Asked, view: &View<'a>, tell: impl Fn(Tools<'a>) -> Value) -> CallToolResult {
    let mut servers = asked.names("server_names");
    servers.truncate(view.policy.limits.names);
    if servers.is_empty() {
        servers.push(server(view).to_owned());
    }
    let told = servers.into_iter().map(|name| {
        let unknown = || json!({ "error": format!("Server '{name}' not found or not connected") });
        let told = tools(&name, view).map_or_else(unknown, &tell);
        (name, told)
    });
    said(json!({ "servers": told.collect::<JsonObject>() }).to_string())
}

/// All that a query finds, best first.
async fn hits<'a>(query: &str, view: &View<'a>) -> Tools<'a> {
    let found = view.search(query, view.catalogue.entries.len()).await;
    found.hits.into_iter().map(|(entry, _)| entry).collect()
}

fn those_among<'a>(hits: &[&'a Arc<Entry>], tools: &[&'a Arc<Entry>]) -> Tools<'a> {
    let places: HashSet<usize> = tools.iter().map(|entry| entry.place).collect();
    hits.iter().copied().filter(|hit| places.contains(&hit.place)).take(ACTIONS_MAX).collect()
}

/// The categories of some tools, each once.
fn names<'a>(tools: &[&'a Arc<Entry>], view: &View<'a>) -> Vec<&'a str> {
    let mut names = Vec::new();
    for entry in tools {
        let name = category(entry, view);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A search by keywords, with each action's category.
///
/// # Errors
///
/// Says what is missing.
pub(super) async fn documentation(asked: &Asked, view: &View<'_>) -> Result<CallToolResult, String> {
    let query = asked.query("query", view);
    if query.is_empty() {
        return Err("`query` and `server_name` are required".to_owned());
    }
    let name = asked.text("server_name");
    let all = tools(name, view).ok_or_else(|| format!("Server '{name}' not found or not connected"))?;
    let count = asked.count("max_results").unwrap_or(RESULTS).clamp(1, RESULTS_MAX);
    let mut found = those_among(&hits(query, view).await, &all);
    found.truncate(count);
    view.seen.found(query, found.iter().map(|entry| &***entry));
    let told = found.into_iter().map(|entry| {
        let summary = entry.tool.about.summary.trim();
        json!({ "name": entry.name(), "description": summary, "category_name": category(entry, view) })
    });
    Ok(said(told.collect::<Value>().to_string()))
}
