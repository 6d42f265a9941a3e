//! One call, from its name to its result: availability, gate, strip the ticket, validate, run, finish. Access was checked before:
//! a hidden tool never gets here.

pub(crate) mod direct;
pub(crate) mod output;

use crate::{
    caller::take_ticket,
    catalogue::entry::Entry,
    gate::{self, Proof, Verdict},
    registry::validate::Violations,
    surface::refusal,
    tool::{context::CallContext, error::ToolError, output::Outcome},
    view::View,
};
use futures::FutureExt;
use rmcp::{
    RoleServer,
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, JsonObject},
    service::RequestContext,
};
use std::{panic::AssertUnwindSafe, sync::Arc};

/// Calls a tool that exists for this caller.
pub(crate) async fn call(
    entry: &Arc<Entry>,
    mut params: CallToolRequestParams,
    view: &View<'_>,
    request: RequestContext<RoleServer>,
) -> CallToolResponse {
    let mut arguments = params.arguments.take().unwrap_or_default();
    let ticket = take_ticket(&mut arguments);
    let verdict = match admit(entry, ticket.as_deref(), view).await {
        Ok(verdict) => verdict,
        Err(refusal) => return refusal.into(),
    };
    let (about, calling) = (&entry.tool.about, view.seen.calling(entry, &arguments));
    let arguments = match entry.validator.validate(about.input.completed(arguments)) {
        Ok(arguments) => arguments,
        Err(violations) => {
            calling.was_invalid();
            return output::marked(output::invalid(about, &violations).into(), verdict, about);
        }
    };
    let context = CallContext::of_request(request, view.caller.authority.principal().cloned(), &mut params);
    let outcome = run(entry, context, arguments).await;
    calling.was_run(&outcome);
    output::finish(outcome, verdict, entry, view.caller)
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
                tracing::warn!(%error, tool = entry.name(), "the call counts as undisclosed");
                Proof::Nothing
            },
        );
    if proof == Proof::BadTicket {
        view.seen.ticket_refused();
    }
    gate::decide(view.gate(), proof)
}

/// Runs the tool. A panic in it fails this call only.
async fn run(entry: &Arc<Entry>, context: CallContext, arguments: JsonObject) -> Outcome {
    if entry.tool.about.blocking {
        return run_blocking(entry.clone(), context, arguments).await;
    }
    // Inside a future: a run-time tool's closure may panic before it returns one.
    let running = async { entry.tool.handler.call(&(), &context, arguments).await };
    AssertUnwindSafe(running).catch_unwind().await.unwrap_or_else(|_| Err(panicked(entry)))
}

async fn run_blocking(entry: Arc<Entry>, context: CallContext, arguments: JsonObject) -> Outcome {
    let ran = entry.clone();
    let span = tracing::Span::current();
    let running = tokio::task::spawn_blocking(move || {
        let _entered = span.enter();
        futures::executor::block_on(ran.tool.handler.call(&(), &context, arguments))
    });
    running.await.unwrap_or_else(|_| Err(panicked(&entry)))
}

fn panicked(entry: &Entry) -> ToolError {
    tracing::error!(tool = entry.name(), "the tool panicked");
    ToolError::new(ToolError::INTERNAL, "the tool failed unexpectedly; this is a defect of the server")
}
