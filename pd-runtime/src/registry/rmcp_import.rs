//! Tools that were defined elsewhere: as an MCP definition, or with rmcp's `#[tool]`.

pub(crate) mod summary;

use super::{
    builder::RegistryBuilder,
    schema::{InputSchema, compacted},
    tool::Tool,
    tool_parts::HostFacts,
    tool_spec::ToolSpec,
};
use crate::tool::{
    context::CallContext,
    descriptor::ToolAnnotations,
    error::{IntoToolError, ToolError},
    handler,
    lint::Lint,
    output::ToolResult,
};

use futures::future::{BoxFuture, FutureExt};
use rmcp::{
    handler::server::tool::{ToolCallContext, ToolRoute, ToolRouter},
    model::{self, CallToolResponse, JsonObject},
};
use std::borrow::Cow;

/// The `origin` of adopted tools.
pub(crate) const ADOPTED: &str = "an rmcp `ToolRouter`";

impl<S: Send + Sync + 'static> Tool<S> {
    /// Creates a tool from an MCP definition, such as an entry of another server's `tools/list`.
    ///
    /// The first sentence of the description becomes the summary. A sentence over 60 characters is
    /// cut at the end of a clause, or at a word if no clause fits. The whole text stays the
    /// description. Schemas, title, annotations and `_meta` are kept as they are. Arguments may be
    /// `null` where a schema has `nullable` of OpenAPI 3.0.
    pub fn from_definition<F>(definition: model::Tool, run: F) -> Self
    where
        F: for<'a> Fn(&'a S, &'a CallContext, JsonObject) -> BoxFuture<'a, ToolResult>
            + Send
            + Sync
            + 'static,
    {
        Self::from_parts(
            ToolSpec::from_definition(definition),
            handler::closure_handler(run),
        )
    }

    fn adopted(route: ToolRoute<S>) -> Self {
        let definition = route.attr;
        let call = route.call;
        let name = definition.name.to_string();
        Self::from_definition(definition, move |state: &S, context, arguments| {
            let call = call.clone();
            match context.to_rmcp(name.clone(), arguments) {
                Ok((params, request)) => {
                    let running = call(ToolCallContext::new(state, params, request));
                    running
                        .map(|ended| name_the_way(ended.map_err(IntoToolError::into_tool_error)))
                        .boxed()
                }
                Err(error) => futures::future::ready(Err(error.into_tool_error())).boxed(),
            }
        })
        .origin(ADOPTED)
    }
}

/// Part of rmcp's error for a request to a client of MCP 2026-07-28. It is for the author and not
/// for the model, which reads it otherwise.
const NO_REQUESTS: &str = "server-to-client requests are not allowed";

/// Replaces the failure of a tool that sent its client a request, which MCP 2026-07-28 does not
/// have.
fn name_the_way(outcome: ToolResult) -> ToolResult {
    let text = match &outcome {
        Err(error) => Some(error.message.as_str()),
        Ok(CallToolResponse::Complete(result)) if result.is_error == Some(true) => result
            .content
            .iter()
            .find_map(|block| Some(block.as_text()?.text.as_str())),
        Ok(_) => None,
    };
    if !text.is_some_and(|text| text.contains(NO_REQUESTS)) {
        return outcome;
    }
    let text = "this tool asks its client through `peer`, which works up to MCP 2025-11-25 only. The author of the server \
                makes it work everywhere with `CallContext::ask` in a `#[pd_tool]`, or by returning rmcp's \
                `InputRequiredResult`";
    // Logged as well, because the author of the server may never see the error that a model gets.
    tracing::warn!("{text}");
    Err(ToolError::new(ToolError::USER_UNREACHABLE, text))
}

