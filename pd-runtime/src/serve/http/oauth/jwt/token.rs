//! A token before verification: its length, its header, and the issuer that it names.

use crate::serve::http::unauthorized::AuthenticationError;
use jsonwebtoken::{Algorithm, Header, dangerous::insecure_decode_claims, decode_header};
use serde::Deserialize;

/// The limit on the length of a token, in bytes.
const LONGEST: usize = 16 * 1024;

/// A token with contents that have not been verified.
#[derive(Debug)]
pub(super) struct UnverifiedToken<'a> {
    pub(super) text: &'a str,
    header: Header,
    pub(super) issuer: String,
}

/// The one claim that is needed to find the keys. It must be a string and occur once.
#[derive(Deserialize)]
struct IssuerClaim {
    iss: String,
}

/// Checks the length of a token.
///
/// # Errors
///
/// Returns an error if the token is longer than any that issuers create.
pub(super) fn check_length(text: &str) -> Result<(), AuthenticationError> {
    if text.len() <= LONGEST {
        return Ok(());
    }
    Err(AuthenticationError::invalid_token(
        "this token is longer than 16 KiB; ask for one with fewer claims",
    ))
}

impl<'a> UnverifiedToken<'a> {
    /// Decodes the header and the issuer, without verifying anything.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a token, or has no issuer.
    pub(super) fn decode_unverified(text: &'a str) -> Result<Self, AuthenticationError> {
        let header = decode_header(text).map_err(|_| {
            AuthenticationError::invalid_token(
                "this is not a JSON Web Token with an algorithm that this server supports",
            )
        })?;
        let issued: IssuerClaim = insecure_decode_claims(text).map_err(|_| {
            AuthenticationError::invalid_token(
                "this token has no claims, or no `iss` that is a string",
            )
        })?;
        Ok(Self {
            text,
            header,
            issuer: issued.iss,
        })
    }

    pub(super) fn algorithm(&self) -> Algorithm {
        self.header.alg
    }

    /// Returns the id of the key that the token names.
    pub(super) fn key_id(&self) -> Option<&str> {
        self.header.kid.as_deref()
    }

    /// Checks the token's type. A token for another purpose is not an access token, even if a
    /// trusted issuer signed it (RFC 8725, section 3.11).
    pub(super) fn check_type(&self, only_access_tokens: bool) -> Result<(), AuthenticationError> {
        // `crit` lists extensions that the recipient must understand (RFC 7515, section 4.1.11).
        // This server supports none.
        if self.header.crit.is_some() {
            return Err(AuthenticationError::invalid_token(
                "this token asks for extensions (`crit`) that this server does not have",
            ));
        }
        // Media types are case-insensitive, and may omit `application/` (RFC 7515, section 4.1.9).
        let kind = self
            .header
            .typ
            .as_deref()
            .unwrap_or_default()
            .to_ascii_lowercase();
        match kind.strip_prefix("application/").unwrap_or(&kind) {
            "at+jwt" => Ok(()),
            "jwt" | "" if !only_access_tokens => Ok(()),
            _ => Err(AuthenticationError::invalid_token(
                "this is another kind of token (`typ`); send an access token",
            )),
        }
    }

    /// Checks the algorithm against the operator's list. The keys themselves restrict their
    /// algorithms.
    pub(super) fn check_algorithm(&self, allowed: &[Algorithm]) -> Result<(), AuthenticationError> {
        if allowed.is_empty() || allowed.contains(&self.header.alg) {
            return Ok(());
        }
        Err(AuthenticationError::invalid_token(
            "this token is signed by an algorithm (`alg`) that this server does not accept",
        ))
    }
}
