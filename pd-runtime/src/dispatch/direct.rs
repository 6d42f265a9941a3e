//! Calling a registry's tool from code, with neither client nor gate: for tests and for tools that use tools.

use super::selective;
use crate::{
    digest::Digest,
    registry::{
        Registry,
        validate::{Validator, Violations},
    },
    tool::{context::CallContext, error::ToolError},
};
use rmcp::model::{CallToolResponse, CallToolResult};
use serde_json::Value;

impl<S: Send + Sync + 'static> Registry<S> {
    /// Calls a tool from JSON, as a client would after reading its description.
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
    /// The tool's own failure; `INVALID_ARGUMENTS` where the arguments do not fit its schema; `UNKNOWN_TOOL`;
    /// `TOOL_UNAVAILABLE`; `INPUT_REQUIRED` where the tool asks for input or makes a task, which needs a client;
    /// `NO_DATA_PLANE` where a selective tool would have to keep rows: ask it for `mode`: `sync`.
    pub async fn call(&self, state: &S, name: &str, arguments: Value) -> Result<CallToolResult, ToolError> {
        self.call_with(state, name, arguments, &CallContext::detached()).await
    }

    /// The same with a context of one's own: [`CallContext::recording`], say.
    ///
    /// # Errors
    ///
    /// As [`Registry::call`].
    pub async fn call_with(
        &self,
        state: &S,
        name: &str,
        arguments: Value,
        context: &CallContext,
    ) -> Result<CallToolResult, ToolError> {
        let Some(tool) = self.tool(name) else {
            return Err(ToolError::new("UNKNOWN_TOOL", format!("this registry has no tool `{name}`")));
        };
        if let Some(why) = super::output::unavailable(&tool.about) {
            return Err(why);
        }
        let arguments = match arguments {
            Value::Object(arguments) => tool.about.input.completed(arguments),
            other => return Err(ToolError::invalid_argument("", &format!("{other} is not an object"))),
        };
        let invalid = |why| ToolError::new(ToolError::INVALID_ARGUMENTS, why);
        let validator = Validator::new(&tool.about.input).map_err(invalid)?;
        let told = |violations: Violations| invalid(violations.in_words());
        let mut arguments = validator.validate(arguments).map_err(told)?;
        let selection = selective::select(&tool.about, &mut arguments).map_err(told)?;
        let response = match selection {
            None => tool.handler.call(state, &context.with_tray(None), arguments).await,
            Some(selection) => {
                selection.check(None)?;
                let outcome = tool.handler.call(state, &selection.context(context), arguments).await;
                selection.divide(outcome, None).await
            }
        };
        match response? {
            CallToolResponse::Complete(result) => Ok(result),
            _ => Err(ToolError::new("INPUT_REQUIRED", "the tool asks for more input, which needs a client")),
        }
    }

    /// The digest of a tool's contract: what it says and accepts, apart from related tools.
    pub fn digest(&self, name: &str) -> Option<Digest> {
        crate::catalogue::description::digest(&self.tool(name)?.about).ok()
    }
}