impl ToolSpec {
    /// Converts an MCP definition.
    pub(crate) fn from_definition(definition: model::Tool) -> Self {
        let description = definition.description.unwrap_or_default();
        let mut summary = summary::summarize(&description);
        if summary.is_empty() {
            // A definition without a description still needs a summary, because `check` refuses an
            // empty one.
            let title = definition
                .title
                .clone()
                .unwrap_or_else(|| definition.name.replace(['_', '-', '.'], " "));
            summary = summary::shorten(title.trim());
        }
        let mut about = Self::new(definition.name, summary.into());
        about.description = description;
        about.input = InputSchema::from_definition(definition.input_schema);
        about.output_schema = definition.output_schema.map(compacted);
        about.title = definition.title.map(Cow::Owned);
        // MCP definitions have no field for examples or guidance, so the lint `NoUsage` would fire
        // for every imported tool.
        about.allow.push(Lint::NoUsage);
        let mut host = HostFacts {
            icons: definition.icons,
            meta: definition.meta.unwrap_or_default().0,
            ..HostFacts::default()
        };
        if let Some(hints) = definition.annotations {
            host.annotations_title = hints.title;
            about.annotations = ToolAnnotations {
                read_only: hints.read_only_hint,
                destructive: hints.destructive_hint,
                idempotent: hints.idempotent_hint,
                open_world: hints.open_world_hint,
            };
        }
        about.set_host_facts(host);
        about
    }
}

impl<S: Send + Sync + 'static> RegistryBuilder<S> {
    /// Adds rmcp's own tools at the top level, sorted by name: `#[tool]` and `#[pd_tool]` in one
    /// server.
    ///
    /// rmcp makes `tool_router()` private. Outside of its module, write `#[tool_router(vis =
    /// "pub")]` or `#[tool_router(vis = "pub(crate)")]` above the `impl`.
    /// [`PdServer::adopt`](crate::PdServer::adopt) is the short form for a server whose tools are
    /// all rmcp's.
    ///
    /// # Parts of a handler that are not adopted
    ///
    /// A router contains tools. The handler beside it answers everything else once the server is
    /// built [`with_handler`](crate::ServerBuilder::with_handler) it. The following parts are lost:
    ///
    /// - An overridden `call_tool`, `list_tools` or `get_tool` is never called. Move its code into
    ///   the tools, into [`Access`](crate::Access) (who sees which tool) or into
    ///   [`Limits`](crate::Limits) (rates and times).
    /// - An overridden `discover` is never called, but `get_info` and `supported_protocol_versions`
    ///   are.
    /// - `#[tool_handler(meta = …)]`: lists of tools have no `_meta` of the author's.
    /// - One handler serves all sessions. rmcp creates one for each session, so fields with the
    ///   data of one session must move into a map by session or principal.
    /// - A tool that is disabled in the router is left out, and later changes of the router have no
    ///   effect: [`PdServer::replace`](crate::PdServer::replace) changes the tools of a running
    ///   server.
    /// - A call with arguments that are not valid by the tool's schema fails before the function
    ///   runs, with the code `INVALID_ARGUMENTS`. An `ErrorData` that a tool returns becomes a
    ///   result with `isError`, which models read, except for a missing client capability.
    ///
    /// Names, titles, descriptions, schemas, annotations, icons and `_meta` are kept, and so are
    /// all parameters that rmcp passes to a tool: `Parameters`, `RequestContext`, `Peer`,
    /// `ClientExtensions`. Tests call adopted tools with a
    /// [`RecordingClient`](crate::tool::RecordingClient).
    #[must_use]
    pub fn adopt(self, router: ToolRouter<S>) -> Self {
        let mut routes: Vec<_> = router.into_iter().collect();
        // The router is a hash map. Sorting keeps `tools/list` and its digests the same in every
        // process.
        routes.sort_by(|a, b| a.attr.name.cmp(&b.attr.name));
        self.tools(routes.into_iter().map(Tool::adopted))
    }
}

impl<S: Send + Sync + 'static> super::Registry<S> {
    /// Adds rmcp's own tools at the top level; see [`RegistryBuilder::adopt`].
    ///
    /// # Errors
    ///
    /// Returns every error that [`Registry::check`](crate::Registry::check) finds in the merged
    /// registry, most often a name that both use.
    pub fn adopt(self, router: ToolRouter<S>) -> Result<Self, super::problem::RegistryErrors> {
        self.merge(Self::builder().adopt(router).freeze())
    }

    /// Like [`adopt`](Self::adopt), but without checks: `ServerBuilder::build` checks the whole
    /// later.
    pub(crate) fn with_adopted(mut self, router: ToolRouter<S>) -> Self {
        let adopted = Self::builder().adopt(router).freeze();
        self.add_tools(adopted.tools);
        self.top.extend(adopted.top);
        self
    }
}
