//! The log of a server that the command line runs: what of it is told, and where.

use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::{EnvFilter, filter::filter_fn, fmt::MakeWriter, layer::SubscriberExt};

/// A span for each request costs more than most logs are worth.
const DEFAULT: &str = "warn,pd_runtime=info,pd_runtime::request=warn";
/// The crate that speaks MCP. Below INFO it logs whole messages, with the URLs of rows that are a secret (MCP-SD).
const RMCP: &str = "rmcp";

/// Standard output belongs to the protocol. `RUST_LOG` sets the level.
pub(super) fn to_stderr() {
    let directives = std::env::var(EnvFilter::DEFAULT_ENV).ok();
    // A binary that logs in its own way has set that up already.
    let _ = tracing::subscriber::set_global_default(subscriber(directives.as_deref(), std::io::stderr));
}

/// A log by these directives, of which no wish for more than INFO reaches rmcp, unless they name it.
pub(crate) fn subscriber<W>(directives: Option<&str>, writer: W) -> impl Subscriber + Send + Sync + use<W>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let filter = directives.and_then(|directives| EnvFilter::try_new(directives).ok());
    let filter = filter.unwrap_or_else(|| EnvFilter::new(DEFAULT));
    let names_rmcp = directives.is_some_and(|directives| directives.split(',').any(|one| one.trim().starts_with(RMCP)));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).finish();
    log.with(filter_fn(move |metadata| names_rmcp || !is_message(metadata)))
}

/// Whether it may hold a whole message.
fn is_message(metadata: &Metadata<'_>) -> bool {
    *metadata.level() > Level::INFO && metadata.target().split("::").next() == Some(RMCP)
}
