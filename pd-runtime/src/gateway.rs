//! Tools of other MCP servers, offered as one server with progressive disclosure. (Feature
//! `gateway`.)
//!
//! A [`GatewayConfig`] is read from the `mcpServers` file that MCP clients use. A [`Gateway`] starts
//! a server when a call needs it. What the servers list is kept on disk, so that lists, searches and
//! descriptions need no running process. With [`Gateway::with_lock`], a tool that has changed is not
//! called until a person approves the change.
//!
//! ```no_run
//! use pd_runtime::gateway::{Gateway, GatewayConfig};
//!
//! # async fn serve() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//! let config = GatewayConfig::open(".mcp.json")?;
//! let lock = config.lock_path();
//! let gateway = Gateway::new(config).with_lock(lock)?;
//! gateway.refresh().await;
//! let server = gateway.builder().build()?;
//! gateway.follow(&server);
//! pd_runtime::serve::stdio(&server).await?;
//! gateway.stop().await;
//! # Ok(())
//! # }
//! ```

mod cached_lists;
mod call;
mod client_events;
mod client_requests;
mod config;
mod connection;
mod connection_pool;
mod discover;
mod era;
mod era_memory;
mod file_stamp;
mod forward;
mod handler;
mod health;
mod http;
#[cfg(feature = "cli")]
pub(crate) mod import;
mod link;
mod list;
mod list_reading;
mod lock;
mod log_level;
mod message;
pub(crate) mod names;
mod new_logins;
mod notify;
#[cfg(not(feature = "oauth"))]
#[path = "gateway/no_oauth.rs"]
mod oauth;
#[cfg(feature = "oauth")]
mod oauth;
#[cfg(unix)]
mod orphan_guard;
mod plain_result;
mod prompts;
mod rates;
mod reload;
mod resources;
mod retry_pause;
mod rows;
mod shared_parts;
mod sharing;
mod stdio;
mod subscriptions;
mod tasks;
mod token_error;
mod tools;
mod upstream;
mod upstream_error;

pub use config::{
    CallRate, ConfigError, ConfigErrorKind, ConfigMistake, ConnectionSharing, GatewayConfig, HttpServer, IdleStop,
    OAuthGrant, OAuthSettings, SecretText, SelectiveResults, ServerEntry, ServerSettings, ServerTransport, ServerTrust,
    StdioServer, ToolPattern, ToolSettings,
};
pub use discover::ClientKind;
pub use lock::{HeldKind, HeldTool, TextChange};
#[cfg(feature = "oauth")]
pub use oauth::{LoginError, LoginRemoval, LoginRequest, PendingLogin, StoredLogin};

use crate::{Listing, PdServer, ServerBuilder, registry::Registry, text::fit_lines::fit_lines};
use arc_swap::ArcSwap;
use cached_lists::ListCache;
use futures::StreamExt;
use rmcp::ServerHandler;
use shared_parts::SharedParts;
use std::{
    env, fmt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::{sync::watch, time::sleep};
use upstream::Upstream;

/// How many servers are started at once to read their lists.
const STARTS: usize = 4;
/// The longest instructions, in characters. Some clients cut longer texts.
const INSTRUCTIONS_MAX: usize = 2_048;
/// How often the lock, the configuration and new logins are checked for changes of another process.
const FILE_CHECK: Duration = Duration::from_secs(2);

/// The servers of a configuration, which start when a call needs them. Clones share the servers.
#[derive(Clone)]
pub struct Gateway {
    /// Replaced as a whole when the configuration is read again.
    upstreams: Arc<ArcSwap<Vec<Arc<Upstream>>>>,
    changed: watch::Sender<u64>,
    shared: Arc<SharedParts>,
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.upstreams().iter().map(|upstream| upstream.name())).finish()
    }
}

/// The state of one server of a gateway.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerStatus {
    /// The name of its entry.
    pub name: String,
    /// The name in the configuration, in one line of at most 64 visible characters.
    pub label: String,
    /// The MCP version that it speaks, if it ever answered.
    pub version: Option<String>,
    /// The number of tools that it lists.
    pub tools: usize,
    /// The tools that are not offered, each with the reason.
    pub left_out: Vec<(String, String)>,
    /// Whether it is running.
    pub is_running: bool,
    /// Whether its last five starts failed.
    pub is_failing: bool,
    /// How long its latest start took.
    pub started_in: Option<Duration>,
    /// Whether a person must log in. The error has the command.
    pub needs_login: bool,
    /// Why it failed last.
    pub last_error: Option<String>,
}

