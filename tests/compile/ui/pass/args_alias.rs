//! `Args` and `Option` under other names, with examples: what tokens cannot tell is left to `Registry::check`.

use pd_runtime::{Args as Parameters, prelude::*};

type Maybe<T> = Option<T>;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Everything {
    name: String,
}

/// # Examples
///
/// ```json
/// { "name": "Ada" }
/// ```
#[pd_tool(summary = "Greet by name")]
fn greet(p: Parameters<Everything>) -> String {
    p.0.name
}

/// # Examples
///
/// ```json
/// {}
/// ```
#[pd_tool(summary = "Wait for a while")]
fn wait(seconds: Maybe<u32>) -> String {
    format!("{seconds:?}")
}

fn main() {
    let registry: Registry<()> = pd_runtime::registry! { greet, wait };
    assert_eq!(registry.check().unwrap().examples, 2);
}
