//! Types of the author's own that are called like those of std, with as many parameters.

#![deny(warnings)]

use pd_runtime::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Box<T> {
    width: T,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct PathBuf {
    points: Vec<f64>,
}

/// # Examples
///
/// ```json
/// { "frame": { "width": 1.5 }, "path": { "points": [0.5] } }
/// ```
#[pd_tool(summary = "Draw a path in a frame")]
fn draw(frame: Box<f64>, path: PathBuf) {
    let _ = (frame.width, path.points);
}

fn main() {
    let registry: Registry<()> = pd_runtime::registry! { draw };
    assert!(registry.check().is_ok());
}
