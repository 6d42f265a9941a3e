//! The MCP endpoint: the steps of a request on its way to rmcp, and of its answer on the way back.
//! One service runs all of them, since nested layers cost more than a tool call.

use super::lossy_answer;
use super::{
    auth_guard::AuthGuard,
    body::BodyReader,
    coalesce_events, cross_origin, delta_initialize,
    fast_path::{self, PlainHosts},
    initialize_charge, initialize_size,
    proxies::TrustedProxies,
    request_source::RequestSource,
    response_body::ResponseBody,
    response_patch, single_request,
    streams::StreamLimits,
    unreadable_body,
};
use crate::{
    disclosure::caller,
    http_sessions::{self, Gatekeeper, McpService},
    protocol::repair,
    server::erased_server::ErasedServer,
};

use axum::{
    BoxError, Router,
    body::{Body, Bytes, HttpBody},
    response::Response,
};
use futures::{FutureExt, future::BoxFuture};
use http::{
    HeaderValue, Method, Request,
    header::{CACHE_CONTROL, ORIGIN},
    request::Parts,
};
use http_body_util::Full;
use rmcp::model::{ClientRequest, JsonRpcRequest};
use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context, Poll},
};
use tokio_util::sync::CancellationToken;
use tower_http::cors::Cors;
use tower_service::Service;

/// Answers MCP requests. Clones share everything.
#[derive(Clone)]
pub(super) struct McpEndpoint {
    pipeline: EndpointService,
    /// The same service with CORS, for pages of other origins.
    cross_origin: Cors<EndpointService>,
}

/// The service for requests with an allowed host and origin.
#[derive(Clone)]
struct EndpointService(Arc<EndpointPipeline>);

/// The steps of a request, in this order. A plain call belongs to no session, and goes to rmcp's
/// service without the gatekeeper and rmcp's transport.
pub(super) struct EndpointPipeline {
    pub(super) source: RequestSource,
    /// The authentication, if one is configured.
    pub(super) guard: Option<Arc<AuthGuard>>,
    pub(super) proxies: TrustedProxies,
    pub(super) streams: StreamLimits,
    pub(super) bodies: BodyReader,
    /// The entry of sessions. Without sessions, requests go to rmcp directly.
    pub(super) gatekeeper: Option<Gatekeeper>,
    pub(super) rmcp: Arc<dyn McpService>,
    pub(super) host: Arc<dyn ErasedServer>,
    pub(super) hosts: PlainHosts,
    /// Cancelled when all streams are to end.
    pub(super) closed: CancellationToken,
}

impl McpEndpoint {
    pub(super) fn new(pipeline: EndpointPipeline) -> Self {
        let pipeline = EndpointService(Arc::new(pipeline));
        Self {
            cross_origin: cross_origin::shared(pipeline.clone(), pipeline.0.source.origins.clone()),
            pipeline,
        }
    }

    /// Returns whether `path` names the endpoint `at`, with or without a slash at its end.
    pub(super) fn is_named(path: &str, at: &str) -> bool {
        path.strip_prefix(at)
            .is_some_and(|rest| rest.is_empty() || rest == "/")
    }

    /// Returns the endpoint as a router.
    pub(super) fn into_router_at(self, path: &str) -> Router {
        Router::new()
            .route_service(path, self.clone())
            .route_service(&format!("{path}/"), self)
    }

    /// Answers a request. The check of its host and origin comes first, because CORS answers
    /// preflight requests without calling anything behind it.
    pub(super) async fn answer<B>(&self, request: Request<B>) -> http::Response<ResponseBody>
    where
        B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
    {
        if let Err(refusal) = self.pipeline.0.source.check(&request) {
            return Response::from(refusal).map(ResponseBody::Other);
        }
        let is_get = request.method() == Method::GET;
        // Only browsers send `Origin`, so other clients do not pay for the CORS layer.
        let mut response = if request.headers().contains_key(ORIGIN) {
            let Ok(response) = self.cross_origin.clone().call(request).await;
            response
        } else {
            self.pipeline.answer(request).await
        };
        // A browser that caches an aborted stream sends the `DELETE` after it twice.
        if is_get {
            response
                .headers_mut()
                .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        response
    }
}

impl EndpointService {
    async fn answer<B>(&self, request: Request<B>) -> http::Response<ResponseBody>
    where
        B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
    {
        self.0
            .run_steps(request)
            .await
            .unwrap_or_else(|refusal| refusal.map(ResponseBody::Other))
    }
}

impl<B> Service<Request<B>> for EndpointService
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
{
    type Response = http::Response<ResponseBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let pipeline = self.clone();
        async move { Ok(pipeline.answer(request).await) }.boxed()
    }
}

