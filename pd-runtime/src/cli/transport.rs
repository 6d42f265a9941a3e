//! The flags of `serve` that choose the transports, and serving on them.

use super::{CliError, address::ListenAddress, data::DataFlags, style::report, usage_report::TelemetryOutputs};
use crate::{
    PdServer,
    serve::{self, Http, HttpOptions},
};

use rmcp::ServerHandler;
use std::{
    convert::Infallible,
    io::{IsTerminal, stdin},
};

/// Which transports there are, and which requests HTTP lets in.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct TransportFlags {
    /// Serve streamable HTTP on this address: 8000, :8000 or localhost:8000 for this machine alone, 0.0.0.0:8000 or [::]:8000
    /// for all its addresses; port 0 takes a free one. The endpoint is at /mcp, and /health answers 200
    #[arg(long, value_name = "ADDR", value_parser = ListenAddress::parse)]
    pub(super) http: Option<ListenAddress>,
    /// Serve standard input and output, too, with the same tools and state; without --http that is the default. The end of the
    /// input does not end HTTP
    #[arg(long)]
    stdio: bool,
    /// Keep no sessions: callers prove disclosures by tickets, and any replica answers any request
    #[arg(long, requires = "http")]
    no_sessions: bool,
    /// A host that requests may name besides loopback ones and the --http address, with --http and --metrics; may be repeated
    #[arg(long, value_name = "HOST")]
    pub(super) allow_host: Vec<String>,
    /// A browser origin besides loopback ones whose pages may send requests and read the answers (CORS), e.g.
    /// https://app.example.com; may be repeated
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// The flag of other servers for a port
    #[arg(long, short, hide = true, value_parser = not_port)]
    port: Option<Infallible>,
    /// The flag of other servers for a host
    #[arg(long, alias = "bind", hide = true, value_parser = not_host)]
    host: Option<Infallible>,
    /// The flag of other servers for CORS
    #[arg(long, hide = true, num_args = 0..=1, default_missing_value = "*", value_parser = not_cors)]
    cors: Option<Infallible>,
}

fn not_port(port: &str) -> Result<Infallible, String> {
    Err(format!("write `--http {port}`, or `--http 0.0.0.0:{port}` for clients on other machines"))
}

fn not_host(host: &str) -> Result<Infallible, String> {
    Err(format!("write the host and the port as one address, e.g. `--http {host}:8000`"))
}

fn not_cors(_: &str) -> Result<Infallible, String> {
    Err("name each origin whose pages may read answers, e.g. `--allow-origin https://app.example.com`".to_owned())
}

impl TransportFlags {
    /// The settings that the flags name.
    pub(super) fn http_options(&self) -> HttpOptions {
        let bound_name = self.http.as_ref().and_then(ListenAddress::name).map(str::to_owned);
        HttpOptions {
            sessions: !self.no_sessions,
            allowed_hosts: self.allow_host.iter().cloned().chain(bound_name).collect(),
            allowed_origins: self.allow_origin.clone(),
            ..HttpOptions::default()
        }
    }

    /// Serves on the transports until they have ended.
    pub(super) async fn serve<S, H>(
        &self,
        server: &PdServer<S, H>,
        settings: HttpOptions,
        data: &DataFlags,
        seeing: &TelemetryOutputs,
    ) -> Result<(), CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let Some(address) = &self.http else {
            let _data = data.open(server).await?;
            seeing.print_metrics_url();
            advise_at_terminal();
            return Ok(serve::stdio(server).await?);
        };
        let http = Http::bind(address.target()).await.map_err(|error| address.failure(&error))?;
        announce(&http, &settings);
        seeing.print_metrics_url();
        let over_http = http.serve(server, settings);
        if !self.stdio {
            return Ok(over_http.await?);
        }
        // Each of both hears the signal to stop, and finishes its own calls.
        tokio::try_join!(over_http, beside_http(server))?;
        Ok(())
    }
}

/// Serves standard input and output. What becomes of that client does not end HTTP.
async fn beside_http<S, H>(server: &PdServer<S, H>) -> Result<(), serve::ServeError>
where
    S: Send + Sync + 'static,
    H: ServerHandler,
{
    if let Err(error) = serve::stdio(server).await {
        tracing::warn!(%error, "the connection on standard input and output failed; HTTP goes on");
    }
    Ok(())
}

/// Prints the URL, on a line of its own for scripts, at any log level. Where other machines reach the
/// server, the next line names the hosts by which they may.
fn announce(http: &Http, settings: &HttpOptions) {
    report(&http.url());
    let address = http.address().ip();
    if address.is_loopback() {
        return;
    }
    let bound = Some(address.to_string()).filter(|_| !address.is_unspecified());
    let others: String = settings.allowed_hosts.iter().chain(&bound).map(|host| format!(", {host}")).collect();
    report(&format_args!(
        "other machines can reach this server; requests may name the hosts localhost, 127.0.0.1, [::1]{others}; allow \
         others with --allow-host HOST"
    ));
}

/// Explains the silence to a person who started the server by hand.
fn advise_at_terminal() {
    if stdin().is_terminal() {
        report(&"waiting for an MCP client on standard input; for clients over HTTP start it with `serve --http 8000`");
    }
}
