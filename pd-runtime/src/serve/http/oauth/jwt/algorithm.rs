//! The signature algorithms of tokens (RFC 7518, RFC 8037).

use jsonwebtoken::Algorithm;

/// An algorithm that signs tokens, by its name in JOSE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JwtAlgorithm {
    /// HMAC with SHA-256.
    HS256,
    /// HMAC with SHA-384.
    HS384,
    /// HMAC with SHA-512.
    HS512,
    /// RSA with PKCS #1 v1.5 and SHA-256.
    RS256,
    /// RSA with PKCS #1 v1.5 and SHA-384.
    RS384,
    /// RSA with PKCS #1 v1.5 and SHA-512.
    RS512,
    /// RSA with PSS and SHA-256.
    PS256,
    /// RSA with PSS and SHA-384.
    PS384,
    /// RSA with PSS and SHA-512.
    PS512,
    /// ECDSA over P-256 with SHA-256.
    ES256,
    /// ECDSA over P-384 with SHA-384.
    ES384,
    /// EdDSA over Ed25519.
    EdDSA,
}

impl From<JwtAlgorithm> for Algorithm {
    fn from(algorithm: JwtAlgorithm) -> Self {
        match algorithm {
            JwtAlgorithm::HS256 => Self::HS256,
            JwtAlgorithm::HS384 => Self::HS384,
            JwtAlgorithm::HS512 => Self::HS512,
            JwtAlgorithm::RS256 => Self::RS256,
            JwtAlgorithm::RS384 => Self::RS384,
            JwtAlgorithm::RS512 => Self::RS512,
            JwtAlgorithm::PS256 => Self::PS256,
            JwtAlgorithm::PS384 => Self::PS384,
            JwtAlgorithm::PS512 => Self::PS512,
            JwtAlgorithm::ES256 => Self::ES256,
            JwtAlgorithm::ES384 => Self::ES384,
            JwtAlgorithm::EdDSA => Self::EdDSA,
        }
    }
}