impl GatewayConfig {
    /// Reads a file with the variables of this process's environment. An input of VS Code has its
    /// value in the variable `PD_INPUT_ID`. Of `~/.claude.json`, the servers of the current
    /// directory are read, too.
    ///
    /// # Errors
    ///
    /// Returns all mistakes in the file, each with its line, entry and key.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        with_environment(|context| Self::read(path.as_ref(), context))
    }
}

/// Calls a function with the variables of this process's environment and the current directory.
fn with_environment<T>(read: impl FnOnce(&config::ReadContext<'_>) -> T) -> T {
    let variable = |name: &str| env::var(name).ok();
    let input = |id: &str| env::var(config::input_variable(id)).ok();
    let project = env::current_dir().ok();
    let context = config::ReadContext::new(&variable, &input);
    read(&project.as_ref().map_or(context, |directory| context.with_project(directory)))
}

/// Parses a text as the file `path` would be read.
///
/// # Errors
///
/// Returns all mistakes in the text.
#[cfg(feature = "cli")]
pub(crate) fn config_from_text(path: &Path, text: &str) -> Result<GatewayConfig, ConfigError> {
    with_environment(|context| GatewayConfig::parse(path, text, context))
}

/// Returns the configuration files of MCP clients that exist: those of the current directory first,
/// then those of the user.
pub fn find_configs() -> Vec<(ClientKind, PathBuf)> {
    let home = env::var_os("HOME").or_else(|| env::var_os("USERPROFILE")).map(PathBuf::from).unwrap_or_default();
    discover::find(&home, &env::current_dir().unwrap_or_default())
}

impl Gateway {
    /// Creates a gateway for these servers. No server is started. What they list is kept in the
    /// user's cache directory, `pd-gateway` in `$XDG_CACHE_HOME` or `~/.cache`.
    pub fn new(config: GatewayConfig) -> Self {
        Self::with_list_cache(config, ListCache::of_user())
    }

    /// Creates a gateway that keeps the lists of its servers in this directory.
    pub fn with_cache(config: GatewayConfig, directory: impl Into<PathBuf>) -> Self {
        Self::with_list_cache(config, Some(ListCache::new(directory)))
    }

    fn with_list_cache(config: GatewayConfig, cache: Option<ListCache>) -> Self {
        let changed = watch::Sender::new(0);
        let entries = config.servers.into_iter().filter(|entry| !entry.is_disabled);
        let shared = SharedParts::new(cache, changed.clone());
        let upstreams: Vec<_> = entries.map(|entry| Upstream::new(entry, shared.clone())).collect();
        Self { upstreams: Arc::new(ArcSwap::from_pointee(upstreams)), changed, shared }
    }

    /// Returns the upstreams of the current configuration.
    fn upstreams(&self) -> Arc<Vec<Arc<Upstream>>> {
        self.upstreams.load_full()
    }

    /// Starts the servers whose lists are not known yet, four at a time, and waits for their lists.
    /// A server that fails does not stop the others; see [`status`](Self::status).
    pub async fn refresh(&self) {
        self.refresh_with(|_, _| {}).await;
    }

    /// Does the same as [`refresh`](Self::refresh). `report` receives the number of servers that
    /// have answered or failed, and of all that are started.
    pub(crate) async fn refresh_with(&self, report: impl Fn(usize, usize) + Send + Sync) {
        let upstreams = self.upstreams();
        read_lists(upstreams.iter().filter(|upstream| upstream.lists().is_none()).collect(), report).await;
    }

    /// Starts every server, and waits for its lists.
    pub async fn refresh_all(&self) {
        self.refresh_all_with(|_, _| {}).await;
    }

    /// Does the same as [`refresh_all`](Self::refresh_all), with the reports of
    /// [`refresh_with`](Self::refresh_with).
    pub(crate) async fn refresh_all_with(&self, report: impl Fn(usize, usize) + Send + Sync) {
        read_lists(self.upstreams().iter().collect(), report).await;
    }

    /// Returns the tools of all servers, one group per server. A tool whose definition is not valid
    /// is left out; see [`status`](Self::status).
    pub fn registry<S: Send + Sync + 'static>(&self) -> Registry<S> {
        let builder = Registry::builder().name("pd-gateway").version(env!("CARGO_PKG_VERSION"));
        let builder = builder.instructions(self.instructions());
        let groups = tools::groups(&self.groups()).into_iter();
        groups.fold(builder, |builder, (group, _)| builder.group(group)).freeze()
    }

    /// Creates the builder of a server with the tools, prompts and resources of all servers, and the
    /// listing [`Grouped`](Listing::Grouped). After it was built, [`follow`](Self::follow) keeps its
    /// tools up to date.
    pub fn builder(&self) -> ServerBuilder<(), Self> {
        let builder = PdServer::builder(self.registry(), ()).with_resources(self.clone());
        let has_rows = self.upstreams().iter().any(|upstream| upstream.entry.settings.has_selective_tools());
        builder.with_handler(self.clone()).listing(Listing::Grouped).group_lines(true).changing_tools(has_rows)
    }

    /// Returns the upstreams with the names of their groups.
    fn groups(&self) -> Vec<(String, Arc<Upstream>)> {
        let upstreams = self.upstreams();
        let names = names::group_names(upstreams.iter().map(|upstream| upstream.name()));
        names.into_iter().zip(upstreams.iter().cloned()).collect()
    }

    fn instructions(&self) -> String {
        let lines: Vec<_> =
            self.groups().into_iter().map(|(name, upstream)| (name, tools::summary(&upstream))).collect();
        let head = "Tools of these servers:";
        format!("{head}{}", fit_lines(&lines, INSTRUCTIONS_MAX - head.len()))
    }

    /// Returns the servers whose lists are not known, each with the reason. Unlike
    /// [`status`](Self::status), this checks no tools.
    #[cfg(feature = "cli")]
    pub(crate) fn missing_lists(&self) -> Vec<(String, Arc<str>)> {
        let upstreams = self.upstreams();
        let unknown = upstreams.iter().filter(|upstream| upstream.lists().is_none());
        unknown.filter_map(|upstream| Some((upstream.name().to_owned(), upstream.health().last_error?))).collect()
    }

    /// Returns the state of each server.
    pub fn status(&self) -> Vec<ServerStatus> {
        let upstreams = self.groups();
        let groups = tools::groups::<()>(&upstreams);
        let status = |((_, upstream), (_, left_out)): (&(String, Arc<Upstream>), (_, Vec<tools::LeftOut>))| {
            let (lists, health) = (upstream.lists(), upstream.health());
            ServerStatus {
                name: upstream.name().to_owned(),
                label: upstream.label(),
                version: lists.as_ref().map(|lists| lists.era.version().to_owned()),
                tools: lists.as_ref().map_or(0, |lists| lists.tools.len()),
                left_out: left_out.into_iter().map(|left| (left.tool, left.reason)).collect(),
                is_running: upstream.is_running(),
                is_failing: health.is_failing(),
                started_in: health.started_in,
                needs_login: health.needs_login.is_some(),
                last_error: health.last_error.map(|error| error.to_string()),
            }
        };
        upstreams.iter().zip(groups).map(status).collect()
    }

    /// Replaces the server's registry whenever a server of the gateway lists something else, or a tool
    /// was approved, also by another process. The task that does this ends with the runtime.
    pub fn follow<S: Send + Sync + 'static, H: ServerHandler>(&self, server: &PdServer<S, H>) {
        let (gateway, server, mut changes) = (self.clone(), server.clone(), self.changed.subscribe());
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    changed = changes.changed() => if changed.is_err() { return },
                    () = sleep(FILE_CHECK) => {
                        gateway.reload_lock();
                        gateway.start_after_logins();
                        continue;
                    }
                }
                if let Err(error) = server.replace(gateway.registry()) {
                    tracing::warn!(%error, "the former tools stay");
                }
            }
        });
    }

    /// Ends all servers, and waits until their processes have ended.
    pub async fn stop(&self) {
        let upstreams = self.upstreams();
        futures::stream::iter(upstreams.iter()).for_each_concurrent(None, |upstream| upstream.stop()).await;
    }
}

async fn read_lists(upstreams: Vec<&Arc<Upstream>>, report: impl Fn(usize, usize) + Send + Sync) {
    let (done, total) = (AtomicUsize::new(0), upstreams.len());
    report(0, total);
    let read = async |upstream: &Arc<Upstream>| {
        // An error is kept in the health of its upstream.
        drop(upstream.read_lists().await);
        report(done.fetch_add(1, Relaxed) + 1, total);
    };
    futures::stream::iter(upstreams).for_each_concurrent(STARTS, read).await;
}
