//! The tools that a call may have meant, by its words and its arguments: the answer to a call of a
//! tool that does not exist, or that has no such arguments.

use super::{
    corrected_call::{self, CallRoute, CorrectedCall},
    tool_lines::tool_in_group,
    unlisted_names::names_unlisted,
};
use crate::{
    catalog::{entry::CatalogEntry, token_cost::CostForm},
    disclosure::{
        disclose::disclose, listed_form::ListedForm, tool_naming::ToolNaming, view::CallerView,
    },
    policy::rate_limit::{self, ChargeKind},
    text::truncate::first_chars,
};
use rmcp::model::{JsonObject, MetaObject};
use serde_json::Value;
use std::sync::Arc;

/// The most hits of the search that are compared by their arguments.
const CANDIDATES_MAX: usize = 10;
/// The most tools in an answer.
const SHOWN_MAX: usize = 3;
/// The most characters of a call that are searched.
const QUERY_MAX: usize = 400;
/// The longest text of an argument that is searched, in characters.
const WORDS_MAX: usize = 80;
/// The weight of the words. The arguments have the weight 1.
const BY_WORDS: f32 = 0.5;
/// How much better the arguments must fit another tool than the one that was called.
const BETTER: f32 = 0.25;
/// What a tool's score loses for each argument that it requires and the call does not have.
const PER_MISSING: f32 = 0.05;

/// A tool, and how well a call fits it.
#[derive(Debug)]
pub(super) struct FittingTool<'a> {
    entry: &'a Arc<CatalogEntry>,
    /// The part of the arguments that the tool uses, less what the call misses.
    fit: f32,
    /// How well the words of the call fit, at most 1.
    words: f32,
}

impl<'a> FittingTool<'a> {
    /// A tool that the call names.
    pub(super) fn named(entry: &'a Arc<CatalogEntry>) -> Self {
        Self {
            entry,
            fit: 1.0,
            words: 1.0,
        }
    }

    fn score(&self) -> f32 {
        self.fit + BY_WORDS * self.words
    }
}

/// Finds the tools that fit a call, the best first. `name` is what the call took for a tool's name.
pub(super) async fn find<'a>(
    name: Option<&str>,
    arguments: &JsonObject,
    view: &CallerView<'a>,
) -> Vec<FittingTool<'a>> {
    let Ok(bytes) = rate_limit::arguments::check(arguments, &view.policy.limits) else {
        return Vec::new();
    };
    // The search is help that nobody asked for. At the limit it is left out, and not refused.
    if view.charge(ChargeKind::Find, 1).is_err() {
        return Vec::new();
    }
    let matches = view.search(&words(name, arguments), CANDIDATES_MAX).await;
    // Scores of a search have no fixed scale, so they are divided by the best one.
    let best = matches.hits.first().map_or(1.0, |(_, score)| *score);
    // Each candidate validates the arguments here, on the async runtime.
    let candidates = matches.hits.into_iter().filter(|(entry, _)| {
        let validator = entry.validator();
        validator.is_ok_and(|validator| !validator.may_take_long(bytes))
    });
    let mut fitting: Vec<FittingTool<'_>> = candidates
        .map(|(entry, score)| FittingTool {
            entry,
            fit: fit(entry, arguments),
            words: score / best,
        })
        .collect();
    fitting.sort_by(|one, other| other.score().total_cmp(&one.score()));
    fitting
}

/// Calls of other tools, for a call with arguments that the called tool does not have.
#[derive(Debug)]
pub(super) struct OtherTools {
    pub(super) text: String,
    pub(super) meta: Option<MetaObject>,
}

impl OtherTools {
    /// Finds tools that have the unused arguments. Returns `None` if no argument is unused, or no
    /// tool fits better.
    pub(super) async fn find(
        entry: &CatalogEntry,
        arguments: &JsonObject,
        unused: &[String],
        view: &CallerView<'_>,
    ) -> Option<Self> {
        // The calls of other systems have different arguments.
        if unused.is_empty() || view.naming() != ToolNaming::Tools {
            return None;
        }
        // The caller chose this name among those of all unlisted tools. A listed tool may have been
        // chosen because it is listed.
        if view.listed_form(entry) == ListedForm::Unlisted && names_unlisted(view) {
            return None;
        }
        let own = corrected_call::own_arguments(&entry.tool.about, arguments);
        let arguments = own.as_ref().unwrap_or(arguments);
        let better = find_better(entry, arguments, view).await;
        if better.is_empty() {
            return None;
        }
        let answer = render(&better, arguments, |_, _| true, view).await;
        let unused: Vec<String> = unused.iter().map(|name| format!("`{name}`")).collect();
        let name = entry.name();
        let unused = unused.join(" and ");
        let text = format!(
            "`{name}` has no {unused}. These tools have:\n{}",
            answer.text
        );
        Some(Self {
            text,
            meta: answer.meta,
        })
    }
}

