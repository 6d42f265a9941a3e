//! A default may be a constant of any type that writes the argument's JSON. With limits beside it the compiler judges it as a
//! number or a string, and `unchecked` leaves what is neither to `check`.

use pd_runtime::prelude::*;
use std::{borrow::Cow, num::NonZeroU32};

const EMPTY: String = String::new();
const NAME: Cow<'static, str> = Cow::Borrowed("main");
const SIZE: NonZeroU32 = NonZeroU32::MIN;
const MOST: Option<u32> = Some(4);

#[pd_tool(summary = "Take numbers and words")]
fn take(
    #[arg(unchecked, default = EMPTY, max_length = 8)] text: String,
    #[arg(unchecked, default = NAME, max_length = 8)] name: String,
    #[arg(unchecked, default = SIZE, maximum = 8)] size: u32,
    #[arg(unchecked, default = MOST, maximum = 8)] most: Option<u32>,
) {
    let _ = (text, name, size, most);
}

fn main() {
    let registry: Registry<()> = pd_runtime::registry! { take };
    assert!(registry.check().is_ok());
}
