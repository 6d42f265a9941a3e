//! The author's code for prompts and resources, whose panics end no connection.

use crate::tool::error::ToolError;
use futures::{FutureExt, future::BoxFuture};
use std::panic::AssertUnwindSafe;

/// Runs the author's code. A panic in it fails this request alone.
pub(super) fn guarded<'a, T>(
    kind: &'static str,
    running: impl Future<Output = Result<T, ToolError>> + Send + 'a,
) -> BoxFuture<'a, Result<T, ToolError>> {
    let caught = AssertUnwindSafe(running).catch_unwind();
    let ended = caught.map(move |ended| {
        ended.unwrap_or_else(|_| {
            tracing::error!(kind, "the author's code panicked");
            Err(ToolError::new(ToolError::INTERNAL, format!("the {kind} failed unexpectedly; this is a server defect")))
        })
    });
    ended.boxed()
}
