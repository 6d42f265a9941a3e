//! OAuth 2.1 on the resource's side, as MCP's authorization page asks: what clients are told of tokens, and how tokens are judged.
//! Who issues them is not our business.

#[cfg(feature = "jwt")]
mod jwt;
pub(super) mod metadata_endpoint;
mod resource;

#[cfg(feature = "jwt")]
pub use jwt::{Jwt, JwtAlgorithm, JwtKeyError, JwtKeys};
pub use resource::ProtectedResource;
