//! A proxy that sends each request to the next replica, whichever session it belongs to.

use crate::deployment::listen;
use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    response::Response,
};
use std::sync::{
    Arc, RwLock,
    atomic::{AtomicUsize, Ordering},
};
use tokio::task::JoinHandle;

/// A proxy that ends when it is dropped.
pub(crate) struct Proxy {
    pub(crate) url: String,
    backends: Arc<Backends>,
    serving: JoinHandle<()>,
}

struct Backends {
    urls: RwLock<Vec<String>>,
    next: AtomicUsize,
    http: reqwest::Client,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Proxy {
    pub(crate) async fn open(urls: Vec<String>) -> Self {
        let backends = Arc::new(Backends {
            urls: RwLock::new(urls),
            next: AtomicUsize::new(0),
            http: reqwest::Client::new(),
        });
        let router = Router::new().fallback(pass).with_state(backends.clone());
        let (url, listener) = listen().await;
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            url,
            backends,
            serving,
        }
    }

    /// Sends to another replica in the place of this one.
    pub(crate) fn replace(&self, place: usize, url: String) {
        self.backends.urls.write().unwrap()[place] = url;
    }
}

async fn pass(State(backends): State<Arc<Backends>>, request: Request) -> Response {
    let turn = backends.next.fetch_add(1, Ordering::SeqCst);
    let url = {
        let urls = backends.urls.read().unwrap();
        urls[turn % urls.len()].clone()
    };
    let (mut parts, body) = request.into_parts();
    parts.headers.remove("host");
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let passed = backends
        .http
        .request(parts.method, url)
        .headers(parts.headers)
        .body(body)
        .send()
        .await;
    let answer: http::Response<reqwest::Body> = passed.expect("replicas answer").into();
    answer.map(Body::new)
}
