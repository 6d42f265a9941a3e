//! Tools that ask their client for something while their call waits: MCP up to 2025-11-25.

#![expect(
    deprecated,
    reason = "MCP 2026-07-28 deprecates sampling, and the suite still tests it"
)]

use crate::forms;
use pd_runtime::{
    prelude::*,
    rmcp::{
        RoleServer,
        model::{
            CreateMessageRequestParams, ElicitRequestParams, ElicitationSchema, SamplingMessage,
        },
        service::Peer,
    },
};

/// Hands a prompt to the client's model and returns what it said.
#[pd_tool(summary = "Ask the client's model", eager)]
pub(crate) async fn test_sampling(
    /// What to ask.
    prompt: String,
    call: &CallContext,
) -> Result<String, ToolError> {
    let question = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(prompt)], 100);
    let answer = client(call)?.create_message(question).await?;
    let text = answer
        .message
        .content
        .first()
        .and_then(|content| content.as_text());
    Ok(format!(
        "LLM response: {}",
        text.map_or("(no text)", |text| &text.text)
    ))
}

/// Asks the user for a name and an address.
#[pd_tool(summary = "Ask the client's user who they are", eager)]
pub(crate) async fn test_elicitation(
    /// What the user reads.
    message: String,
    call: &CallContext,
) -> Result<String, ToolError> {
    ask(message, forms::contact(), call).await
}

/// Asks for values that all have defaults.
#[pd_tool(summary = "Ask the client's user, with defaults", eager)]
pub(crate) async fn test_elicitation_sep1034_defaults(
    call: &CallContext,
) -> Result<String, ToolError> {
    ask(
        "Change what is not right".to_owned(),
        forms::defaults()?,
        call,
    )
    .await
}

/// Asks for choices of every form.
#[pd_tool(summary = "Ask the client's user to choose", eager)]
pub(crate) async fn test_elicitation_sep1330_enums(
    call: &CallContext,
) -> Result<String, ToolError> {
    ask("Choose".to_owned(), forms::choices()?, call).await
}

async fn ask(
    message: String,
    form: ElicitationSchema,
    call: &CallContext,
) -> Result<String, ToolError> {
    let question = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: form,
    };
    let answer = client(call)?.create_elicitation(question).await?;
    Ok(format!(
        "User response: {}",
        serde_json::to_string(&answer)?
    ))
}

fn client(call: &CallContext) -> Result<&Peer<RoleServer>, ToolError> {
    call.peer()
        .ok_or_else(|| ToolError::new("NO_CLIENT", "there is no client to ask"))
}
