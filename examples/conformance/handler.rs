//! What is no tool, as rmcp's own handler: it says which module answers. The server goes around it, and adds its own.

#![expect(
    deprecated,
    reason = "MCP 2026-07-28 deprecates logging and subscribing, and the suite still tests them"
)]

use crate::{App, completion, prompts, resources};
use pd_runtime::rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::*,
    service::{RequestContext, SubscriptionContext},
};

/// What stands beside the tools.
pub(crate) struct Beside {
    pub(crate) app: App,
}

type Request = RequestContext<RoleServer>;

impl ServerHandler for Beside {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tasks()
            .build();
        ServerConfig::new(capabilities)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Request,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list(
            *self.app.changes.prompt.borrow(),
        )))
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        _: Request,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&params)
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        _: Request,
    ) -> Result<CompleteResult, ErrorData> {
        completion::complete(&params)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Request,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::list()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Request,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(
            resources::templates(),
        ))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _: Request,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(ReadResourceResult::new(vec![resources::read(&params.uri)?]).into())
    }

    async fn subscribe(&self, params: SubscribeRequestParams, _: Request) -> Result<(), ErrorData> {
        resources::read(&params.uri).map(drop)
    }

    async fn unsubscribe(
        &self,
        params: UnsubscribeRequestParams,
        _: Request,
    ) -> Result<(), ErrorData> {
        resources::read(&params.uri).map(drop)
    }

    async fn set_level(&self, params: SetLevelRequestParams, _: Request) -> Result<(), ErrorData> {
        self.app.log.set_least(params.level);
        Ok(())
    }

    async fn get_task(
        &self,
        params: GetTaskParams,
        _: Request,
    ) -> Result<GetTaskResult, ErrorData> {
        self.app
            .tasks
            .get_task(&params.task_id)
            .map(GetTaskResult::new)
    }

    async fn update_task(&self, params: UpdateTaskParams, _: Request) -> Result<(), ErrorData> {
        self.app
            .tasks
            .update_task(&params.task_id, params.input_responses)
    }

    async fn cancel_task(&self, params: CancelTaskParams, _: Request) -> Result<(), ErrorData> {
        self.app.tasks.cancel_task(&params.task_id)
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::builder().prompts_list_changed().build();
        let known = requested
            .resource_subscriptions
            .iter()
            .flatten()
            .filter(|uri| resources::read(uri).is_ok());
        accepted.resource_subscriptions = Some(known.cloned().collect());
        Some(accepted)
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let mut prompts = self.app.changes.prompt.subscribe();
        loop {
            tokio::select! {
                changed = prompts.changed() => if changed.is_err() { return Ok(()) },
                () = subscription.cancelled() => return Ok(()),
            }
            // The sink lets pass only what the client asked for.
            let _ = subscription.sink().notify_prompt_list_changed().await;
        }
    }
}
