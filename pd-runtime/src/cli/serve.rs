//! `serve`: flags to settings, then a transport.

use super::{
    CliError, data::DataFlags, http::HttpFlags, keys, limits::LimitFlags, log, overlay::OverlayFlags,
    search::SearchFlags, transport::TransportFlags, usage_report::TelemetryFlags,
};
use crate::{
    Gate, Listing, PdServer, ServerBuilder,
    config::{MetaTools, Preset, Refusal},
    serve::HttpOptions,
};

use clap::{Args, ValueEnum};
use rmcp::ServerHandler;
use std::path::PathBuf;
#[cfg(feature = "redis")]
use std::sync::Arc;

/// The error of a server that its author built with `remember_connection`, under `--http`.
const NOT_OVER_HTTP: &str = "`remember_connection` is for standard input and output: over HTTP a connection may carry \
    requests of several clients; serve without --http, or build the server without it";

/// How to serve.
#[derive(Debug, Clone, Args)]
pub struct ServeOptions {
    #[command(flatten)]
    transport: TransportFlags,
    /// A file with the key that tickets and session ids are made with: 32 random bytes, or 64 hexadecimal digits; more lines of
    /// digits are previous keys, which are still accepted. Replicas must share it; by default each start makes one of its own
    #[arg(long, value_name = "FILE")]
    ticket_key_file: Option<PathBuf>,
    /// Share sessions, and rows that wait to be fetched, with other replicas on this Redis server, e.g. redis://10.0.0.7:6379/0, so that a proxy may send a request
    /// to any of them; give all of them one --ticket-key-file, too
    #[cfg(feature = "redis")]
    #[arg(long, value_name = "URL", requires = "http", conflicts_with = "no_sessions")]
    redis: Option<String>,
    #[cfg(feature = "jwt")]
    #[command(flatten)]
    jwt: super::jwt::JwtOptions,
    /// Remember what the client has read for as long as it stays connected, so that its calls need no ticket where MCP has no
    /// sessions (2026-07-28); not with --http
    #[arg(long, conflicts_with = "http")]
    remember_connection: bool,
    /// A known pattern to reproduce, with its meta-tools
    #[arg(long, value_enum)]
    preset: Option<PresetFlag>,
    /// How tools are listed; `minimal` unless --preset or the author of the server chose otherwise
    #[arg(long, value_enum)]
    listing: Option<ListingFlag>,
    /// Offer no tools about tools
    #[arg(long)]
    no_meta_tools: bool,
    /// Offer no tool manifests (SEP-2636), and no deterministic groups
    #[arg(long)]
    no_manifests: bool,
    /// How strict the gate is; `enforce` unless the author of the server chose otherwise. Clients that open a session for each
    /// request, such as the MCP Inspector's command line, need `off`
    #[arg(long, value_enum)]
    gate: Option<GateFlag>,
    /// The content of a refusal; by default the description, or the signature with `--listing
    /// grouped` and `eager`
    #[arg(long, value_enum)]
    refusal: Option<RefusalFlag>,
    #[command(flatten)]
    search: SearchFlags,
    #[cfg(feature = "fetch")]
    #[command(flatten)]
    fetch: super::fetch::FetchFlags,
    #[command(flatten)]
    overlay: OverlayFlags,
    #[command(flatten)]
    limits: LimitFlags,
    #[command(flatten)]
    bounds: HttpFlags,
    #[command(flatten)]
    data: DataFlags,
    #[command(flatten)]
    seen: TelemetryFlags,
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

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RefusalFlag {
    /// The error and the full description: the next call can succeed
    WithDescription,
    /// The error and the signature: the same in fewer tokens
    WithSignature,
    /// The error alone, as in section 6.2 of the specification
    Bare,
}

impl ServeOptions {
    /// The builder with the settings that the flags name.
    ///
    /// # Errors
    ///
    /// There is no key in the file, or the server was built to remember connections and is to serve HTTP.
    fn set<S, H>(&self, mut builder: ServerBuilder<S, H>) -> Result<ServerBuilder<S, H>, CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        if let Some(preset) = self.preset {
            builder = builder.preset(match preset {
                PresetFlag::TwoStage => Preset::TwoStage,
                PresetFlag::Tree => Preset::Tree,
                PresetFlag::LazyMcp => Preset::LazyMcp,
                PresetFlag::Strata => Preset::Strata,
                PresetFlag::Gram => Preset::Gram,
            });
        }
        if let Some(listing) = self.listing {
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
        if self.no_meta_tools {
            builder = builder.meta_tools(MetaTools::none());
        }
        if self.no_manifests {
            builder = builder.manifests(false);
        }
        if let Some(gate) = self.gate {
            builder = builder.gate(match gate {
                GateFlag::Enforce => Gate::Enforce,
                GateFlag::Advise => Gate::Advise,
                GateFlag::Off => Gate::Off,
            });
        }
        if let Some(refusal) = self.refusal {
            builder = builder.refusal(match refusal {
                RefusalFlag::WithDescription => Refusal::WithDescription,
                RefusalFlag::WithSignature => Refusal::WithSignature,
                RefusalFlag::Bare => Refusal::Bare,
            });
        }
        if self.remember_connection {
            builder = builder.remember_connection(true);
        }
        if self.transport.http.is_some() && builder.remembers_connection() {
            return Err(NOT_OVER_HTTP.into());
        }
        if let Some(file) = &self.ticket_key_file {
            let keys::TicketKeys { current, previous } = keys::read(file)?;
            builder = builder.ticket_key(current).previous_ticket_keys(previous);
        }
        Ok(self.data.set(builder.limited(|limits| self.limits.set(limits))))
    }