impl EndpointPipeline {
    /// Passes a request through the steps.
    ///
    /// # Errors
    ///
    /// Returns the answer to a request that one of the steps refuses.
    async fn run_steps<B>(
        &self,
        request: Request<B>,
    ) -> Result<http::Response<ResponseBody>, Response>
    where
        B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
    {
        let (mut parts, body) = request.into_parts();
        self.proxies.resolve(&mut parts);
        if let Some(guard) = &self.guard {
            guard.admit(&mut parts).await?;
        }
        // Streams before the body: a caller over its limit of streams must not make the server read
        // one.
        let prospect = self.streams.admit(&parts, self.guard.as_ref())?;
        // Authentication comes before the body, so a stranger's body is never read.
        let body = self
            .bodies
            .arrived(body, || caller::payer_over_http(&parts.extensions))
            .await?;
        Ok(prospect.follow(self.enter(parts, body).await?))
    }

    /// Passes a request to rmcp, after its body was read.
    ///
    /// # Errors
    ///
    /// Returns the answer to a request that must not reach rmcp.
    async fn enter(
        &self,
        mut parts: Parts,
        body: Bytes,
    ) -> Result<http::Response<ResponseBody>, Response> {
        if let Some(call) = self.plain_call(&parts, &body) {
            return Ok(single_request::answer(call, parts, &*self.rmcp, &self.closed).await);
        }
        // Before rmcp parses the body: a parsed `initialize` takes many times its bytes.
        initialize_size::check(&body)?;
        // Before the charge, which looks at the version that rmcp will see.
        delta_initialize::drop_version(&mut parts, &body);
        if self.gatekeeper.is_some() {
            // Without sessions, an `initialize` stores nothing, so it is not charged.
            initialize_charge::charge(&*self.host, &parts, &body)?;
        }
        let is_post = parts.method == Method::POST;
        // A client may also send `initialize` in its session.
        let may_need_patch = response_patch::may_need_patch(&parts.headers)
            || (is_post && initialize_size::is_small_initialize(&body));
        let is_json = is_post && unreadable_body::is_json(&parts.headers);
        let again = is_json.then(|| (parts.clone(), body.clone()));
        let (parts, extras) = lossy_answer::with_extras(parts);
        let response = self
            .call_rmcp(Request::from_parts(parts, Full::new(body)))
            .await;
        let response = lossy_answer::restore(response, extras);
        if let Some((parts, body)) = again.filter(|_| unreadable_body::is_unread(&response)) {
            return match repair::repaired(&body) {
                // From the beginning, because no step could read the body. A repaired body needs no
                // second repair, so this ends.
                Some(repaired) => Box::pin(self.enter(parts, repaired.into())).await,
                None => Ok(unreadable_body::answer(&body)),
            };
        }
        // An answer that may need the patch is not held back for coalescing: `initialize` is
        // answered once per session.
        Ok(match (may_need_patch, is_post) {
            (true, _) => response_patch::patch_response(response),
            (_, true) => coalesce_events::coalesced(response).await,
            // A stream of `GET` stays open, so waiting for its end would only delay it.
            _ => response.map(ResponseBody::FromRmcp),
        })
    }

    /// Returns the call that a request makes, if it qualifies for the fast path.
    fn plain_call(&self, parts: &Parts, body: &Bytes) -> Option<JsonRpcRequest<ClientRequest>> {
        (parts.method == Method::POST).then(|| fast_path::parse(parts, body, &self.hosts))?
    }

    async fn call_rmcp(
        &self,
        request: http_sessions::BufferedRequest,
    ) -> http_sessions::BoxedResponse {
        match &self.gatekeeper {
            Some(gatekeeper) => gatekeeper.enter(request, &*self.rmcp).await,
            None => self.rmcp.answer(request).await,
        }
    }
}

impl Service<Request<Body>> for McpEndpoint {
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let endpoint = self.clone();
        async move { Ok(endpoint.answer(request).await.map(Body::new)) }.boxed()
    }
}
