//! The merged lists of prompts and resources. The surfaces' entries come first, then the entries
//! that the author added, then the entries of the author's handler.

use super::{PdHandler, answers::never, no_handler};
use crate::{
    disclosure::{gate::first_request::ToolRequestKind, view::CallerView},
    policy::rate_limit::ChargeKind,
    selective::data_plane::StoreFailed,
    surface::{
        self, apps,
        fitting_tools::render_calls,
        pagination::{CursorPage, is_own_cursor, page},
        read_more, truncated,
    },
    tool::{client_call::ClientCall, context::CallContext, error::ToolError},
};

use rmcp::{ErrorData, RoleServer, ServerHandler, model::*, service::RequestContext};
use std::{pin::pin, sync::Arc};

/// The most hits of the search for a tool that may return what an unknown URI names.
const HITS_MAX: usize = 5;
/// The most characters of such a URI that are searched.
const WORDS_MAX: usize = 200;

impl<H: ServerHandler> PdHandler<H> {
    pub(super) async fn resources(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let request = self.request(ListResourcesRequestMethod::VALUE, &context);
        self.wait_for_read(&context).await;
        let catalog = self.served.catalog();
        let caller = self.caller(&context);
        let view = self.view(&request, &caller, &catalog);
        let answer = async {
            let is_handler_cursor = is_handler_cursor(params.as_ref());
            let (ours, next) = match is_handler_cursor {
                true => (Vec::new(), None),
                false => {
                    self.own_resources(cursor_of(params.as_ref()), &view, &context)
                        .await?
                }
            };
            // The handler is asked only after the server's own last page, so its entries appear
            // once.
            if next.is_some() {
                let listed = ListResourcesResult::with_all_items(ours);
                return Ok(ListResourcesResult {
                    next_cursor: next,
                    ..listed
                });
            }
            let theirs = self
                .inner()
                .list_resources(without_own_cursor(params), context)
                .await;
            let mut listed = or_empty(theirs, is_handler_cursor)?;
            listed.resources.splice(0..0, ours);
            let scoped = view.scoped_extras();
            listed
                .resources
                // A client that expands groups finds these in the contents of their groups.
                .retain(|resource| !scoped.has_resource(&resource.uri));
            if self.has_resources() || view.catalog.tree.has_resources() {
                // Only the author knows whether the added resources depend on the caller, so the
                // server declares nothing about caching.
                (listed.ttl_ms, listed.cache_scope) = (None, None);
            }
            Ok(listed)
        };
        request.answer(pin!(answer), never).await
    }

    /// Returns a page of the resources that precede the handler's.
    async fn own_resources(
        &self,
        cursor: Option<&str>,
        view: &CallerView<'_>,
        context: &RequestContext<RoleServer>,
    ) -> Result<(Vec<Resource>, Option<String>), ErrorData> {
        // Surfaces list few resources. They appear on the first page and take no part in paging.
        let surfaces = surface::SURFACES
            .iter()
            .filter(|_| cursor.is_none())
            .flat_map(|surface| surface.resources(view));
        let mut listed: Vec<Resource> = surfaces.collect();
        let mut added = self.added_resources(view, context).await?;
        let scoped = view.scoped_extras();
        added.retain(|resource| !scoped.has_resource(&resource.uri));
        let CursorPage { entries, next } = page(&added, cursor, |resource| &resource.uri)?;
        listed.extend(entries.iter().cloned());
        Ok((listed, next))
    }

    /// Returns the resources that the author added to the server.
    pub(super) async fn added_resources(
        &self,
        view: &CallerView<'_>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Vec<Resource>, ErrorData> {
        match self.beside_call(view, context) {
            Some(call) => {
                // Charged before the author's code runs, which may query a database.
                view.charge(ChargeKind::Find, 1)?;
                self.served.extras.resources(&call).await
            }
            None => Ok(Vec::new()),
        }
    }