/// Finds the tools that have the arguments which the called tool does not have, the best first.
/// Tools in the caller's list are left out: the caller chose among their summaries.
async fn find_better<'a>(
    own: &CatalogEntry,
    arguments: &JsonObject,
    view: &CallerView<'a>,
) -> Vec<FittingTool<'a>> {
    let own_fit = fit(own, arguments);
    let mut fitting = find(None, arguments, view).await;
    // Nobody who meant to read may be led to a tool that changes something.
    fitting.retain(|tool| {
        let is_as_safe = tool.entry.is_read_only() || !own.is_read_only();
        let is_unlisted = view.listed_form(tool.entry) == ListedForm::Unlisted;
        tool.entry.name() != own.name() && is_unlisted && is_as_safe && tool.fit >= own_fit + BETTER
    });
    fitting
}

/// Returns how well the arguments fit a tool: the part that it uses, less what it misses.
fn fit(entry: &CatalogEntry, arguments: &JsonObject) -> f32 {
    match CorrectedCall::check(entry, arguments.clone(), None) {
        Some(call) => call.used_part() - PER_MISSING * call.count_wanted(),
        None => 0.0,
    }
}

/// Returns the words of a call: the name, the names of its arguments and its short texts.
fn words(name: Option<&str>, arguments: &JsonObject) -> String {
    let mut words = name.unwrap_or_default().to_owned();
    for (name, value) in arguments {
        let text = Value::as_str(value)
            .filter(|text| text.chars().nth(WORDS_MAX).is_none())
            .unwrap_or_default();
        words.extend([" ", name, " ", text]);
    }
    first_chars(&words, QUERY_MAX).to_owned()
}

/// Renders a call of each tool with these arguments, which discloses nothing: the call shows what
/// is required.
pub(crate) fn render_calls<'a>(
    tools: impl Iterator<Item = (&'a CatalogEntry, JsonObject)>,
    view: &CallerView<'_>,
) -> Vec<String> {
    tools
        .filter_map(|(entry, arguments)| {
            CorrectedCall::check(entry, arguments, None)?.render_call(CallRoute::new(entry, view)?)
        })
        .collect()
}

/// Tools with their signatures, and a call for each.
#[derive(Debug)]
pub(super) struct FittingAnswer {
    pub(super) text: String,
    pub(super) meta: Option<MetaObject>,
    /// Whether no call is in the text, because those that were complete may not be shown.
    pub(super) has_no_call: bool,
}

/// Renders the first of these tools with their signatures, which discloses them, and a call for
/// each. At the limit for descriptions, each tool is one line. A call without a gap needs
/// `may_show`, because models send it as it is.
pub(super) async fn render(
    tools: &[FittingTool<'_>],
    arguments: &JsonObject,
    may_show: impl Fn(&CatalogEntry, &CorrectedCall) -> bool,
    view: &CallerView<'_>,
) -> FittingAnswer {
    let tools = tools
        .get(..SHOWN_MAX)
        .unwrap_or(tools)
        .iter()
        .map(|tool| tool.entry);
    let names: Vec<String> = tools.clone().map(|tool| tool.name().to_owned()).collect();
    if view.charge(ChargeKind::Describe, names.len()).is_err() {
        let lines: Vec<String> = tools.map(|tool| tool_in_group(tool, view)).collect();
        return FittingAnswer {
            text: lines.join("\n"),
            meta: None,
            has_no_call: false,
        };
    }
    let disclosure = disclose(&names, CostForm::Signature, view).await;
    let calls: Vec<String> = disclosure
        .with_tickets()
        .filter_map(|(entry, ticket)| {
            let call = CorrectedCall::check(entry, arguments.clone(), ticket)?;
            if call.complete_arguments().is_some() && !may_show(entry, &call) {
                return None;
            }
            call.render_call(CallRoute::new(entry, view)?)
        })
        .collect();
    let send = if calls.len() == 1 {
        "Send"
    } else {
        "Send the one that does what was asked"
    };
    let signatures = disclosure.signatures_beside_calls();
    let text = match calls.as_slice() {
        [] => signatures,
        calls => format!(
            "{signatures}\n\n{send}, with a value for each <…>:\n{}",
            calls.join("\n")
        ),
    };
    FittingAnswer {
        text,
        meta: disclosure.meta(),
        has_no_call: calls.is_empty(),
    }
}
