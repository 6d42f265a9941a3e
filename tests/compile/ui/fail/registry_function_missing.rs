//! Functions that are not there, not tools, or not to be seen.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

mod clock {
    use pd_runtime::prelude::*;

    #[pd_tool(summary = "Say what time it is")]
    pub fn now() {}

    #[pd_tool(summary = "Set the time")]
    fn set() {}

    pub fn zone() {}
}

mod files {
    use pd_runtime::prelude::*;

    #[pd_tool(summary = "Search the files' text")]
    pub fn search() {}
}

use files::search;

#[pd_tool(summary = "Show what has changed")]
fn status() {}

fn log() {}

fn registry() -> Registry<()> {
    pd_runtime::registry! { stauts, clock::set }
}

fn others() -> Registry<()> {
    pd_runtime::registry! { search, log, clock::zone }
}

fn main() {}

/* mend
-    fn set() {}
+    pub fn set() {}

-    pub fn zone() {}
+    #[pd_tool(summary = "Show the time zone")]
+    pub fn zone() {}

-fn log() {}
+#[pd_tool(summary = "List commits, newest first")]
+fn log() {}

-    pd_runtime::registry! { stauts, clock::set }
+    pd_runtime::registry! { status, clock::set }

-    pd_runtime::registry! { search, log, clock::zone }
+    pd_runtime::registry! { files::search, log, clock::zone }
*/
