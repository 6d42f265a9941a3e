//! Pages of other origins: allowed ones may send requests and read every answer, all others get
//! nothing.

use super::{
    super::{Authenticate, AuthenticationError, Http, HttpOptions, ServeError, bearer, router},
    site::{TestSite, request, text},
};
use crate::{PdServer, Principal, Registry};
use axum::body::Body;
use futures::{
    FutureExt,
    future::{BoxFuture, ready},
};
use http::{HeaderMap, Method, Request, Response, StatusCode, request::Parts};
use serde_json::json;
use std::sync::Arc;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_util::sync::CancellationToken;
use tower_http::cors::CorsLayer;
use tower_service::Service;

const ORIGIN: &str = "https://app.example";
/// The headers that MCP clients send, in both eras.
const SENT: &str = "accept,authorization,content-type,last-event-id,mcp-method,mcp-name,mcp-param-region,\
                    mcp-protocol-version,mcp-session-id";

fn options() -> HttpOptions {
    HttpOptions {
        allowed_origins: vec![ORIGIN.to_owned()],
        ..HttpOptions::default()
    }
}

fn from(origin: &str, method: Method) -> http::request::Builder {
    let request = Request::builder()
        .method(method)
        .uri("/mcp")
        .header("host", "localhost")
        .header("origin", origin);
    request
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
}

fn preflight(origin: &str) -> http::request::Builder {
    let request = from(origin, Method::OPTIONS).header("access-control-request-method", "POST");
    request.header("access-control-request-headers", SENT)
}

fn initialize() -> Body {
    let client = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "page", "version": "0" },
    });
    Body::from(request(json!(0), "initialize", client).to_string())
}

/// The values of one header, joined.
fn list(headers: &HeaderMap, name: &str) -> String {
    let values: Vec<_> = headers
        .get_all(name)
        .iter()
        .map(|value| value.to_str().unwrap())
        .collect();
    values.join(", ").to_ascii_lowercase()
}

/// Returns whether a page may read the response.
fn is_readable(response: &Response<Body>, origin: &str) -> bool {
    let headers = response.headers();
    headers
        .get_all("access-control-allow-origin")
        .iter()
        .eq([origin])
        && list(headers, "vary").contains("origin")
}

#[tokio::test]
async fn a_preflight_request_of_an_allowed_origin_is_answered() {
    let site = TestSite::open(options());
    for origin in [
        ORIGIN,
        "http://localhost:5173",
        "http://127.0.0.1:80",
        "http://[::1]:3000",
    ] {
        let response = site
            .send(preflight(origin).body(Body::empty()).unwrap())
            .await;
        assert!(
            response.status().is_success() && is_readable(&response, origin),
            "{origin}: {response:?}"
        );
        let headers = response.headers();
        for method in ["get", "post", "delete"] {
            assert!(
                list(headers, "access-control-allow-methods").contains(method),
                "{headers:?}"
            );
        }
        let allowed = list(headers, "access-control-allow-headers");
        assert!(
            SENT.split(',')
                .all(|sent| allowed.split(',').any(|one| one.trim() == sent)),
            "{allowed}"
        );
        assert!(
            list(headers, "access-control-max-age")
                .parse::<u32>()
                .unwrap()
                > 0
        );
        assert!(!headers.contains_key("access-control-allow-credentials"));
    }
}

#[tokio::test]
async fn a_page_of_an_allowed_origin_reads_answers_and_the_headers_of_mcp() {
    let site = TestSite::open(options());
    let response = site
        .send(from(ORIGIN, Method::POST).body(initialize()).unwrap())
        .await;
    assert_eq!(response.status(), 200);
    assert!(is_readable(&response, ORIGIN), "{response:?}");
    let exposed = list(response.headers(), "access-control-expose-headers");
    for name in [
        "mcp-session-id",
        "mcp-protocol-version",
        "www-authenticate",
        "retry-after",
    ] {
        assert!(exposed.contains(name), "{exposed}");
    }
    let session = response.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let stream = from(ORIGIN, Method::GET)
        .header("mcp-session-id", session)
        .body(Body::empty())
        .unwrap();
    let stream = site.send(stream).await;
    assert_eq!(
        (stream.status(), is_readable(&stream, ORIGIN)),
        (StatusCode::OK, true)
    );
    assert_eq!(
        list(stream.headers(), "cache-control"),
        "no-store",
        "Chromium repeats `DELETE` otherwise"
    );
}

