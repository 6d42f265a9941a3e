//! An endpoint with one tool that waits, and its callers.

use super::super::{HttpOptions, McpEndpoint, PATH, assemble};
use crate::{
    GateMode, IntoOutput, Listing, PdServer, Principal, Registry, Tool,
    http_sessions::{HttpSessions, ReplicaStore, SessionIds},
};
use axum::body::{Body, BodyDataStream};
use futures::{FutureExt, StreamExt};
use http::{Method, Request, Response, StatusCode};
use rmcp::transport::streamable_http_server::session::SessionStore;
use serde_json::{Value, json};
use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

/// Releases calls.
pub(super) struct TestAuthenticator {
    pub(super) open: Semaphore,
    pub(super) running: AtomicUsize,
    /// The calls that were cancelled because their client had gone.
    pub(super) cancelled: AtomicUsize,
}

/// An endpoint whose sessions can be counted.
pub(super) struct TestSite {
    pub(super) sessions: HttpSessions,
    pub(super) server: PdServer<TestAuthenticator>,
    endpoint: McpEndpoint,
}

impl TestSite {
    pub(super) fn open(options: HttpOptions) -> Self {
        Self::with_store(options, None)
    }

    pub(super) fn with_store(options: HttpOptions, store: Option<Arc<dyn SessionStore>>) -> Self {
        Self::made(
            options,
            store,
            SessionIds::default(),
            CancellationToken::new(),
        )
    }

    /// The same site with ids that other replicas recognize.
    pub(super) fn with_store_and_key(options: HttpOptions, store: Arc<dyn SessionStore>) -> Self {
        Self::made(
            options,
            Some(store),
            SessionIds::sealed([&[7; 32]]),
            CancellationToken::new(),
        )
    }

    /// A site whose streams end with this token.
    pub(super) fn closed_by(stop: CancellationToken) -> Self {
        Self::made(HttpOptions::default(), None, SessionIds::default(), stop)
    }

    fn made(
        options: HttpOptions,
        store: Option<Arc<dyn SessionStore>>,
        ids: SessionIds,
        stop: CancellationToken,
    ) -> Self {
        let state = TestAuthenticator {
            open: Semaphore::new(0),
            running: AtomicUsize::new(0),
            cancelled: AtomicUsize::new(0),
        };
        let registry = Registry::builder().tool(wait()).build().unwrap();
        let server = PdServer::builder(registry, state)
            .gate(GateMode::Off)
            .listing(Listing::Full)
            .build()
            .unwrap();
        let mut config = options.config(stop);
        let replicas = store.map(|store| ReplicaStore::new(store, ids.clone()));
        let sessions = HttpSessions::new(options.caps())
            .with_ids(ids)
            .with_replicas(replicas.clone());
        config.session_store = replicas
            .clone()
            .map(|replicas| replicas as Arc<dyn SessionStore>);
        let endpoint = assemble(
            server.host(),
            &options,
            PATH,
            config,
            sessions.clone(),
            replicas,
        )
        .endpoint;
        Self {
            sessions,
            server,
            endpoint,
        }
    }

    pub(super) async fn send(&self, request: Request<Body>) -> Response<Body> {
        self.endpoint.answer(request).await.map(Body::new)
    }

    /// A caller without a session.
    pub(super) fn stranger(&self, subject: Option<&str>) -> TestCaller<'_> {
        TestCaller {
            site: self,
            subject: subject.map(str::to_owned),
            session: None,
            version: "2025-11-25",
        }
    }

    /// Opens a session and returns the outcome.
    pub(super) async fn initialize(
        &self,
        subject: Option<&str>,
    ) -> Result<TestCaller<'_>, Response<Body>> {
        let mut caller = self.stranger(subject);
        let client = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "c", "version": "0" },
        });
        let response = caller.post(&request(json!(0), "initialize", client)).await;
        let Some(id) = response.headers().get("mcp-session-id") else {
            return Err(response);
        };
        caller.session = Some(id.to_str().unwrap().to_owned());
        assert!(answer(response).await["result"].is_object());
        assert_eq!(
            caller.say("notifications/initialized", json!({})).await,
            202
        );
        Ok(caller)
    }

    /// Opens a session that must be admitted.
    pub(super) async fn session(&self, subject: Option<&str>) -> TestCaller<'_> {
        self.initialize(subject)
            .await
            .unwrap_or_else(|refused| panic!("{}", refused.status()))
    }

    /// Waits until this many calls run.
    pub(super) async fn running(&self, calls: usize) {
        until(|| self.server.state().running.load(SeqCst) == calls).await;
    }

    /// Releases this many calls.
    pub(super) fn release(&self, calls: usize) {
        self.server.state().open.add_permits(calls);
    }
}

/// Waits for a condition for at most five seconds.
pub(super) async fn until(came_about: impl Fn() -> bool) {
    let waiting = async {
        while !came_about() {
            sleep(Duration::from_millis(2)).await;
        }
    };
    timeout(Duration::from_secs(5), waiting)
        .await
        .expect("it does not come about");
}

