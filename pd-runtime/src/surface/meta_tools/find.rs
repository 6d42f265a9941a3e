//! Finds tools for a task. If one hit is clearly best, its signature is included, which discloses
//! it: most tasks then need one search and one call. A task of several steps gets the best tool of
//! each.

use super::{
    StaticSchema, arguments::MetaToolArguments, group_index, list, named_object, object,
    read_only_tool, text_result, with_found,
};
use crate::{
    catalog::{entry::CatalogEntry, token_cost::CostForm},
    disclosure::{
        disclose::disclose,
        view::{CallerView, SearchMatches},
    },
    policy::{
        meta_tool_purpose::MetaToolPurpose, meta_tools::OfferedMetaTool, rate_limit::ChargeKind,
    },
    registry::bundle::Bundle,
    search::steps,
    surface::{call_routes, missing, tool_lines, unlisted_names::names_unlisted},
    text::truncate::first_chars,
};

use rmcp::model::{CallToolResult, Tool};
use serde_json::json;
use std::sync::Arc;

/// The most hits in an answer.
const HITS_MAX: usize = 5;
/// The most hits for a step: one with its signature, and others by name.
const STEP_HITS_MAX: usize = 6;
/// The most hits for a task of several steps.
const STEPS_HITS_MAX: usize = 15;
/// The most hits for a task whose steps are not clear. Those after the first are named only.
const UNCERTAIN_HITS_MAX: usize = 12;
/// The most characters of a bundle's summary, and of its instructions.
const BUNDLE_CHARS: usize = 200;
/// The most hits beside one that is clearly best.
const RUNNERS_UP_MAX: usize = 1;

/// Returns the list entry, with an index of the groups unless other meta-tools name all tools.
pub(super) fn definition(offer: &OfferedMetaTool, view: &CallerView<'_>) -> Tool {
    static SCHEMA: StaticSchema = StaticSchema::new(|| {
        object(json!({ "type": "object", "properties": { "query": { "type": "string" } } }))
    });
    read_only_tool(offer, describe(view), &SCHEMA)
}

fn describe(view: &CallerView<'_>) -> String {
    // The names of all tools say more than groups.
    if names_unlisted(view) {
        return "Find tools for a task".to_owned();
    }
    match (*group_index::for_caller(view)).as_ref() {
        "" => "Find tools for a task".to_owned(),
        lines if lines.starts_with('\n') => format!("Find tools for a task. Groups:{lines}"),
        groups => format!("Find tools for a task. Groups: {groups}"),
    }
}

/// Calls the meta-tool.
pub(super) async fn call(arguments: &MetaToolArguments, view: &CallerView<'_>) -> CallToolResult {
    let query = arguments.words_of_query(view);
    let query = query.as_str();
    if query.is_empty() {
        return text_result(tool_lines::overview(view));
    }
    // A tool of the same name is looked for like any other.
    if let Some(group) = view.group(query).filter(|_| view.resolve(query).is_none()) {
        return list::open(group, view).await;
    }
    // The name of an object says nothing about what to do with it, so its words find any tool.
    if let Some(tools) = named_object::answer(query, view) {
        view.recorder.record_search(query, std::iter::empty());
        return text_result(tools);
    }
    let mut matches = view.search(query, STEPS_HITS_MAX).await;
    let most = match matches.steps {
        // One hit is best for all steps, or a step has none. The right tools may be further down.
        0 if steps::split(query).len() > 1 => UNCERTAIN_HITS_MAX,
        0 => HITS_MAX,
        steps => (steps * STEP_HITS_MAX).min(STEPS_HITS_MAX),
    };
    matches.hits.truncate(most);
    add_named(&mut matches, query, view);
    // Each line costs tokens in every search, so a clear hit needs only one alternative.
    let count = if matches.steps == 0 && matches.stands_out {
        1 + RUNNERS_UP_MAX
    } else {
        matches.hits.len()
    };
    view.recorder.record_search(
        query,
        matches.hits.iter().take(count).map(|(hit, _)| &***hit),
    );
    let found = matches.hits.iter().take(count).map(|(hit, _)| hit.name());
    let result = match matches.hits.as_slice() {
        [] => text_result(no_hits(query, view)),
        hits if matches.steps > 0
            && !view.names_too_many(matches.steps)
            && view.charge(ChargeKind::Describe, matches.steps).is_ok() =>
        {
            let (steps, others) = hits.split_at(matches.steps);
            with_steps(steps, others, view).await
        }
        // The signature is a disclosure, so it is charged as one. At the limit, the hit is listed
        // like the others.
        [(first, _), others @ ..]
            if matches.steps == 0
                && matches.stands_out
                && view.charge(ChargeKind::Describe, 1).is_ok() =>
        {
            with_signature(first, others, view).await
        }
        hits => {
            let (lines, others) = hits.split_at(hits.len().min(HITS_MAX));
            text_result(format!(
                "{}{}{}",
                render_lines(lines, view),
                render_names(others),
                not_searched(view)
            ))
        }
    };
    with_found(result, found, view)
}

