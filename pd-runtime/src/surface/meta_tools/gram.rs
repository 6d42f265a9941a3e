//! Gram's search: `search_tools` by words and tags, `describe_tools` for the schemas; `execute_tool` is a call like ours. A
//! tool's tags are the groups it stands in.

use super::{Schema, asked::Asked, directory, disclose_named, failed, named, object, said, schemas, telling};
use crate::{
    catalogue::{cost::Form, entry::Entry},
    disclose::unknown_in_words,
    policy::meta_tools::{Gram, Offer},
    registry::check::heading_name,
    surface::resource,
    view::View,
};
use rmcp::model::{CallToolResult, Tool};
use serde_json::{Value, json};
use std::sync::Arc;

/// How many hits are told, unless the caller says.
const RESULTS: usize = 5;
const RESULTS_MAX: usize = 10;

/// The entry of either in the list.
pub(super) fn definition(offer: &Offer, role: Gram, view: &View<'_>) -> Tool {
    static SEARCH: Schema = Schema::new(|| {
        object(json!({
            "type": "object",
            "properties": {
                "query": { "type": "string" },
                "tags": { "type": "array", "items": { "type": "string" } },
                "match_mode": { "type": "string", "enum": ["any", "all"], "default": "any" },
                "num_results": { "type": "integer", "minimum": 1, "maximum": RESULTS_MAX },
            },
            "required": ["query"],
        }))
    });
    static DESCRIBE: Schema = Schema::new(|| {
        object(json!({
            "type": "object",
            "properties": { "tool_names": { "type": "array", "items": { "type": "string" } } },
            "required": ["tool_names"],
        }))
    });
    match role {
        Gram::Describe => telling(offer, "Get the descriptions and input schemas of tools", &DESCRIBE),
        Gram::Search => match (*directory::of(view)).as_ref() {
            "" => telling(offer, "Search tools for a task", &SEARCH),
            tags => telling(offer, format!("Search tools for a task. Tags: {tags}"), &SEARCH),
        },
    }
}

/// Calls either of them.
pub(super) async fn call(role: Gram, asked: &Asked, view: &View<'_>) -> CallToolResult {
    match role {
        Gram::Search => search(asked, view).await,
        Gram::Describe => describe(asked, view).await,
    }
}

async fn search(asked: &Asked, view: &View<'_>) -> CallToolResult {
    let query = asked.query("query", view);
    if query.is_empty() {
        return failed("`query` is required");
    }
    let wanted: Vec<_> =
        asked.names("tags").iter().take(view.policy.limits.names).map(|tag| heading_name(tag)).collect();
    let all = asked.text("match_mode") == "all";
    let fits = |entry: &Entry| {
        let tags = tags(entry, view);
        let mut has = wanted.iter().map(|tag| tags.contains(&tag.as_str()));
        wanted.is_empty() || if all { has.all(|has| has) } else { has.any(|has| has) }
    };
    let count = asked.count("num_results").unwrap_or(RESULTS).clamp(1, RESULTS_MAX);
    // Tags are looked at after the search, so all that it finds is asked for where there are some.
    let limit = if wanted.is_empty() { count } else { view.catalogue.entries.len() };
    let found = view.search(query, limit).await.hits;
    let best = found.first().map_or(1.0, |(_, score)| *score);
    let told = || found.iter().filter(|(entry, _)| fits(entry)).take(count);
    view.seen.found(query, told().map(|(entry, _)| &***entry));
    let told = told().map(|(entry, score)| hit(entry, score / best, view));
    said(json!({ "tools": told.collect::<Value>() }).to_string())
}

/// A hit; its score is told in parts of the best one's.
fn hit(entry: &Arc<Entry>, score: f32, view: &View<'_>) -> Value {
    let score = f64::from((score * 100.0).round()) / 100.0;
    json!({
        "name": entry.name(),
        "description": entry.tool.about.summary.trim(),
        "_meta": { "similarity_score": score, "tags": tags(entry, view) },
    })
}

/// The groups that a tool stands in, and those around them.
fn tags<'a>(entry: &Entry, view: &View<'a>) -> Vec<&'a str> {
    let mut tags: Vec<&str> = Vec::new();
    for group in view.groups_of(entry) {
        let path = group.path.split('/').filter(|name| !name.is_empty());
        let new: Vec<_> = path.filter(|name| !tags.contains(name)).collect();
        tags.extend(new);
    }
    tags
}

async fn describe(asked: &Asked, view: &View<'_>) -> CallToolResult {
    let names = asked.names("tool_names");
    if let Err(later) = view.charge_descriptions(names.len()) {
        return later.into_result();
    }
    let meta_tools = named(&names, view);
    let is_unknown = |name: &&String| view.find(name).is_none() && !meta_tools.contains_key(*name);
    let unknown: Vec<_> = names.iter().filter(is_unknown).collect();
    match (names.len(), unknown.first()) {
        (0, _) => return failed("`tool_names` is required"),
        (count, _) if view.names_too_many(count) => return failed(resource::too_many(count, view).to_string()),
        (count, Some(first)) if count == unknown.len() => {
            unknown.iter().for_each(|name| view.seen.unknown(name));
            return failed(unknown_in_words(first, view));
        }
        _ => {}
    }
    let disclosure = disclose_named(&names, Form::Definition, view).await;
    let tools = schemas(&disclosure);
    let told =
        if unknown.is_empty() { json!({ "tools": tools }) } else { json!({ "tools": tools, "not_found": unknown }) };
    let mut result = said(told.to_string());
    result.meta = disclosure.meta();
    result
}
