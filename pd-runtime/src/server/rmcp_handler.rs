//! The `rmcp::ServerHandler` implementation: it forwards each of rmcp's methods to the code that
//! answers it. Requests that are not about tools go to the author's own handler.

use super::{PdHandler, answers::never};
use crate::{
    protocol::session_end::{self, SessionEnd},
    tool::client_call::ClientCall,
};
use futures::FutureExt;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::*,
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use std::{borrow::Cow, pin::pin, sync::Arc};

macro_rules! forward {
    ($($method:ident($params:ty) -> $result:ty;)*) => {$(
        async fn $method(&self, params: $params, context: RequestContext<RoleServer>) -> Result<$result, ErrorData> {
            self.inner().$method(params, self.with_session(context)).await
        }
    )*};
}

macro_rules! forward_notifications {
    ($($method:ident($params:ty);)*) => {$(
        async fn $method(&self, params: $params, context: NotificationContext<RoleServer>) {
            self.inner().$method(params, context).await;
        }
    )*};
}

impl<H: ServerHandler> ServerHandler for PdHandler<H> {
    fn get_info(&self) -> ServerConfig {
        let own = self.inner().get_info();
        // rmcp calls `get_info` for every self-contained request, but looks only at capabilities
        // and the name. Other holders of the handler may use the rest.
        if self.is_ours {
            self.served.outline(own)
        } else {
            self.served.info(own, None)
        }
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        // Boxed, like all answers below: rmcp's dispatch holds the futures of all methods in one,
        // and moves it with each request.
        self.answer_discover(context).boxed().await
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.inner().supported_protocol_versions()
    }

    async fn initialize(
        &self,
        params: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.answer_initialize(params, context).boxed().await
    }

    async fn list_tools(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.tools(params, context).boxed().await
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let session = context
            .extensions
            .get()
            .map(|end: &SessionEnd| (end.clone(), context.ct.clone()));
        let answer = self
            .call(params, Arc::new(ClientCall::new(context)))
            .boxed();
        match session {
            Some((end, request)) => session_end::cancel_at_end(end, request, answer).await,
            None => answer.await,
        }
    }

    /// Returns no tool. rmcp calls this method to compare headers before the caller is known;
    /// `param_headers` compares them later.
    fn get_tool(&self, _: &str) -> Option<Tool> {
        None
    }

    async fn list_resources(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.resources(params, self.with_session(context))
            .boxed()
            .await
    }

    async fn list_resource_templates(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.templates(params, self.with_session(context))
            .boxed()
            .await
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.read(params, self.with_session(context)).boxed().await
    }

    async fn list_prompts(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.prompts(params, self.with_session(context))
            .boxed()
            .await
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.prompt(params, self.with_session(context))
            .boxed()
            .await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.custom(request, self.with_session(context))
            .boxed()
            .await
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        // A filter of `None` from the inner handler would make rmcp refuse every subscription,
        // although this server always announces changes to tools.
        let mut accepted = self
            .inner()
            .accepted_subscription_filter(requested)
            .unwrap_or_default();
        accepted.tools_list_changed = Some(true);
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.notify_changes(context).boxed().await
    }

    async fn list_skills(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let request = self.request(ListSkillsRequestMethod::VALUE, &context);
        async move {
            request
                .answer(pin!(self.skills(&request, params, context)), never)
                .await
        }
        .boxed()
        .await
    }

    async fn get_skill(
        &self,
        params: GetSkillRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let request = self.request(GetSkillRequestMethod::VALUE, &context);
        async move {
            request
                .answer(pin!(self.skill(&request, params, context)), never)
                .await
        }
        .boxed()
        .await
    }

    async fn read_resource_directory(
        &self,
        params: ReadResourceDirectoryRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        let request = self.request(ReadResourceDirectoryRequestMethod::VALUE, &context);
        async move {
            request
                .answer(pin!(self.directory(&request, params, context)), never)
                .await
        }
        .boxed()
        .await
    }

    async fn ping(&self, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.inner().ping(context).await
    }

    // The methods below do not concern tools: the author's own handler answers them unchanged.
    #[expect(
        deprecated,
        reason = "clients before 2026-07-28 still subscribe this way"
    )]
    async fn subscribe(
        &self,
        params: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.inner()
            .subscribe(params, self.with_session(context))
            .await
    }

    #[expect(
        deprecated,
        reason = "clients before 2026-07-28 still unsubscribe this way"
    )]
    async fn unsubscribe(
        &self,
        params: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.inner()
            .unsubscribe(params, self.with_session(context))
            .await
    }

    #[expect(
        deprecated,
        reason = "clients before 2026-07-28 still set a log level this way"
    )]
    async fn set_level(
        &self,
        params: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.inner()
            .set_level(params, self.with_session(context))
            .await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.inner().on_initialized(self.with_client(context)).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.inner()
            .on_roots_list_changed(self.with_client(context))
            .await;
    }

    forward_notifications! {
        on_cancelled(CancelledNotificationParam);
        on_progress(ProgressNotificationParam);
        on_custom_notification(CustomNotification);
    }

    // `call_tool` and the lists are not among these: the server merges or replaces them above.
    forward! {
        complete(CompleteRequestParams) -> CompleteResult;
        get_task(GetTaskParams) -> GetTaskResult;
        update_task(UpdateTaskParams) -> ();
        cancel_task(CancelTaskParams) -> ();
    }
}
