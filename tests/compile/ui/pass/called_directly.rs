//! The function stays an ordinary function.

#![deny(warnings)]

use pd_runtime::prelude::*;

/// Add two numbers up
#[pd_tool]
const fn add(left: i64, #[arg(default = 1)] right: i64) -> Json<i64> {
    Json(left + right)
}

const THREE: Json<i64> = add(1, 2);

fn main() {
    assert_eq!(THREE.0, 3);
}