/// Adds the tools that have the query as their name at the source. The search does not find names
/// without ASCII letters, because the names of tools cannot contain them.
fn add_named<'a>(matches: &mut SearchMatches<'a>, query: &str, view: &CallerView<'a>) {
    let named = view.find_by_source(query).into_iter();
    let missing = named.filter(|tool| !matches.hits.iter().any(|(hit, _)| Arc::ptr_eq(hit, tool)));
    let missing: Vec<_> = missing.take(HITS_MAX).map(|tool| (tool, 0.0)).collect();
    if !missing.is_empty() {
        // A full name is clearer evidence than any score, unless several servers use the name.
        matches.stands_out = missing.len() == 1;
        matches.steps = 0;
        matches.hits.splice(..0, missing);
        matches.hits.truncate(HITS_MAX);
    }
}

fn render_lines(hits: &[(&Arc<CatalogEntry>, f32)], view: &CallerView<'_>) -> String {
    hits.iter()
        .map(|(hit, _)| tool_lines::tool_in_group(hit, view))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Renders the first hit with its signature, then the runners-up, in case another tool was meant.
async fn with_signature(
    first: &CatalogEntry,
    others: &[(&Arc<CatalogEntry>, f32)],
    view: &CallerView<'_>,
) -> CallToolResult {
    let name = [first.name().to_owned()];
    let disclosure = disclose(&name, CostForm::Signature, view).await;
    let mut text = format!(
        "// {}\n{}",
        tool_lines::summary_in_group(first, view),
        disclosure.signatures()
    );
    text.extend(
        call_routes::render(std::iter::once(first), view).map(|route| format!("\n{route}")),
    );
    if !others.is_empty() {
        text.push_str("\n\nOr:\n");
        text.push_str(&render_lines(
            others.get(..RUNNERS_UP_MAX).unwrap_or(others),
            view,
        ));
    }
    text.push_str(&not_searched(view));
    let mut result = text_result(text);
    result.meta = disclosure.meta();
    result
}

/// Renders the tool of each step with its signature, on one line unless its description must be read
/// first. A bundle or a group that has them all comes before them. The names of others follow, in
/// case another tool was meant.
async fn with_steps(
    steps: &[(&Arc<CatalogEntry>, f32)],
    others: &[(&Arc<CatalogEntry>, f32)],
    view: &CallerView<'_>,
) -> CallToolResult {
    let entries: Vec<&CatalogEntry> = steps.iter().map(|(step, _)| &***step).collect();
    let names: Vec<String> = entries.iter().map(|step| step.name().to_owned()).collect();
    let disclosure = disclose(&names, CostForm::Signature, view).await;
    let bundle = view.bundle_with(&entries).map(render_bundle);
    let group = view.group_with(&entries);
    let tools = disclosure
        .with_tickets()
        .zip(1..)
        .map(|((step, ticket), number)| {
            // One line with the path of the group costs less than its path in each line.
            let summary = match group {
                Some(_) => tool_lines::summary(step).to_owned(),
                None => tool_lines::summary_in_group(step, view),
            };
            format!("{number}. {}", render_step(step, &summary, ticket, view))
        });
    let group = group.map(|group| format!("{}:", group.path));
    let lines: Vec<String> = bundle.into_iter().chain(group).chain(tools).collect();
    let mut text = lines.join("\n");
    text.extend(
        call_routes::render(entries.iter().copied(), view).map(|route| format!("\n{route}")),
    );
    text.push_str(&render_names(others));
    text.push_str(&not_searched(view));
    let mut result = text_result(text);
    result.meta = disclosure.meta();
    result
}

/// Renders `/who-broke-it — Find who broke a line. Blame the line, then show the commit.` The
/// instructions are in full in the bundle's description.
fn render_bundle(bundle: &Bundle) -> String {
    let texts = [bundle.summary.trim(), bundle.instructions.trim()];
    let texts =
        texts.map(|text| first_chars(text.lines().next().unwrap_or_default(), BUNDLE_CHARS));
    let texts: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    format!("/{} — {}", bundle.name, texts.join(". "))
}

fn render_step(
    step: &CatalogEntry,
    summary: &str,
    ticket: Option<&str>,
    view: &CallerView<'_>,
) -> String {
    let signature = view.shown_signature(step);
    match signature.outline(ticket).filter(|_| !step.is_read_first()) {
        Some(outline) => format!("{outline} // {summary}"),
        None => {
            let mut text = format!("// {summary}\n");
            signature.write(&mut text, ticket);
            text
        }
    }
}

/// Renders the names of further hits.
fn render_names(others: &[(&Arc<CatalogEntry>, f32)]) -> String {
    if others.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = others.iter().map(|(other, _)| other.name()).collect();
    format!("\n\nOr: {}", names.join(", "))
}

/// Renders which tools were not searched, because they are not known yet.
fn not_searched(view: &CallerView<'_>) -> String {
    match missing::sentences(view).as_slice() {
        [] => String::new(),
        sentences => format!("\n\nNot searched: {}.", sentences.join(". ")),
    }
}

/// Renders an answer without hits: an overview, and the next step.
fn no_hits(query: &str, view: &CallerView<'_>) -> String {
    // The query may be long, and repeating all of it is useless.
    let query: String = first_chars(query, 100).to_owned();
    let next = match view.meta_tools().name_of(MetaToolPurpose::List) {
        Some(list) => format!("Try other words, or open a group with {list}."),
        None if view.has_groups() => "Try other words, or the name of a group.".to_owned(),
        None => "Try other words.".to_owned(),
    };
    match tool_lines::overview(view).as_str() {
        "" => format!("Nothing matches `{query}`: you have no tools here."),
        overview => format!("Nothing matches `{query}`. There are:\n{overview}\n{next}"),
    }
}
