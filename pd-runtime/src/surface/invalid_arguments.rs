//! The answer to invalid arguments: what is wrong with them, and the call to send instead. The tool
//! has not run.

use super::{
    corrected_call::{CallRoute, CorrectedCall},
    fitting_tools::OtherTools,
    one_text,
};
use crate::{
    catalog::{description::argument_guidance, entry::CatalogEntry},
    disclosure::{
        gate::{session::SessionRecall, ticket::TicketSigner},
        listed_form::ListedForm,
        view::CallerView,
    },
    registry::{tool_spec::ToolSpec, validate::InvalidArguments},
    tool::error::ToolError,
};
use pd_schema::violations::SchemaViolations;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

/// How often the caller has failed in this way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailureCount {
    /// This is the first time.
    First,
    /// The call before failed in the same way.
    Repeated,
    /// No session could remember the failure.
    Unknown,
}

/// Renders the answer. Every violation is in it at once, and the tool's help for errors that
/// concern arguments. The corrected call follows, or calls of tools that have the arguments which
/// this one does not have.
///
/// A caller who knows the tool from a list in outline gets the signature with the first failure,
/// because nothing told it what the arguments mean.
pub(crate) async fn answer(
    entry: &CatalogEntry,
    invalid: InvalidArguments,
    ticket: Option<&str>,
    view: &CallerView<'_>,
) -> CallToolResult {
    let about = &entry.tool.about;
    let count = count_failure(about, &invalid.violations, view);
    let named = format!("{} '{}'", view.naming().noun(), view.shown_name(entry));
    let call = CorrectedCall::from_invalid(about, &invalid, ticket);
    let unused = call
        .as_ref()
        .map(|call| call.unused.clone())
        .unwrap_or_default();
    let mut texts = vec![error(&named, about, &invalid.violations, &unused).to_string()];
    // Before the record below, after which the tool counts as read.
    // Nobody reads of a tool for views alone.
    let is_for_models = entry.app.is_for_models;
    let is_unread = is_for_models && is_unread(entry, view);
    let others = match is_unread {
        true => OtherTools::find(entry, &invalid.arguments, &unused, view).await,
        false => None,
    };
    let is_signed =
        is_for_models && (count != FailureCount::First || (is_unread && others.is_none()));
    if is_signed
        && is_unread
        && let Some(session) = view.caller.lasting_session()
    {
        // The answer has the signature, so the session counts the tool as disclosed.
        session.record(&[entry.disclosed]);
    }
    let (call, meta) = match others {
        Some(others) => (Some(others.text), others.meta),
        None => (
            call.and_then(|call| call.render_request(CallRoute::new(entry, view)?)),
            None,
        ),
    };
    texts.extend(next(entry, call, count, is_signed.then_some(ticket), view));
    let mut result = CallToolResult::error(vec![ContentBlock::text(one_text::join(texts))]);
    result.meta = meta;
    result
}

/// Renders the error without a corrected call, for arguments that are not an object.
pub(crate) fn answer_not_an_object(about: &ToolSpec) -> CallToolResult {
    let error = error(
        &format!("Tool '{}'", about.name),
        about,
        &SchemaViolations::not_an_object(),
        &[],
    );
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}

fn error(named: &str, about: &ToolSpec, violations: &SchemaViolations, unused: &[String]) -> Value {
    let total = violations.total;
    let plural = if total == 1 {
        "violation"
    } else {
        "violations"
    };
    let mut error = json!({
        "code": ToolError::INVALID_ARGUMENTS,
        "message": format!("{named} was not run: {total} {plural} of its inputSchema."),
        "violations": violations.first,
    });
    if let Value::Object(error) = &mut error {
        if total > violations.first.len() {
            error.insert(
                "more_violations".to_owned(),
                json!(total - violations.first.len()),
            );
        }
        if !unused.is_empty() {
            error.insert("unused_arguments".to_owned(), json!(unused));
        }
        if let Some(guidance) = argument_guidance(about) {
            error.insert("error_guidance".to_owned(), guidance);
        }
    }
    json!({ "error": error })
}

/// Renders what to do next. `signed` is the ticket that the caller sent, if the signature is part
/// of it.
fn next(
    entry: &CatalogEntry,
    call: Option<String>,
    count: FailureCount,
    signed: Option<Option<&str>>,
    view: &CallerView<'_>,
) -> Option<String> {
    let mut lines = Vec::new();
    if count == FailureCount::Repeated {
        lines.push(
            "The same mistake as in the call before: sending it again cannot succeed.".to_owned(),
        );
    }
    // A caller without a session may be here for the second time.
    if let Some(ticket) = signed {
        let mut signature = String::new();
        // The gate may let a call with any text run, and a signature repeats tickets only.
        view.shown_signature(entry).write(
            &mut signature,
            ticket.filter(|ticket| TicketSigner::may_be_ticket(ticket)),
        );
        lines.push(signature);
    }
    // A model follows the last words of an answer.
    lines.extend(call);
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Returns whether the caller knows the tool only from a list in outline.
fn is_unread(entry: &CatalogEntry, view: &CallerView<'_>) -> bool {
    let session = view.caller.lasting_session();
    view.listed_form(entry) == ListedForm::Outline
        && !session.is_some_and(|session| session.recall(entry.disclosed) == SessionRecall::This)
}

fn count_failure(
    about: &ToolSpec,
    violations: &SchemaViolations,
    view: &CallerView<'_>,
) -> FailureCount {
    // In a session that ends with its call, every failure would be the first.
    let Some(session) = view.caller.lasting_session() else {
        return FailureCount::Unknown;
    };
    let violations: Vec<_> = violations
        .first
        .iter()
        .map(|one| (&one.pointer, &one.message))
        .collect();
    let is_repeated = session.note_failure((&about.name, violations));
    if is_repeated {
        FailureCount::Repeated
    } else {
        FailureCount::First
    }
}
