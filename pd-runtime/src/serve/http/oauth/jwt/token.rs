//! A token before anything of it is believed: how long it is, what its header says, and whom it names as its issuer.

use crate::serve::http::unauthorized::Unauthorized;
use jsonwebtoken::{Algorithm, Header, dangerous::insecure_decode_claims, decode_header};
use serde::Deserialize;

/// The longest token that is looked at, in bytes.
const LONGEST: usize = 16 * 1024;

/// A token as it claims to be.
#[derive(Debug)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    header: Header,
    pub(super) issuer: String,
}

/// The one claim that is needed to find the keys. It is a text, and stands there once.
#[derive(Deserialize)]
struct Issued {
    iss: String,
}

/// # Errors
///
/// The token is longer than any that issuers hand out.
pub(super) fn check_length(text: &str) -> Result<(), Unauthorized> {
    if text.len() <= LONGEST {
        return Ok(());
    }
    Err(Unauthorized::invalid_token("this token is longer than 16 KiB; ask for one with fewer claims"))
}

impl<'a> Token<'a> {
    /// # Errors
    ///
    /// It is none, or has no issuer.
    pub(super) fn look_at(text: &'a str) -> Result<Self, Unauthorized> {
        let header = decode_header(text).map_err(|_| {
            Unauthorized::invalid_token("this is no JSON Web Token of an algorithm that this server knows")
        })?;
        let issued: Issued = insecure_decode_claims(text)
            .map_err(|_| Unauthorized::invalid_token("this token has no claims, or no `iss` that is a text"))?;
        Ok(Self { text, header, issuer: issued.iss })
    }

    pub(super) fn algorithm(&self) -> Algorithm {
        self.header.alg
    }

    /// Which of the issuer's keys is said to have signed it.
    pub(super) fn key_id(&self) -> Option<&str> {
        self.header.kid.as_deref()
    }

    /// A token that was made for something else is no access token, whoever signed it (RFC 8725, section 3.11).
    pub(super) fn check_type(&self, only_access_tokens: bool) -> Result<(), Unauthorized> {
        // An extension that must be understood; none is here (RFC 7515, section 4.1.11).
        if self.header.crit.is_some() {
            return Err(Unauthorized::invalid_token(
                "this token asks for extensions (`crit`) that this server does not have",
            ));
        }
        let said = self.header.typ.as_deref().unwrap_or_default().to_ascii_lowercase();
        match said.strip_prefix("application/").unwrap_or(&said) {
            "at+jwt" => Ok(()),
            "jwt" | "" if !only_access_tokens => Ok(()),
            _ => Err(Unauthorized::invalid_token("this is another kind of token (`typ`); send an access token")),
        }
    }

    /// Which keys an algorithm may be used with is the keys' business.
    pub(super) fn check_algorithm(&self, allowed: &[Algorithm]) -> Result<(), Unauthorized> {
        if allowed.is_empty() || allowed.contains(&self.header.alg) {
            return Ok(());
        }
        Err(Unauthorized::invalid_token(
            "this token is signed by an algorithm (`alg`) that this server does not accept",
        ))
    }
}
