//! `Limits`: who asks too often, too much or for too long is refused, and hears when or how to come back.

mod rates;
mod running;
mod sizes;
mod surfaces;

use crate::harness::told;
use serde_json::Value;

/// The seconds after which a refused caller may come back, wherever the wire says it.
pub(super) fn retry_after(response: &Value) -> Option<u64> {
    let result = response.get("result").unwrap_or(response);
    if result.get("content").is_some() || result.get("contents").is_some() {
        return told(result).pointer("/error/retry_after")?.as_u64();
    }
    let error = response.get("error")?;
    assert_eq!(error["code"], 429, "{response}");
    error.pointer("/data/retryAfter")?.as_u64()
}