    pub(super) async fn templates(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let request = self.request(ListResourceTemplatesRequestMethod::VALUE, &context);
        self.wait_for_read(&context).await;
        let catalog = self.served.catalog();
        let caller = self.caller(&context);
        let view = self.view(&request, &caller, &catalog);
        let answer = async {
            // The server's templates are few and fit on one page; every cursor is the handler's.
            let is_first = params.as_ref().is_none_or(|params| params.cursor.is_none());
            let surfaces = surface::SURFACES
                .iter()
                .filter(|_| is_first)
                .flat_map(|surface| surface.templates(&view));
            let mut ours: Vec<ResourceTemplate> = surfaces.collect();
            if let Some(call) = self.beside_call(&view, &context).filter(|_| is_first) {
                view.charge(ChargeKind::Find, 1)?;
                ours.extend(self.served.extras.templates(&call).await?);
            }
            let mut listed = or_empty(
                self.inner().list_resource_templates(params, context).await,
                !is_first,
            )?;
            listed.resource_templates.splice(0..0, ours);
            if self.has_resources() {
                (listed.ttl_ms, listed.cache_scope) = (None, None);
            }
            Ok(listed)
        };
        request.answer(pin!(answer), never).await
    }

    pub(super) async fn read(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let request = self.request(ReadResourceRequestMethod::VALUE, &context);
        self.wait_for_read(&context).await;
        self.wait_for_uri(&params.uri, &context).await;
        let catalog = self.served.catalog();
        let caller = self.caller(&context);
        let view = self.view(&request, &caller, &catalog);
        let answer = async {
            // Descriptions come first: no resource of the author's may shadow them.
            if let Some(contents) = surface::read(&params.uri, &view).await {
                caller.record_tool_request(ToolRequestKind::List);
                return Ok(contents.into());
            }
            if let Some(text) = large_result(&params.uri, &view).await? {
                return Ok(text.into());
            }
            if let Some(call) = self.beside_call(&view, &context) {
                view.charge(ChargeKind::Call, 1)?;
                let call =
                    call.with_input(params.input_responses.clone(), params.request_state.clone());
                if let Some(read) = self.served.extras.read(&params.uri, &call).await? {
                    apps::note_read(&params.uri, &view);
                    return Ok(read.into());
                }
            }
            let uri = params.uri.clone();
            match self.inner().read_resource(params, context).await {
                // A handler without resources answers "method not found". The server declares
                // resources, so the client must read "unknown resource" instead.
                Err(error) if error.code == ErrorCode::METHOD_NOT_FOUND => Err(
                    no_handler::unknown_resource(&uri, call_for(&uri, &view).await),
                ),
                read => {
                    if read.is_ok() {
                        apps::note_read(&uri, &view);
                    }
                    read
                }
            }
        };
        request.answer(pin!(answer), never).await
    }

    pub(super) async fn prompts(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.wait_for_read(&context).await;
        let scope = context.clone();
        let mut listed = self.page_of_prompts(params, context).await?;
        let catalog = self.served.catalog();
        let caller = self.caller(&scope);
        if catalog.tree.has_prompts() {
            let scoped = self.served.view(&caller, &catalog).scoped_extras();
            listed
                .prompts
                .retain(|prompt| !scoped.has_prompt(&prompt.name));
            // The list depends on what the client declared.
            listed.cache_scope = Some(CacheScope::Private);
        }
        Ok(listed)
    }

    /// Returns a page of the prompts of the router and of the handler, for any client.
    async fn page_of_prompts(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let Some(prompts) = &self.served.extras.prompts else {
            return self.inner().list_prompts(params, context).await;
        };
        let is_handler_cursor = is_handler_cursor(params.as_ref());
        let all = if is_handler_cursor {
            &[]
        } else {
            prompts.list()
        };
        let CursorPage { entries, next } = page(
            all,
            cursor_of(params.as_ref()).filter(|_| !is_handler_cursor),
            |prompt| &prompt.name,
        )?;
        if next.is_some() {
            let listed = ListPromptsResult::with_all_items(entries.to_vec());
            return Ok(ListPromptsResult {
                next_cursor: next,
                ..listed
            });
        }
        let theirs = self
            .inner()
            .list_prompts(without_own_cursor(params.clone()), context)
            .await;
        let mut listed = or_empty(theirs, is_handler_cursor)?;
        // The prompt that the author added is rendered for a shared name, so the handler's prompt
        // is not listed.
        listed.prompts.retain(|prompt| !prompts.has(&prompt.name));
        listed.prompts.splice(0..0, entries.iter().cloned());
        Ok(listed)
    }