#[tokio::test]
async fn an_origin_that_is_not_allowed_is_refused_without_cors() {
    let site = TestSite::open(options());
    for origin in [
        "https://evil.example",
        "http://app.example",
        "https://app.example:8443",
        "null",
        "nonsense",
    ] {
        let post = from(origin, Method::POST).body(initialize()).unwrap();
        for request in [preflight(origin).body(Body::empty()).unwrap(), post] {
            let method = request.method().clone();
            let response = site.send(request).await;
            assert_eq!(response.status(), 403, "{method} {origin}");
            let is_cors = |name: &http::HeaderName| name.as_str().starts_with("access-control-");
            assert!(!response.headers().keys().any(is_cors), "{response:?}");
            let body = text(response).await;
            assert!(body.contains(&format!("--allow-origin {origin}")), "{body}");
        }
    }
    assert_eq!(site.sessions.counts(), (0, 0), "no session was opened");
}

#[tokio::test]
async fn a_host_that_is_not_allowed_is_refused_whatever_the_origin() {
    let site = TestSite::open(options());
    for request in [
        preflight(ORIGIN),
        from(ORIGIN, Method::POST),
        Request::post("/mcp"),
    ] {
        let mut request = request.body(initialize()).unwrap();
        request
            .headers_mut()
            .insert("host", "rebound.example:8000".parse().unwrap());
        let response = site.send(request).await;
        assert_eq!(response.status(), 403);
        assert!(
            !response
                .headers()
                .contains_key("access-control-allow-origin")
        );
        let body = text(response).await;
        assert!(
            body.contains("`rebound.example`") && body.contains("--allow-host rebound.example`"),
            "{body}"
        );
    }
    let missing = Request::post("/mcp").body(Body::empty()).unwrap();
    assert_eq!(site.send(missing).await.status(), 400);
    let long = format!("{}.example", "a".repeat(9_000));
    let long = Request::post("/mcp")
        .header("host", long)
        .body(Body::empty())
        .unwrap();
    let body = text(site.send(long).await).await;
    assert!(body.len() < 1_500, "{} bytes", body.len());
}

/// An authenticator that knows one token.
struct Key;

impl Authenticate for Key {
    fn authenticate<'a>(
        &'a self,
        request: &'a Parts,
    ) -> BoxFuture<'a, Result<Principal, AuthenticationError>> {
        let known = bearer(request).and_then(|token| match token {
            "good" => Ok(Principal::new("alice")),
            "poor" => Err(AuthenticationError::insufficient_scope("ask for more")),
            _ => Err(AuthenticationError::invalid_token("log in again")),
        });
        ready(known).boxed()
    }
}

#[tokio::test]
async fn errors_are_readable_and_a_preflight_request_needs_no_token() {
    let limited = HttpOptions {
        max_request_bytes: 1_000,
        initialize_rate: Some(crate::config::Rate::per_minute(1).burst(1)),
        authenticate: Some(Arc::new(Key)),
        ..options()
    };
    let site = TestSite::open(limited);
    let send = async |token: &str, body: Body, session: &str| {
        let request = from(ORIGIN, Method::POST).header("authorization", format!("Bearer {token}"));
        let request = if session.is_empty() {
            request
        } else {
            request.header("mcp-session-id", session)
        };
        let response = site.send(request.body(body).unwrap()).await;
        assert!(is_readable(&response, ORIGIN), "{response:?}");
        response
    };
    let preflight = site
        .send(preflight(ORIGIN).body(Body::empty()).unwrap())
        .await;
    assert!(preflight.status().is_success());
    let unknown = send("bad", initialize(), "").await;
    assert_eq!(unknown.status(), 401);
    assert!(list(unknown.headers(), "access-control-expose-headers").contains("www-authenticate"));
    assert_eq!(send("poor", initialize(), "").await.status(), 403);
    assert_eq!(
        send("good", Body::from("x".repeat(2_000)), "")
            .await
            .status(),
        413
    );
    let ping = Body::from(request(json!(1), "ping", json!({})).to_string());
    assert_eq!(send("good", ping, "no-such-session").await.status(), 404);
    assert_eq!(send("good", initialize(), "").await.status(), 200);
    assert_eq!(send("good", initialize(), "").await.status(), 429);
}

fn server() -> PdServer<()> {
    PdServer::builder(Registry::builder().build().unwrap(), ())
        .build()
        .unwrap()
}

