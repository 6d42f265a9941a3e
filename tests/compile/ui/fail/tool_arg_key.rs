//! An unknown key of `#[tool_arg]`.

#![allow(unused, reason = "the body does not matter")]

use pd_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
struct Tree {
    #[tool_arg(uncheckd)]
    left: Option<Box<Tree>>,
}

fn main() {}

/* mend
-    #[tool_arg(uncheckd)]
+    #[tool_arg(unchecked)]
*/
