//! Tools that keep to what their client declared it can do.

use crate::{
    forms,
    input::{Round, ask, form, sample},
};
use pd_runtime::{
    prelude::*,
    rmcp::{ErrorData, model::ClientCapabilities},
};

/// Would ask the client's model, and so refuses clients that have none: as a JSON-RPC error, since no model can mend that.
#[pd_tool(summary = "Need a client that samples", eager)]
pub(crate) fn test_missing_capability(call: &CallContext) -> Result<&'static str, ErrorData> {
    match declared(call).sampling {
        Some(_) => Ok("This client samples."),
        None => Err(missing()),
    }
}

/// Asks the model, the user, or both.
#[pd_tool(summary = "Ask only for what the client can give", eager)]
pub(crate) fn test_input_required_result_capabilities(
    call: &CallContext,
) -> Result<Round, ErrorData> {
    let declared = declared(call);
    let model = declared
        .sampling
        .map(|_| ("greeting", sample("Generate a greeting")));
    let user = declared
        .elicitation
        .map(|_| ("user_name", form("What is your name?", forms::text("name"))));
    let questions: Vec<_> = model.into_iter().chain(user).collect();
    if questions.is_empty() {
        Err(missing())
    } else {
        Ok(Round::Ask(ask(questions)))
    }
}

/// What the client said it can do: with this request, or when its session began.
pub(crate) fn declared(call: &CallContext) -> ClientCapabilities {
    call.request()
        .and_then(|request| request.client_capabilities())
        .unwrap_or_default()
}

#[expect(
    deprecated,
    reason = "MCP 2026-07-28 deprecates sampling, and the suite still tests it"
)]
fn missing() -> ErrorData {
    ErrorData::missing_required_client_capability(
        ClientCapabilities::builder().enable_sampling().build(),
    )
}
