//! One call, from its name to its result: remove the ticket, check availability, pass the gate,
//! measure and validate the arguments, run the tool, finish the result. Access is checked earlier:
//! a hidden tool never gets here.

mod confirm;
pub(crate) mod direct;
pub(crate) mod output;
mod promised_result;
mod run;
#[cfg(feature = "code")]
pub(super) mod run_code;
mod shorten;
mod validation;
mod withhold_columns;

#[cfg(feature = "code")]
use self::run_code::program_tool;
use self::{
    validation::{FirstCheck, ValidArguments, ValidationFailure},
    withhold_columns::SelectiveCall,
};
use crate::{
    catalog::entry::CatalogEntry,
    disclosure::{
        caller::take_ticket,
        gate::{self, DisclosureProof, GateVerdict},
        view::CallerView,
    },
    policy::GateMode,
    surface::{apps, invalid_arguments, refusal, repeated_failure::CallAttempt},
    tool::{client_call::ClientCall, context::CallContext, output::ToolResult},
};

use rmcp::{
    ErrorData,
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, JsonObject},
};
use std::sync::Arc;

/// Calls a tool that exists for this caller, and takes the arguments and the input out of `params`.
/// `is_from_text` says that a meta-tool has read arguments from texts already.
///
/// # Errors
///
/// Returns an error only if the tool itself returned a
/// [`ToolError::protocol`](crate::ToolError::protocol).
pub(crate) async fn call(
    entry: &Arc<CatalogEntry>,
    params: &mut CallToolRequestParams,
    is_from_text: bool,
    view: &CallerView<'_>,
    request: Arc<ClientCall>,
) -> Result<CallToolResponse, ErrorData> {
    let mut arguments = params.arguments.take().unwrap_or_default();
    // The ticket is removed before validation: the compiled schema does not have the property, and
    // the tool must not see it.
    let ticket = take_ticket(&mut arguments);
    // Restored for every listing, because hosts call by lists that they got earlier.
    entry.listed_names().restore(&mut arguments);
    let verdict = match admit(entry, Some(&arguments), ticket.as_deref(), view).await {
        Ok(verdict) => verdict,
        Err(refusal) => return Ok(refusal.into()),
    };
    let about = &entry.tool.about;
    let mut call_span = view.recorder.start_call(entry, &arguments, verdict);
    let validated = match validation::check_at_once(entry, arguments, view) {
        Ok(FirstCheck::Valid(valid)) => Ok(valid),
        // Boxed, like everything below that few calls need: a call is one allocation, which is
        // copied once, and each of these futures has a kilobyte.
        first => Box::pin(validation::finish(first, entry, view, &request.ct)).await,
    };
    let ValidArguments {
        arguments,
        selection,
        correction,
        ..
    } = match validated {
        Ok(valid) => {
            if is_from_text || valid.is_from_text {
                call_span.mark_from_text();
            }
            valid
        }
        Err(ValidationFailure::Invalid(invalid)) => {
            call_span.finish_invalid();
            let answer = Box::pin(invalid_arguments::answer(
                entry,
                invalid,
                ticket.as_deref(),
                view,
            ))
            .await;
            return Ok(output::mark_undisclosed(answer.into(), verdict, about));
        }
        Err(ValidationFailure::Later(later)) => return Ok(later.into_result().into()),
    };
    let attempt = CallAttempt::new(entry, &arguments, ticket.as_deref(), view);
    let mode = selection.as_ref().map(|selection| selection.mode());
    let cancellation = request.ct.clone();
    let outcome = run_valid(entry, params, arguments, selection, view, request).await;
    call_span.finish(&outcome, cancellation.is_cancelled());
    let response = output::finish(outcome, mode, verdict, entry, view)?;
    // The rows of a selective result are those that the caller has chosen.
    let response = match mode {
        None => shorten::shorten(response, entry, view).await,
        Some(_) => response,
    };
    let response = attempt.advise(response);
    Ok(match correction {
        Some(correction) => correction.add_to(response),
        None => response,
    })
}

/// Runs a tool with valid arguments: its program, or its handler.
async fn run_valid(
    entry: &Arc<CatalogEntry>,
    params: &mut CallToolRequestParams,
    arguments: JsonObject,
    selection: Option<Box<SelectiveCall<'_>>>,
    view: &CallerView<'_>,
    mut request: Arc<ClientCall>,
) -> ToolResult {
    // A timeout cancels the call's own token. Without the split it would cancel the request's
    // token, which belongs to the client.
    if run::timeout(entry, view).is_some() && !is_program(entry) {
        request = request.with_own_token();
    }
    let context = CallContext::from_request(
        request.clone(),
        view.caller.authority.clone(),
        view.caller.client_session(),
        #[cfg(feature = "fetch")]
        &view.policy.fetching,
    )
    .with_input(params.input_responses.take(), params.request_state.take());
    // Boxed, because few tools ask.
    if confirm::is_wanted(entry, view)
        && let Err(end) = Box::pin(confirm::confirm(entry, &arguments, &context)).await
    {
        return end.into_response();
    }
    #[cfg(feature = "code")]
    if let Some(program) = &entry.tool.about.program {
        let longest = run::timeout(entry, view);
        let running = program_tool::call(entry, program, arguments, longest, view, &request);
        return Ok(Box::pin(running).await.into());
    }
    let outcome = match selection {
        None => run::run(entry, &context, arguments, view).await,
        // Boxed, because the future for rows is large and most calls do not need it.
        Some(selection) => Box::pin(run_divided(selection, entry, &context, arguments, view)).await,
    };
    match outcome {
        Ok(CallToolResponse::InputRequired(required)) if context.prior_answers().is_some() => {
            Ok(context.keep_answers(required)?.into())
        }
        outcome => outcome,
    }
}

