//! An authorization server and the MCP server behind it, in one process, that misbehaves as a test asks.

use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode, Uri, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};
use tokio::{net::TcpListener, time::sleep};

type Fields = HashMap<String, String>;

/// What the server knows, what it was asked, and how it misbehaves.
#[derive(Default)]
pub(super) struct Provider {
    origin: String,
    issued: usize,
    access: HashSet<String>,
    refresh: HashSet<String>,
    challenges: HashMap<String, String>,
    /// The fields of each request for tokens.
    pub(super) grants: Vec<Fields>,
    /// The header `Authorization` of each request for MCP.
    pub(super) authorizations: Vec<Option<String>>,
    pub(super) calls: usize,
    pub(super) discoveries: usize,
    /// `expires_in` of access tokens.
    pub(super) life: Option<u64>,
    /// `iss` of redirects, unless it is the right one.
    pub(super) wrong_issuer: Option<&'static str>,
    /// `error` of redirects.
    pub(super) denied: Option<&'static str>,
    /// A scope that calls need and no token has.
    pub(super) missing_scope: Option<&'static str>,
    /// The status of the tokens' endpoint.
    pub(super) outage: Option<StatusCode>,
    /// The authorization server that the metadata names, unless it is the right one.
    pub(super) elsewhere: Option<String>,
    pub(super) registrations: usize,
    /// Whether the handshake needs no token.
    pub(super) has_open_handshake: bool,
}

/// A server that ends with the test.
#[derive(Clone)]
pub(super) struct OAuthUpstream(Arc<Mutex<Provider>>);

impl OAuthUpstream {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let upstream = Self(Arc::new(Mutex::new(Provider {
            origin,
            life: Some(3600),
            ..Provider::default()
        })));
        let router = Router::new()
            .route(
                "/.well-known/oauth-protected-resource/mcp",
                get(resource_metadata),
            )
            .route(
                "/.well-known/oauth-authorization-server",
                get(server_metadata),
            )
            .route("/register", post(register))
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .route("/revoke", post(revoke))
            .route("/mcp", post(mcp))
            .with_state(upstream.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        upstream
    }

    pub(super) fn provider(&self) -> MutexGuard<'_, Provider> {
        self.0.lock().unwrap()
    }

    pub(super) fn url(&self) -> String {
        format!("{}/mcp", self.provider().origin)
    }

    /// Makes all access tokens invalid, as if they had expired early.
    pub(super) fn expire(&self) {
        self.provider().access.clear();
    }

    /// Makes all refresh tokens invalid, too.
    pub(super) fn revoke(&self) {
        self.expire();
        self.provider().refresh.clear();
    }

    pub(super) fn count(&self, grant: &str) -> usize {
        self.provider()
            .grants
            .iter()
            .filter(|fields| fields["grant_type"] == grant)
            .count()
    }
}

impl Provider {
    fn issue(&mut self) -> Value {
        self.issued += 1;
        let (access, refresh) = (
            format!("access-{}", self.issued),
            format!("refresh-{}", self.issued),
        );
        self.access.insert(access.clone());
        self.refresh.insert(refresh.clone());
        let mut issued =
            json!({ "access_token": access, "token_type": "Bearer", "refresh_token": refresh });
        if let Some(life) = self.life {
            issued["expires_in"] = life.into();
        }
        issued
    }
}

fn fields(text: &str) -> Fields {
    url::form_urlencoded::parse(text.as_bytes())
        .into_owned()
        .collect()
}

fn reply(status: StatusCode, body: &Value) -> Response {
    (
        status,
        [(header::CONTENT_TYPE, "application/json")],
        body.to_string(),
    )
        .into_response()
}

async fn resource_metadata(State(upstream): State<OAuthUpstream>) -> Response {
    let mut provider = upstream.provider();
    provider.discoveries += 1;
    let issuer = provider.elsewhere.as_ref().unwrap_or(&provider.origin);
    let body = json!({
        "resource": format!("{}/mcp", provider.origin),
        "authorization_servers": [issuer],
        "scopes_supported": ["notes"],
    });
    reply(StatusCode::OK, &body)
}

async fn server_metadata(State(upstream): State<OAuthUpstream>) -> Response {
    let origin = upstream.provider().origin.clone();
    let body = json!({
        "issuer": origin,
        "authorization_endpoint": format!("{origin}/authorize"),
        "token_endpoint": format!("{origin}/token"),
        "revocation_endpoint": format!("{origin}/revoke"),
        "registration_endpoint": format!("{origin}/register"),
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
    });
    reply(StatusCode::OK, &body)
}

async fn register(State(upstream): State<OAuthUpstream>, body: String) -> Response {
    let mut client: Value = serde_json::from_str(&body).unwrap();
    upstream.provider().registrations += 1;
    client["client_id"] = "registered".into();
    reply(StatusCode::CREATED, &client)
}

