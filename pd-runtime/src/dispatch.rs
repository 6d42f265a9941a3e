//! One call, from its name to its result: availability, gate, strip the ticket, validate, run, finish. Access was checked before:
//! a hidden tool never gets here.

pub(crate) mod direct;
pub(crate) mod output;

use crate::{
    caller::{Caller, take_ticket},
    catalogue::{Catalogue, entry::Entry},
    gate::{self, Proof, Verdict, ticket::Tickets},
    policy::Policy,
    registry::validate::Violations,
    surface::refusal,
    tool::{context::CallContext, error::ToolError, output::Outcome},
};
use futures::FutureExt;
use rmcp::{
    RoleServer,
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, JsonObject},
    service::RequestContext,
};
use std::{panic::AssertUnwindSafe, sync::Arc};

/// What a call needs besides its own request.
#[derive(Debug)]
pub(crate) struct Dispatcher<'a> {
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) policy: &'a Policy,
    pub(crate) tickets: &'a Tickets,
}

impl Dispatcher<'_> {
    pub(crate) async fn call(
        &self,
        entry: &Arc<Entry>,
        mut params: CallToolRequestParams,
        caller: &Caller<'_>,
        request: RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let mut arguments = params.arguments.take().unwrap_or_default();
        let ticket = take_ticket(&mut arguments);
        let verdict = match self.admit(entry, caller, ticket.as_deref()).await {
            Ok(verdict) => verdict,
            Err(refusal) => return refusal.into(),
        };
        let about = &entry.tool.about;
        let arguments = match entry.validator.validate(about.input.completed(arguments)) {
            Ok(arguments) => arguments,
            Err(violations) => return output::marked(output::invalid(about, &violations).into(), verdict, about),
        };
        let context = CallContext::of_request(request, caller.authority.principal().cloned(), &mut params);
        let outcome = self.run(entry, context, arguments).await;
        output::finish(outcome, verdict, entry, caller)
    }

    /// A call whose `arguments` are no object: gated like any other, judged by the schema's root, and never run.
    pub(crate) async fn call_without_object(&self, entry: &Arc<Entry>, caller: &Caller<'_>) -> CallToolResult {
        match self.admit(entry, caller, None).await {
            Ok(_) => output::invalid(&entry.tool.about, &Violations::not_an_object()),
            Err(refusal) => refusal,
        }
    }

    /// What the gate says, or the refusal where it denies. No description helps with a tool that nobody can call now.
    async fn admit(
        &self,
        entry: &Arc<Entry>,
        caller: &Caller<'_>,
        ticket: Option<&str>,
    ) -> Result<Verdict, CallToolResult> {
        if let Some(why) = output::unavailable(&entry.tool.about) {
            return Err(output::failed(&why, &entry.tool.about));
        }
        let verdict = self.verdict(entry, caller, ticket).await;
        let Verdict::Deny(reason) = verdict else { return Ok(verdict) };
        let (catalogue, policy, tickets) = (self.catalogue, self.policy, self.tickets);
        Err(refusal::refuse(entry, reason, caller, catalogue, policy, tickets).await)
    }

    async fn verdict(&self, entry: &Entry, caller: &Caller<'_>, ticket: Option<&str>) -> Verdict {
        if caller.is_in_foreign_session() {
            return Verdict::Deny(gate::Reason::ForeignSession);
        }
        if caller.sees_in_full(self.policy, self.catalogue, entry) {
            return gate::decide(self.policy.gate, Proof::Listed);
        }
        let proof = caller.proof(&entry.digest, ticket, self.tickets).await.unwrap_or_else(|error| {
            tracing::warn!(%error, tool = entry.name(), "the call counts as undisclosed");
            Proof::Nothing
        });
        gate::decide(self.policy.gate, proof)
    }

    /// Runs the tool. A panic in it fails this call only.
    async fn run(&self, entry: &Arc<Entry>, context: CallContext, arguments: JsonObject) -> Outcome {
        if entry.tool.about.blocking {
            return run_blocking(entry.clone(), context, arguments).await;
        }
        // Inside a future: a run-time tool's closure may panic before it returns one.
        let running = async { entry.tool.handler.call(&(), &context, arguments).await };
        AssertUnwindSafe(running).catch_unwind().await.unwrap_or_else(|_| Err(panicked(entry)))
    }
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