    pub(super) async fn prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let Some(prompts) = &self.served.extras.prompts else {
            return self.inner().get_prompt(params, context).await;
        };
        let request = self.request(GetPromptRequestMethod::VALUE, &context);
        let catalog = self.served.catalog();
        let caller = self.caller(&context);
        let view = self.view(&request, &caller, &catalog);
        let answer = async {
            view.charge(ChargeKind::Call, 1)?;
            if prompts.has(&params.name) {
                return prompts
                    .get(params, context)
                    .await
                    .map_err(ToolError::into_error_data);
            }
            // Made first, because the handler takes the parameters.
            let unknown = ErrorData::invalid_params(
                format!("Unknown prompt: {}", truncated(&params.name)),
                None,
            );
            let rendered = self.inner().get_prompt(params, context).await;
            rendered.map_err(|error| {
                if error.code == ErrorCode::METHOD_NOT_FOUND {
                    unknown
                } else {
                    error
                }
            })
        };
        request.answer(pin!(answer), never).await
    }

    /// Returns the context in which the author's resources are listed and read; `None` if the
    /// author added no resources.
    fn beside_call(
        &self,
        view: &CallerView<'_>,
        context: &RequestContext<RoleServer>,
    ) -> Option<CallContext> {
        self.has_resources().then(|| {
            CallContext::from_request(
                Arc::new(ClientCall::new(context.clone())),
                view.caller.authority.clone(),
                view.caller.client_session(),
                #[cfg(feature = "fetch")]
                &view.policy.fetching,
            )
        })
    }

    fn has_resources(&self) -> bool {
        !self.served.extras.resources.is_empty()
    }
}

fn cursor_of(params: Option<&PaginatedRequestParams>) -> Option<&str> {
    params.and_then(|params| params.cursor.as_deref())
}

/// Returns whether the author's handler issued this cursor.
fn is_handler_cursor(params: Option<&PaginatedRequestParams>) -> bool {
    cursor_of(params).is_some_and(|cursor| !is_own_cursor(cursor))
}

/// Returns the parameters for the handler's list. The handler's first page follows the server's
/// last one, so a cursor of the server's becomes none.
fn without_own_cursor(params: Option<PaginatedRequestParams>) -> Option<PaginatedRequestParams> {
    params.filter(|params| {
        params
            .cursor
            .as_deref()
            .is_none_or(|cursor| !is_own_cursor(cursor))
    })
}

/// Treats the missing list of a handler as empty, because the server's own list is beside it. A
/// cursor of a list that the handler does not have remains an error.
fn or_empty<T: Default>(
    listed: Result<T, ErrorData>,
    is_handler_cursor: bool,
) -> Result<T, ErrorData> {
    match listed {
        Err(error) if error.code == ErrorCode::METHOD_NOT_FOUND && !is_handler_cursor => {
            Ok(T::default())
        }
        listed => listed,
    }
}

/// Renders the call of the tool that may return what a URI names: models invent URIs.
async fn call_for(uri: &str, view: &CallerView<'_>) -> Option<String> {
    view.charge(ChargeKind::Find, 1).ok()?;
    let (_, words) = uri.split_once("://").unwrap_or(("", uri));
    let words = words.chars().take(WORDS_MAX).map(|letter| {
        if letter.is_alphanumeric() {
            letter
        } else {
            ' '
        }
    });
    let matches = view.search(&words.collect::<String>(), HITS_MAX).await;
    // Nobody who meant to read may be led to a tool that changes something.
    let tools = matches.hits.iter().filter(|(tool, _)| tool.is_read_only());
    let tools = tools.take(1).map(|(tool, _)| (&***tool, JsonObject::new()));
    render_calls(tools, view).pop()
}

/// Returns the whole of a large result of the caller. Its URI is in the result.
///
/// # Errors
///
/// Returns an error if the caller is over its limit.
async fn large_result(
    uri: &str,
    view: &CallerView<'_>,
) -> Result<Option<ReadResourceResult>, ErrorData> {
    let Some(handle) = uri.strip_prefix(read_more::SCHEME) else {
        return Ok(None);
    };
    if view.catalog.large_results.is_none() {
        return Ok(None);
    }
    view.charge(ChargeKind::Call, 1)?;
    let text = read_more::find(handle, view).await.map_err(|StoreFailed| {
        ErrorData::internal_error("large results cannot be read now; try again later", None)
    })?;
    Ok(text
        .map(|text| ReadResourceResult::new(vec![ResourceContents::text(text.to_string(), uri)])))
}
