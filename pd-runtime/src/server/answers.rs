//! The answers to the requests that rmcp knows. Each answer is a large future: `server` boxes it,
//! because rmcp would otherwise move it with every request of any method.

use super::{PdHandler, param_headers};
use crate::{
    disclosure::{
        caller::{authority, handshake_terms},
        gate::{first_request::ToolRequestKind, session::DisclosureSession},
        list_changed::ToolListEdition,
        recorder::SessionMetrics,
        view::NestedForm,
    },
    policy::{
        meta_tool_purpose::MetaToolPurpose, meta_tools::OfferedMetaTool, rate_limit::ChargeKind,
    },
    protocol::{lossy::LossyParts, negotiated::ClientTerms},
    server::dispatch,
    surface::{self, apps, listing, meta_tools, missing, read_more, unknown_tool},
    tool::{client_call::ClientCall, client_session::ClientSession},
};
#[cfg(feature = "http")]
use rmcp::transport::streamable_http_server::SessionRestoreMarker;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::*,
    service::{Peer, RequestContext, SubscriptionContext},
};
use serde_json::json;
use std::{pin::pin, sync::Arc};

impl<H: ServerHandler> PdHandler<H> {
    /// Answers `initialize` and opens the session.
    pub(super) async fn answer_initialize(
        &self,
        params: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let request = self.request(InitializeResultMethod::VALUE, &context);
        request
            .answer(pin!(self.initialize_session(params, context)), never)
            .await
    }

    async fn initialize_session(
        &self,
        params: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        // Taken before the inner handler consumes the context.
        let owner = authority(&context);
        let peer = context.peer.clone();
        let handshake = context.clone();
        let result = self.inner().initialize(params.clone(), context).await?;
        // rmcp's default `initialize` sets this as a side effect, which a handler that overrides
        // `initialize` may omit. The session's terms depend on it.
        peer.set_peer_info(params);
        // The client may have listed tools at the replica that the session comes from.
        #[cfg(feature = "http")]
        if handshake.extensions.get::<SessionRestoreMarker>().is_some() {
            self.first_request.record(ToolRequestKind::List);
        }
        let modern = result.protocol_version.as_str() >= ProtocolVersion::V_2026_07_28.as_str();
        // A second `initialize` on one connection opens no second session.
        let session = self.session.get_or_init(|| {
            DisclosureSession::new(
                owner.person(),
                handshake_terms(&handshake, surface::terms),
                modern,
            )
        });
        session
            .client
            .get_or_init(|| ClientSession::new(peer.clone(), owner.clone()));
        self.session_metrics
            .get_or_init(|| SessionMetrics::new(&self.served.observer));
        let catalog = self.served.catalog();
        let caller = self.caller(&handshake);
        // A second `initialize` must not register the client a second time.
        session.subscription.get_or_init(|| {
            self.served
                .hub
                .subscribe(peer, session.terms, ToolListEdition::new(owner, &catalog))
        });
        Ok(self
            .served
            .info(result, Some(&self.served.view(&caller, &catalog))))
    }

