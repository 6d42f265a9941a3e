//! What a gateway answers beside tools and resources: prompts, completions, tasks, subscriptions
//! and levels of log messages.

use crate::{Gateway, message::log_level::LogLevel};
use futures::FutureExt;
use pd_runtime::{
    CallContext, ToolError,
    upstream::{ClientCall, ClientSession, LossyParts, authority, protocol::json_value::to_value},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CancelTaskParams, CompleteRequestParams, CompleteResult, GetPromptRequestParams,
        GetPromptResponse, GetTaskParams, GetTaskResult, Implementation, JsonObject,
        ListPromptsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
        SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams, UpdateTaskParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde::Serialize;
use serde_json::Value;

/// Answers prompts and completions of the servers behind the gateway. Give it to
/// [`ServerBuilder::with_handler`](pd_runtime::ServerBuilder::with_handler), or use
/// [`Gateway::builder`], which does.
impl ServerHandler for Gateway {
    fn get_info(&self) -> ServerConfig {
        let info = Implementation::new("pd-gateway", env!("CARGO_PKG_VERSION"))
            .with_description(env!("CARGO_PKG_DESCRIPTION"));
        ServerConfig::new(capabilities()).with_server_info(info)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(self.prompts(
            &authority(&context),
            LossyParts::from_request(&context),
        )))
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let input = (params.input_responses.clone(), params.request_state.clone());
        let call = call_context(context).with_input(input.0, input.1);
        // Boxed, like all answers below: rmcp's dispatch holds the futures of all methods in one,
        // and moves it with each request.
        match self.prompt(params, &call).boxed().await {
            Some(response) => response.map_err(ToolError::into_error_data),
            None => Err(ErrorData::invalid_params(
                "no server has this prompt; read `prompts/list`",
                None,
            )),
        }
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        match self
            .completion(object(&params), &call_context(context))
            .boxed()
            .await
        {
            Some(result) => result.map_err(ToolError::into_error_data),
            None => Err(ErrorData::invalid_params(
                "no server has this prompt or resource template",
                None,
            )),
        }
    }

    async fn get_task(
        &self,
        params: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.task(object(&params), &call_context(context))
            .boxed()
            .await
    }

    async fn update_task(
        &self,
        params: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.change_task("tasks/update", object(&params), &call_context(context))
            .boxed()
            .await
    }

    async fn cancel_task(
        &self,
        params: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.change_task("tasks/cancel", object(&params), &call_context(context))
            .boxed()
            .await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if let Some(session) = ClientSession::from_extensions(&context.extensions) {
            self.open_session(session);
        }
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        if let Some(session) = ClientSession::from_extensions(&context.extensions) {
            self.roots_changed(session);
        }
    }

    async fn subscribe(
        &self,
        params: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscribe_session(params.uri, &call_context(context))
            .boxed()
            .await
    }

    async fn unsubscribe(
        &self,
        params: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.unsubscribe_session(&params.uri, &call_context(context));
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(Self::accepted_filter(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.until_read().await;
        let call = call_context(context.request_context().clone());
        self.notify_subscription(&context, &call).boxed().await;
        Ok(())
    }

    #[expect(
        deprecated,
        reason = "clients before 2026-07-28 still set a level this way"
    )]
    async fn set_level(
        &self,
        params: rmcp::model::SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let level = to_value(&params.level).ok();
        let level = level
            .as_ref()
            .and_then(Value::as_str)
            .and_then(LogLevel::parse);
        if let Some((level, session)) =
            level.zip(ClientSession::from_extensions(&context.extensions))
        {
            level.set(session);
        }
        Ok(())
    }
}

/// Returns the capabilities that a gateway has whatever its upstreams have, because a client reads
/// them once, and upstreams come and go.
#[expect(
    deprecated,
    reason = "log messages are deprecated, and servers still send them"
)]
fn capabilities() -> ServerCapabilities {
    let builder = ServerCapabilities::builder()
        .enable_prompts()
        .enable_prompts_list_changed()
        .enable_completions();
    let builder = builder
        .enable_resources()
        .enable_resources_subscribe()
        .enable_resources_list_changed();
    builder.enable_logging().enable_tasks().build()
}

/// Returns params as JSON, to be forwarded.
fn object(params: &impl Serialize) -> JsonObject {
    match to_value(params) {
        Ok(Value::Object(params)) => params,
        _ => JsonObject::new(),
    }
}

fn call_context(request: RequestContext<RoleServer>) -> CallContext {
    let authority = authority(&request);
    let session = ClientSession::from_extensions(&request.extensions).cloned();
    CallContext::relayed(ClientCall::new(request), authority, session)
}
