//! The search, and the answer of a search without hits.

use super::tags::{TagFilter, available, of_tool};
use crate::{
    catalog::{entry::CatalogEntry, token_cost::CostForm},
    disclosure::view::CallerView,
    surface::{
        meta_tools::{arguments::MetaToolArguments, text_result},
        missing::{self, UNAVAILABLE},
    },
};
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::{Value, json};
use std::sync::Arc;

/// The number of hits in an answer, unless the caller requests another.
const RESULTS: usize = 5;
pub(super) const RESULTS_MAX: usize = 10;

/// Returns the best hits that the tags admit. A search without hits answers with the tags that
/// exist and the nearest tools.
///
/// # Errors
///
/// Returns an error that names the missing or wrong argument.
pub(super) async fn search(
    arguments: &MetaToolArguments,
    view: &CallerView<'_>,
) -> Result<CallToolResult, String> {
    let query = arguments.query("query", view);
    if query.is_empty() {
        return Err("`query` is required".to_owned());
    }
    let filter = TagFilter::parse(arguments, view)?;
    let count = arguments
        .count("num_results")
        .unwrap_or(RESULTS)
        .clamp(1, RESULTS_MAX);
    // Tags are applied after the search. With tags, the search therefore returns all of its hits.
    let limit = if filter.is_empty() {
        count
    } else {
        view.catalog.entries.len()
    };
    let search_hits = view.search(query, limit).await.hits;
    // Raw scores are comparable only within one answer. Gram's are similarities up to 1, so the
    // best hit becomes 1.
    let best = search_hits.first().map_or(1.0, |(_, score)| *score);
    let hits = || {
        search_hits
            .iter()
            .filter(|(entry, _)| filter.admits(entry))
            .take(count)
    };
    view.recorder
        .record_search(query, hits().map(|(entry, _)| &***entry));
    let tools: Vec<Value> = hits()
        .map(|(entry, score)| hit(entry, score / best, view))
        .collect();
    let is_miss = tools.is_empty();
    let mut answer = JsonObject::from_iter([("tools".to_owned(), Value::Array(tools))]);
    if is_miss {
        let search_hits: Vec<_> = search_hits.iter().map(|(entry, _)| *entry).collect();
        let tools = nearest_tools(query, &search_hits, &filter, count, view);
        view.recorder
            .record_listed(tools.iter().map(|entry| (&***entry, CostForm::Line)));
        answer.insert(
            "nearest".to_owned(),
            tools.into_iter().map(|entry| line(entry, view)).collect(),
        );
    }
    answer.extend(missing::value(view).map(|value| (UNAVAILABLE.to_owned(), value)));
    if is_miss || !filter.unknown.is_empty() {
        add_tags(&mut answer, &filter, view);
    }
    Ok(text_result(Value::Object(answer).to_string()))
}

/// Renders a hit. Its score is relative to the best hit's.
fn hit(entry: &CatalogEntry, score: f32, view: &CallerView<'_>) -> Value {
    // Two digits: an `f32` printed as `f64` would cost a model a dozen more.
    let score = f64::from((score * 100.0).round()) / 100.0;
    json!({
        "name": entry.name(),
        "description": entry.tool.about.summary.trim(),
        "_meta": { "similarity_score": score, "tags": of_tool(entry, view) },
    })
}

/// Renders a tool without a score.
fn line(entry: &CatalogEntry, view: &CallerView<'_>) -> Value {
    let summary = entry.tool.about.summary.trim();
    json!({ "name": entry.name(), "description": summary, "_meta": { "tags": of_tool(entry, view) } })
}

/// Returns tools for a search without hits: the hits without the tags, otherwise the tools with a
/// tag, otherwise those with the nearest names.
fn nearest_tools<'a>(
    query: &str,
    search_hits: &[&'a Arc<CatalogEntry>],
    filter: &TagFilter<'_>,
    count: usize,
    view: &CallerView<'a>,
) -> Vec<&'a Arc<CatalogEntry>> {
    if !search_hits.is_empty() {
        return search_hits.iter().copied().take(count).collect();
    }
    let tag_tools: Vec<_> = view
        .visible()
        .filter(|entry| filter.touches(entry))
        .take(count)
        .collect();
    if !tag_tools.is_empty() {
        return tag_tools;
    }
    view.nearest(query, count)
        .into_iter()
        .filter_map(|name| view.find(name))
        .collect()
}

/// Adds the tags that exist, the unknown tags of the request, and the next step.
fn add_tags(answer: &mut JsonObject, filter: &TagFilter<'_>, view: &CallerView<'_>) {
    let (tags, left_out) = available(filter.unknown.first().map(String::as_str), view);
    let next = match (tags.is_empty(), filter.is_empty()) {
        (true, _) => "Search with other words in `query`, without `tags`.",
        (_, true) => "Search with other words in `query`, or with one of these `tags`.",
        _ => {
            "Search with other `tags` of these, or without `tags`, or with other words in `query`."
        }
    };
    if !filter.unknown.is_empty() {
        answer.insert("unknown_tags".to_owned(), json!(filter.unknown));
    }
    answer.insert("tags".to_owned(), json!(tags));
    if left_out > 0 {
        answer.insert("more_tags".to_owned(), json!(left_out));
    }
    answer.insert("next".to_owned(), json!(next));
}
