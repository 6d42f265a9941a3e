//! The builder of a server: what it serves, and how it is built. `settings` sets its policy.

mod settings;

use super::{
    NoHandler, PdServer, ResourceProvider,
    erased_server::{self, EraseServerFn},
    extras::ServerExtras,
    prompts,
    resources::ErasedProvider,
};
#[cfg(feature = "cli")]
use crate::registry::RegistryInfo;
use crate::{
    policy::Policy,
    registry::{Registry, problem::RegistryErrors},
};

use rmcp::{
    ServerHandler,
    handler::server::router::{prompt::PromptRouter, tool::ToolRouter},
};
use std::{fmt, sync::Arc};

/// A builder for a server; see [`PdServer::builder`](super::PdServer::builder).
pub struct ServerBuilder<S, H = NoHandler> {
    registry: Registry<S>,
    state: Arc<S>,
    policy: Policy,
    handler: Arc<H>,
    hosting: EraseServerFn<H>,
    prompts: PromptRouter<S>,
    resources: Vec<Arc<dyn ErasedProvider>>,
}

impl<S: Send + Sync + 'static> PdServer<S> {
    /// Returns a builder for a server of these tools, with this state.
    pub fn builder(registry: Registry<S>, state: S) -> ServerBuilder<S> {
        ServerBuilder::new(registry, state)
    }
}

impl<H: ServerHandler> PdServer<H, H> {
    /// Returns a builder for a server around an existing rmcp handler. The server describes the
    /// handler's tools progressively, and the handler answers everything else.
    ///
    /// See [`RegistryBuilder::adopt`](crate::RegistryBuilder::adopt) for the router's visibility
    /// and for the methods of a handler that are never called. To move tools one by one, use the
    /// long form, which adds a registry of your own:
    ///
    /// ```
    /// use pd_runtime::{prelude::*, rmcp};
    /// use rmcp::{ServerHandler, tool, tool_handler, tool_router};
    ///
    /// struct Counter;
    ///
    /// #[tool_router(vis = "pub")]
    /// impl Counter {
    ///     /// Count to three
    ///     #[tool]
    ///     fn count(&self) -> String {
    ///         "1, 2, 3".to_owned()
    ///     }
    /// }
    ///
    /// #[tool_handler(name = "counter", version = "1.0.0")]
    /// impl ServerHandler for Counter {}
    ///
    /// /// Count to two
    /// #[pd_tool]
    /// fn count_less(_counter: &Counter) -> &'static str {
    ///     "1, 2"
    /// }
    ///
    /// # fn main() -> Result<(), pd_runtime::check::RegistryErrors> {
    /// let adopted = PdServer::adopt(Counter, Counter::tool_router()).build()?;
    ///
    /// let registry: Registry<Counter> = pd_runtime::registry! { count_less };
    /// let mixed = PdServer::builder(registry, Counter).adopt(Counter::tool_router()).with_state_as_handler().build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn adopt(handler: H, router: ToolRouter<H>) -> ServerBuilder<H, H> {
        ServerBuilder::new(Registry::builder().freeze(), handler)
            .adopt(router)
            .with_state_as_handler()
    }
}

impl<S, H> fmt::Debug for ServerBuilder<S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerBuilder")
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

impl<S: Send + Sync + 'static> ServerBuilder<S> {
    pub(super) fn new(registry: Registry<S>, state: S) -> Self {
        Self {
            registry,
            state: Arc::new(state),
            policy: Policy::default(),
            handler: Arc::new(NoHandler),
            // Not generic, so that a server without a handler compiles in this crate alone.
            hosting: erased_server::erase_bare,
            prompts: PromptRouter::new(),
            resources: Vec::new(),
        }
    }

    /// Wraps the author's own handler. The server sends every request that is not about tools to
    /// this handler, and merges the handler's capabilities and resources with its own. One handler
    /// serves all sessions.
    ///
    /// The name, version, title, description, website and icons of the handler's
    /// [`get_info`](ServerHandler::get_info) become the server's (`serverInfo`). A name or version
    /// that the author of the registry set takes precedence. The registry's instructions come
    /// first, then the handler's. The server never calls the handler's `call_tool`, `list_tools`,
    /// `get_tool` and `discover`; see [`RegistryBuilder::adopt`](crate::RegistryBuilder::adopt).
    pub fn with_handler<H: ServerHandler>(self, handler: H) -> ServerBuilder<S, H> {
        self.around_shared(Arc::new(handler))
    }

    /// Uses the state as the handler of everything that is not a tool, as
    /// [`with_handler`](Self::with_handler) does with another value. The state must implement
    /// rmcp's [`ServerHandler`]. It does not need `Clone`.
    pub fn with_state_as_handler(self) -> ServerBuilder<S, S>
    where
        S: ServerHandler,
    {
        let handler = self.state.clone();
        self.around_shared(handler)
    }

    fn around_shared<H: ServerHandler>(self, handler: Arc<H>) -> ServerBuilder<S, H> {
        // The handler's type changes, so struct update syntax cannot rebuild the builder.
        let Self {
            registry,
            state,
            policy,
            prompts,
            resources,
            ..
        } = self;
        ServerBuilder {
            registry,
            state,
            policy,
            handler,
            hosting: erased_server::erase,
            prompts,
            resources,
        }
    }
}

