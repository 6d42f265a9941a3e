//! `serve`: flags to settings, then a transport.

use super::Failure;
use crate::{
    Gate, Listing, Preset, ServerBuilder,
    serve::{self, Http, HttpOptions},
};
use clap::{Args, ValueEnum};
use rmcp::ServerHandler;
use std::net::SocketAddr;
use tracing_subscriber::EnvFilter;

/// How to serve.
#[derive(Debug, Clone, Args)]
pub struct ServeOptions {
    /// Serve streamable HTTP on this address, e.g. 127.0.0.1:8000; port 0 takes a free one
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// Keep no sessions: callers prove disclosures by tickets, and any replica answers any request
    #[arg(long, requires = "http")]
    no_sessions: bool,
    /// A host that requests may name besides loopback ones; may be repeated
    #[arg(long, value_name = "HOST", requires = "http")]
    allow_host: Vec<String>,
    /// A browser origin that requests may come from besides loopback ones; may be repeated
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// A known pattern to reproduce, with its meta-tools
    #[arg(long, value_enum)]
    preset: Option<PresetFlag>,
    /// How tools are listed
    #[arg(long, value_enum)]
    listing: Option<ListingFlag>,
    /// How strict the gate is
    #[arg(long, value_enum)]
    gate: Option<GateFlag>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PresetFlag {
    /// All tools with an empty schema; descriptions are a resource
    TwoStage,
    /// Tools as files in folders
    Tree,
    /// The tree as lazy-mcp has it
    LazyMcp,
    /// What is wanted, a category, an action, its schema
    Strata,
    /// A search by words and tags
    Gram,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ListingFlag {
    /// Name and summary
    Minimal,
    /// In full for clients that do not speak progressive disclosure
    Negotiated,
    /// In full
    Full,
    /// In full while that costs at most 2,000 tokens
    Auto,
    /// Only what stands in no group; the rest is found through meta-tools
    Grouped,
    /// Only eager tools; the rest is found through meta-tools
    Eager,
    /// Name and summary; in full once described, where the client has a session
    Reveal,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum GateFlag {
    /// A tool can be called once its description was read
    Enforce,
    /// A call runs, and its result says that the description was not read
    Advise,
    /// A call runs
    Off,
}

pub(super) async fn serve<S, H>(options: ServeOptions, mut builder: ServerBuilder<S, H>) -> Result<(), Failure>
where
    S: Send + Sync + 'static,
    H: ServerHandler,
{
    log_to_stderr();
    if let Some(preset) = options.preset {
        builder = builder.preset(match preset {
            PresetFlag::TwoStage => Preset::TwoStage,
            PresetFlag::Tree => Preset::Tree,
            PresetFlag::LazyMcp => Preset::LazyMcp,
            PresetFlag::Strata => Preset::Strata,
            PresetFlag::Gram => Preset::Gram,
        });
    }
    if let Some(listing) = options.listing {
        builder = builder.listing(match listing {
            ListingFlag::Minimal => Listing::Minimal,
            ListingFlag::Negotiated => Listing::Negotiated,
            ListingFlag::Full => Listing::Full,
            ListingFlag::Auto => Listing::AUTO,
            ListingFlag::Grouped => Listing::Grouped,
            ListingFlag::Eager => Listing::Eager,
            ListingFlag::Reveal => Listing::Reveal,
        });
    }
    if let Some(gate) = options.gate {
        builder = builder.gate(match gate {
            GateFlag::Enforce => Gate::Enforce,
            GateFlag::Advise => Gate::Advise,
            GateFlag::Off => Gate::Off,
        });
    }
    let server = builder.build()?;
    let Some(address) = options.http else { return Ok(serve::stdio(&server).await?) };
    let http = Http::bind(address).await.map_err(|error| format!("{address} cannot be served: {error}"))?;
    // Not a log line: scripts read it, at any log level.
    eprintln!("{}", http.url());
    let settings = HttpOptions {
        sessions: !options.no_sessions,
        allowed_hosts: options.allow_host,
        allowed_origins: options.allow_origin,
        ..HttpOptions::default()
    };
    Ok(http.serve(&server, settings).await?)
}

/// Standard output belongs to the protocol. `RUST_LOG` sets the level.
fn log_to_stderr() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn,pd_runtime=info"));
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A binary that logs in its own way has set that up already.
    let _ = subscriber.try_init();
}
