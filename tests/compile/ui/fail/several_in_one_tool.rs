//! Independent mistakes of one declaration come out together.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

struct Repo;

impl Repo {
    /// # Examples
    ///
    /// ```json
    /// { "txt": "fn main" }
    /// ```
    #[pd_tool(read_only, destructive, nam = "x", scopes = "a")]
    async fn search(&mut self, text: &str, #[arg(minimum = 2, maximum = 1)] limit: u32) {}
}

fn main() {}

/* mend
-    /// # Examples
-    ///
-    /// ```json
-    /// { "txt": "fn main" }
-    /// ```
-    #[pd_tool(read_only, destructive, nam = "x", scopes = "a")]
-    async fn search(&mut self, text: &str, #[arg(minimum = 2, maximum = 1)] limit: u32) {}
+    /// Search the files' text
+    ///
+    /// # Examples
+    ///
+    /// ```json
+    /// { "text": "fn main", "limit": 1 }
+    /// ```
+    #[pd_tool(read_only, name = "x", scopes("a"))]
+    async fn search(&self, text: String, #[arg(minimum = 1, maximum = 2)] limit: u32) {}
*/