#[tokio::test]
async fn an_application_with_cors_of_its_own_sends_each_header_once() {
    let cors = CorsLayer::new()
        .allow_origin([ORIGIN.parse().unwrap()])
        .expose_headers([crate::protocol::headers::SESSION_ID]);
    let mut app = router(&server(), &options(), CancellationToken::new())
        .unwrap()
        .layer(cors);
    let Ok(response) = app
        .call(from(ORIGIN, Method::POST).body(initialize()).unwrap())
        .await;
    assert_eq!(response.status(), 200);
    assert!(is_readable(&response, ORIGIN), "{response:?}");
    assert_eq!(
        response
            .headers()
            .get_all("access-control-expose-headers")
            .iter()
            .count(),
        1
    );
}

#[tokio::test]
async fn hosts_and_origins_that_match_nothing_do_not_start_a_server() {
    let start = async |options: HttpOptions| {
        let http = Http::bind("127.0.0.1:0").await.unwrap();
        let serving = tokio::time::timeout(
            std::time::Duration::from_secs(5),
            http.serve(&server(), options),
        )
        .await;
        serving.expect("it does not serve").unwrap_err()
    };
    for host in ["*", "https://mcp.example.com", ""] {
        let error = start(HttpOptions {
            allowed_hosts: vec![host.to_owned()],
            ..HttpOptions::default()
        })
        .await;
        assert!(
            matches!(&error, ServeError::InvalidHost(text) if text == host),
            "{error}"
        );
    }
    for origin in ["*", "app.example", "https://app.example/app"] {
        let error = start(HttpOptions {
            allowed_origins: vec![origin.to_owned()],
            ..HttpOptions::default()
        })
        .await;
        assert!(
            matches!(&error, ServeError::InvalidOrigin(text) if text == origin),
            "{error}"
        );
    }
}

/// The whole answer of the server at this address to a request of one line, with a host that is not
/// allowed.
async fn ask(address: std::net::SocketAddr, line: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request =
        format!("{line} HTTP/1.1\r\nhost: probe.example\r\n{headers}connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn health_answers_anybody_and_other_paths_name_the_endpoint() {
    let http = Http::bind("127.0.0.1:0").await.unwrap();
    let address = http.address();
    let guarded = HttpOptions {
        authenticate: Some(Arc::new(Key)),
        ..options()
    };
    tokio::spawn(async move { http.serve(&server(), guarded).await });
    let get = ask(address, "GET /health", "").await;
    assert!(
        get.starts_with("HTTP/1.1 200") && get.ends_with("\r\n\r\n{\"status\":\"ok\"}"),
        "{get}"
    );
    let head = ask(address, "HEAD /health", "").await;
    assert!(
        head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"),
        "{head}"
    );
    assert!(
        ask(address, "POST /health", "content-length: 0\r\n")
            .await
            .starts_with("HTTP/1.1 405")
    );
    let page = format!("origin: {ORIGIN}\r\n");
    let allowed = "access-control-allow-origin: https://app.example\r\n";
    assert!(ask(address, "GET /health", &page).await.contains(allowed));
    let lost = ask(address, "GET /sse", &page).await;
    assert!(
        lost.starts_with("HTTP/1.1 404") && lost.contains("MCP at /mcp") && lost.contains(allowed),
        "{lost}"
    );
    let stranger = ask(address, "GET /sse", "origin: https://evil.example\r\n").await;
    assert!(
        !stranger.contains("access-control-allow-origin"),
        "{stranger}"
    );
    let endpoint = ask(address, "GET /mcp", "").await;
    assert!(
        endpoint.starts_with("HTTP/1.1 403"),
        "the endpoint still checks hosts: {endpoint}"
    );
}

#[tokio::test]
async fn a_server_on_all_addresses_names_one_that_answers() {
    let http = Http::bind("0.0.0.0:0").await.unwrap();
    assert_eq!(
        http.url(),
        format!("http://127.0.0.1:{}/mcp", http.address().port())
    );
}

#[tokio::test]
async fn the_address_that_is_bound_may_be_named() {
    // A loopback address that nothing else allows; systems other than Linux have no such address.
    let Ok(http) = Http::bind("127.0.0.2:0").await else {
        return;
    };
    let address = http.address();
    tokio::spawn(async move { http.serve(&server(), HttpOptions::default()).await });
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET /mcp HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(!answer.starts_with("HTTP/1.1 403"), "{answer}");
}
