//! Keys of rmcp's `#[tool]`.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[pd_tool(description = "Add two numbers")]
fn add(a: i64, b: i64) {}

#[pd_tool(description = "Subtract one number from another, and return what is left of it, which may be less than zero")]
fn subtract(a: i64, b: i64) {}

#[pd_tool(summary = "Multiply two numbers", description = "The result is exact.")]
fn multiply(a: i64, b: i64) {}

#[pd_tool(summary = "Divide two numbers", annotations(title = "Divide", read_only_hint = true, open_world_hint = false))]
fn divide(a: i64, b: i64) {}

#[pd_tool(summary = "Round a number", read_only_hint = true, destructiveHint = false)]
fn round(a: f64) {}

#[pd_tool(summary = "Negate a number", input_schema = schema(), output_schema = schema(), annotations)]
fn negate(a: f64) {}

#[pd_tool(summary = "Show a constant", examples = "pi", group = "math", hidden)]
fn constant(name: String) {}

fn main() {}

/* mend
-#[pd_tool(description = "Add two numbers")]
+#[pd_tool(summary = "Add two numbers")]

-#[pd_tool(description = "Subtract one number from another, and return what is left of it, which may be less than zero")]
+/// Returns what is left of it, which may be less than zero.
+#[pd_tool(summary = "Subtract one number from another")]

-#[pd_tool(summary = "Multiply two numbers", description = "The result is exact.")]
+/// The result is exact.
+#[pd_tool(summary = "Multiply two numbers")]

-#[pd_tool(summary = "Divide two numbers", annotations(title = "Divide", read_only_hint = true, open_world_hint = false))]
+#[pd_tool(summary = "Divide two numbers", title = "Divide", read_only, open_world = false)]

-#[pd_tool(summary = "Round a number", read_only_hint = true, destructiveHint = false)]
+#[pd_tool(summary = "Round a number", read_only, destructive = false)]

-#[pd_tool(summary = "Negate a number", input_schema = schema(), output_schema = schema(), annotations)]
+#[pd_tool(summary = "Negate a number")]

-#[pd_tool(summary = "Show a constant", examples = "pi", group = "math", hidden)]
+/// # Examples
+///
+/// ```json
+/// { "name": "pi" }
+/// ```
+#[pd_tool(summary = "Show a constant")]
*/
