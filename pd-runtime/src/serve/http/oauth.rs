//! OAuth 2.1 for a resource server, as MCP's authorization specification requires: the metadata for
//! clients, and the verification of tokens. This server issues no tokens.

#[cfg(feature = "jwt")]
mod jwt;
pub(super) mod metadata_endpoint;
mod resource;

#[cfg(feature = "jwt")]
pub use jwt::{Jwt, JwtAlgorithm, JwtKeyError, JwtKeys};
pub use resource::ProtectedResource;
