//! Why keys cannot be used, or had.

/// Why keys could not be fetched.
pub(super) type FetchError = Box<dyn std::error::Error + Send + Sync>;

/// The most keys of one issuer.
pub(super) const MOST_KEYS: usize = 64;

/// Why keys cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JwtKeyError {
    /// The text is no JWK Set.
    #[error("no JWK Set: {0}; write `{{\"keys\": [...]}}` as RFC 7517 has it")]
    NoSet(#[from] serde_json::Error),
    /// Nothing in the set verifies signatures.
    #[error(
        "no key in the JWK Set verifies signatures: RSA of 2048 to 4096 bits, P-256, P-384 or Ed25519, for the use `sig`"
    )]
    NoKey,
    /// The set is larger than any that issuers have.
    #[error("more than {MOST_KEYS} keys in the JWK Set; leave out those that sign no tokens of this server")]
    TooManyKeys,
    /// The text is no public key in PEM.
    #[error("no public key in PEM that verifies signatures: RSA of 2048 to 4096 bits, P-256, P-384 or Ed25519")]
    NoPem,
    /// The secret is shorter than the shortest hash.
    #[error("a shared secret of less than 32 bytes can be guessed; make a longer one (RFC 7518, section 3.2)")]
    ShortSecret,
    /// Keys that are fetched from there could be anyone's.
    #[error("keys are fetched over https, or http from this machine; {0:?} is neither")]
    NoSafeUrl(String),
    /// No client could be made that fetches keys.
    #[error("no HTTP client to fetch keys with: {0}")]
    NoClient(#[source] FetchError),
}
