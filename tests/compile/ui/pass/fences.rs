//! Outside of `# Examples`, a fence may hold what only resembles JSON.

use pd_runtime::prelude::*;

/// Returns an object a line, and reads settings with comments.
///
/// ```jsonl
/// {"name": "main"}
/// {"name": "next"}
/// ```
///
/// # Settings
///
/// ```jsonc
/// { "depth": 1 } // commits
/// ```
#[pd_tool(summary = "Export all branches")]
fn export() {}

fn main() {
    let registry: Registry<()> = pd_runtime::registry! { export };
    assert!(registry.check().is_ok());
}