async fn authorize(State(upstream): State<OAuthUpstream>, uri: Uri) -> Response {
    let fields = fields(uri.query().unwrap());
    let mut provider = upstream.provider();
    assert_eq!(fields["code_challenge_method"], "S256");
    assert_eq!(fields["resource"], format!("{}/mcp", provider.origin));
    provider.issued += 1;
    let code = format!("code-{}", provider.issued);
    provider
        .challenges
        .insert(code.clone(), fields["code_challenge"].clone());
    let issuer = provider
        .wrong_issuer
        .map_or_else(|| provider.origin.clone(), str::to_owned);
    let outcome = match provider.denied {
        Some(error) => format!("error={error}"),
        None => format!("code={code}&iss={issuer}"),
    };
    let location = format!(
        "{}?{outcome}&state={}",
        fields["redirect_uri"], fields["state"]
    );
    (StatusCode::FOUND, [(header::LOCATION, location)]).into_response()
}

async fn token(State(upstream): State<OAuthUpstream>, body: String) -> Response {
    let fields = fields(&body);
    // Long enough for other requests to come in meanwhile.
    sleep(Duration::from_millis(50)).await;
    let mut provider = upstream.provider();
    provider.grants.push(fields.clone());
    if let Some(outage) = provider.outage {
        return outage.into_response();
    }
    assert_eq!(fields["resource"], format!("{}/mcp", provider.origin));
    let is_granted = match fields["grant_type"].as_str() {
        "authorization_code" => {
            provider
                .challenges
                .remove(&fields["code"])
                .is_some_and(|challenge| {
                    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&fields["code_verifier"]))
                        == challenge
                })
        }
        // Each refresh token is good for one renewal.
        "refresh_token" => provider.refresh.remove(&fields["refresh_token"]),
        "client_credentials" => {
            fields["client_id"] == "robot" && fields["client_secret"] == "robot-secret"
        }
        other => panic!("{other}"),
    };
    if !is_granted {
        return reply(
            StatusCode::BAD_REQUEST,
            &json!({ "error": "invalid_grant" }),
        );
    }
    let mut issued = provider.issue();
    if fields["grant_type"] == "client_credentials" {
        issued.as_object_mut().unwrap().remove("refresh_token");
    }
    reply(StatusCode::OK, &issued)
}

async fn revoke(State(upstream): State<OAuthUpstream>, body: String) -> Response {
    let is_known = upstream.provider().refresh.remove(&fields(&body)["token"]);
    assert!(is_known, "{body}");
    StatusCode::OK.into_response()
}

async fn mcp(State(upstream): State<OAuthUpstream>, headers: HeaderMap, body: String) -> Response {
    let message: Value = serde_json::from_str(&body).unwrap();
    let mut provider = upstream.provider();
    let header = headers
        .get(header::AUTHORIZATION)
        .map(|value| value.to_str().unwrap().to_owned());
    provider.authorizations.push(header.clone());
    let token = header
        .as_deref()
        .and_then(|header| header.strip_prefix("Bearer "))
        .unwrap_or_default();
    let method = message["method"].as_str().unwrap();
    let is_open = provider.has_open_handshake && !method.starts_with("tools/");
    if !is_open && !provider.access.contains(token) {
        let metadata = format!(
            "{}/.well-known/oauth-protected-resource/mcp",
            provider.origin
        );
        let challenge = format!("Bearer error=\"invalid_token\", resource_metadata=\"{metadata}\"");
        return (
            StatusCode::UNAUTHORIZED,
            [(header::WWW_AUTHENTICATE, challenge)],
        )
            .into_response();
    }
    let result = match method {
        "initialize" => {
            let info = json!({ "name": "notes", "version": "1" });
            json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} }, "serverInfo": info })
        }
        "tools/list" => {
            let annotations = json!({ "readOnlyHint": false });
            let schema = json!({ "type": "object" });
            json!({ "tools": [{ "name": "whoami", "description": "Return the token", "inputSchema": schema, "annotations": annotations }] })
        }
        "tools/call" => {
            if let Some(scope) = provider.missing_scope {
                let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
                return (
                    StatusCode::FORBIDDEN,
                    [(header::WWW_AUTHENTICATE, challenge)],
                )
                    .into_response();
            }
            provider.calls += 1;
            json!({ "content": [{ "type": "text", "text": token }] })
        }
        method if message.get("id").is_none() => {
            assert!(method.starts_with("notifications/"), "{method}");
            return StatusCode::ACCEPTED.into_response();
        }
        _ => {
            let error = json!({ "code": -32601, "message": "no such method" });
            return reply(
                StatusCode::OK,
                &json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }),
            );
        }
    };
    reply(
        StatusCode::OK,
        &json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }),
    )
}