/// Returns whether the tool is a program, which has its own time.
fn is_program(entry: &CatalogEntry) -> bool {
    #[cfg(feature = "code")]
    return entry.tool.about.program.is_some();
    #[cfg(not(feature = "code"))]
    {
        let _ = entry;
        false
    }
}

/// Runs a selective tool and divides its rows. Returns an error before the run if the rows could
/// not be handed on.
async fn run_divided(
    selection: Box<SelectiveCall<'_>>,
    entry: &Arc<CatalogEntry>,
    context: &CallContext,
    arguments: JsonObject,
    view: &CallerView<'_>,
) -> ToolResult {
    // A run is wasted if nothing can store its rows afterwards, and a tool may have side effects.
    selection.check(Some(view))?;
    let context = selection.context(context);
    let outcome = run::run(entry, &context, arguments, view).await;
    selection.divide(outcome, Some(view)).await
}

/// Answers a call whose `arguments` are not an object. The call is gated like any other and fails
/// at the schema's root; the tool never runs.
pub(crate) async fn call_without_object(
    entry: &Arc<CatalogEntry>,
    view: &CallerView<'_>,
) -> CallToolResult {
    match admit(entry, None, None, view).await {
        Ok(verdict) => {
            view.recorder
                .start_call(entry, &JsonObject::new(), verdict)
                .finish_invalid();
            invalid_arguments::answer_not_an_object(&entry.tool.about)
        }
        Err(refusal) => refusal,
    }
}

/// Returns the gate's verdict, or the refusal if the gate denies the call.
async fn admit(
    entry: &CatalogEntry,
    arguments: Option<&JsonObject>,
    ticket: Option<&str>,
    view: &CallerView<'_>,
) -> Result<GateVerdict, CallToolResult> {
    // Checked before the gate: no description helps with a tool that cannot be called at the
    // moment.
    if let Some(why) = output::unavailable(&entry.tool.about, || {
        format!("{} '{}'", view.naming().noun(), view.shown_name(entry))
    }) {
        view.recorder.record_unavailable(entry);
        return Err(output::failed_result(&why, &entry.tool.about));
    }
    match verdict(entry, arguments, ticket, view).await {
        GateVerdict::Deny(reason) => {
            let refusal = Box::pin(refusal::refuse(entry, arguments, reason, view)).await;
            if let Some(arguments) = arguments {
                Box::pin(view.record_refused_call(entry, arguments, reason)).await;
            }
            Err(refusal)
        }
        verdict => Ok(verdict),
    }
}

/// Collects the proof that the caller has, and lets the gate decide.
pub(super) async fn verdict(
    entry: &CatalogEntry,
    arguments: Option<&JsonObject>,
    ticket: Option<&str>,
    view: &CallerView<'_>,
) -> GateVerdict {
    // Checked before any proof: a stolen session id must not benefit from what the session's owner
    // has read.
    if view.caller.is_in_foreign_session {
        return GateVerdict::Deny(gate::DenialReason::ForeignSession);
    }
    if view.was_read_in_run(entry) {
        return gate::decide(view.gate(), DisclosureProof::Disclosed);
    }
    // Computed from this request's list and never remembered, so a change of the listing takes
    // effect at once.
    if view.shows_enough(entry) {
        return gate::decide(view.gate(), DisclosureProof::Listed);
    }
    // A view knows the tools that it calls, and cannot read a refusal.
    if view.is_direct_call() && apps::may_come_from_view(entry, view) {
        let gate = match view.gate() {
            // Nobody can read the description of a tool for views alone.
            _ if !entry.app.is_for_models => GateMode::Off,
            GateMode::Enforce => GateMode::Advise,
            gate => gate,
        };
        return gate::decide(gate, DisclosureProof::Nothing);
    }
    let proof = view
        .caller
        .proof(
            entry,
            view.catalog.former(entry.name()),
            ticket,
            view.tickets,
        )
        .await
        .unwrap_or_else(|error| {
            tracing::debug!(%error, tool = entry.name(), "the call counts as undisclosed");
            // An outage of the replicas' store costs at most one refusal, which carries the
            // description.
            DisclosureProof::Nothing
        });
    if proof == DisclosureProof::BadTicket {
        view.recorder.record_bad_ticket();
    }
    let verdict = gate::decide(view.gate(), proof);
    let GateVerdict::Deny(_) = verdict else {
        return verdict;
    };
    // Sessions that do not last have read nothing, whatever the client was shown.
    let reason = Box::pin(view.undisclosed_reason(entry, arguments)).await;
    reason.map_or(verdict, GateVerdict::Advise)
}
