//! Answers calls through a meta-tool that do not run: with the call to send, or with the tools that
//! are nearest.

use super::{NAMELESS, beginning, tool_arguments};
use crate::{
    catalog::entry::CatalogEntry,
    disclosure::{
        disclose::{render_unknown, render_unknown_briefly, same_source_names},
        view::CallerView,
    },
    policy::{meta_tools::OfferedMetaTool, rate_limit},
    surface::{
        call_forms,
        corrected_call::{CallRoute, CorrectedCall},
        description_uri,
        fitting_tools::{self, FittingTool},
        meta_tools::{MetaToolReply, arguments::MetaToolArguments, error_result, named_object},
    },
    text::loose_json::JsonMistake,
};

use pd_schema::suggest;
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::Value;
use std::sync::Arc;

/// Adds the call to send to the error for a tool that another meta-tool calls, if there is one.
pub(super) fn with_right_call(
    why: String,
    arguments: MetaToolArguments,
    view: &CallerView<'_>,
) -> String {
    let Some(entry) = view.resolve(arguments.text("name")) else {
        return why;
    };
    let sent = tool_arguments(arguments.into_inner(), view);
    match corrected(entry, sent, CallRoute::through_meta_tool(entry, view), view) {
        Some(call) => format!("{why}. {call}"),
        None => why,
    }
}

/// Renders the call to send instead. Arguments over the limits, or whose check may take long, get
/// none: this runs before the gate.
fn corrected(
    entry: &CatalogEntry,
    sent: JsonObject,
    route: Option<CallRoute<'_>>,
    view: &CallerView<'_>,
) -> Option<String> {
    let bytes = rate_limit::arguments::check(&sent, &view.policy.limits).ok()?;
    if entry.validator().ok()?.may_take_long(bytes) {
        return None;
    }
    CorrectedCall::check(entry, sent, None)?.render_request(route?)
}

/// Answers a call without a tool's name by the tools that have its arguments, or that the URI of
/// descriptions among them names.
///
/// # Errors
///
/// Returns an error with a search to send, if the call has no arguments or no tool has them.
pub(super) async fn answer_nameless(
    offer: &OfferedMetaTool,
    arguments: MetaToolArguments,
    view: &CallerView<'_>,
) -> Result<MetaToolReply, String> {
    // One of several calls must not run as if it were all of them.
    if let Some((count, first)) = call_forms::several(arguments.members()) {
        let why = format!(
            "{} makes one call, and {count} were sent: send each by itself, beginning with the first one",
            offer.name
        );
        return Err(with_right_call(
            why,
            MetaToolArguments::new(Some(first)),
            view,
        ));
    }
    let mut arguments = tool_arguments(arguments.into_inner(), view);
    let in_uri = arguments
        .get("uri")
        .and_then(Value::as_str)
        .and_then(description_uri::call_in)
        .filter(|(_, others)| rate_limit::arguments::check(others, &view.policy.limits).is_ok());
    let is_named = in_uri.is_some();
    let fitting = match in_uri {
        Some((names, others)) => {
            arguments = others;
            let named = names.iter().filter_map(|name| view.resolve(name));
            named.map(FittingTool::named).collect()
        }
        None if arguments.is_empty() => Vec::new(),
        None => fitting_tools::find(None, &arguments, view).await,
    };
    if fitting.is_empty() {
        let search = named_object::render_search(view);
        return Err([NAMELESS.to_owned()]
            .into_iter()
            .chain(search)
            .collect::<Vec<_>>()
            .join(". "));
    }
    let count = arguments.len();
    // Arguments that all belong to a tool are more than a guess.
    let may_show = |entry: &CatalogEntry, call: &CorrectedCall| {
        entry.is_read_only() || is_named || (count > 0 && call.uses_all())
    };
    let answer = nearest(NAMELESS, &fitting, &arguments, may_show, view).await;
    Ok(answer.into())
}

