//! What serde skips is not there: beside the one field of a transparent type, and in a tuple. An untagged variant is `null`.

use pd_runtime::prelude::*;
use serde::Deserialize;

#[derive(Deserialize, schemars::JsonSchema, ToolArg)]
#[serde(transparent)]
struct Revision {
    #[serde(skip)]
    resolved: u8,
    name: String,
}

#[derive(Deserialize, schemars::JsonSchema, ToolArg)]
#[serde(transparent)]
struct Path(String, #[serde(skip)] u8);

#[derive(Deserialize, schemars::JsonSchema, ToolArg)]
struct Range(u8, u8, #[serde(skip)] u8);

#[derive(Deserialize, schemars::JsonSchema, ToolArg)]
enum Side {
    Left,
    #[serde(untagged)]
    Neither,
}

/// # Examples
///
/// ```json
/// { "revision": "HEAD", "path": "src", "range": [1, 2], "side": null, "other": "Left" }
/// ```
#[pd_tool(summary = "Show what has changed")]
fn status(revision: Revision, path: Path, range: Range, side: Side, other: Side) {
    let _ = (revision.resolved, revision.name, path.0, path.1, range.0, range.1, range.2, side, other);
}

fn main() {
    let registry: Registry<()> = pd_runtime::registry! { status };
    assert!(registry.check().is_ok());
    let _ = (Side::Left, Side::Neither);
}
