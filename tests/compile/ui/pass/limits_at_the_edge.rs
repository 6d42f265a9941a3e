//! Limits at the edge of what the type holds, and of what a float can tell.

use pd_runtime::prelude::*;

type Maybe<T> = Option<T>;

#[pd_tool(summary = "Take numbers at the edge")]
fn take(
    #[arg(exclusive_maximum = 256, exclusive_minimum = -1)] byte: u8,
    #[arg(exclusive_maximum = 18446744073709551615, default = 18446744073709551614)] long: u64,
    #[arg(multiple_of = 0.01, default = 1234567.89)] price: f64,
    #[arg(minimum = 1)] twice: Maybe<Maybe<u8>>,
) {
    let _ = (byte, long, price, twice);
}

fn main() {
    let registry: Registry<()> = pd_runtime::registry! { take };
    assert!(registry.check().is_ok());
}