/// Answers a call of a tool that does not exist with the tools that fit its words and arguments.
pub(super) async fn answer_unknown(
    arguments: MetaToolArguments,
    view: &CallerView<'_>,
) -> CallToolResult {
    let full = arguments.text("name").to_owned();
    let name = beginning(&full);
    let arguments = tool_arguments(arguments.into_inner(), view);
    view.recorder.record_unknown(&name);
    // The caller knows which tool it wants, so a search by the words of the call has no use.
    if same_source_names(&full, view).is_some() {
        return error_result(render_unknown(&full, view));
    }
    let fitting = fitting_tools::find(Some(&name), &arguments, view).await;
    if fitting.is_empty() {
        let unknown = render_unknown(&name, view);
        let nearest = view.nearest(&name, 1);
        // A name that is near is better advice than a search.
        let search = named_object::render_search(view)
            .filter(|_| suggest::nearest_tool(&name, &nearest).is_none());
        return error_result(match search {
            Some(search) => format!("{unknown}. {search}"),
            None => unknown,
        });
    }
    let why = render_unknown_briefly(&name);
    let may_show = |entry: &CatalogEntry, _: &CorrectedCall| entry.is_read_only();
    nearest(&why, &fitting, &arguments, may_show, view).await
}

/// Answers a call whose arguments are a text that is no JSON, with the place of the mistake and the
/// signature. What the text says is lost in the call to send, so that call must ask for it.
pub(super) async fn answer_mistake(
    entry: &Arc<CatalogEntry>,
    mistake: &JsonMistake,
    view: &CallerView<'_>,
) -> CallToolResult {
    let session = view.caller.lasting_session();
    let is_repeated =
        session.is_some_and(|session| session.note_failure((entry.name(), "no JSON")));
    let why = not_json(mistake);
    let again = if is_repeated {
        " This is the same mistake as in the call before: sending it again cannot succeed."
    } else {
        ""
    };
    let named = [FittingTool::named(entry)];
    let answer = fitting_tools::render(&named, &JsonObject::new(), |_, _| false, view).await;
    let mut result = error_result(format!("{why}{again}\n{}", answer.text));
    result.meta = answer.meta;
    result
}

pub(super) fn not_json(mistake: &JsonMistake) -> String {
    format!("`arguments` is not valid JSON {mistake}. It may also be an object, not a text.")
}

/// Returns an error with the tools that are nearest to the call. `may_show` decides which complete
/// calls are shown: small models send whatever they read last.
async fn nearest(
    why: &str,
    fitting: &[FittingTool<'_>],
    arguments: &JsonObject,
    may_show: impl Fn(&CatalogEntry, &CorrectedCall) -> bool,
    view: &CallerView<'_>,
) -> CallToolResult {
    let answer = fitting_tools::render(fitting, arguments, may_show, view).await;
    let mut text = format!("{why}. These are nearest:\n{}", answer.text);
    if answer.has_no_call {
        text.push_str("\n\nCall one of them only if it is what was asked.");
        text.extend(named_object::render_search(view).map(|search| format!(" {search}")));
    }
    let mut result = error_result(text);
    result.meta = answer.meta;
    result
}

pub(super) fn misplaced(naming: &str) -> String {
    format!(
        "the tool's arguments belong in `arguments`, as a JSON object: {{\"{naming}\": …, \"arguments\": \"{{…}}\"}}"
    )
}

/// Renders the error for arguments that were sent beside the name. A small model sends them there
/// again unless it reads the whole call.
pub(super) fn misplaced_beside(
    naming: &str,
    entry: &CatalogEntry,
    sent: JsonObject,
    view: &CallerView<'_>,
) -> String {
    let route = CallRoute::through_meta_tool(entry, view).filter(|_| naming == "name");
    match corrected(entry, sent, route, view) {
        Some(request) => {
            format!("the tool's arguments belong in `arguments`, as a JSON object. {request}")
        }
        None => misplaced(naming),
    }
}