impl<S: Send + Sync + 'static, H: ServerHandler> ServerBuilder<S, H> {
    /// Adds the tools of an rmcp router at the top level; see
    /// [`RegistryBuilder::adopt`](crate::RegistryBuilder::adopt). [`build`](Self::build) returns an
    /// error if two tools have the same name.
    #[must_use]
    pub fn adopt(mut self, router: ToolRouter<S>) -> Self {
        self.registry = self.registry.with_adopted(router);
        self
    }

    /// Adds the prompts of rmcp's `#[prompt_router]`. Their functions take the state by `&self`.
    /// Write `#[prompt_router(vis = "pub")]` if the builder is in another module, since rmcp makes
    /// `prompt_router()` private.
    ///
    /// ```
    /// use pd_runtime::{prelude::*, rmcp};
    /// use rmcp::{model::{PromptMessage, Role}, prompt, prompt_router};
    ///
    /// struct Notes;
    ///
    /// #[prompt_router]
    /// impl Notes {
    ///     /// Summarize all notes
    ///     #[prompt]
    ///     fn summarize(&self) -> Vec<PromptMessage> {
    ///         vec![PromptMessage::new_text(Role::User, "List all notes, then sum them up.")]
    ///     }
    /// }
    ///
    /// # fn serve(registry: Registry<Notes>) -> Result<(), pd_runtime::check::RegistryErrors> {
    /// let server = PdServer::builder(registry, Notes)
    ///     .with_prompts(Notes::prompt_router())
    ///     .build()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Further calls add more prompts. A prompt replaces an earlier one of the same name, and one
    /// of the handler that the server is built [`with_handler`](Self::with_handler). Prompts have
    /// no scopes: every caller sees them.
    #[must_use]
    pub fn with_prompts(mut self, router: PromptRouter<S>) -> Self {
        self.prompts.merge(router);
        self
    }

    /// Adds resources; see [`ResourceProvider`]. Further calls add more providers. The first
    /// provider that knows a URI reads it.
    #[must_use]
    pub fn with_resources(mut self, provider: impl ResourceProvider) -> Self {
        self.resources.push(Arc::new(provider));
        self
    }

    /// Adds the resources of the state, as [`with_resources`](Self::with_resources) does with
    /// another value.
    #[must_use]
    pub fn with_state_as_resources(mut self) -> Self
    where
        S: ResourceProvider,
    {
        self.resources.push(self.state.clone());
        self
    }

    /// Returns the name and the version that the server will report.
    #[cfg(feature = "cli")]
    pub(crate) fn info(&self) -> RegistryInfo {
        let mut info = self.registry.info.clone();
        info.yield_to(&self.handler.get_info().server_info);
        info
    }

    /// Leaves out tools, groups and bundles, as [`Registry::without`] does.
    #[cfg(feature = "cli")]
    pub(crate) fn without(self, names: &[String]) -> Self {
        if names.is_empty() {
            self
        } else {
            Self {
                registry: self.registry.without(names),
                ..self
            }
        }
    }

    /// Returns the registry that the server will serve.
    pub fn registry(&self) -> &Registry<S> {
        &self.registry
    }

    /// Returns the state that the server will lend to tools.
    pub fn state(&self) -> &S {
        &self.state
    }

    /// Builds the server, with everything that does not depend on a caller: schemas, validators,
    /// descriptions, digests.
    ///
    /// # Errors
    ///
    /// Returns every problem of the registry. A release build looks only for problems that prevent
    /// serving; a debug build runs all of [`Registry::check`].
    pub fn build(self) -> Result<PdServer<S, H>, RegistryErrors> {
        // The full check also judges examples, defaults and lengths. A release build skips it for a
        // fast start, because the author's tests and debug runs have made it already.
        if cfg!(debug_assertions) {
            self.registry.check()?;
        }
        let prompts = prompts::bind(self.prompts, self.state.clone());
        let extras = ServerExtras {
            prompts,
            resources: self.resources,
        };
        PdServer::new(
            self.registry,
            self.state,
            self.policy,
            extras,
            (self.handler, self.hosting),
        )
    }
}
