//! All that a server answers over HTTP: the endpoint, and what is beside it.

use super::{PATH, accept::App, content::Content, endpoint::Endpoint};
use axum::Router;
use http::{Request, Response};
use hyper::body::Incoming;

/// The endpoint and what is beside it. No router stands before the endpoint, which almost every request is for.
#[derive(Clone)]
pub(super) struct Site {
    pub(super) endpoint: Endpoint,
    pub(super) beside: Router,
}

impl Site {
    pub(super) fn into_router(self) -> Router {
        self.endpoint.at(PATH).merge(self.beside)
    }
}

impl App for Site {
    async fn answer(&self, request: Request<Incoming>) -> Response<Content> {
        if Endpoint::is_named(request.uri().path(), PATH) {
            self.endpoint.answer(request).await
        } else {
            self.beside.answer(request).await
        }
    }
}
