//! A model's turn: the calls that it makes, answered in its provider's form, with mistakes told so that it can mend them.

use super::{Client, call::requested_names, error::ClientError, provider_reply, toolset::DESCRIBE};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

impl Client {
    /// Answers a `tool_use` block of Anthropic's with a `tool_result`. Tools that it asks for are brought in by reference.
    ///
    /// A result with references tells nothing else, so names that are unknown beside known ones are left out of it;
    /// [`Client::answer_anthropic_message`] tells them.
    ///
    /// # Errors
    ///
    /// It is no such block, or the connection failed. What the model can mend is a `tool_result` with `is_error`.
    pub async fn answer_anthropic(&self, tool_use: &Value) -> Result<Value, ClientError> {
        Ok(self.answer_tool_use(tool_use).await?.0)
    }

    /// Answers the `content` of an assistant's message of Anthropic's, one call after the other, with that of the user's
    /// message that follows: a `tool_result` for each `tool_use`, then texts that name what was asked for in vain. It is empty
    /// where nothing was called.
    ///
    /// # Errors
    ///
    /// As [`Client::answer_anthropic`].
    pub async fn answer_anthropic_message(&self, content: &[Value]) -> Result<Vec<Value>, ClientError> {
        let (mut results, mut remarks) = (Vec::new(), Vec::new());
        for tool_use in content.iter().filter(|block| block.get("type").is_some_and(|kind| kind == "tool_use")) {
            let (result, remark) = self.answer_tool_use(tool_use).await?;
            results.push(result);
            remarks.extend(remark);
        }
        results.extend(remarks);
        Ok(results)
    }

    /// A `tool_result`, and what it cannot hold.
    async fn answer_tool_use(&self, tool_use: &Value) -> Result<(Value, Option<Value>), ClientError> {
        let call = provider_reply::parse_tool_use(tool_use)?;
        let names = call.arguments.as_object().map(|arguments| requested_names(Some(arguments))).unwrap_or_default();
        if call.name == DESCRIBE && self.discloses() && self.defers && !names.is_empty() {
            let described = self.describe(names).await?;
            return Ok((described.anthropic(call.id), described.remark()));
        }
        let arguments = self.restore_arguments(call.name, call.arguments);
        let result = self.call_for_model(call.name, arguments).await?;
        Ok((provider_reply::tool_result(call.id, &result), None))
    }

    /// Answers a `function_call` or `tool_search_call` item of OpenAI's with the item that belongs to it.
    ///
    /// # Errors
    ///
    /// It is no such item, or the connection failed. What the model can mend is an output that says so.
    pub async fn answer_openai(&self, item: &Value) -> Result<Value, ClientError> {
        let (call, searches) = provider_reply::parse_function_call(item, DESCRIBE)?;
        if searches {
            let names =
                call.arguments.as_object().map(|arguments| requested_names(Some(arguments))).unwrap_or_default();
            return Ok(self.describe(names).await?.openai(call.id));
        }
        let result = self.call_for_model(call.name, call.arguments).await?;
        Ok(provider_reply::function_call_output(call.id, &result))
    }

    /// A call whose mistakes are told to the model.
    async fn call_for_model(&self, name: &str, arguments: Value) -> Result<CallToolResult, ClientError> {
        let failed = |text: String| CallToolResult::error(vec![ContentBlock::text(text)]);
        match self.call(name, arguments).await {
            Err(ClientError::Service(rmcp::ServiceError::McpError(error))) => Ok(failed(error.message.into_owned())),
            Err(error) => error.for_model().map(failed).ok_or(error),
            result => result,
        }
    }
}