    /// Answers `server/discover`.
    pub(super) async fn answer_discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let request = self.request(DiscoverRequestMethod::VALUE, &context);
        let answer = async {
            let catalog = self.served.catalog();
            let caller = self.caller(&context);
            let info = self.served.info(
                self.inner().get_info(),
                Some(&self.served.view(&caller, &catalog)),
            );
            Ok(DiscoverResult::from_server_info(
                self.supported_protocol_versions().into_owned(),
                info,
            ))
        };
        request.answer(pin!(answer), never).await
    }

    /// Answers `tools/list`.
    pub(super) async fn tools(
        &self,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let request = self.request(ListToolsRequestMethod::VALUE, &context);
        let catalog = self.served.catalog();
        let caller = self.caller(&context);
        caller.record_tool_request(ToolRequestKind::List);
        let view = self.view(&request, &caller, &catalog);
        let answer = async {
            if !first_page(params.as_ref()) {
                let why = "unknown cursor: all tools are on the first page";
                return Err(ErrorData::invalid_params(why, None));
            }
            // A client may have returned with another token. Changes are then compared with the new
            // list.
            if let Some(subscription) = caller
                .own_session()
                .and_then(|session| session.subscription.get())
            {
                subscription.follow(&caller.authority, &catalog);
            }
            let listed = listing::list(&view).await;
            if let Some(parts) = LossyParts::from_request(&context) {
                listing::keep_definitions(&listed.tools, &view, parts);
            }
            Ok(listed)
        };
        request.answer(pin!(answer), never).await
    }

    /// Answers `tools/call`.
    pub(super) async fn call(
        &self,
        mut params: CallToolRequestParams,
        context: Arc<ClientCall>,
    ) -> Result<CallToolResponse, ErrorData> {
        // Held until the answer is ready, so that shutdown waits for the call.
        let _running = self.served.begin_call();
        let mut catalog = self.served.catalog();
        let offer = catalog.meta_tool(&params.name, &self.served.policy, &authority(&context));
        let request = self.call_request(offer, &context);
        if catalog.has_missing_tools() {
            // Boxed, because few calls wait.
            Box::pin(self.wait_for_call(&params.name, offer, params.arguments.as_ref(), &context))
                .await;
            catalog = self.served.catalog();
        }
        let caller = self.caller(&context);
        caller.record_tool_request(call_kind(offer));
        let view = self.view(&request, &caller, &catalog);
        let answer = pin!(async {
            let Some(offer) = offer else {
                // Charged before the lookup: a hidden name costs the same as an unknown one.
                if let Err(later) = view.charge(ChargeKind::Call, 1) {
                    return Ok(later.into_result().into());
                }
                // A host that lets its model call unlisted tools checks no arguments of theirs.
                view.note_nested_form(NestedForm::Object);
                if read_more::is_called(&params.name, &view) {
                    let arguments = params.arguments.take().unwrap_or_default();
                    return Ok(Box::pin(read_more::call(arguments, &view)).await.into());
                }
                view.note_direct_call();
                let found = apps::called_tool(&params.name, &view);
                let found = found.map_err(|meant| apps::several_tools(&params.name, &meant))?;
                let Some(entry) = found else {
                    view.recorder.record_unknown(&params.name);
                    let missing = missing::call_result(&params.name, &view);
                    return missing
                        .map(Into::into)
                        .ok_or_else(|| unknown_tool(&params.name, &view));
                };
                param_headers::check(&entry.header_arguments, params.arguments.as_ref(), &context)?;
                return dispatch::call(entry, &mut params, false, &view, context).await;
            };
            // Boxed, so that a call of a tool has no room for it.
            match Box::pin(meta_tools::call(offer, params.arguments.take(), &view)).await {
                meta_tools::MetaToolReply::Done(result) => Ok(result.into()),
                meta_tools::MetaToolReply::Call {
                    entry,
                    arguments,
                    is_from_text,
                } => {
                    params.arguments = Some(arguments);
                    dispatch::call(&entry, &mut params, is_from_text, &view, context)
                        .await
                        .map(|response| apps::with_view(response, &entry, &view))
                }
                #[cfg(feature = "code")]
                meta_tools::MetaToolReply::Run(program) => {
                    // Boxed, because the future of a run is large and most calls do not need it.
                    let running = dispatch::run_code::run(program, &mut params, &view, &context);
                    Ok(Box::pin(running).await)
                }
            }
        });
        request.answer(answer, is_failed).await
    }

    /// Answers `subscriptions/listen`: notifies the client until either side ends the subscription.
    pub(super) async fn notify_changes(
        &self,
        context: SubscriptionContext,
    ) -> Result<(), ErrorData> {
        let sink = context.sink().clone();
        let mut changes = self.served.changes();
        let terms = self.caller(context.request_context()).terms;
        let peer = context.request_context().peer.clone();
        let mut list =
            ToolListEdition::new(authority(context.request_context()), &self.served.catalog());
        let mut announced = *changes.borrow_and_update();
        let notifying = async {
            while changes.changed().await.is_ok() {
                let before = std::mem::replace(&mut announced, *changes.borrow_and_update());
                let differs = list.update(&self.served.catalog());
                // Without a comparison, a client would learn of changes to tools that are hidden
                // from it. An announcement by the author has no comparison.
                if differs || before != announced {
                    // An error means that the client does not want to know, or a closed
                    // subscription, which ends `listen` below.
                    if sink.notify_tool_list_changed().await.is_ok() && differs {
                        notify_surfaces(terms, &peer, sink.id()).await;
                    }
                }
            }
        };
        // The inner handler may have notifications of its own in the same subscription.
        tokio::select! {
            ended = self.inner().listen(context) => ended,
            () = notifying => Ok(()),
            () = self.client_left() => Ok(()),
        }
    }

    /// Waits until the client has left; forever on a connection that `serve` does not watch.
    async fn client_left(&self) {
        match &self.left {
            Some(left) => left.cancelled().await,
            None => std::future::pending().await,
        }
    }
}

/// Sends the notifications that a subscriber's surfaces have for a change. The filter of a
/// subscription has no member for them, so they follow the notification that tools have changed.
async fn notify_surfaces(terms: ClientTerms, peer: &Peer<RoleServer>, subscription: &RequestId) {
    for method in surface::notifications(terms) {
        let mut meta = NotificationMetaObject::new();
        meta.set_subscription_id(subscription.clone());
        let notification = CustomNotification::new(method, Some(json!({ "_meta": meta })));
        // An error means that the client has left.
        let _ = peer
            .send_notification(ServerNotification::CustomNotification(notification))
            .await;
    }
}

pub(super) fn never<T>(_: &T) -> bool {
    false
}

/// Returns the kind of a `tools/call` of a tool or, if `offer` is present, of a meta-tool.
pub(super) fn call_kind(offer: Option<&OfferedMetaTool>) -> ToolRequestKind {
    match offer.map(|offer| offer.role.purpose()) {
        Some(MetaToolPurpose::Find | MetaToolPurpose::List | MetaToolPurpose::Describe) => {
            ToolRequestKind::Describe
        }
        _ => ToolRequestKind::Call,
    }
}

fn is_failed(response: &CallToolResponse) -> bool {
    matches!(response, CallToolResponse::Complete(result) if result.is_error == Some(true))
}

/// Returns whether the first page is requested. The server issues no cursors for tools, so any
/// cursor is foreign.
fn first_page(request: Option<&PaginatedRequestParams>) -> bool {
    request.is_none_or(|params| params.cursor.is_none())
}
