//! An issuer of tokens: it signs them, and publishes its keys on a local port, changes them, and fails when told to.

use axum::{Router, extract::State, http::StatusCode, routing::get};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, get_current_timestamp, jwk::Jwk};
use serde_json::{Value, json};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

#[allow(dead_code, reason = "the issuer uses two of the keys")]
#[path = "../../pd-runtime/src/serve/http/oauth/jwt/tests/curve_keys.rs"]
mod curve_keys;

/// Whom its tokens are for.
pub(crate) const AUDIENCE: &str = "https://shop.example/mcp";

/// One issuer, which publishes what it did last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Issuer {
    pub(crate) url: String,
    published: Arc<Mutex<Option<Vec<Value>>>>,
    asked: Arc<AtomicUsize>,
}

impl Issuer {
    /// Publishes the key `first`.
    pub(crate) async fn open() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let issuer = Self {
            url: format!("http://{}", listener.local_addr().expect("an address")),
            ..Self::default()
        };
        issuer.publish(&["first"]);
        let metadata =
            json!({ "issuer": issuer.url, "jwks_uri": format!("{}/keys", issuer.url) }).to_string();
        let router = Router::new()
            .route(
                "/.well-known/openid-configuration",
                get(move || async move { metadata }),
            )
            .route("/keys", get(Self::keys))
            .with_state(issuer.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.expect("serving") });
        issuer
    }

    async fn keys(State(issuer): State<Self>) -> Result<String, StatusCode> {
        issuer.asked.fetch_add(1, Ordering::SeqCst);
        let published = issuer.published.lock().expect("no panic").clone();
        published
            .map(|keys| json!({ "keys": keys }).to_string())
            .ok_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Publishes keys of these names in place of all others.
    pub(crate) fn publish(&self, names: &[&str]) {
        let jwk = |name: &&str| {
            let mut jwk = json!(Jwk::from_encoding_key(&key(name).1, key(name).0).expect("a key"));
            jwk["kid"] = json!(name);
            jwk
        };
        *self.published.lock().expect("no panic") = Some(names.iter().map(jwk).collect());
    }

    /// Answers with 500 from now on.
    pub(crate) fn fail(&self) {
        *self.published.lock().expect("no panic") = None;
    }

    /// How often its keys were asked for.
    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// A token of this person with these scopes, signed with this key.
    pub(crate) fn token(&self, subject: &str, scope: &str, name: &str) -> String {
        let expires = get_current_timestamp() + 300;
        let claims = json!({ "iss": self.url, "aud": AUDIENCE, "sub": subject, "scope": scope, "exp": expires });
        let (algorithm, key) = key(name);
        encode(
            &Header {
                kid: Some(name.to_owned()),
                ..Header::new(algorithm)
            },
            &claims,
            &key,
        )
        .expect("a token")
    }
}

/// `first` is on Ed25519, any other on P-256.
fn key(name: &str) -> (Algorithm, EncodingKey) {
    match name {
        "first" => (
            Algorithm::EdDSA,
            EncodingKey::from_ed_der(&curve_keys::ed25519()),
        ),
        _ => (
            Algorithm::ES256,
            EncodingKey::from_ec_der(&curve_keys::p256()),
        ),
    }
}
