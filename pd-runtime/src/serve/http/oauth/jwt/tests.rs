//! The rules for tokens, tested with signed tokens and with texts that are not tokens.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod curve_keys;
mod keys;
mod refresh;
mod rsa_key;
mod rules;

use super::*;
use http::{StatusCode, header::AUTHORIZATION};
use jsonwebtoken::{EncodingKey, Header, encode, get_current_timestamp, jwk::Jwk};
use serde_json::json;
use std::sync::Arc;

const ISSUER: &str = "https://id.example";
const AUDIENCE: &str = "https://shop.example/mcp";
const SECRET: &[u8] = b"0123456789abcdef0123456789abcdef";

fn signing(algorithm: Algorithm) -> EncodingKey {
    match algorithm {
        Algorithm::ES256 => EncodingKey::from_ec_der(&curve_keys::p256()),
        Algorithm::ES384 => EncodingKey::from_ec_der(&curve_keys::p384()),
        Algorithm::EdDSA => EncodingKey::from_ed_der(&curve_keys::ed25519()),
        Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512 => EncodingKey::from_secret(SECRET),
        _ => EncodingKey::from_rsa_der(&rsa_key::pkcs1()),
    }
}

/// The public key as a set publishes it.
fn jwk(algorithm: Algorithm, id: &str) -> Value {
    let mut jwk = json!(Jwk::from_encoding_key(&signing(algorithm), algorithm).unwrap());
    jwk["kid"] = json!(id);
    jwk
}

fn set(keys: &[Value]) -> JwtKeys {
    JwtKeys::from_jwks(&json!({ "keys": keys }).to_string()).unwrap()
}

/// The claims of a valid token.
fn claims() -> Value {
    json!({ "iss": ISSUER, "aud": AUDIENCE, "sub": "alice", "exp": get_current_timestamp() + 300 })
}

fn header(algorithm: Algorithm, id: &str) -> Header {
    Header {
        kid: Some(id.to_owned()),
        ..Header::new(algorithm)
    }
}

fn signed(header: &Header, claims: &Value) -> String {
    encode(header, claims, &signing(header.alg)).unwrap()
}

/// A token with these claims, signed with the key `ed`.
fn token(claims: &Value) -> String {
    signed(&header(Algorithm::EdDSA, "ed"), claims)
}

/// An authenticator that trusts such tokens.
fn trusting() -> Jwt {
    Jwt::new(AUDIENCE, ISSUER, set(&[jwk(Algorithm::EdDSA, "ed")]))
}

fn sent(token: &str) -> Parts {
    http::Request::builder()
        .header(AUTHORIZATION, format!("Bearer {token}"))
        .body(())
        .unwrap()
        .into_parts()
        .0
}

async fn principal(jwt: &Jwt, token: &str) -> Principal {
    jwt.authenticate(&sent(token)).await.unwrap()
}

/// The status and the challenge with which a token is refused.
async fn refused(jwt: &Jwt, token: &str) -> (StatusCode, String) {
    let response = jwt.principal(token).await.unwrap_err().into_response();
    let challenge = response
        .headers()
        .get(http::header::WWW_AUTHENTICATE)
        .map(|value| value.to_str().unwrap().to_owned());
    (response.status(), challenge.unwrap_or_default())
}

/// Checks that a token is refused as invalid for this reason.
async fn invalid(jwt: &Jwt, token: &str, because: &str) {
    for _ in 0..2 {
        let (status, challenge) = refused(jwt, token).await;
        assert_eq!(status, 401, "{challenge}");
        assert!(
            challenge.starts_with("Bearer error=\"invalid_token\", error_description=\""),
            "{challenge}"
        );
        assert!(challenge.contains(because), "{because}: {challenge}");
    }
}
