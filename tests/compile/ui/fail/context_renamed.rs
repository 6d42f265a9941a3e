//! The call's context is taken by a name that is not its own, and so taken for state.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::{CallContext as Ctx, prelude::*};

#[pd_tool(summary = "Show what has changed")]
fn status(context: &Ctx) {}

fn registry() -> Registry<()> {
    pd_runtime::registry! { status }
}

fn main() {}

/* mend
-use pd_runtime::{CallContext as Ctx, prelude::*};
-
-#[pd_tool(summary = "Show what has changed")]
-fn status(context: &Ctx) {}
+use pd_runtime::prelude::*;
+
+#[pd_tool(summary = "Show what has changed")]
+fn status(context: &CallContext) {}
*/
