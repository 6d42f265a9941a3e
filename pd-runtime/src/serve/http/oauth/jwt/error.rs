//! The errors of keys that cannot be used or fetched.

/// Why a set could not be read or fetched.
pub(super) type KeyFetchError = Box<dyn std::error::Error + Send + Sync>;

/// The limit on the keys of one issuer.
pub(super) const MOST_KEYS: usize = 64;

/// The error of keys that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JwtKeyError {
    /// The text is not a JWK Set.
    #[error("not a JWK Set: {0}; write `{{\"keys\": [...]}}` as RFC 7517 defines it")]
    NoSet(#[source] KeyFetchError),
    /// No key in the set can verify signatures.
    #[error(
        "no key in the JWK Set can verify signatures: RSA of 2048 to 4096 bits, P-256, P-384 or Ed25519, for the use `sig`"
    )]
    NoKey,
    /// The set has more keys than any issuer needs.
    #[error(
        "more than {MOST_KEYS} keys in the JWK Set; leave out those that sign no tokens of this server"
    )]
    TooManyKeys,
    /// The text is not a public key in PEM.
    #[error(
        "not a public key in PEM that can verify signatures: RSA of 2048 to 4096 bits, P-256, P-384 or Ed25519"
    )]
    NoPem,
    /// The secret is shorter than the hash of HS256.
    #[error(
        "a shared secret of less than 32 bytes can be guessed; make a longer one (RFC 7518, section 3.2)"
    )]
    ShortSecret,
    /// Anyone could replace keys that are fetched over this URL.
    #[error("keys are fetched over https, or http from this machine; {0:?} is neither")]
    NoSafeUrl(String),
    /// The HTTP client that fetches keys could not be created.
    #[error("could not create an HTTP client to fetch keys: {0}")]
    NoClient(#[source] KeyFetchError),
}