/// A tool that waits until it is released, even if its caller leaves.
pub(super) fn wait() -> Tool<TestAuthenticator> {
    Tool::new("wait", "Wait", |state: &TestAuthenticator, context, _| {
        async {
            state.running.fetch_add(1, SeqCst);
            context.progress(0.0, None, "waiting").await;
            let mut released = pin!(state.open.acquire());
            let asked = tokio::select! {
                released = released.as_mut() => Some(released),
                () = context.cancellation().cancelled() => None,
            };
            if asked.is_none() {
                state.cancelled.fetch_add(1, SeqCst);
            }
            let released = match asked {
                Some(released) => released,
                None => released.await,
            };
            let released = released.map(SemaphorePermit::forget).is_ok();
            state.running.fetch_sub(1, SeqCst);
            released.to_string().into_output()
        }
        .boxed()
    })
}

/// A caller that names a session.
#[derive(Clone)]
pub(super) struct TestCaller<'a> {
    site: &'a TestSite,
    subject: Option<String>,
    pub(super) session: Option<String>,
    /// The protocol version that requests name.
    version: &'static str,
}

impl TestCaller<'_> {
    /// The same session, named by another caller.
    pub(super) fn stolen_by(&self, subject: Option<&str>) -> Self {
        Self {
            subject: subject.map(str::to_owned),
            ..self.clone()
        }
    }

    /// The same caller, naming another session.
    pub(super) fn naming(&self, session: &str) -> Self {
        Self {
            session: Some(session.to_owned()),
            ..self.clone()
        }
    }

    /// The same caller and session at another replica.
    pub(super) fn at<'a>(&self, site: &'a TestSite) -> TestCaller<'a> {
        TestCaller {
            site,
            subject: self.subject.clone(),
            session: self.session.clone(),
            version: self.version,
        }
    }

    /// The same caller, naming another protocol version.
    pub(super) fn in_version(&self, version: &'static str) -> Self {
        Self {
            version,
            ..self.clone()
        }
    }

    pub(super) fn request(&self, method: Method, body: Body) -> Request<Body> {
        let mut request = Request::builder()
            .method(method)
            .uri("/mcp")
            .header("host", "localhost")
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json");
        if let Some(session) = &self.session {
            request = request
                .header("mcp-session-id", session)
                .header("mcp-protocol-version", self.version);
        }
        let mut request = request.body(body).unwrap();
        if let Some(subject) = &self.subject {
            request
                .extensions_mut()
                .insert(Principal::new(subject.as_str()));
        }
        request
    }

    pub(super) async fn post(&self, message: &Value) -> Response<Body> {
        self.site
            .send(self.request(Method::POST, Body::from(message.to_string())))
            .await
    }

    /// Sends a notification and returns the status.
    pub(super) async fn say(&self, method: &str, params: Value) -> StatusCode {
        self.post(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
            .await
            .status()
    }

    /// The answer to a ping with this id.
    pub(super) async fn ping(&self, id: Value) -> Value {
        answer(self.post(&request(id, "ping", json!({}))).await).await
    }

    /// Returns whether the session answers.
    pub(super) async fn lives(&self) -> bool {
        let response = self.post(&request(json!("alive"), "ping", json!({}))).await;
        response.status().is_success() && answer(response).await["result"].is_object()
    }

    /// Begins a call that waits.
    pub(super) async fn call(&self, id: Value) -> Response<Body> {
        self.post(&request(
            id,
            "tools/call",
            json!({ "name": "wait", "arguments": {} }),
        ))
        .await
    }

    pub(super) async fn get(&self) -> Response<Body> {
        self.site
            .send(self.request(Method::GET, Body::empty()))
            .await
    }

    pub(super) async fn resume(&self, event: &str) -> Response<Body> {
        let mut request = self.request(Method::GET, Body::empty());
        request
            .headers_mut()
            .insert("last-event-id", event.parse().unwrap());
        self.site.send(request).await
    }

    pub(super) async fn delete(&self) -> Response<Body> {
        self.site
            .send(self.request(Method::DELETE, Body::empty()))
            .await
    }
}

pub(super) fn request(id: Value, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// The JSON-RPC answer in a response.
pub(super) async fn answer(response: Response<Body>) -> Value {
    let text = text(response).await;
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let mut messages = std::iter::once(&*text)
        .chain(data)
        .filter_map(|text| serde_json::from_str::<Value>(text).ok());
    messages
        .find(|message| message.get("id").is_some())
        .unwrap_or_else(|| panic!("no answer in {text:?}"))
}

/// A whole response, which must end within five seconds.
pub(super) async fn text(response: Response<Body>) -> String {
    let all = timeout(
        Duration::from_secs(5),
        axum::body::to_bytes(response.into_body(), usize::MAX),
    )
    .await;
    String::from_utf8(all.expect("the response does not end").unwrap().to_vec()).unwrap()
}

/// Returns whether a stream ends soon.
pub(super) async fn ends(mut stream: BodyDataStream) -> bool {
    let ending = async { while stream.next().await.is_some() {} };
    timeout(Duration::from_millis(500), ending).await.is_ok()
}
