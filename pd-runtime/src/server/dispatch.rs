//! One call, from its name to its result: availability, gate, strip the ticket, measure and validate, run, finish. Access was checked before:
//! a hidden tool never gets here.

pub(crate) mod direct;
pub(crate) mod output;
mod run;
mod selective;
mod validation;

use self::{selective::Selection, validation::Unjudged};
use crate::{
    catalog::entry::Entry,
    disclosure::{
        caller::take_ticket,
        gate::{self, Proof, Verdict},
        view::View,
    },
    registry::validate::Violations,
    surface::refusal,
    tool::{context::CallContext, output::Outcome},
};

use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, JsonObject},
    service::RequestContext,
};
use std::sync::Arc;

/// Calls a tool that exists for this caller.
///
/// # Errors
///
/// Only what the tool itself made a [`ToolError::protocol`].
pub(crate) async fn call(
    entry: &Arc<Entry>,
    mut params: CallToolRequestParams,
    view: &View<'_>,
    mut request: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let mut arguments = params.arguments.take().unwrap_or_default();
    let ticket = take_ticket(&mut arguments);
    let verdict = match admit(entry, ticket.as_deref(), view).await {
        Ok(verdict) => verdict,
        Err(refusal) => return Ok(refusal.into()),
    };
    let (about, calling) = (&entry.tool.about, view.seen.calling(entry, &arguments));
    let (arguments, selection) = match validation::judge(entry, arguments, view, &request.ct).await {
        Ok(judged) => judged,
        Err(Unjudged::Invalid(violations)) => {
            calling.was_invalid();
            return Ok(output::marked(output::invalid(about, &violations).into(), verdict, about));
        }
        Err(Unjudged::Later(later)) => return Ok(later.into_result().into()),
    };
    if run::timeout(entry, view).is_some() {
        run::detach(&mut request);
    }
    let context = CallContext::of_request(
        request,
        view.caller.authority.clone(),
        #[cfg(feature = "fetch")]
        &view.policy.fetching,
    )
    .with_input(params.input_responses.take(), params.request_state.take());
    let asked = selection.as_ref().map(Selection::mode);
    let outcome = match selection {
        None => run::run(entry, context, arguments, view).await,
        Some(selection) => Box::pin(run_divided(selection, entry, context, arguments, view)).await,
    };
    calling.was_run(&outcome);
    output::finish(outcome, asked, verdict, entry, view)
}

/// Runs a tool whose rows are divided, unless it is known before that they could not be handed on.
async fn run_divided(
    selection: Selection<'_>,
    entry: &Arc<Entry>,
    context: CallContext,
    arguments: JsonObject,
    view: &View<'_>,
) -> Outcome {
    selection.check(Some(view))?;
    let context = selection.context(&context);
    let outcome = run::run(entry, context, arguments, view).await;
    selection.divide(outcome, Some(view)).await
}

/// A call whose `arguments` are no object: gated like any other, judged by the schema's root, and never run.
pub(crate) async fn call_without_object(entry: &Arc<Entry>, view: &View<'_>) -> CallToolResult {
    match admit(entry, None, view).await {
        Ok(_) => {
            view.seen.calling(entry, &JsonObject::new()).was_invalid();
            output::invalid(&entry.tool.about, &Violations::not_an_object())
        }
        Err(refusal) => refusal,
    }
}

/// What the gate says, or the refusal where it denies. No description helps with a tool that nobody can call now.
async fn admit(entry: &Entry, ticket: Option<&str>, view: &View<'_>) -> Result<Verdict, CallToolResult> {
    if let Some(why) = output::unavailable(&entry.tool.about) {
        view.seen.unavailable(entry);
        return Err(output::failed(&why, &entry.tool.about));
    }
    match verdict(entry, ticket, view).await {
        Verdict::Deny(reason) => Err(refusal::refuse(entry, reason, view).await),
        verdict => Ok(verdict),
    }
}

async fn verdict(entry: &Entry, ticket: Option<&str>, view: &View<'_>) -> Verdict {
    if view.caller.is_in_foreign_session {
        return Verdict::Deny(gate::Reason::ForeignSession);
    }
    if view.sees_in_full(entry) {
        return gate::decide(view.gate(), Proof::Listed);
    }
    let proof =
        view.caller.proof(entry, view.catalogue.former(entry.name()), ticket, view.tickets).await.unwrap_or_else(
            |error| {
                tracing::debug!(%error, tool = entry.name(), "the call counts as undisclosed");
                Proof::Nothing
            },
        );
    if proof == Proof::BadTicket {
        view.seen.ticket_refused();
    }
    gate::decide(view.gate(), proof)
}
