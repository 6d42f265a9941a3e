//! A server whose tools break no rule and please no reviewer.

use pd_runtime::prelude::*;
use std::{path::Path, process::ExitCode};

/// Books by title, the newest first.
///
/// # Examples
///
/// ```json
/// { "limit": 3 }
/// ```
#[pd_tool(summary = "This tool lists books", read_only)]
fn list(
    /// How many books to list.
    #[arg(default = 20, maximum = 500)]
    limit: u32,
) -> String {
    limit.to_string()
}

/// In days and hours.
#[pd_tool(summary = "Tell when the library opens.", found_by("when does Xanadu open"), read_only)]
fn hours() -> String {
    String::new()
}

#[tokio::main]
async fn main() -> ExitCode {
    let registry = pd_runtime::registry! {
        #![name = "library"]
        list,
        /// The building.
        house: hours,
        /// Fetch a book before the library closes.
        bundle fetch_a_book: { hours, list },
    };
    // Tests put programs into the directory that they start the server in.
    let programs = Path::new("programs");
    let registry = if programs.exists() { registry.with_programs(programs) } else { registry };
    pd_runtime::cli::main(PdServer::builder(registry, ()).listing(pd_runtime::Listing::Minimal)).await
}
