//! Prompts and resources: those of the wires, those that the author added, and those of the author's handler, in this order.

use super::{PdServer, extras::into_error, no_handler, requests::never};
use crate::{
    disclosure::view::View,
    policy::rate_limit::Kind,
    surface::{
        self, echoed,
        pagination::{Page, is_ours, page},
    },
    tool::context::CallContext,
};

use rmcp::{ErrorData, RoleServer, ServerHandler, model::*, service::RequestContext};
use std::pin::pin;

impl<H: ServerHandler> PdServer<H> {
    pub(super) async fn resources(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let request = self.request(ListResourcesRequestMethod::VALUE, &context);
        let (catalogue, caller) = (self.served.catalogue(), self.caller(&context));
        let view = self.view(&request, &caller, &catalogue);
        let answer = async {
            let is_theirs = is_theirs(params.as_ref());
            let (ours, next) = match is_theirs {
                true => (Vec::new(), None),
                false => self.own_resources(cursor_of(params.as_ref()), &view, &context).await?,
            };
            if next.is_some() {
                let listed = ListResourcesResult::with_all_items(ours);
                return Ok(ListResourcesResult { next_cursor: next, ..listed });
            }
            let theirs = self.inner().list_resources(without_own_cursor(params), context).await;
            let mut listed = or_empty(theirs, is_theirs)?;
            listed.resources.splice(0..0, ours);
            if self.has_resources() {
                // Whether they depend on the caller is for the author alone to know.
                (listed.ttl_ms, listed.cache_scope) = (None, None);
            }
            Ok(listed)
        };
        request.answer(pin!(answer), never).await
    }

    /// A page of the resources before those of the handler.
    async fn own_resources(
        &self,
        cursor: Option<&str>,
        view: &View<'_>,
        context: &RequestContext<RoleServer>,
    ) -> Result<(Vec<Resource>, Option<String>), ErrorData> {
        let wires = surface::WIRES.iter().filter(|_| cursor.is_none()).flat_map(|wire| wire.resources(view));
        let mut listed: Vec<Resource> = wires.collect();
        let added = match self.beside_call(view, context) {
            Some(call) => {
                view.charge(Kind::Find, 1)?;
                self.served.extras.resources(&call).await?
            }
            None => Vec::new(),
        };
        let Page { entries, next } = page(&added, cursor, |resource| &resource.uri)?;
        listed.extend(entries.iter().cloned());
        Ok((listed, next))
    }

    pub(super) async fn templates(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let request = self.request(ListResourceTemplatesRequestMethod::VALUE, &context);
        let (catalogue, caller) = (self.served.catalogue(), self.caller(&context));
        let view = self.view(&request, &caller, &catalogue);
        let answer = async {
            let is_first = params.as_ref().is_none_or(|params| params.cursor.is_none());
            let wires = surface::WIRES.iter().filter(|_| is_first).flat_map(|wire| wire.templates(&view));
            let mut ours: Vec<ResourceTemplate> = wires.collect();
            if let Some(call) = self.beside_call(&view, &context).filter(|_| is_first) {
                view.charge(Kind::Find, 1)?;
                ours.extend(self.served.extras.templates(&call).await?);
            }
            let mut listed = or_empty(self.inner().list_resource_templates(params, context).await, !is_first)?;
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
        let (catalogue, caller) = (self.served.catalogue(), self.caller(&context));
        let view = self.view(&request, &caller, &catalogue);
        let answer = async {
            if let Some(contents) = surface::read(&params.uri, &view).await {
                return Ok(contents.into());
            }
            if let Some(call) = self.beside_call(&view, &context) {
                view.charge(Kind::Call, 1)?;
                let call = call.with_input(params.input_responses.clone(), params.request_state.clone());
                if let Some(read) = self.served.extras.read(&params.uri, &call).await? {
                    return Ok(read.into());
                }
            }
            let unknown = no_handler::unknown_resource(&params.uri);
            let read = self.inner().read_resource(params, context).await;
            // A handler without resources of its own knows no method for them; the server does.
            read.map_err(|error| if error.code == ErrorCode::METHOD_NOT_FOUND { unknown } else { error })
        };
        request.answer(pin!(answer), never).await
    }

    pub(super) async fn prompts(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let Some(prompts) = &self.served.extras.prompts else {
            return self.inner().list_prompts(params, context).await;
        };
        let is_theirs = is_theirs(params.as_ref());
        let all = if is_theirs { &[] } else { prompts.list() };
        let Page { entries, next } =
            page(all, cursor_of(params.as_ref()).filter(|_| !is_theirs), |prompt| &prompt.name)?;
        if next.is_some() {
            let listed = ListPromptsResult::with_all_items(entries.to_vec());
            return Ok(ListPromptsResult { next_cursor: next, ..listed });
        }
        let theirs = self.inner().list_prompts(without_own_cursor(params.clone()), context).await;
        let mut listed = or_empty(theirs, is_theirs)?;
        // Of two with one name the added one is rendered, so the other one is not listed.
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
        let (catalogue, caller) = (self.served.catalogue(), self.caller(&context));
        let view = self.view(&request, &caller, &catalogue);
        let answer = async {
            view.charge(Kind::Call, 1)?;
            if prompts.has(&params.name) {
                return prompts.get(params, context).await.map_err(into_error);
            }
            let unknown = ErrorData::invalid_params(format!("Unknown prompt: {}", echoed(&params.name)), None);
            let rendered = self.inner().get_prompt(params, context).await;
            rendered.map_err(|error| if error.code == ErrorCode::METHOD_NOT_FOUND { unknown } else { error })
        };
        request.answer(pin!(answer), never).await
    }

    /// The context in which the author's resources are listed and read; `None` without any.
    fn beside_call(&self, view: &View<'_>, context: &RequestContext<RoleServer>) -> Option<CallContext> {
        self.has_resources().then(|| {
            CallContext::of_request(
                context.clone(),
                view.caller.authority.clone(),
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

/// Whether the cursor is one that the author's handler handed out.
fn is_theirs(params: Option<&PaginatedRequestParams>) -> bool {
    cursor_of(params).is_some_and(|cursor| !is_ours(cursor))
}

/// The parameters for the handler's list. Its first page follows our last one.
fn without_own_cursor(params: Option<PaginatedRequestParams>) -> Option<PaginatedRequestParams> {
    params.filter(|params| params.cursor.as_deref().is_none_or(|cursor| !is_ours(cursor)))
}

/// A handler that has no such list has an empty one beside ours. A cursor of a list that it does not have is an error.
fn or_empty<T: Default>(listed: Result<T, ErrorData>, is_theirs: bool) -> Result<T, ErrorData> {
    match listed {
        Err(error) if error.code == ErrorCode::METHOD_NOT_FOUND && !is_theirs => Ok(T::default()),
        listed => listed,
    }
}
