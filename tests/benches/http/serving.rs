//! The servers that this binary is, in a process of their own.

use super::{
    Failure,
    names::with_names,
    over_http::server,
    plain::Kept,
    tools::{Tools, tools},
};
use pd_runtime::{PdServer, serve::HttpOptions};
use std::{io::Write, sync::Arc};
use thirty::Plain;
use tokio::io::AsyncReadExt;

with_names! { 30 => tools! { thirty; } }

/// The tool that is called; the servers of other languages have no more.
pub(crate) const TOOL: &str = "t000";

/// Which server.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Who {
    Ours,
    /// rmcp with a router that is kept.
    Plain,
}

impl Who {
    /// The one of this name.
    ///
    /// # Errors
    ///
    /// There is none.
    pub(crate) fn named(name: &str) -> Result<Self, Failure> {
        match name {
            "ours" => Ok(Self::Ours),
            "plain" => Ok(Self::Plain),
            _ => Err("`--serve` takes `ours` or `plain`".into()),
        }
    }
}

/// Serves, tells the URL on standard output, and ends when standard input does.
pub(crate) async fn serve(who: Who) -> Result<(), Failure> {
    let url = match who {
        Who::Ours => {
            let server = PdServer::builder(Plain::registry(), ())
                .listing(pd_runtime::Listing::Minimal)
                .limits(server::unreached())
                .build()?;
            server::ours(&server, HttpOptions::default()).await?
        }
        Who::Plain => {
            // Shared by all sessions and requests: that is what keeping a router takes over HTTP.
            let kept = Arc::new(Kept::<Plain>::new());
            server::plain(move || kept.clone()).await?
        }
    };
    println!("{url}");
    std::io::stdout().flush()?;
    tokio::io::stdin().read_to_end(&mut Vec::new()).await?;
    Ok(())
}
