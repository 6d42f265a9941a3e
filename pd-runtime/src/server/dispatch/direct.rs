//! Calls of a registry's tools from code, without client and gate: for tests and for tools that use
//! tools.

use super::{promised_result, withhold_columns};
use crate::{
    digest::Digest,
    registry::{Registry, tool::Tool},
    tool::{context::CallContext, error::ToolError, output::ToolResult},
};
use pd_schema::violations::SchemaViolations;

use rmcp::model::{CallToolResponse, CallToolResult, JsonObject};
use serde_json::Value;

/// The most rounds of input in one call. A tool that asks for input without end fails.
const ROUNDS_MAX: usize = 16;

impl<S: Send + Sync + 'static> Registry<S> {
    /// Calls a tool with JSON arguments, as a client would after reading its description.
    ///
    /// ```
    /// # use pd_runtime::prelude::*;
    /// use serde_json::json;
    ///
    /// /// Add two numbers
    /// #[pd_tool]
    /// fn add(a: i64, b: i64) -> String {
    ///     (a + b).to_string()
    /// }
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let registry: Registry<()> = pd_runtime::registry! { add };
    /// let sum = registry.call(&(), "add", json!({"a": 2, "b": 3})).await?;
    /// assert_eq!(sum.content[0].as_text().unwrap().text, "5");
    /// let missing = registry.call(&(), "add", json!({"a": 2})).await.unwrap_err();
    /// assert_eq!(missing.message, "`/b` is required");
    /// # Ok::<(), ToolError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the tool's own error; `INVALID_ARGUMENTS` if the arguments do not fit its schema;
    /// `UNKNOWN_TOOL`; `TOOL_UNAVAILABLE`; `INPUT_REQUIRED` if the tool makes a task, or asks for
    /// input and the context has no [`RecordingClient`](crate::tool::RecordingClient) of MCP
    /// 2026-07-28 that answers; `NO_DATA_PLANE` if a selective tool would have to store rows: call
    /// it with `mode`: `sync`.
    pub async fn call(
        &self,
        state: &S,
        name: &str,
        arguments: Value,
    ) -> Result<CallToolResult, ToolError> {
        self.call_with(state, name, arguments, &CallContext::detached())
            .await
    }

    /// Calls a tool with your own context: [`CallContext::recording`], or the context of a
    /// [`RecordingClient`](crate::tool::RecordingClient). Tools adopted from rmcp need the latter.
    ///
    /// A principal ([`CallContext::with_principal`]) sees the tools for which it has the scopes. A
    /// tool that it does not see is unknown. [`PdServer::call`](crate::PdServer::call) also applies
    /// the server's [`Access`](crate::Access). Within a call by a client, all tools exist: a tool
    /// that calls other tools decides what its caller may do with them.
    ///
    /// ```
    /// use pd_runtime::{Principal, prelude::*};
    /// use serde_json::json;
    ///
    /// /// Close an issue
    /// #[pd_tool(scopes("issues:write"))]
    /// fn close(number: u64, call: &CallContext) -> String {
    ///     let who = call.principal().map_or("the owner", |who| who.subject());
    ///     format!("{who} closed #{number}")
    /// }
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// let registry: Registry<()> = pd_runtime::registry! { close };
    /// let close = async |who: Principal| {
    ///     let call = CallContext::detached().with_principal(who);
    ///     registry.call_with(&(), "close", json!({"number": 7}), &call).await
    /// };
    /// let closed = close(Principal::new("alice").with_scopes(["issues:write"])).await?;
    /// assert_eq!(closed.content[0].as_text().unwrap().text, "alice closed #7");
    /// assert_eq!(close(Principal::new("bob")).await.unwrap_err().code, "UNKNOWN_TOOL");
    /// # Ok::<(), ToolError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Registry::call`].
    pub async fn call_with(
        &self,
        state: &S,
        name: &str,
        arguments: Value,
        context: &CallContext,
    ) -> Result<CallToolResult, ToolError> {
        let tool = self
            .tool(name)
            .filter(|tool| {
                context
                    .direct_caller()
                    .is_none_or(|caller| caller.has_scopes_of(&tool.about))
            })
            .ok_or_else(|| unknown_tool(name))?;
        call_tool(tool, state, arguments, context).await
    }

    /// Returns the digest of a tool's contract: its texts and schemas, without related tools.
    pub fn digest(&self, name: &str) -> Option<Digest> {
        crate::catalog::description::digest(&self.tool(name)?.about).ok()
    }
}

/// Returns the error for a name that no tool has, or that exists only for other callers.
pub(crate) fn unknown_tool(name: &str) -> ToolError {
    ToolError::new(
        "UNKNOWN_TOOL",
        format!("this registry has no tool `{name}`"),
    )
}

/// Calls a tool from code. A test's client that answers required input takes part in as many rounds
/// as the tool asks for, up to `ROUNDS_MAX`.
pub(crate) async fn call_tool<S: Send + Sync + 'static>(
    tool: &Tool<S>,
    state: &S,
    arguments: Value,
    context: &CallContext,
) -> Result<CallToolResult, ToolError> {
    if let Some(why) =
        super::output::unavailable(&tool.about, || format!("Tool '{}'", tool.about.name))
    {
        return Err(why);
    }
    let Value::Object(arguments) = arguments else {
        return Err(ToolError::invalid_argument(
            "",
            &format!("{arguments} is not an object"),
        ));
    };
    let mut response = call_once(tool, state, arguments.clone(), context).await?;
    for _ in 0..ROUNDS_MAX {
        let next = match response {
            CallToolResponse::Complete(result) => return Ok(result),
            CallToolResponse::InputRequired(required) => context.continued(required),
            _ => None,
        };
        let Some(next) = next else { break };
        // The protocol is stateless here: each round sends the same arguments again, with the
        // answers.
        response = call_once(tool, state, arguments.clone(), &next).await?;
    }
    let text = "the tool asks its client for input or makes a task; call it with the context of a `RecordingClient` that has \
                the answers and `with_protocol_version(ProtocolVersion::V_2026_07_28)`, or through a server";
    Err(ToolError::new("INPUT_REQUIRED", text))
}

/// Calls a tool once, after validating the arguments.
async fn call_once<S: Send + Sync + 'static>(
    tool: &Tool<S>,
    state: &S,
    arguments: JsonObject,
    context: &CallContext,
) -> ToolResult {
    let invalid = |why| ToolError::new(ToolError::INVALID_ARGUMENTS, why);
    // A registry that is not served has no compiled validators, so one is built for this call.
    let validator = tool.about.input.validator().map_err(invalid)?;
    let report = |violations: SchemaViolations| invalid(violations.render());
    let mut arguments = validator
        .validate(tool.about.input.completed(arguments))
        .map_err(|invalid| report(invalid.violations))?;
    match withhold_columns::select(&tool.about, &mut arguments).map_err(report)? {
        // The context may belong to an outer selective call. Its rows must not mix with these.
        None => {
            let outcome = tool
                .handler
                .call(state, &context.with_tray(None), arguments)
                .await;
            promised_result::check_outcome(outcome.or_else(ToolError::into_response), &tool.about)
        }
        Some(selection) => {
            selection.check(None)?;
            let outcome = tool
                .handler
                .call(state, &selection.context(context), arguments)
                .await;
            let outcome = outcome.or_else(ToolError::into_response);
            selection.divide(outcome, None).await
        }
    }
}
