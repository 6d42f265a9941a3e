//! State without fields lends nothing.

#![allow(unused, reason = "the bodies do not matter")]

use pd_runtime::prelude::*;

#[derive(State)]
struct App;

fn main() {}

/* mend
-#[derive(State)]
-struct App;
+struct App;
*/
