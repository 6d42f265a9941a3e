//! The claims of a token: their verification together with the signature, and what they state about
//! the owner.

use super::{jwk::VerifyingKey, token::UnverifiedToken};
use crate::serve::http::unauthorized::AuthenticationError;
use jsonwebtoken::{Validation, decode, errors::ErrorKind};
use serde_json::{Map, Value};
use std::{collections::HashSet, time::Duration};

type TokenClaims = Map<String, Value>;

/// The upper bound of the leeway.
const MOST_LEEWAY: Duration = Duration::from_secs(10 * 60);

/// The requirements on the claims of all issuers' tokens.
#[derive(Debug)]
pub(super) struct ExpectedClaims {
    resource: String,
    audiences: HashSet<String>,
    leeway: u64,
}

impl ExpectedClaims {
    pub(super) fn new(resource: String) -> Self {
        let mut expected = Self {
            resource: resource.clone(),
            audiences: HashSet::new(),
            leeway: 60,
        };
        expected.accept(resource);
        expected
    }

    pub(super) fn resource(&self) -> &str {
        &self.resource
    }

    /// Accepts an audience. The URL of a host without a path has two spellings, with and without a
    /// slash, and clients send either.
    pub(super) fn accept(&mut self, audience: String) {
        if let Some((_, host)) = audience.split_once("://") {
            match host.strip_suffix('/') {
                Some(host) if !host.contains('/') => self
                    .audiences
                    .extend(audience.strip_suffix('/').map(str::to_owned)),
                None if !host.contains('/') => self.audiences.extend([format!("{audience}/")]),
                _ => (),
            }
        }
        self.audiences.insert(audience);
    }

    pub(super) fn leeway(&mut self, leeway: Duration) {
        self.leeway = leeway.min(MOST_LEEWAY).as_secs();
    }

    /// Verifies the signature with this key and returns the claims.
    ///
    /// # Errors
    ///
    /// Returns an error if the signature is not valid, or if a claim is missing or not acceptable.
    pub(super) fn claims(
        &self,
        token: &UnverifiedToken<'_>,
        key: &VerifyingKey,
        issuer: &str,
    ) -> Result<TokenClaims, AuthenticationError> {
        let mut rules = Validation::new(token.algorithm());
        // jsonwebtoken requires only `exp` by default, and would accept a token without an
        // audience.
        rules.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        // Only the issuer of this key: another trusted issuer must not sign in its name.
        rules.set_issuer(&[issuer]);
        rules.aud = Some(self.audiences.clone());
        rules.leeway = self.leeway;
        rules.validate_nbf = true;
        match decode::<TokenClaims>(token.text, &key.verifying, &rules) {
            Ok(token) => Ok(token.claims),
            Err(error) => Err(AuthenticationError::invalid_token(
                self.advice(error.into_kind()),
            )),
        }
    }

    // Advice is public, so it names the faulty claim, but not its value.
    fn advice(&self, fault: ErrorKind) -> String {
        match fault {
            ErrorKind::ExpiredSignature => "this token has expired; get a new one".to_owned(),
            ErrorKind::ImmatureSignature => "this token is not valid yet (`nbf`)".to_owned(),
            ErrorKind::InvalidAudience => {
                format!(
                    "this token is for another audience (`aud`); request one for the resource {}",
                    self.resource
                )
            }
            ErrorKind::MissingRequiredClaim(claim) | ErrorKind::InvalidClaimFormat(claim) => {
                format!("this token lacks the claim `{claim}`, or its form is not that of RFC 7519")
            }
            ErrorKind::Json(_) => {
                "the forms of this token's claims are not those of RFC 7519".to_owned()
            }
            _ => "this token's signature is not valid".to_owned(),
        }
    }

    /// Returns the end of the token's validity, in seconds since 1970.
    pub(super) fn end(&self, claims: &TokenClaims) -> u64 {
        let expires = claims
            .get("exp")
            .and_then(Value::as_u64)
            .unwrap_or_default();
        // The claim may be any number. One with a fraction counts as 0, so its token is verified
        // each time.
        expires.saturating_add(self.leeway)
    }
}

/// Returns the token's owner.
///
/// # Errors
///
/// Returns an error if the token names no owner.
pub(super) fn subject(claims: &TokenClaims) -> Result<&str, AuthenticationError> {
    let subject = claims
        .get("sub")
        .and_then(Value::as_str)
        .filter(|subject| !subject.is_empty());
    subject.ok_or_else(|| AuthenticationError::invalid_token("this token names no owner (`sub`)"))
}

/// Returns the token's scopes: `scope` is a string (RFC 8693, section 4.2); `scp` and `scopes`,
/// which some issuers use instead, are lists or strings.
pub(super) fn scopes(claims: &TokenClaims) -> Vec<String> {
    let values = ["scope", "scp", "scopes"]
        .into_iter()
        .filter_map(|name| claims.get(name));
    let texts = values.flat_map(|values| match values {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        Value::String(text) => vec![text.as_str()],
        _ => Vec::new(),
    });
    let mut scopes: Vec<_> = texts
        .flat_map(str::split_ascii_whitespace)
        .map(str::to_owned)
        .collect();
    scopes.sort_unstable();
    scopes.dedup();
    scopes
}
