//! Codes come from variants.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(ToolErrors)]
struct Missing;

fn main() {}

/* mend
-#[derive(ToolErrors)]
-struct Missing;
+#[derive(Debug, thiserror::Error, ToolErrors)]
+enum Missing {
+    /// List the files first.
+    #[error("there is no such file")]
+    NoSuchFile,
+}
*/
