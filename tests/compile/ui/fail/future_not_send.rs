//! What a tool keeps while it waits goes from thread to thread.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(summary = "Show what has changed")]
async fn status() -> String {
    let status = std::rc::Rc::new("clean");
    wait().await;
    status.to_string()
}

async fn wait() {}

fn main() {}

/* mend
-    let status = std::rc::Rc::new("clean");
+    let status = std::sync::Arc::new("clean");
*/
