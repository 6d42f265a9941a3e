//! `serve`: converts flags to settings and starts a transport.

use super::{
    CliError, card::CardFlags, data::DataFlags, http::HttpFlags, keys, limits::LimitFlags, log,
    overlay::OverlayFlags, search::SearchFlags, sessions::SessionFlags, transport::TransportFlags,
    usage_report::TelemetryFlags,
};
use crate::{
    GateMode, Listing, PdServer, ServerBuilder,
    config::{MetaTools, Preset, Refusal},
    serve::HttpOptions,
};

use clap::{Args, ValueEnum};
use rmcp::ServerHandler;
use std::path::PathBuf;
#[cfg(feature = "redis")]
use std::sync::Arc;

/// The error for `--http` with a server that remembers connections, as its author chose.
const NOT_OVER_HTTP: &str = "`remember_connection` is for standard input and output: over HTTP a connection may carry \
    requests of several clients; serve without --http, or build the server without it";

/// The transport and the settings.
#[derive(Debug, Clone, Args)]
pub struct ServeOptions {
    #[command(flatten)]
    transport: TransportFlags,
    /// A file with the key for tickets and session ids: 32 random bytes, or 64 hexadecimal digits.
    /// Further lines are previous keys, which are still accepted. Replicas must share the file; by
    /// default each start generates a key
    #[arg(long, value_name = "FILE")]
    ticket_key_file: Option<PathBuf>,
    /// Share sessions and pending rows with other replicas on this Redis server, e.g.
    /// redis://10.0.0.7:6379/0, so that a proxy may send a request to any replica; all replicas
    /// need the same --ticket-key-file
    #[cfg(feature = "redis")]
    #[arg(
        long,
        value_name = "URL",
        requires = "http",
        conflicts_with = "no_sessions"
    )]
    redis: Option<String>,
    #[cfg(feature = "jwt")]
    #[command(flatten)]
    jwt: super::jwt::JwtOptions,
    /// Remember the descriptions that the client has read while it stays connected, so that its
    /// calls need no ticket where MCP has no sessions (2026-07-28); not with --http
    #[arg(long, conflicts_with = "http")]
    remember_connection: bool,
    /// A known pattern of progressive disclosure to reproduce, with its meta-tools
    #[arg(long, value_enum)]
    preset: Option<PresetFlag>,
    /// The listing of tools; `auto` unless --preset or the author of the server chose otherwise
    #[arg(long, value_enum)]
    listing: Option<ListingFlag>,
    /// Whether `--listing auto` goes by the names of hosts that are known to load tools late, or to
    /// take few; `ignore` unless the author of the server chose otherwise
    #[arg(long, value_enum)]
    hosts: Option<HostsFlag>,
    /// Serve specification v2.1 to the letter: a minimal list, the gate, bare refusals, and on
    /// standard input and output a remembered connection; other flags replace single settings
    #[arg(long, conflicts_with = "preset")]
    specification: bool,
    /// A tool, group or bundle to leave out; repeat it, or separate names by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    without: Vec<String>,
    /// Ask the user before calls through `call_tool` and before programs, if a tool may delete or
    /// overwrite data and the client can ask
    #[arg(long)]
    confirm_destructive: bool,
    /// Offer no meta-tools
    #[arg(long)]
    no_meta_tools: bool,
    /// The name of the meta-tool that calls any tool; `call_tool` by default, which Semantic Kernel
    /// keeps for itself
    #[arg(long, value_name = "NAME", conflicts_with = "no_meta_tools")]
    call_tool_name: Option<String>,
    /// Refuse invalid arguments of read-only tools also where a correction loses nothing, such as
    /// `"3"` for 3; the answer has the corrected call
    #[arg(long)]
    no_corrections: bool,
    /// Offer no tool manifests (SEP-2636) and no deterministic groups
    #[arg(long)]
    no_manifests: bool,
    /// The strictness of the gate; `enforce` unless the author of the server chose otherwise
    #[arg(long, value_enum)]
    gate: Option<GateFlag>,
    #[command(flatten)]
    sessions: SessionFlags,
    /// The content of a refusal; by default the description, or the signature with `--listing
    /// grouped` and `eager`
    #[arg(long, value_enum)]
    refusal: Option<RefusalFlag>,
    #[cfg(feature = "code")]
    #[command(flatten)]
    code: super::code::CodeFlags,
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
    card: CardFlags,
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
    /// The tree of lazy-mcp
    LazyMcp,
    /// From an intention through a category and an action to its schema
    Strata,
    /// A search by words and tags
    Gram,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ListingFlag {
    /// Name and summary; each tool needs its description before a call
    Minimal,
    /// Name, summary, and the names and types of the arguments
    Outline,
    /// In full for clients without support for progressive disclosure
    Negotiated,
    /// In full
    Full,
    /// In full up to 2,000 tokens, in outline up to 10,000, grouped beyond
    Auto,
    /// Only tools outside of groups; meta-tools find the others
    Grouped,
    /// Only eager tools; meta-tools find the others
    Eager,
    /// Name and summary; in full once described, if the client has a session
    Reveal,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum HostsFlag {
    /// By the table in the docs, whose rows expire
    Auto,
    /// Names count for nothing
    Ignore,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum GateFlag {
    /// A tool can be called after its description was read
    Enforce,
    /// Every call runs, and a result without a read description contains a note
    Advise,
    /// Every call runs
    Off,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RefusalFlag {
    /// The error and the full description, so that the next call can succeed
    WithDescription,
    /// The error and the signature, in fewer tokens
    WithSignature,
    /// The error only, as in section 6.2 of the specification
    Bare,
}

impl ServeOptions {
    /// Applies the flags to the builder.
    ///
    /// # Errors
    ///
    /// Returns an error if the key file is invalid, or if a server that remembers connections
    /// should serve HTTP.
    fn set<S, H>(&self, mut builder: ServerBuilder<S, H>) -> Result<ServerBuilder<S, H>, CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        // The preset first, because the other flags replace single settings of it.
        if let Some(preset) = self.preset {
            builder = builder.preset(match preset {
                PresetFlag::TwoStage => Preset::TwoStage,
                PresetFlag::Tree => Preset::Tree,
                PresetFlag::LazyMcp => Preset::LazyMcp,
                PresetFlag::Strata => Preset::Strata,
                PresetFlag::Gram => Preset::Gram,
            });
        }
        builder = builder.without(&self.without);
        if self.specification {
            builder = builder.specification();
        }
        // Before the listing, which replaces the listing of code mode.
        #[cfg(feature = "code")]
        let mut builder = self.code.set(builder)?;
        if let Some(listing) = self.listing {
            builder = builder.listing(match listing {
                ListingFlag::Minimal => Listing::Minimal,
                ListingFlag::Outline => Listing::Outline,
                ListingFlag::Negotiated => Listing::Negotiated,
                ListingFlag::Full => Listing::Full,
                ListingFlag::Auto => Listing::AUTO,
                ListingFlag::Grouped => Listing::Grouped,
                ListingFlag::Eager => Listing::Eager,
                ListingFlag::Reveal => Listing::Reveal,
            });
        }
        if let Some(hosts) = self.hosts {
            builder = builder.adapt_to_hosts(matches!(hosts, HostsFlag::Auto));
        }
        if self.confirm_destructive {
            builder = builder.confirm_destructive(true);
        }
        if self.no_meta_tools {
            builder = builder.meta_tools(MetaTools::none());
        }
        if self.no_corrections {
            builder = builder.run_corrected(false);
        }
        if let Some(name) = &self.call_tool_name {
            builder = builder.call_tool_name(name);
        }
        if self.no_manifests {
            builder = builder.manifests(false);
        }
        if let Some(gate) = self.gate {
            builder = builder.gate(match gate {
                GateFlag::Enforce => GateMode::Enforce,
                GateFlag::Advise => GateMode::Advise,
                GateFlag::Off => GateMode::Off,
            });
        }
        if let Some(refusal) = self.refusal {
            builder = builder.refusal(match refusal {
                RefusalFlag::WithDescription => Refusal::WithDescription,
                RefusalFlag::WithSignature => Refusal::WithSignature,
                RefusalFlag::Bare => Refusal::Bare,
            });
        }
        builder = self.sessions.set(builder, self.transport.http.is_some());
        if self.remember_connection {
            builder = builder.remember_connection(true);
        }
        // The flags exclude each other in clap, but the author may have set `remember_connection`
        // in code.
        if self.transport.http.is_some() && builder.remembers_connection() {
            return Err(NOT_OVER_HTTP.into());
        }
        if let Some(file) = &self.ticket_key_file {
            let keys::TicketKeys { current, previous } = keys::read(file)?;
            builder = builder.ticket_key(current).previous_ticket_keys(previous);
        }
        Ok(self
            .data
            .set(builder.limited(|limits| self.limits.set(limits))))
    }

    /// Connects the replica to the shared stores, if `--redis` is set.
    ///
    /// # Errors
    ///
    /// Returns an error if the URL is not valid.
    #[cfg(feature = "redis")]
    fn share<S, H>(
        &self,
        builder: ServerBuilder<S, H>,
        settings: HttpOptions,
    ) -> Result<(ServerBuilder<S, H>, HttpOptions), CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let Some(url) = &self.redis else {
            return Ok((builder, settings));
        };
        let store = crate::redis::SessionStore::connect(url)?
            .with_idle(settings.session_idle)
            .with_max_sessions_per_principal(settings.max_sessions_per_principal)
            // All anonymous callers share one quota in Redis, so their limit is the limit of all
            // sessions.
            .with_max_anonymous_sessions(settings.max_sessions);
        // The log then reports an unreachable Redis server before the first client does.
        store.connect_early();
        let store = Arc::new(store);
        let bodies = Arc::new(crate::redis::ResultStore::connect(url)?);
        let builder = builder
            .disclosure_store(store.clone())
            .with_data_plane(|plane| plane.store(bodies));
        Ok((builder, settings.session_store(store)))
    }

    /// Returns whether the first list is that of the builder, for the client of one process: no
    /// flag names another transport, listing, tool or text.
    #[doc(hidden)]
    pub fn lists_by_default(&self) -> bool {
        let is_list_of_builder = self.preset.is_none()
            && self.listing.is_none()
            && self.hosts.is_none()
            && !self.specification
            && self.without.is_empty()
            && !self.no_meta_tools
            && !self.overlay.is_set();
        #[cfg(feature = "code")]
        let is_list_of_builder = is_list_of_builder && !self.code.is_set();
        is_list_of_builder && !self.serves_http()
    }

    /// Returns whether the server takes requests over HTTP.
    #[doc(hidden)]
    pub fn serves_http(&self) -> bool {
        self.transport.http.is_some()
    }

    fn http(&self) -> HttpOptions {
        self.card
            .set(self.bounds.set(self.transport.http_options()))
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
    F: FnOnce(&PdServer<S, H>, HttpOptions) -> Result<HttpOptions, CliError>,
{
    // The log is set up first, so that the steps below can report problems.
    log::to_stderr();
    let builder = options.set(builder)?;
    let settings = options.http();
    #[cfg(feature = "code")]
    // Before a port is bound or the audit file is opened.
    options.code.check_worker(&builder).await?;
    #[cfg(feature = "redis")]
    let (builder, settings) = options.share(builder, settings)?;
    #[cfg(feature = "jwt")]
    let guard = options.jwt.guard()?;
    #[cfg(feature = "jwt")]
    let settings = guard
        .iter()
        .try_fold(settings, |settings, guard| guard.apply(settings))?;
    let builder = options
        .search
        .set(builder, ServerBuilder::search_model_in_background)?;
    #[cfg(feature = "fetch")]
    let builder = options.fetch.set(builder)?;
    let (builder, seeing) = options
        .seen
        .watch(builder, &options.transport.allow_host)
        .await?;
    let server = builder.build()?;
    options.overlay.lay(&server)?;
    // After the overlay, so that the author's code sees the tools with the texts that are served.
    let settings = prepare(&server, settings)?;
    // The token check is applied again, because the author's code may have replaced it.
    #[cfg(feature = "jwt")]
    let settings = guard
        .iter()
        .try_fold(settings, |settings, guard| guard.apply(settings))?;
    // After `prepare`, which may have changed any setting.
    settings.check()?;
    options
        .transport
        .serve(&server, settings, &options.data, &seeing)
        .await?;
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
        CommandLine::try_parse_from(words)
            .unwrap()
            .options
            .set(builder)
    }

    #[test]
    fn a_server_that_remembers_connections_is_not_served_over_http() {
        let builder = || PdServer::builder(Registry::builder().build().unwrap(), ());
        let remembering = || builder().remember_connection(true);
        let over_http = ["--http", "127.0.0.1:0"];
        let error = set(&over_http, remembering()).unwrap_err().to_string();
        assert!(
            error.starts_with("`remember_connection` is for standard input and output: over HTTP"),
            "{error}"
        );
        assert!(
            error.ends_with("serve without --http, or build the server without it"),
            "{error}"
        );
        assert!(set(&over_http, builder()).is_ok());
        assert!(set(&[], remembering()).unwrap().remembers_connection());
        assert!(
            set(&["--remember-connection"], builder())
                .unwrap()
                .remembers_connection()
        );
        assert!(!set(&[], builder()).unwrap().remembers_connection());
    }
}
