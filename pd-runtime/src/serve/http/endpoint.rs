//! The endpoint: what a request passes on its way to rmcp, and its answer on the way back. One service does it all, for
//! layers around layers cost more than a tool's call.

use super::{super::declared, authenticate::Guard, body};
use crate::sessions::{Door, Inside};
use axum::{Router, extract::Request, response::Response};
use futures::{FutureExt, future::BoxFuture};
use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// Answers MCP's requests. Clones share everything.
#[derive(Clone)]
pub(super) struct Endpoint(Arc<Way>);

/// What requests pass, in this order.
pub(super) struct Way {
    /// Where somebody tells who is calling.
    pub(super) guard: Option<Guard>,
    pub(super) limits: body::Limits,
    /// Where there are no sessions, all may enter.
    pub(super) door: Option<Door>,
    pub(super) inside: Arc<dyn Inside>,
}

impl Endpoint {
    pub(super) fn new(way: Way) -> Self {
        Self(Arc::new(way))
    }

    /// Whether the endpoint `at` is what this path names.
    pub(super) fn is_named(path: &str, at: &str) -> bool {
        path.strip_prefix(at).is_some_and(|rest| rest.is_empty() || rest == "/")
    }

    /// The same as a router.
    pub(super) fn at(self, path: &str) -> Router {
        Router::new().route_service(path, self.clone()).route_service(&format!("{path}/"), self)
    }

    pub(super) async fn answer(&self, request: Request) -> Response {
        self.0.go(request).await.unwrap_or_else(|refusal| refusal)
    }
}

impl Way {
    /// # Errors
    ///
    /// The answer to a request that does not get through.
    async fn go(&self, request: Request) -> Result<Response, Response> {
        let request = match &self.guard {
            Some(guard) => guard.admit(request).await?,
            None => request,
        };
        let may_declare = declared::may_stand_in_answer(request.headers());
        let request = body::arrived(request, self.limits).await?;
        let response = match &self.door {
            Some(door) => door.enter(request, &*self.inside).await,
            None => self.inside.answer(request).await,
        };
        Ok(if may_declare { declared::in_response(response) } else { response })
    }
}

impl Service<Request> for Endpoint {
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let endpoint = self.clone();
        async move { Ok(endpoint.answer(request).await) }.boxed()
    }
}
