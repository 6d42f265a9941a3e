//! The endpoint in an application that has routes, middleware and a CORS layer of its own, at a path of its choice.

use crate::harness::{names, post::Post, shop, told};
use futures::future::{BoxFuture, FutureExt, ready};
use http::request::Parts;
use pd_runtime::{
    Listing, PdServer, Principal,
    serve::{
        self, Authenticate, AuthenticationError, CancellationToken, HttpOptions, ProtectedResource,
        axum::{
            Router, extract::Request, http::StatusCode, middleware::Next, response::IntoResponse,
            response::Response, routing::get,
        },
        bearer,
    },
};
use serde_json::{Value, json};
use shop::Shop;
use std::{sync::Arc, time::Duration};
use tokio::{net::TcpListener, task::JoinHandle};
use tower::ServiceExt;

const PATH: &str = "/tools/mcp";

/// An application that serves an MCP server beside its own pages.
struct Application {
    url: String,
    shared: PdServer<Shop>,
    stop: CancellationToken,
    serving: JoinHandle<()>,
}

impl Application {
    async fn open(options: &HttpOptions) -> Self {
        Self::open_with(options, |app, mcp| app.merge(mcp)).await
    }

    async fn open_with(
        options: &HttpOptions,
        mount: impl FnOnce(Router, Router) -> Router,
    ) -> Self {
        let shared = shop::server().listing(Listing::Minimal).build().unwrap();
        let closed = CancellationToken::new();
        let mcp = serve::router_at(PATH, &shared, options, closed.clone()).unwrap();
        let app = Router::new()
            .route("/", get(|| async { "home" }))
            .route("/tools", get(|| async { "tools" }));
        let app = mount(app, mcp).layer(serve::axum::middleware::from_fn(cors));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (stop, server) = (CancellationToken::new(), shared.clone());
        let stopped = stop.clone();
        let serving = tokio::spawn(async move {
            let stopping = async move {
                stopped.cancelled().await;
                server.wait_idle(serve::SHUTDOWN_GRACE).await;
                closed.cancel();
            };
            serve::axum::serve(listener, app)
                .with_graceful_shutdown(stopping)
                .await
                .unwrap();
        });
        Self {
            url,
            shared,
            stop,
            serving,
        }
    }

    fn endpoint(&self) -> String {
        format!("{}{PATH}", self.url)
    }

    async fn get(&self, path: &str) -> reqwest::Response {
        reqwest::get(format!("{}{path}", self.url)).await.unwrap()
    }
}

/// The application's own CORS, for one origin. It answers preflight requests itself.
async fn cors(request: Request, next: Next) -> Response {
    let mut response = match request.method().as_str() {
        "OPTIONS" => StatusCode::NO_CONTENT.into_response(),
        _ => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.insert(
        "access-control-allow-origin",
        "https://app.example".parse().unwrap(),
    );
    headers.insert(
        "access-control-expose-headers",
        "mcp-session-id".parse().unwrap(),
    );
    response
}

async fn lists_and_calls(caller: &Post) {
    let listed = caller.result("tools/list", json!({})).await;
    assert!(names(&listed["tools"]).contains(&"greet"));
    let read = caller
        .result(
            "resources/read",
            json!({ "uri": "resource:///tool_descriptions?tools=greet" }),
        )
        .await;
    let described = told(&read)["greet"].take();
    let mut arguments = json!({ "name": "Ada" });
    if let Some(ticket) = crate::harness::client::ticket(&described) {
        arguments["disclosure_ticket"] = json!(ticket);
    }
    assert_eq!(
        caller.call("greet", arguments).await["content"][0]["text"],
        "Welcome, Ada!"
    );
}

#[tokio::test]
async fn an_application_serves_mcp_at_a_path_beside_its_pages_in_both_eras() {
    let mounts: [fn(Router, Router) -> Router; 2] = [
        |app, mcp| app.merge(mcp),
        // As in an application on another version of axum, for which a router is any service.
        |app, mcp| {
            app.route_service(
                PATH,
                ServiceExt::<Request>::map_request(mcp, |request: Request| request),
            )
        },
    ];
    for mount in mounts {
        let app = Application::open_with(&HttpOptions::default(), mount).await;
        lists_and_calls(&Post::inline(&app.endpoint()).bearer("ada")).await;
        lists_and_calls(&Post::session(&app.endpoint(), None).await).await;
        for (path, status, text) in [
            ("/", 200, "home"),
            ("/tools", 200, "tools"),
            ("/mcp", 404, ""),
        ] {
            let answered = app.get(path).await;
            assert_eq!(
                (
                    answered.status().as_u16(),
                    answered.text().await.unwrap().as_str()
                ),
                (status, text),
                "{path}"
            );
        }
    }
}

/// Sends a request as a browser would from a page at this origin.
async fn from_page(app: &Application, method: reqwest::Method, origin: &str) -> reqwest::Response {
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "page", "version": "0" } },
    });
    let request = reqwest::Client::new()
        .request(method, app.endpoint())
        .header("origin", origin)
        .json(&body);
    request
        .header("accept", "application/json, text/event-stream")
        .send()
        .await
        .unwrap()
}

