//! The names of sessions.

use rmcp::transport::streamable_http_server::session::SessionId;
use std::fmt::Write;

/// 128 random bits: nobody guesses one (MCP 2025-11-25, Streamable HTTP, session management).
///
/// # Errors
///
/// The system has no randomness.
pub(super) fn fresh() -> Result<SessionId, getrandom::Error> {
    let mut random = [0; 16];
    getrandom::fill(&mut random)?;
    let mut id = String::with_capacity(32);
    for byte in random {
        // A string takes whatever is written to it.
        let _ = write!(id, "{byte:02x}");
    }
    Ok(id.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn an_id_is_128_bits_in_visible_ascii_and_no_other_is_like_it() {
        let (one, other) = (fresh().unwrap(), fresh().unwrap());
        assert!(one.len() == 32 && one.bytes().all(|byte| byte.is_ascii_hexdigit()), "{one}");
        assert_ne!(one, other);
    }
}
