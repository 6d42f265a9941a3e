//! The flags of `serve` for transports, and the serving loop.

use super::{
    CliError, address::ListenAddress, data::DataFlags, style::report,
    usage_report::TelemetryOutputs,
};
use crate::{
    PdServer,
    serve::{self, Http, HttpOptions},
};

use rmcp::ServerHandler;
use std::{
    convert::Infallible,
    io::{IsTerminal, stdin},
};

/// The transports, and the requests that HTTP accepts.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct TransportFlags {
    /// Serve streamable HTTP on this address: 8000, :8000 or localhost:8000 for this machine only,
    /// 0.0.0.0:8000 or [::]:8000 for all its addresses; port 0 selects a free port. The endpoint is
    /// /mcp, and /health returns 200
    #[arg(long, value_name = "ADDR", value_parser = ListenAddress::parse)]
    #[allow(
        rustdoc::broken_intra_doc_links,
        reason = "`--help` prints the text as it is, without an escape before the bracket"
    )]
    pub(super) http: Option<ListenAddress>,
    /// Serve standard input and output as well, with the same tools and state; the default without
    /// --http. The end of the input does not stop HTTP
    #[arg(long)]
    stdio: bool,
    /// Keep no sessions: callers prove disclosures with tickets, and any replica can answer any
    /// request
    #[arg(long, requires = "http")]
    no_sessions: bool,
    /// A host name that requests may use besides loopback names and the --http address, for --http
    /// and --metrics; may be repeated
    #[arg(long, value_name = "HOST")]
    pub(super) allow_host: Vec<String>,
    /// A browser origin besides loopback ones whose pages may send requests and read the responses
    /// (CORS), e.g. https://app.example.com; may be repeated
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// The port flag of other servers
    #[arg(long, short, hide = true, value_parser = not_port)]
    port: Option<Infallible>,
    /// The host flag of other servers
    #[arg(long, alias = "bind", hide = true, value_parser = not_host)]
    host: Option<Infallible>,
    /// The CORS flag of other servers
    #[arg(long, hide = true, num_args = 0..=1, default_missing_value = "*", value_parser = not_cors)]
    cors: Option<Infallible>,
}

fn not_port(port: &str) -> Result<Infallible, String> {
    // Always an error: the flag exists so that its users learn the right one.
    Err(format!(
        "write `--http {port}`, or `--http 0.0.0.0:{port}` for clients on other machines"
    ))
}

fn not_host(host: &str) -> Result<Infallible, String> {
    Err(format!(
        "write the host and the port as one address, e.g. `--http {host}:8000`"
    ))
}

fn not_cors(_: &str) -> Result<Infallible, String> {
    Err("name each origin whose pages may read answers, e.g. `--allow-origin https://app.example.com`".to_owned())
}

impl TransportFlags {
    /// Converts the flags to HTTP settings.
    pub(super) fn http_options(&self) -> HttpOptions {
        let bound_name = self
            .http
            .as_ref()
            .and_then(ListenAddress::name)
            .map(str::to_owned);
        HttpOptions::new()
            .sessions(!self.no_sessions)
            // Clients that reach the server by the name of --http send it as their host.
            .allowed_hosts(self.allow_host.iter().cloned().chain(bound_name))
            .allowed_origins(&self.allow_origin)
    }

    /// Serves on the selected transports until they end.
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
            // The name keeps the endpoint open until the function returns; `_` would drop it at
            // once.
            let _data = data.open(server).await?;
            seeing.print_metrics_url();
            advise_at_terminal();
            return Ok(serve::stdio(server).await?);
        };
        let http = Http::bind(address.target())
            .await
            .map_err(|error| address.failure(&error))?;
        announce(&http, &settings);
        seeing.print_metrics_url();
        let over_http = http.serve(server, settings);
        if !self.stdio {
            return Ok(over_http.await?);
        }
        // Both transports receive the shutdown signal and finish their own calls.
        tokio::try_join!(over_http, beside_http(server))?;
        Ok(())
    }
}

/// Serves standard input and output. The end of that connection does not stop HTTP.
async fn beside_http<S, H>(server: &PdServer<S, H>) -> Result<(), serve::ServeError>
where
    S: Send + Sync + 'static,
    H: ServerHandler,
{
    if let Err(error) = serve::stdio(server).await {
        // A stdio client that sends garbage must not stop the server of all HTTP clients.
        tracing::warn!(%error, "the connection on standard input and output failed; HTTP goes on");
    }
    Ok(())
}

/// Prints the URL on its own line, because scripts read it at any log level. If other machines can
/// reach the server, the next line names the hosts that requests may use.
fn announce(http: &Http, settings: &HttpOptions) {
    report(&http.url());
    let address = http.address().ip();
    if address.is_loopback() {
        return;
    }
    // No request names 0.0.0.0 or :: as its host.
    let bound = Some(address.to_string()).filter(|_| !address.is_unspecified());
    let others: String = settings
        .allowed_hosts
        .iter()
        .chain(&bound)
        .map(|host| format!(", {host}"))
        .collect();
    report(&format_args!(
        "other machines can reach this server; requests may name the hosts localhost, 127.0.0.1, [::1]{others}; allow \
         others with --allow-host HOST"
    ));
    if settings.authenticate.is_none() {
        report(
            &"warning: no caller needs a token, so everyone who reaches this address can call every tool; check tokens \
             with `--jwt-issuer` and `--jwt-audience`, or serve on 127.0.0.1 behind a proxy that does",
        );
    }
}

/// Explains to a person at a terminal why the server prints nothing.
fn advise_at_terminal() {
    if stdin().is_terminal() {
        report(
            &"waiting for an MCP client on standard input; for clients over HTTP start it with `serve --http 8000`",
        );
    }
}
