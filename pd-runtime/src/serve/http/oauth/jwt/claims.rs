//! What a token must say, checked once its signature holds, and what it says of its owner.

use super::{jwk::Key, token::Token};
use crate::serve::http::unauthorized::Unauthorized;
use jsonwebtoken::{Validation, decode, errors::ErrorKind};
use serde_json::{Map, Value};
use std::{collections::HashSet, time::Duration};

type Claims = Map<String, Value>;

/// The most that clocks may be apart.
const MOST_LEEWAY: Duration = Duration::from_secs(10 * 60);

/// What is expected of a token, whoever issued it.
#[derive(Debug)]
pub(super) struct Expected {
    resource: String,
    audiences: HashSet<String>,
    leeway: u64,
}

impl Expected {
    pub(super) fn new(resource: String) -> Self {
        let mut expected = Self { resource: resource.clone(), audiences: HashSet::new(), leeway: 60 };
        expected.accept(resource);
        expected
    }

    pub(super) fn resource(&self) -> &str {
        &self.resource
    }

    /// Accepts an audience. A host without a path has two spellings, and clients send either.
    pub(super) fn accept(&mut self, audience: String) {
        if let Some((_, host)) = audience.split_once("://") {
            match host.strip_suffix('/') {
                Some(host) if !host.contains('/') => {
                    self.audiences.extend(audience.strip_suffix('/').map(str::to_owned))
                }
                None if !host.contains('/') => self.audiences.extend([format!("{audience}/")]),
                _ => (),
            }
        }
        self.audiences.insert(audience);
    }

    pub(super) fn leeway(&mut self, leeway: Duration) {
        self.leeway = leeway.min(MOST_LEEWAY).as_secs();
    }

    /// The claims of a token whose signature holds by this key.
    ///
    /// # Errors
    ///
    /// It does not, or the claims are not such as this server accepts.
    pub(super) fn claims(&self, token: &Token<'_>, key: &Key, issuer: &str) -> Result<Claims, Unauthorized> {
        let mut rules = Validation::new(token.algorithm());
        rules.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        rules.set_issuer(&[issuer]);
        rules.aud = Some(self.audiences.clone());
        rules.leeway = self.leeway;
        rules.validate_nbf = true;
        match decode::<Claims>(token.text, &key.verifying, &rules) {
            Ok(token) => Ok(token.claims),
            Err(error) => Err(Unauthorized::invalid_token(self.advice(error.into_kind()))),
        }
    }

    fn advice(&self, fault: ErrorKind) -> String {
        match fault {
            ErrorKind::ExpiredSignature => "this token has expired; get a new one".to_owned(),
            ErrorKind::ImmatureSignature => "this token is not valid yet (`nbf`)".to_owned(),
            ErrorKind::InvalidAudience => {
                format!("this token is for somebody else (`aud`); ask for one for the resource {}", self.resource)
            }
            ErrorKind::MissingRequiredClaim(claim) | ErrorKind::InvalidClaimFormat(claim) => {
                format!("this token lacks the claim `{claim}`, or has another form of it than RFC 7519")
            }
            ErrorKind::Json(_) => "this token's claims have other forms than RFC 7519 gives them".to_owned(),
            _ => "this token's signature does not hold".to_owned(),
        }
    }

    /// When the token is no longer good, in seconds since 1970.
    pub(super) fn end(&self, claims: &Claims) -> u64 {
        let expires = claims.get("exp").and_then(Value::as_u64).unwrap_or_default();
        expires.saturating_add(self.leeway)
    }
}

/// Whose token it is.
///
/// # Errors
///
/// Nobody's.
pub(super) fn subject(claims: &Claims) -> Result<&str, Unauthorized> {
    let subject = claims.get("sub").and_then(Value::as_str).filter(|subject| !subject.is_empty());
    subject.ok_or_else(|| Unauthorized::invalid_token("this token names nobody (`sub`)"))
}

/// What the owner lets its bearer do: `scope` is a text (RFC 8693, section 4.2); `scp` and `scopes` are lists or texts.
pub(super) fn scopes(claims: &Claims) -> Vec<String> {
    let said = ["scope", "scp", "scopes"].into_iter().filter_map(|name| claims.get(name));
    let texts = said.flat_map(|said| match said {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        Value::String(text) => vec![text.as_str()],
        _ => Vec::new(),
    });
    let mut scopes: Vec<_> = texts.flat_map(str::split_ascii_whitespace).map(str::to_owned).collect();
    scopes.sort_unstable();
    scopes.dedup();
    scopes
}
