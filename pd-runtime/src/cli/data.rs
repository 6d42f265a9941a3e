//! Flags of `serve` for the data plane: where rows can be fetched that models are not shown.

use super::Failure;
use crate::{ServerBuilder, Shared, serve::DataEndpoint};
use rmcp::ServerHandler;
use std::net::SocketAddr;
use tokio::task::JoinHandle;

/// Where the data plane is.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct DataFlags {
    /// Let other tools fetch rows on this address, e.g. 127.0.0.1:9000, where the server itself is on standard input and output;
    /// port 0 takes a free one. With --http they are fetched beside the endpoint
    #[arg(long, value_name = "ADDR", conflicts_with = "http")]
    data: Option<SocketAddr>,
    /// What the URLs of rows begin with, as other tools reach this server, e.g. https://data.example.com; by default the address
    #[arg(long, value_name = "URL", value_parser = base)]
    data_url: Option<String>,
}

/// An endpoint that ends with the server.
#[derive(Debug)]
pub(super) struct Serving(JoinHandle<()>);

impl Drop for Serving {
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

    /// Opens the endpoint, where there is to be one, and says where it is.
    pub(super) async fn open<S, H>(&self, server: &Shared<S, H>) -> Result<Option<Serving>, Failure>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let Some(address) = self.data else { return Ok(None) };
        let endpoint = DataEndpoint::bind(address).await;
        let endpoint = endpoint.map_err(|error| format!("{address} cannot be served: {error}"))?;
        // Not a log line: scripts read it, at any log level.
        eprintln!("{}", endpoint.url());
        Ok(Some(Serving(tokio::spawn(endpoint.serve(server)))))
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
    use super::*;

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
