//! A model's turn: answers the model's calls in its provider's format, and turns mistakes in calls
//! into results that the model can act on.

use super::{Client, call::requested_names, error::ClientError, provider_reply, toolset::DESCRIBE};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

impl Client {
    /// Answers a `tool_use` block of Anthropic's with a `tool_result`. Tools that the model
    /// requested are loaded by reference.
    ///
    /// A result with references contains nothing else, so it leaves unknown names out if others are
    /// known. [`Client::answer_anthropic_message`] reports them.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not such a block, or if the connection failed. A mistake
    /// that the model can correct is a `tool_result` with `is_error`.
    pub async fn answer_anthropic(&self, tool_use: &Value) -> Result<Value, ClientError> {
        Ok(self.answer_tool_use(tool_use).await?.0)
    }

    /// Answers the `content` of an assistant message of Anthropic's. Returns the content of the
    /// following user message: a `tool_result` for each `tool_use`, and then a text for each list
    /// of unknown names. The calls are made one after the other. The result is empty if the message
    /// contains no call.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Client::answer_anthropic`].
    pub async fn answer_anthropic_message(
        &self,
        content: &[Value],
    ) -> Result<Vec<Value>, ClientError> {
        let mut results = Vec::new();
        let mut remarks = Vec::new();
        for tool_use in content
            .iter()
            .filter(|block| block.get("type").is_some_and(|kind| kind == "tool_use"))
        {
            let (result, remark) = self.answer_tool_use(tool_use).await?;
            results.push(result);
            remarks.extend(remark);
        }
        // The API requires all `tool_result` blocks before any text.
        results.extend(remarks);
        Ok(results)
    }

    /// Returns a `tool_result`, and a text block that the result cannot contain.
    async fn answer_tool_use(
        &self,
        tool_use: &Value,
    ) -> Result<(Value, Option<Value>), ClientError> {
        let call = provider_reply::parse_tool_use(tool_use)?;
        let names = call
            .arguments
            .as_object()
            .map(|arguments| requested_names(Some(arguments)))
            .unwrap_or_default();
        // Without names, `call` answers with the advice to name some.
        if call.name == DESCRIBE && self.discloses() && !names.is_empty() && self.inlines {
            let described = self.describe(names).await?;
            return Ok((
                provider_reply::tool_result(call.id, &described.announcement()),
                None,
            ));
        }
        if call.name == DESCRIBE && self.discloses() && self.defers && !names.is_empty() {
            let described = self.describe(names).await?;
            return Ok((described.anthropic(call.id), described.remark()));
        }
        // Anthropic rejects some argument names, so the model saw others.
        let arguments = self.restore_arguments(call.name, call.arguments);
        let result = self.call_for_model(call.name, arguments).await?;
        self.add_found(call.name, &result).await;
        Ok((provider_reply::tool_result(call.id, &result), None))
    }

    /// Answers a `function_call` or `tool_search_call` item of OpenAI's with its output item.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not such an item, or if the connection failed. A mistake
    /// that the model can correct is an output that describes it.
    pub async fn answer_openai(&self, item: &Value) -> Result<Value, ClientError> {
        let (call, searches) = provider_reply::parse_function_call(item, DESCRIBE)?;
        let names = call
            .arguments
            .as_object()
            .map(|arguments| requested_names(Some(arguments)))
            .unwrap_or_default();
        if searches {
            return Ok(self.describe(names).await?.openai(call.id));
        }
        if call.name == DESCRIBE && self.discloses() && !names.is_empty() && self.inlines {
            let described = self.describe(names).await?;
            return Ok(provider_reply::function_call_output(
                call.id,
                &described.announcement(),
            ));
        }
        let result = self.call_for_model(call.name, call.arguments).await?;
        self.add_found(call.name, &result).await;
        Ok(provider_reply::function_call_output(call.id, &result))
    }

    /// Makes a call. Correctable errors become results for the model.
    async fn call_for_model(
        &self,
        name: &str,
        arguments: Value,
    ) -> Result<CallToolResult, ClientError> {
        let failed = |text: String| CallToolResult::error(vec![ContentBlock::text(text)]);
        match self.call(name, arguments).await {
            // The server has answered, so the model may act on its text. Other errors of the
            // service are the connection's.
            Err(ClientError::Service(rmcp::ServiceError::McpError(error))) => {
                Ok(failed(error.message.into_owned()))
            }
            Err(error) => error.for_model().map(failed).ok_or(error),
            result => result,
        }
    }
}
