//! Three wrong examples in two tools, of types that the compiler alone knows.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
#[serde(rename_all = "kebab-case")]
enum Order {
    NewestFirst,
    OldestFirst,
}

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
#[serde(rename_all = "camelCase")]
struct Page {
    page_size: u8,
    #[serde(default)]
    number: u32,
}

struct Repo<T>(T);

impl<T: Send + Sync + 'static> Repo<T> {
    /// # Examples
    ///
    /// ```json
    /// { "order": "newest", "page": { "pageSize": 10 } }
    /// ```
    ///
    /// ```json
    /// {
    ///   "order": "oldest-first",
    ///   "page": { "pagesize": 10 }
    /// }
    /// ```
    ///
    /// ```json
    /// { "order": "oldest-first", "page": { "pageSize": 10 } }
    /// ```
    #[pd_tool(summary = "List commits of one branch")]
    async fn log(&self, order: Order, page: Page) {}

    /// # Examples
    ///
    /// ```json
    /// { "page": { "pageSize": 300, "number": "2" } }
    /// ```
    #[pd_tool(summary = "List tags by name")]
    async fn tags(&self, page: Option<Page>, #[arg(default = "newest", min_items = 1)] order: Order) {}
}

fn main() {}

/* mend
-    /// { "order": "newest", "page": { "pageSize": 10 } }
+    /// { "order": "newest-first", "page": { "pageSize": 10 } }

-    ///   "page": { "pagesize": 10 }
+    ///   "page": { "pageSize": 20 }

-    /// { "page": { "pageSize": 300, "number": "2" } }
+    /// { "page": { "pageSize": 30, "number": 2 } }

-    async fn tags(&self, page: Option<Page>, #[arg(default = "newest", min_items = 1)] order: Order) {}
+    async fn tags(&self, page: Option<Page>, #[arg(default = "newest-first")] order: Order) {}
*/
