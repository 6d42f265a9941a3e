//! Two replicas of one server that share a key and a Redis server, and the proxy before them.

use crate::{caller::Caller, proxy::Proxy, redis::Redis};
use axum::{extract::Request, middleware::Next, response::Response, serve::ListenerExt};
use futures::FutureExt;
use pd_runtime::{
    IntoOutput, Limits, Listing, PdServer, Principal, Registry, Tool,
    redis::SessionStore,
    serve::{HttpOptions, router},
    store::DisclosureStore,
};
use rmcp::transport::streamable_http_server::session::SessionStore as RmcpSessionStore;
use serde_json::json;
use std::{net::SocketAddr, sync::Arc};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// How many tools there are: `tool-0` and so on.
pub(crate) const TOOLS: usize = 12;
const KEY: [u8; 32] = [42; 32];

/// One server.
pub(crate) struct Replica {
    pub(crate) url: String,
    pub(crate) shared: PdServer<()>,
    stop: CancellationToken,
    serving: JoinHandle<()>,
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.stop.cancel();
        self.serving.abort();
    }
}

/// Two servers behind a proxy.
pub(crate) struct Deployment {
    pub(crate) redis: Redis,
    pub(crate) replicas: Vec<Replica>,
    pub(crate) proxy: Proxy,
}

/// The tools; a new edition of them has other descriptions.
pub(crate) fn registry(edition: usize) -> Registry<()> {
    let tool = |number: usize| {
        Tool::new(
            format!("tool-{number}"),
            format!("Do thing {number}"),
            move |_: &(), _, _| async move { format!("did {number}").into_output() }.boxed(),
        )
        .description(format!(
            "Does thing number {number}, as edition {edition} does it."
        ))
        .input_schema(json!({ "type": "object", "properties": {} }))
    };
    Registry::builder()
        .tools((0..TOOLS).map(tool))
        .build()
        .unwrap()
}

/// A free port of this machine. Answers go out part by part, as they are ready.
pub(crate) async fn listen() -> (String, impl axum::serve::Listener<Addr = SocketAddr>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    (
        url,
        listener.tap_io(|connection| connection.set_nodelay(true).unwrap()),
    )
}

/// `Bearer alice` is alice; without one, a caller is nobody.
async fn authenticate(mut request: Request, next: Next) -> Response {
    let bearer = request
        .headers()
        .get("authorization")
        .and_then(|value| value.to_str().ok());
    if let Some(name) = bearer.and_then(|value| value.strip_prefix("Bearer ")) {
        let principal = Principal::new(name);
        request.extensions_mut().insert(principal);
    }
    next.run(request).await
}

impl Replica {
    /// A server on stores of its own.
    pub(crate) async fn open_with(
        disclosures: Arc<dyn DisclosureStore>,
        sessions: Arc<dyn RmcpSessionStore>,
        listing: Listing,
    ) -> Self {
        Self::open_limited(
            disclosures,
            sessions,
            listing,
            Limits::default(),
            |options| options,
        )
        .await
    }

    /// The same, with limits and options of its own.
    pub(crate) async fn open_limited(
        disclosures: Arc<dyn DisclosureStore>,
        sessions: Arc<dyn RmcpSessionStore>,
        listing: Listing,
        limits: Limits,
        change: impl FnOnce(HttpOptions) -> HttpOptions,
    ) -> Self {
        let builder = PdServer::builder(registry(0), ())
            .listing(listing)
            .ticket_key(KEY)
            .limits(limits);
        let builder = builder.session_per_call(pd_runtime::config::SessionPerCall::Refuse);
        let shared = builder.disclosure_store(disclosures).build().unwrap();
        let options = change(HttpOptions::new().session_store(sessions));
        Self::serve(shared, &options).await
    }

    /// A server that authenticates its callers.
    pub(crate) async fn serve(shared: PdServer<()>, options: &HttpOptions) -> Self {
        let stop = CancellationToken::new();
        let app = router(&shared, options, stop.clone())
            .unwrap()
            .layer(axum::middleware::from_fn(authenticate));
        let (url, listener) = listen().await;
        let serving = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self {
            url,
            shared,
            stop,
            serving,
        }
    }

    async fn open(redis: &Redis, listing: Listing) -> Self {
        let store = Arc::new(
            SessionStore::connect(&redis.url())
                .unwrap()
                .with_prefix("shop:"),
        );
        Self::open_with(store.clone(), store, listing).await
    }
}

impl Deployment {
    pub(crate) async fn open() -> Self {
        Self::open_listing(Listing::Minimal).await
    }

    pub(crate) async fn open_listing(listing: Listing) -> Self {
        let redis = Redis::start().await;
        let replicas = vec![
            Replica::open(&redis, listing).await,
            Replica::open(&redis, listing).await,
        ];
        let proxy = Proxy::open(replicas.iter().map(|replica| replica.url.clone()).collect()).await;
        Self {
            redis,
            replicas,
            proxy,
        }
    }

    /// The addresses of both replicas.
    pub(crate) fn urls(&self) -> [&str; 2] {
        [&self.replicas[0].url, &self.replicas[1].url]
    }

    /// A replica ends, and a new one that remembers nothing takes its place.
    pub(crate) async fn restart(&mut self, place: usize, listing: Listing) {
        self.replicas[place] = Replica::open(&self.redis, listing).await;
        self.proxy.replace(place, self.replicas[place].url.clone());
    }

    /// Callers of both generations, at the proxy.
    pub(crate) async fn callers(&self) -> [Caller; 2] {
        [
            Caller::session(&self.proxy.url, None).await,
            Caller::inline(&self.proxy.url),
        ]
    }
}
