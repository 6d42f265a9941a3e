//! An `# Errors` section that names a code which the error type lacks.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[derive(Debug, ToolErrors)]
enum UserError {
    /// List them with `search` first.
    NotFound,
    /// Wait a minute.
    Busy,
}

impl std::fmt::Display for UserError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("it went wrong")
    }
}

struct Users<T>(T);

impl<T: Send + Sync + 'static> Users<T> {
    /// # Errors
    ///
    /// - `NOT_FOUND`: nobody has this number.
    /// - `TOO_BUSY`: too many ask at once.
    #[pd_tool(summary = "Find a user by number")]
    async fn find(&self, id: u64) -> Result<(), UserError> {
        Ok(())
    }
}

fn main() {}

/* mend
-    /// - `TOO_BUSY`: too many ask at once.
+    /// - `BUSY`: too many ask at once.
*/