    /// The builder and the settings of a replica, where there are others.
    ///
    /// # Errors
    ///
    /// The URL is none.
    #[cfg(feature = "redis")]
    fn share<S, H>(
        &self,
        builder: ServerBuilder<S, H>,
        settings: &mut HttpOptions,
    ) -> Result<ServerBuilder<S, H>, CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let Some(url) = &self.redis else { return Ok(builder) };
        let store = crate::redis::SessionStore::connect(url)?
            .with_idle(settings.session_idle)
            .with_max_sessions_per_principal(settings.max_sessions_per_principal)
            .with_max_anonymous_sessions(settings.max_sessions);
        store.connect_early();
        let store = Arc::new(store);
        settings.session_store = Some(store.clone());
        let bodies = Arc::new(crate::redis::RowStore::connect(url)?);
        Ok(builder.disclosure_store(store).with_data_plane(|plane| plane.store(bodies)))
    }

    fn http(&self) -> HttpOptions {
        self.bounds.set(self.transport.http_options())
    }
}

pub(super) async fn serve<S, H, F>(
    options: ServeOptions,
    builder: ServerBuilder<S, H>,
    prepare: F,
) -> Result<(), CliError>
where
    S: Send + Sync + 'static,
    H: ServerHandler,
    F: FnOnce(&PdServer<S, H>, &mut HttpOptions) -> Result<(), CliError>,
{
    log::to_stderr();
    let (builder, mut settings) = (options.set(builder)?, options.http());
    #[cfg(feature = "redis")]
    let builder = options.share(builder, &mut settings)?;
    #[cfg(feature = "jwt")]
    let guard = options.jwt.guard()?;
    #[cfg(feature = "jwt")]
    guard.iter().try_for_each(|guard| guard.apply(&mut settings))?;
    let builder = options.search.set(builder)?;
    #[cfg(feature = "fetch")]
    let builder = options.fetch.set(builder)?;
    let (builder, seeing) = options.seen.watch(builder, &options.transport.allow_host).await?;
    let server = builder.build()?;
    options.overlay.lay(&server)?;
    prepare(&server, &mut settings)?;
    // Once more, because the author's code must not take away what the flags guard.
    #[cfg(feature = "jwt")]
    guard.iter().try_for_each(|guard| guard.apply(&mut settings))?;
    settings.check()?;
    options.transport.serve(&server, settings, &options.data, &seeing).await?;
    seeing.end();
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::{PdServer, Registry};
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct CommandLine {
        #[command(flatten)]
        options: ServeOptions,
    }

    fn set(flags: &[&str], builder: ServerBuilder<()>) -> Result<ServerBuilder<()>, CliError> {
        let words = std::iter::once(&"serve").chain(flags);
        CommandLine::try_parse_from(words).unwrap().options.set(builder)
    }

    #[test]
    fn a_server_that_remembers_connections_is_not_served_over_http() {
        let builder = || PdServer::builder(Registry::builder().build().unwrap(), ());
        let remembering = || builder().remember_connection(true);
        let over_http = ["--http", "127.0.0.1:0"];
        let error = set(&over_http, remembering()).unwrap_err().to_string();
        assert!(error.starts_with("`remember_connection` is for standard input and output: over HTTP"), "{error}");
        assert!(error.ends_with("serve without --http, or build the server without it"), "{error}");
        assert!(set(&over_http, builder()).is_ok());
        assert!(set(&[], remembering()).unwrap().remembers_connection());
        assert!(set(&["--remember-connection"], builder()).unwrap().remembers_connection());
        assert!(!set(&[], builder()).unwrap().remembers_connection());
    }
}
