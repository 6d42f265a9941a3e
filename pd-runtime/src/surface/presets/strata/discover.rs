//! From an intent to categories, to actions, to documentation.

use super::{
    answer, category,
    cut::{ACTIONS_MAX, CATEGORIES_MAX, ListPart},
    server, split_names, tools,
};
use crate::{
    catalog::{entry::Entry, token_cost::Form},
    disclosure::view::View,
    policy::meta_tools::Offer,
    surface::meta_tools::{arguments::Asked, said},
};
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::{Value, json};
use std::{collections::HashSet, sync::Arc};

/// The number of results of the documentation search, unless the caller requests another.
pub(super) const RESULTS: usize = 10;
pub(super) const RESULTS_MAX: usize = 50;

type Tools<'a> = Vec<&'a Arc<Entry>>;

/// Returns the categories of the hits, best first; those of all actions without hits.
pub(super) async fn categories(offer: &Offer, asked: &Asked, view: &View<'_>) -> CallToolResult {
    let query = asked.query("user_query", view);
    let hits = hits(query, view).await;
    by_server(asked, view, |all| {
        let found = those_among(&hits, &all);
        // The answer then lists all categories, so the miss is recorded explicitly.
        if found.is_empty() && !query.is_empty() {
            view.seen.found(query, std::iter::empty());
        }
        let mut answer = JsonObject::new();
        add_categories(&mut answer, if found.is_empty() { &all } else { &found }, offer, asked, view);
        answer
    })
}

/// Returns the names of the hits, best first; the categories without hits.
pub(super) async fn actions(offer: &Offer, asked: &Asked, view: &View<'_>) -> CallToolResult {
    let query = asked.query("user_query", view);
    let hits = hits(query, view).await;
    by_server(asked, view, |all| {
        let wanted = if query.is_empty() { all.clone() } else { those_among(&hits, &all) };
        let part = ListPart::new(wanted, page(asked), ACTIONS_MAX);
        match query {
            "" => view.seen.listed(part.items.iter().map(|entry| (&***entry, Form::Name))),
            query => view.seen.found(query, part.items.iter().map(|entry| &***entry)),
        }
        let names: Vec<&str> = part.items.iter().map(|entry| entry.name()).collect();
        let mut answer = JsonObject::from_iter([
            ("action_count".to_owned(), json!(part.total)),
            ("actions".to_owned(), json!(names)),
        ]);
        match part.total {
            0 => add_categories(&mut answer, &all, offer, asked, view),
            _ => part.add_rest(&mut answer, |page| more(offer, page)),
        }
        answer
    })
}

/// Adds one part of the categories of some tools, in the tools' order.
fn add_categories(answer: &mut JsonObject, tools: &[&Arc<Entry>], offer: &Offer, asked: &Asked, view: &View<'_>) {
    let part = ListPart::new(names(tools, view), page(asked), CATEGORIES_MAX);
    answer.insert("category_count".to_owned(), json!(part.total));
    answer.insert("categories".to_owned(), json!(part.items));
    part.add_rest(answer, |page| more(offer, page));
}

fn page(asked: &Asked) -> usize {
    asked.count("page").unwrap_or(1)
}

fn more(offer: &Offer, page: usize) -> String {
    format!("call {} with \"page\": {page}, or with other words in `user_query`", offer.name)
}

/// Builds one answer for each requested server, or for the only one.
fn by_server<'a>(asked: &Asked, view: &View<'a>, answer_for: impl Fn(Tools<'a>) -> JsonObject) -> CallToolResult {
    let (mut servers, left_out) = split_names(asked.names("server_names"), view);
    if servers.is_empty() {
        servers.push(server(view).to_owned());
    }
    let entries = servers.into_iter().map(|name| {
        let unknown = || json!({ "error": format!("Server '{name}' not found or not connected") });
        let entry = tools(&name, view).map_or_else(unknown, |all| Value::Object(answer_for(all)));
        (name, entry)
    });
    answer("servers", entries.collect(), left_out, "server_names")
}

/// Returns all hits of a query, best first.
async fn hits<'a>(query: &str, view: &View<'a>) -> Tools<'a> {
    // Unlimited, because the hits of other servers or categories are removed afterwards.
    let found = view.search(query, view.catalogue.entries.len()).await;
    found.hits.into_iter().map(|(entry, _)| entry).collect()
}

fn those_among<'a>(hits: &[&'a Arc<Entry>], tools: &[&'a Arc<Entry>]) -> Tools<'a> {
    let places: HashSet<usize> = tools.iter().map(|entry| entry.place).collect();
    hits.iter().copied().filter(|hit| places.contains(&hit.place)).collect()
}

/// Returns the categories of some tools, each once.
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

/// Searches by keywords, and returns each action's category.
///
/// # Errors
///
/// Returns an error if an argument is missing.
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
