//! Icons have fields that MCP does not know, or values that it does not allow.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(
    summary = "Show what has changed",
    icons(
        { "src": "https://example.com/a.png", "mime_type": "image/png" },
        { "src": "https://example.com/b.png", "sizes": ["48"] },
        { "src": "https://example.com/c.png", "theme": "black" },
        { "url": "https://example.com/d.png" },
    )
)]
fn status() {}

fn main() {}

/* mend
-        { "src": "https://example.com/a.png", "mime_type": "image/png" },
+        { "src": "https://example.com/a.png", "mimeType": "image/png" },
-        { "src": "https://example.com/b.png", "sizes": ["48"] },
+        { "src": "https://example.com/b.png", "sizes": ["48x48"] },
-        { "src": "https://example.com/c.png", "theme": "black" },
+        { "src": "https://example.com/c.png", "theme": "dark" },
-        { "url": "https://example.com/d.png" },
+        { "src": "https://example.com/d.png" },
*/
