//! Flags of `serve` for the data plane: where rows can be fetched that models are not shown.

use super::{CliError, address::ListenAddress};
use crate::{PdServer, ServerBuilder, serve::DataEndpoint};
use rmcp::ServerHandler;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::task::JoinHandle;

/// Where the data plane is.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct DataFlags {
    /// Let other tools fetch rows on this address, e.g. 127.0.0.1:9000, where the server itself is on standard input and output;
    /// port 0 takes a free one. By default a free one of the loopback address, if a tool is selective. With --http rows are
    /// fetched beside the endpoint
    #[arg(long, value_name = "ADDR", conflicts_with = "http", value_parser = ListenAddress::parse)]
    data: Option<ListenAddress>,
    /// What the URLs of rows begin with, as other tools reach this server, e.g. https://data.example.com; by default the address
    #[arg(long, value_name = "URL", value_parser = base)]
    data_url: Option<String>,
}

/// An endpoint that ends with the server.
#[derive(Debug)]
pub(super) struct EndpointTask(JoinHandle<()>);

impl Drop for EndpointTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl DataFlags {
    /// The builder with the settings that the flags name.
    pub(super) fn set<S, H>(&self, builder: ServerBuilder<S, H>) -> ServerBuilder<S, H>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        match &self.data_url {
            Some(url) => builder.with_data_plane(|plane| plane.url(url)),
            None => builder,
        }
    }

    /// Opens the endpoint, where there is to be one; says where it is, if it was asked for.
    pub(super) async fn open<S, H>(&self, server: &PdServer<S, H>) -> Result<Option<EndpointTask>, CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let served = server.host().served();
        let is_needed = || served.plane.is_on() && served.has_selective_tool();
        let needed = || is_needed().then(|| SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into());
        let Some(address) = self.data.clone().or_else(needed) else { return Ok(None) };
        let endpoint = DataEndpoint::bind(address.target()).await.map_err(|error| address.failure(&error))?;
        if self.data.is_some() {
            // Not a log line: scripts read it, at any log level.
            eprintln!("{}", endpoint.url());
        }
        Ok(Some(EndpointTask(tokio::spawn(endpoint.serve(server)))))
    }
}

/// The beginning of a URL: what follows must not end up behind a question mark, and whoever reads it is told no password.
fn base(text: &str) -> Result<String, String> {
    let advice = || "write what URLs begin with, as in https://data.example.com".to_owned();
    let url: http::Uri = text.parse().map_err(|_| advice())?;
    let is_web = matches!(url.scheme_str(), Some("http" | "https"));
    let is_plain = url.authority().is_some_and(|host| !host.as_str().contains('@')) && url.query().is_none();
    (is_web && is_plain).then(|| text.to_owned()).ok_or_else(advice)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::{Json, PdServer, Table, pd_tool, selective::data_plane::DataPlane};

    /// Bare numbers.
    #[pd_tool(summary = "List numbers", selective)]
    fn numbers() -> Table {
        Table::default()
    }

    /// Not one of many.
    #[pd_tool(summary = "Say a number")]
    fn number() -> Json<u8> {
        Json(7)
    }

    /// Whether an endpoint is opened without being asked for.
    async fn opens(builder: ServerBuilder<()>) -> bool {
        let (server, flags) = (builder.build().unwrap(), DataFlags { data: None, data_url: None });
        let serving = flags.open(&server).await.unwrap();
        assert_eq!(server.store_rows(Table::default()).await.is_ok(), serving.is_some());
        serving.is_some()
    }

    #[tokio::test]
    async fn an_endpoint_is_opened_where_a_tool_needs_one() {
        let selective = || PdServer::builder(crate::registry! { numbers, number }, ());
        assert!(opens(selective()).await);
        assert!(!opens(selective().data_plane(DataPlane::off())).await);
        assert!(!opens(PdServer::builder(crate::registry! { number }, ())).await);
    }

    #[test]
    fn a_base_is_the_beginning_of_a_url() {
        for text in ["https://data.example.com", "http://127.0.0.1:9000/", "https://example.com/tools/data"] {
            assert_eq!(base(text).as_deref(), Ok(text));
        }
        for text in
            ["", "data.example.com", "/data", "ftp://a.example", "https://me:pw@a.example", "https://a.example?x="]
        {
            assert!(base(text).is_err(), "{text}");
        }
    }
}