#[tokio::test]
async fn the_applications_cors_layer_works_with_origins_that_the_endpoint_allows() {
    let closed = Application::open(&HttpOptions::default()).await;
    assert_eq!(
        from_page(&closed, reqwest::Method::POST, "https://app.example")
            .await
            .status(),
        403
    );
    let open =
        Application::open(&HttpOptions::new().allowed_origins(["https://app.example"])).await;
    for (method, status) in [
        (reqwest::Method::OPTIONS, 204),
        (reqwest::Method::POST, 200),
    ] {
        let answered = from_page(&open, method.clone(), "https://app.example").await;
        assert_eq!(answered.status(), status, "{method}");
        assert_eq!(
            answered.headers()["access-control-allow-origin"],
            "https://app.example",
            "{method}"
        );
        assert_eq!(
            answered.headers().contains_key("mcp-session-id"),
            status == 200,
            "{method}"
        );
    }
    assert_eq!(
        from_page(&open, reqwest::Method::POST, "https://evil.example")
            .await
            .status(),
        403
    );
}

struct Doorman;

impl Authenticate for Doorman {
    fn authenticate<'a>(
        &'a self,
        request: &'a Parts,
    ) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
        ready(bearer(request).map(Principal::new)).boxed()
    }
}

#[tokio::test]
async fn the_documents_of_a_protected_resource_are_at_the_applications_root() {
    let resource =
        ProtectedResource::new("https://app.example/tools/mcp", ["https://login.example"]);
    let options = HttpOptions::new()
        .authenticate(Arc::new(Doorman))
        .protected_resource(resource);
    let app = Application::open(&options).await;
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/tools/mcp",
    ] {
        let document: Value = app.get(path).await.json().await.unwrap();
        assert_eq!(
            document["resource"], "https://app.example/tools/mcp",
            "{path}"
        );
    }
    assert_eq!(
        app.get("/.well-known/oauth-protected-resource/mcp")
            .await
            .status(),
        404
    );
    let refused = reqwest::Client::new()
        .post(app.endpoint())
        .send()
        .await
        .unwrap();
    assert_eq!(refused.status(), 401);
    let challenge = refused.headers()["www-authenticate"]
        .to_str()
        .unwrap()
        .to_owned();
    let named = "https://app.example/.well-known/oauth-protected-resource/tools/mcp";
    assert!(challenge.contains(named), "{challenge}");
    lists_and_calls(&Post::inline(&app.endpoint()).bearer("ada")).await;
}

/// The application is told to stop while a call runs and a session's stream is open.
#[tokio::test]
async fn an_application_stops_when_calls_are_done_and_closes_streams() {
    let app = Application::open(&HttpOptions::default()).await;
    let session = Post::session(&app.endpoint(), None).await;
    let stream = reqwest::Client::new()
        .get(app.endpoint())
        .header("mcp-session-id", session.session_id());
    let stream = stream
        .header("accept", "text/event-stream")
        .send()
        .await
        .unwrap();
    assert_eq!(stream.status(), 200);
    let asked = session.clone();
    session.describe("queue").await;
    let call = tokio::spawn(async move { asked.call("queue", json!({})).await });
    app.shared.state().started.notified().await;
    app.stop.cancel();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!app.serving.is_finished(), "a call is under way");
    session
        .notify("notifications/cancelled", json!({ "requestId": 1 }))
        .await;
    app.shared.state().cancelled.notified().await;
    let ended = tokio::time::timeout(Duration::from_secs(20), app.serving).await;
    assert!(ended.is_ok(), "the stream was closed");
    drop((stream, call));
}

/// A router would panic at some of these.
#[test]
fn a_path_that_is_none_is_an_error() {
    let shared = shop::server().build().unwrap();
    let mounted = |path: &str| {
        serve::router_at(
            path,
            &shared,
            &HttpOptions::default(),
            CancellationToken::new(),
        )
    };
    for bad in [
        "",
        "/",
        "mcp",
        "/mcp/",
        "/a//b",
        "/{id}",
        "/{*rest}",
        "/{",
        "/:id",
        "/*",
        "/a b",
        "/ä",
        "http://x/mcp",
    ] {
        let error = mounted(bad).map(drop).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!(
                "`{bad}` is not the path of an endpoint; write it as `/mcp`"
            )),
            "{error}"
        );
    }
    for good in ["/mcp", "/tools/mcp", "/v1.2/~ada/m_c-p", "/@app"] {
        assert!(mounted(good).is_ok(), "{good}");
    }
}
