//! Entries in the forms of other languages.

use pd_runtime::prelude::*;

#[pd_tool(summary = "List commits")]
fn log() {}

#[pd_tool(summary = "Show one commit")]
fn show() {}

#[pd_tool(summary = "List a directory")]
fn ls() {}

#[pd_tool(summary = "Compare two revisions")]
fn diff() {}

fn main() {
    let _: Registry<()> = pd_runtime::registry! {
        #![instructions = "Start with the log."]
        log as history,
        show(),
        /// Files at any revision.
        group files: { ls },
        compare = { diff },
    };
}

/* mend
-        #![instructions = "Start with the log."]
-        log as history,
-        show(),
-        /// Files at any revision.
-        group files: { ls },
-        compare = { diff },
+        //! Start with the log.
+        log,
+        show,
+        /// Files at any revision.
+        files: { ls },
+        /// Revisions, compared.
+        compare: { diff },
*/
