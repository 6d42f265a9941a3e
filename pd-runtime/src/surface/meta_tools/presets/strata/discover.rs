//! From an intent to categories, to actions, to documentation.

use super::{
    answer,
    cut::{ACTIONS_MAX, CATEGORIES_MAX, ListPart},
    servers, split_names, tools, unknown_server,
};
use crate::{
    catalog::{entry::CatalogEntry, token_cost::CostForm},
    disclosure::view::CallerView,
    policy::meta_tools::OfferedMetaTool,
    surface::{
        meta_tools::{arguments::MetaToolArguments, text_result},
        missing::{self, UNAVAILABLE},
    },
};
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::{Value, json};
use std::{collections::HashSet, sync::Arc};

/// The number of results of the documentation search, unless the caller requests another.
pub(super) const RESULTS: usize = 10;
pub(super) const RESULTS_MAX: usize = 50;

type ToolEntries<'a> = Vec<&'a Arc<CatalogEntry>>;

/// Returns the categories of the hits, best first. Without hits, returns the categories of all
/// actions.
pub(super) async fn categories(
    offer: &OfferedMetaTool,
    arguments: &MetaToolArguments,
    view: &CallerView<'_>,
) -> CallToolResult {
    let query = arguments.query("user_query", view);
    let hits = hits(query, view).await;
    by_server(arguments, &hits, view, |all| {
        let wanted = intersection(&hits, &all);
        // The answer then lists all categories, so the miss is recorded explicitly.
        if wanted.is_empty() && !query.is_empty() {
            view.recorder.record_search(query, std::iter::empty());
        }
        let mut answer = JsonObject::new();
        add_categories(
            &mut answer,
            if wanted.is_empty() { &all } else { &wanted },
            offer,
            arguments,
            view,
        );
        answer
    })
}

/// Returns the names of the hits, best first; the categories without hits.
pub(super) async fn actions(
    offer: &OfferedMetaTool,
    arguments: &MetaToolArguments,
    view: &CallerView<'_>,
) -> CallToolResult {
    let query = arguments.query("user_query", view);
    let hits = hits(query, view).await;
    by_server(arguments, &hits, view, |all| {
        let wanted = if query.is_empty() {
            all.clone()
        } else {
            intersection(&hits, &all)
        };
        let part = ListPart::new(wanted, page(arguments), ACTIONS_MAX);
        match query {
            "" => view
                .recorder
                .record_listed(part.items.iter().map(|entry| (&***entry, CostForm::Name))),
            query => view
                .recorder
                .record_search(query, part.items.iter().map(|entry| &***entry)),
        }
        let names: Vec<&str> = part
            .items
            .iter()
            .map(|entry| view.shown_name(entry))
            .collect();
        let mut answer = JsonObject::from_iter([
            ("action_count".to_owned(), json!(part.total)),
            ("actions".to_owned(), json!(names)),
        ]);
        // An empty answer would end the funnel, so it shows where to look instead.
        match part.total {
            0 => add_categories(&mut answer, &all, offer, arguments, view),
            _ => part.add_rest(&mut answer, |page| more(offer, page)),
        }
        answer
    })
}

/// Adds one part of the categories of some tools, in the tools' order.
fn add_categories(
    answer: &mut JsonObject,
    tools: &[&Arc<CatalogEntry>],
    offer: &OfferedMetaTool,
    arguments: &MetaToolArguments,
    view: &CallerView<'_>,
) {
    let part = ListPart::new(names(tools, view), page(arguments), CATEGORIES_MAX);
    answer.insert("category_count".to_owned(), json!(part.total));
    answer.insert("categories".to_owned(), json!(part.items));
    part.add_rest(answer, |page| more(offer, page));
}

fn page(arguments: &MetaToolArguments) -> usize {
    arguments.count("page").unwrap_or(1)
}

fn more(offer: &OfferedMetaTool, page: usize) -> String {
    format!(
        "call {} with \"page\": {page}, or with other words in `user_query`",
        offer.name
    )
}

/// Builds one answer for each requested server. Without a request, these are the servers of the
/// hits, the best first, or else all of them.
fn by_server<'a>(
    arguments: &MetaToolArguments,
    hits: &[&'a Arc<CatalogEntry>],
    view: &CallerView<'a>,
    answer_for: impl Fn(ToolEntries<'a>) -> JsonObject,
) -> CallToolResult {
    let requested = arguments.names("server_names");
    let is_open = requested.is_empty();
    let names = match (is_open, hits) {
        (false, _) => requested,
        (true, []) => owned(servers::all(view)),
        (true, hits) => owned(servers::servers_of(hits.iter().copied(), view)),
    };
    let (names, left_out) = split_names(names, view);
    let entries = names.into_iter().map(|name| {
        let entry = match tools(&name, view) {
            Some(all) => Value::Object(answer_for(all)),
            None => json!({ "error": unknown_server(&name, view) }),
        };
        (name, entry)
    });
    // A request that names servers gets the errors in their places.
    let missing = missing::value(view)
        .filter(|_| is_open)
        .map(|value| (UNAVAILABLE, value));
    answer(
        "servers",
        entries.collect(),
        left_out,
        "server_names",
        missing,
    )
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}

/// Returns all hits of a query, best first.
async fn hits<'a>(query: &str, view: &CallerView<'a>) -> ToolEntries<'a> {
    // Unlimited, because the hits of other servers or categories are removed afterwards.
    let matches = view.search(query, view.catalog.entries.len()).await;
    matches.hits.into_iter().map(|(entry, _)| entry).collect()
}

fn intersection<'a>(
    hits: &[&'a Arc<CatalogEntry>],
    tools: &[&'a Arc<CatalogEntry>],
) -> ToolEntries<'a> {
    // A set, because both lists may contain all tools.
    let places: HashSet<usize> = tools.iter().map(|entry| entry.place).collect();
    hits.iter()
        .copied()
        .filter(|hit| places.contains(&hit.place))
        .collect()
}

/// Returns the categories of some tools, each once.
fn names<'a>(tools: &[&'a Arc<CatalogEntry>], view: &CallerView<'a>) -> Vec<&'a str> {
    let mut names = Vec::new();
    for entry in tools {
        let name = servers::category(entry, view);
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
pub(super) async fn documentation(
    arguments: &MetaToolArguments,
    view: &CallerView<'_>,
) -> Result<CallToolResult, String> {
    let query = arguments.query("query", view);
    if query.is_empty() {
        return Err("`query` and `server_name` are required".to_owned());
    }
    let name = arguments.text("server_name");
    let all = tools(name, view).ok_or_else(|| unknown_server(name, view))?;
    let count = arguments
        .count("max_results")
        .unwrap_or(RESULTS)
        .clamp(1, RESULTS_MAX);
    let mut wanted = intersection(&hits(query, view).await, &all);
    // Cut before it is recorded, because the events contain what the caller saw.
    wanted.truncate(count);
    view.recorder
        .record_search(query, wanted.iter().map(|entry| &***entry));
    let results = wanted.into_iter().map(|entry| {
        let summary = entry.tool.about.summary.trim();
        let category = servers::category(entry, view);
        json!({ "name": view.shown_name(entry), "description": summary, "category_name": category })
    });
    Ok(text_result(results.collect::<Value>().to_string()))
}
