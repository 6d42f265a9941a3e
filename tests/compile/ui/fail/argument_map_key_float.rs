//! A number with a fraction is no key.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

use std::collections::HashMap;

#[pd_tool(summary = "Name levels")]
fn name(levels: HashMap<f64, String>) {}

fn main() {}

/* mend
-fn name(levels: HashMap<f64, String>) {}
+fn name(levels: Vec<(f64, String)>) {}
*/
