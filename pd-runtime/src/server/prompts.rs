//! The author's own prompts, adopted from rmcp's `#[prompt_router]`.

use super::guarded::guarded;
use crate::tool::error::ToolError;
use futures::future::BoxFuture;
use rmcp::{
    RoleServer,
    handler::server::{prompt::PromptContext, router::prompt::PromptRouter},
    model::{GetPromptRequestParams, GetPromptResponse, Prompt},
    service::RequestContext,
};
use std::sync::Arc;

/// The prompts of one server, bound to their state.
pub(super) trait ErasedPrompts: Send + Sync {
    /// Returns all prompts, sorted by name.
    fn list(&self) -> &[Prompt];

    fn has(&self, name: &str) -> bool;

    /// Renders the prompt of this name.
    fn get(
        &self,
        params: GetPromptRequestParams,
        request: RequestContext<RoleServer>,
    ) -> BoxFuture<'_, Result<GetPromptResponse, ToolError>>;
}

/// rmcp's router, and the state that its functions take.
struct RoutedPrompts<S> {
    router: PromptRouter<S>,
    list: Vec<Prompt>,
    state: Arc<S>,
}

/// Binds a router's prompts to this state; `None` if the router has no prompts.
pub(super) fn bind<S: Send + Sync + 'static>(
    router: PromptRouter<S>,
    state: Arc<S>,
) -> Option<Arc<dyn ErasedPrompts>> {
    // `list_all` copies and sorts, so the list is made once: pagination needs a fixed order.
    let list = router.list_all();
    (!list.is_empty()).then(|| {
        Arc::new(RoutedPrompts {
            router,
            list,
            state,
        }) as Arc<dyn ErasedPrompts>
    })
}

impl<S: Send + Sync + 'static> ErasedPrompts for RoutedPrompts<S> {
    fn list(&self) -> &[Prompt] {
        &self.list
    }

    fn has(&self, name: &str) -> bool {
        self.router.has_route(name)
    }

    fn get(
        &self,
        params: GetPromptRequestParams,
        request: RequestContext<RoleServer>,
    ) -> BoxFuture<'_, Result<GetPromptResponse, ToolError>> {
        guarded("prompt", async move {
            let context = PromptContext::new(&*self.state, params.name, params.arguments, request);
            // The client reads a prompt's error, so it stays the JSON-RPC error that the author
            // wrote.
            self.router
                .get_prompt(context)
                .await
                .map_err(ToolError::protocol)
        })
    }
}
