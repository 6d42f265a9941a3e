//! A type with a lifetime may hold a `Cow`.

use pd_runtime::prelude::*;
use std::borrow::Cow;

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
struct Words<'a> {
    #[serde(borrow)]
    first: Cow<'a, str>,
    more: Option<Cow<'a, str>>,
}

fn main() {
    let Words { first, more } = Words { first: "".into(), more: None };
    let _ = (first, more);
}
