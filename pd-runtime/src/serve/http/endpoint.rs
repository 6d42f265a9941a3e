//! The endpoint: what a request passes on its way to rmcp, and its answer on the way back. One service does it all, for
//! layers around layers cost more than a tool's call.

use super::{
    super::capability_patch,
    authenticate::Guard,
    body::BodyReader,
    coalesce_events, cross_origin,
    fast_path::{self, Hosts},
    initialize, opening,
    proxies::TrustedProxies,
    request_source::RequestSource,
    response_body::Content,
    stateless,
    streams::Streams,
};
use crate::{
    disclosure::caller,
    http_sessions::{self, Door, Inside},
    server::erased_server::Host,
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

/// Answers MCP's requests. Clones share everything.
#[derive(Clone)]
pub(super) struct Endpoint {
    way: Passage,
    /// The same for pages of other origins.
    cross_origin: Cors<Passage>,
}

/// The way of a request whose host and origin are allowed.
#[derive(Clone)]
struct Passage(Arc<Way>);

/// What requests pass, in this order. A plain call belongs to no session, and rmcp's service has it without the door and
/// rmcp's transport.
pub(super) struct Way {
    pub(super) source: RequestSource,
    /// Where somebody tells who is calling.
    pub(super) guard: Option<Arc<Guard>>,
    pub(super) proxies: TrustedProxies,
    pub(super) streams: Streams,
    pub(super) bodies: BodyReader,
    /// Where there are no sessions, all may enter.
    pub(super) door: Option<Door>,
    pub(super) inside: Arc<dyn Inside>,
    pub(super) host: Arc<dyn Host>,
    pub(super) hosts: Hosts,
    /// Cancelled when all streams are to end.
    pub(super) closed: CancellationToken,
}

impl Endpoint {
    pub(super) fn new(way: Way) -> Self {
        let way = Passage(Arc::new(way));
        Self { cross_origin: cross_origin::shared(way.clone(), way.0.source.origins.clone()), way }
    }

    /// Whether the endpoint `at` is what this path names.
    pub(super) fn is_named(path: &str, at: &str) -> bool {
        path.strip_prefix(at).is_some_and(|rest| rest.is_empty() || rest == "/")
    }

    /// The same as a router.
    pub(super) fn at(self, path: &str) -> Router {
        Router::new().route_service(path, self.clone()).route_service(&format!("{path}/"), self)
    }

    /// Answers a request. The check of its host and origin comes first, because CORS answers
    /// preflight requests without anything behind it.
    pub(super) async fn answer<B>(&self, request: Request<B>) -> http::Response<Content>
    where
        B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
    {
        if let Err(refusal) = self.way.0.source.check(&request) {
            return Response::from(refusal).map(Content::Other);
        }
        let is_get = request.method() == Method::GET;
        let mut response = if request.headers().contains_key(ORIGIN) {
            let Ok(response) = self.cross_origin.clone().call(request).await;
            response
        } else {
            self.way.answer(request).await
        };
        // A browser that keeps an aborted stream in its cache sends the `DELETE` after it twice.
        if is_get {
            response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        response
    }
}

impl Passage {
    async fn answer<B>(&self, request: Request<B>) -> http::Response<Content>
    where
        B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
    {
        self.0.go(request).await.unwrap_or_else(|refusal| refusal.map(Content::Other))
    }
}

impl<B> Service<Request<B>> for Passage
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static,
{
    type Response = http::Response<Content>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let way = self.clone();
        async move { Ok(way.answer(request).await) }.boxed()
    }
}

impl Way {
    /// # Errors
    ///
    /// The answer to a request that does not get through.
    async fn go<B>(&self, request: Request<B>) -> Result<http::Response<Content>, Response>
    where
        B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
    {
        let (mut parts, body) = request.into_parts();
        self.proxies.resolve(&mut parts);
        if let Some(guard) = &self.guard {
            guard.admit(&mut parts).await?;
        }
        let prospect = self.streams.admit(&parts, self.guard.as_ref())?;
        let body = self.bodies.arrived(body, || caller::payer_over_http(&parts.extensions)).await?;
        Ok(prospect.follow(self.enter(parts, body).await?))
    }

    /// # Errors
    ///
    /// The answer to a request that rmcp is not to read.
    async fn enter(&self, parts: Parts, body: Bytes) -> Result<http::Response<Content>, Response> {
        if let Some(call) = self.plain_call(&parts, &body) {
            return Ok(stateless::answer(call, parts, &*self.inside, &self.closed).await);
        }
        initialize::check(&body)?;
        if self.door.is_some() {
            opening::charge(&*self.host, &parts, &body)?;
        }
        let may_declare = capability_patch::may_stand_in_answer(&parts.headers);
        let is_asked = parts.method == Method::POST;
        let response = self.reach(Request::from_parts(parts, Full::new(body))).await;
        Ok(match (may_declare, is_asked) {
            (true, _) => capability_patch::in_response(response),
            (_, true) => coalesce_events::settled(response).await,
            _ => response.map(Content::Inside),
        })
    }

    /// The call that a request makes, if there is nothing to judge about it.
    fn plain_call(&self, parts: &Parts, body: &Bytes) -> Option<JsonRpcRequest<ClientRequest>> {
        (parts.method == Method::POST).then(|| fast_path::read(parts, body, &self.hosts))?
    }

    async fn reach(&self, request: http_sessions::Request) -> http_sessions::Response {
        match &self.door {
            Some(door) => door.enter(request, &*self.inside).await,
            None => self.inside.answer(request).await,
        }
    }
}

impl Service<Request<Body>> for Endpoint {
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
