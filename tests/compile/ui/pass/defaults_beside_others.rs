//! A default is judged alone: not by an argument whose name begins like its own. `null` stands for a default, as in a call.

use pd_runtime::prelude::*;

/// # Examples
///
/// ```json
/// { "page": null, "page_size": 20 }
/// ```
#[pd_tool(summary = "Turn to another page")]
fn turn(#[arg(default = 1)] page: u32, page_size: u32) {
    let _ = (page, page_size);
}

fn main() {
    let registry: Registry<()> = pd_runtime::registry! { turn };
    if let Err(problems) = registry.check() {
        panic!("{problems}");
    }
}
