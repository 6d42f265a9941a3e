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
#[pd_tool(
    summary = "Tell when the library opens.",
    found_by("when does Xanadu open"),
    read_only
)]
fn hours() -> String {
    String::new()
}

/// Tools that use standard input and output, which belong to the protocol.
mod printing {
    use pd_runtime::prelude::*;
    use std::{
        io::{Read, Write},
        process::Command,
    };

    /// Print half a line.
    #[pd_tool]
    fn print() -> Result<&'static str, ToolError> {
        print!("half of a line");
        std::io::stdout().flush()?;
        Ok("printed")
    }

    /// Start a program that prints.
    #[pd_tool]
    fn child() -> Result<String, ToolError> {
        Ok(Command::new("echo").arg("of a child").status()?.to_string())
    }

    /// Write to the device.
    #[pd_tool]
    fn device() -> Result<&'static str, ToolError> {
        std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/stdout")?
            .write_all(b"to the device")?;
        Ok("written")
    }

    /// Read all of the input.
    #[pd_tool]
    fn read() -> Result<String, ToolError> {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text)?;
        Ok(format!("{} bytes", text.len()))
    }

    pub(super) fn registry() -> Registry<()> {
        pd_runtime::registry! { print, child, device, read }
    }
}

/// A tool that changes the tools of its server.
mod changing {
    use pd_runtime::prelude::*;
    use std::sync::OnceLock;

    /// A shelf with the server that lends it.
    #[derive(Default)]
    pub(super) struct Shelf {
        pub(super) server: OnceLock<PdServer<Shelf>>,
    }

    /// Open the archive.
    #[pd_tool]
    fn open_archive(shelf: &Shelf) -> Result<&'static str, ToolError> {
        let Some(server) = shelf.server.get() else {
            return Ok("no server");
        };
        server.replace(pd_runtime::registry! { open_archive, read_archive })?;
        Ok("open")
    }

    /// Read the archive.
    #[pd_tool]
    fn read_archive(_shelf: &Shelf) -> &'static str {
        "It is empty."
    }

    pub(super) fn registry() -> Registry<Shelf> {
        pd_runtime::registry! { open_archive }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    if std::env::var_os("LIBRARY_CHANGES").is_some() {
        let builder = PdServer::builder(changing::registry(), changing::Shelf::default());
        let keep = |server: &PdServer<changing::Shelf>, http| match server
            .state()
            .server
            .set(server.clone())
        {
            Ok(()) => Ok(http),
            Err(_) => Err("the shelf has a server already".into()),
        };
        return pd_runtime::cli::main_with(builder, keep).await;
    }
    if std::env::var_os("LIBRARY_PRINTS").is_some() {
        return pd_runtime::cli::main(PdServer::builder(printing::registry(), ())).await;
    }
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
    let registry = if programs.exists() {
        registry.with_programs(programs)
    } else {
        registry
    };
    pd_runtime::cli::main(PdServer::builder(registry, ()).listing(pd_runtime::Listing::Minimal))
        .await
}
