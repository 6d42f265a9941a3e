//! Stores on a Redis server that replicas share: sessions (their disclosures, and how clients
//! opened them), and withheld rows.

mod connection;
mod result_store;
mod session_owners;
mod session_store;

pub use result_store::ResultStore;
pub use session_store::SessionStore;

/// The URL is not a valid Redis URL. The message does not contain the URL, because it may contain a
/// password.
#[derive(Debug, thiserror::Error)]
#[error("not a valid Redis URL, write redis://HOST:PORT/DATABASE: {0}")]
pub struct RedisUrlError(#[source] redis::RedisError);
