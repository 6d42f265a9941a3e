//! What a gateway answers beside tools and resources: prompts and completions.

use super::Gateway;
use crate::{
    disclosure::caller::authority,
    protocol::lossy::LossyParts,
    tool::{context::CallContext, error::ToolError},
};
use futures::FutureExt;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CompleteRequestParams, CompleteResult, CompletionInfo, GetPromptRequestParams, GetPromptResponse,
        ListPromptsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    },
    service::RequestContext,
};
use serde_json::Value;

/// Answers prompts and completions of the servers behind the gateway. Give it to
/// [`ServerBuilder::with_handler`](crate::ServerBuilder::with_handler), or use
/// [`Gateway::builder`], which does.
impl ServerHandler for Gateway {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_prompts().enable_completions().build())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(self.prompts(&authority(&context), LossyParts::from_request(&context))))
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let unknown = || ErrorData::invalid_params("no server has this prompt; read `prompts/list`", None);
        let input = (params.input_responses.clone(), params.request_state.clone());
        let call = call_context(context).with_input(input.0, input.1);
        match self.prompt(params, &call).boxed().await {
            Some(response) => response.map_err(ToolError::into_error_data),
            None => Err(unknown()),
        }
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let Ok(Value::Object(params)) = crate::protocol::json_value::to_value(&params) else {
            return Ok(CompleteResult::new(CompletionInfo::default()));
        };
        match self.completion(params, &call_context(context)).boxed().await {
            Some(result) => result.map_err(ToolError::into_error_data),
            None => Err(ErrorData::invalid_params("no server has this prompt or resource template", None)),
        }
    }
}

fn call_context(request: RequestContext<RoleServer>) -> CallContext {
    let authority = authority(&request);
    CallContext::from_request(
        request,
        authority,
        #[cfg(feature = "fetch")]
        &crate::selective::fetch::OptionalFetcher::default(),
    )
}
