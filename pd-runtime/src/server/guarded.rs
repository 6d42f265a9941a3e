//! A guard around the author's code for prompts and resources: a panic in it does not end the
//! connection.

use crate::tool::error::ToolError;
use futures::{FutureExt, future::BoxFuture};
use std::panic::AssertUnwindSafe;

/// Runs the author's code. A panic fails this request alone.
pub(super) fn guarded<'a, T>(
    kind: &'static str,
    running: impl Future<Output = Result<T, ToolError>> + Send + 'a,
) -> BoxFuture<'a, Result<T, ToolError>> {
    // The future is dropped after a panic and its captures are never read again, so the assertion
    // holds.
    let caught = AssertUnwindSafe(running).catch_unwind();
    let ended = caught.map(move |ended| {
        ended.unwrap_or_else(|_| {
            tracing::error!(kind, "the author's code panicked");
            Err(ToolError::new(
                ToolError::INTERNAL,
                format!("the {kind} failed unexpectedly; this is a server defect"),
            ))
        })
    });
    ended.boxed()
}
