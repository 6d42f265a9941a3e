//! The flags of `serve` for the data plane, from which other tools fetch rows.

use super::{CliError, address::ListenAddress};
use crate::{PdServer, ServerBuilder, serve::DataEndpoint};
use rmcp::ServerHandler;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::task::JoinHandle;

/// The address of the data plane.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct DataFlags {
    /// Let other tools fetch rows at this address, e.g. 127.0.0.1:9000, while the server uses
    /// standard input and output; port 0 selects a free port. By default a free port of 127.0.0.1,
    /// if a tool is selective. With --http, rows are fetched at the HTTP address
    #[arg(long, value_name = "ADDR", conflicts_with = "http", value_parser = ListenAddress::parse)]
    data: Option<ListenAddress>,
    /// The base of row URLs as other tools reach this server, e.g. https://data.example.com; by
    /// default the address
    #[arg(long, value_name = "URL", value_parser = parse_base)]
    data_url: Option<String>,
}

/// An endpoint that stops with the server.
#[derive(Debug)]
pub(super) struct EndpointTask(JoinHandle<()>);

impl Drop for EndpointTask {
    fn drop(&mut self) {
        // Dropping the handle alone would detach the task, and leave the port open.
        self.0.abort();
    }
}

impl DataFlags {
    /// Applies the flags to the builder.
    pub(super) fn set<S, H>(&self, builder: ServerBuilder<S, H>) -> ServerBuilder<S, H>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        match &self.data_url {
            Some(url) => builder.with_data_plane(|plane| plane.public_url(url)),
            None => builder,
        }
    }

    /// Opens the endpoint if it is needed, and prints its URL if a flag requested it.
    pub(super) async fn open<S, H>(
        &self,
        server: &PdServer<S, H>,
    ) -> Result<Option<EndpointTask>, CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let served = server.host().served();
        let address = self.data.clone().or_else(|| {
            // Without a selective tool no rows arise, so no port is opened.
            let is_needed = served.plane.is_on() && served.has_selective_tool();
            is_needed.then(|| SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())
        });
        let Some(address) = address else {
            return Ok(None);
        };
        let endpoint = DataEndpoint::bind(address.target())
            .await
            .map_err(|error| address.failure(&error))?;
        if self.data.is_some() {
            // This is not a log line, because scripts read the URL at any log level.
            eprintln!("{}", endpoint.url());
        }
        Ok(Some(EndpointTask(tokio::spawn(endpoint.serve(server)))))
    }
}

/// Parses the base of row URLs. It has no query, because a path is appended, and no password,
/// because every caller that receives a row URL can read it.
fn parse_base(text: &str) -> Result<String, String> {
    let url: http::Uri = text.parse().map_err(|_| base_advice())?;
    let is_web = matches!(url.scheme_str(), Some("http" | "https"));
    let is_plain = url
        .authority()
        .is_some_and(|host| !host.as_str().contains('@'))
        && url.query().is_none();
    (is_web && is_plain)
        .then(|| text.to_owned())
        .ok_or_else(base_advice)
}

fn base_advice() -> String {
    "write what URLs begin with, as in https://data.example.com".to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::{Json, PdServer, Table, pd_tool, selective::data_plane::DataPlane};

    /// A list of bare numbers.
    #[pd_tool(summary = "List numbers", selective)]
    fn numbers() -> Table {
        Table::default()
    }

    /// A single number.
    #[pd_tool(summary = "Say a number")]
    fn number() -> Json<u8> {
        Json(7)
    }

    /// Returns whether an endpoint is opened by default.
    async fn opens(builder: ServerBuilder<()>) -> bool {
        let (server, flags) = (
            builder.build().unwrap(),
            DataFlags {
                data: None,
                data_url: None,
            },
        );
        let serving = flags.open(&server).await.unwrap();
        assert_eq!(
            server.store_rows(Table::default()).await.is_ok(),
            serving.is_some()
        );
        serving.is_some()
    }

    #[tokio::test]
    async fn an_endpoint_is_opened_where_a_tool_needs_one() {
        let selective = || PdServer::builder(crate::registry! { numbers, number }, ());
        assert!(opens(selective()).await);
        assert!(!opens(selective().data_plane(DataPlane::off())).await);
        assert!(!opens(PdServer::builder(crate::registry! { number }, ())).await);
        // A tool of a gateway becomes selective with its first result.
        assert!(
            opens(PdServer::builder(crate::registry! { number }, ()).changing_tools(true)).await
        );
    }

    #[test]
    fn a_base_is_the_beginning_of_a_url() {
        for text in [
            "https://data.example.com",
            "http://127.0.0.1:9000/",
            "https://example.com/tools/data",
        ] {
            assert_eq!(parse_base(text).as_deref(), Ok(text));
        }
        for text in [
            "",
            "data.example.com",
            "/data",
            "ftp://a.example",
            "https://me:pw@a.example",
            "https://a.example?x=",
        ] {
            assert!(parse_base(text).is_err(), "{text}");
        }
    }
}
