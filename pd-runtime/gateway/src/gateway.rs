//! The servers of a configuration as one server: its registry, and what keeps it up to date.
//!
//! `tools`, `prompts`, `resources` and `tasks` offer what the servers have, and `handler` answers
//! requests for it. `notify` notifies clients of changes. `pending` waits for servers that start.
//! `reload`, `approvals`, `lock` and `new_logins` apply changes of files. `server_status`
//! is the state of each server for its owner.

#[cfg(feature = "cli")]
mod approvals;
mod group_extras;
mod handler;
mod lock;
#[cfg(feature = "oauth")]
mod logins;
mod new_logins;
pub(crate) mod notify;
mod offered_name;
mod pending;
pub(crate) mod prompts;
#[cfg(feature = "cli")]
mod quick_start;
pub(crate) mod reload;
pub(crate) mod resources;
mod server_line;
pub(crate) mod server_status;
pub(crate) mod tasks;
mod tool_groups;
pub(crate) mod tools;

use crate::{
    config::{GatewayConfig, LeftOutServer, ServerEntry, names},
    lists::cached_lists::ListCache,
    message::wire,
    upstream::{
        Upstream,
        shared_parts::SharedParts,
        start_places::{STARTS_MAX, StartPlaces},
    },
};
use arc_swap::ArcSwap;
use futures::StreamExt;
use pd_runtime::{Limits, Listing, PdServer, Registry, ServerBuilder};
use rmcp::ServerHandler;
use std::{
    collections::BTreeSet,
    fmt,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

/// How long the end of all servers may take. Clients kill a server that takes longer than two
/// seconds.
const STOP_TIMEOUT: Duration = Duration::from_millis(1_200);
/// How long calls in flight may take after the gateway was asked to stop.
const CALLS_GRACE: Duration = Duration::from_millis(300);
/// How often the lock, the configuration and new logins are checked for changes of another process.
pub(crate) const FILE_CHECK: Duration = Duration::from_secs(2);

/// The servers of a configuration, which start when a call needs them. Clones share the servers.
#[derive(Clone)]
pub struct Gateway {
    /// Replaced as a whole when the configuration is read again.
    pub(crate) upstreams: Arc<ArcSwap<Vec<Arc<Upstream>>>>,
    /// The entries of the configuration that could not be read.
    pub(crate) left_out: Arc<ArcSwap<Vec<LeftOutServer>>>,
    pub(crate) changed: watch::Sender<u64>,
    /// The number of changes that the served registry has.
    pub(crate) served: watch::Sender<u64>,
    pub(crate) shared: Arc<SharedParts>,
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.upstreams().iter().map(|upstream| upstream.name()))
            .finish()
    }
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

    pub(crate) fn with_list_cache(config: GatewayConfig, cache: Option<ListCache>) -> Self {
        Self::with_upstreams(config, cache, Upstream::new)
    }

    /// Creates a gateway. `create` creates each upstream.
    fn with_upstreams(
        config: GatewayConfig,
        cache: Option<ListCache>,
        mut create: impl FnMut(ServerEntry, Arc<SharedParts>) -> Arc<Upstream>,
    ) -> Self {
        let changed = watch::Sender::new(0);
        let left_out = Arc::new(ArcSwap::from_pointee(config.left_out()));
        let entries = config
            .servers
            .into_iter()
            .filter(|entry| !entry.is_disabled);
        let shared = SharedParts::new(cache, changed.clone());
        let upstreams: Vec<_> = entries.map(|entry| create(entry, shared.clone())).collect();
        shared.has_several.store(upstreams.len() > 1, Relaxed);
        Self {
            upstreams: Arc::new(ArcSwap::from_pointee(upstreams)),
            left_out,
            changed,
            served: watch::Sender::new(0),
            shared,
        }
    }

    /// Returns the upstreams of the current configuration.
    pub(crate) fn upstreams(&self) -> Arc<Vec<Arc<Upstream>>> {
        self.upstreams.load_full()
    }

    /// Starts the servers without known lists, and waits for their lists. A slow start does not
    /// hold up the others. A server that fails does not stop the others; see
    /// [`status`](Self::status).
    pub async fn refresh(&self) {
        self.refresh_with(|_, _| {}).await;
    }

    /// Does the same as [`refresh`](Self::refresh). `report` receives the number of servers that
    /// have answered or failed, and of all that are started.
    pub(crate) async fn refresh_with(&self, report: impl Fn(usize, usize) + Send + Sync) {
        // What is known of an earlier run need not be read from a server.
        self.until_all_read().await;
        let upstreams = self.upstreams();
        self.read_lists(
            upstreams
                .iter()
                .filter(|upstream| upstream.lists().is_none())
                .collect(),
            report,
        )
        .await;
    }

    /// Starts every server, and waits for its lists.
    pub async fn refresh_all(&self) {
        self.refresh_all_with(|_, _| {}).await;
    }

    /// Does the same as [`refresh_all`](Self::refresh_all), with the reports of
    /// [`refresh_with`](Self::refresh_with).
    pub(crate) async fn refresh_all_with(&self, report: impl Fn(usize, usize) + Send + Sync) {
        self.read_lists(self.upstreams().iter().collect(), report)
            .await;
    }

    /// Returns the tools of all servers, one group per server. A tool without a valid
    /// definition is left out; see [`status`](Self::status).
    pub fn registry<S: Send + Sync + 'static>(&self) -> Registry<S> {
        let builder = Registry::builder()
            .name("pd-gateway")
            .version(env!("CARGO_PKG_VERSION"));
        let upstreams = self.groups();
        let groups = tools::groups(&upstreams);
        let lines = groups
            .iter()
            .map(|(group, _)| (group.name().to_owned(), group.summary().to_owned()));
        let builder = builder
            .instructions("Tools of these servers:")
            .listed_groups(lines.collect());
        let builder = builder.source(Arc::new(self.clone()));
        let groups = upstreams.iter().zip(groups);
        let builder = groups.fold(builder, |builder, ((_, upstream), (group, left_out))| {
            upstream.lists.set_left_out(upstream.name(), left_out);
            builder.group(group)
        });
        builder.freeze()
    }

    /// Creates the builder of a server with the tools, prompts and resources of all servers, and
    /// the listing [`Grouped`](Listing::Grouped). After it was built, [`follow`](Self::follow)
    /// keeps its tools up to date.
    pub fn builder(&self) -> ServerBuilder<(), Self> {
        let builder = PdServer::builder(self.registry(), ()).with_resources(self.clone());
        let has_rows = self
            .upstreams()
            .iter()
            .any(|upstream| upstream.entry.settings.has_selective_tools());
        let builder = builder.limits(Limits::default().response_bytes(self.response_bytes()));
        let builder = builder
            .with_handler(self.clone())
            .listing(Listing::Grouped)
            .group_lines(true);
        builder.changing_tools(has_rows).shutdown_grace(CALLS_GRACE)
    }

    /// Returns the limit on results of the server in front, which is the largest limit of an entry.
    /// The results of each server are held to the limit of its entry.
    pub(crate) fn response_bytes(&self) -> usize {
        let own = self
            .upstreams()
            .iter()
            .map(|upstream| upstream.bounds().response_bytes)
            .max();
        own.unwrap_or_default().max(wire::RESPONSE_BYTES)
    }

    /// Returns the upstreams with the names of their groups.
    pub(crate) fn groups(&self) -> Vec<(String, Arc<Upstream>)> {
        let upstreams = self.upstreams();
        let names = names::group_names(upstreams.iter().map(|upstream| upstream.name()));
        names.into_iter().zip(upstreams.iter().cloned()).collect()
    }

    /// Replaces the server's registry whenever a server of the gateway lists something else, or a
    /// tool was approved, also by another process. The task that does this ends with the runtime.
    pub fn follow<S: Send + Sync + 'static, H: ServerHandler>(&self, server: &PdServer<S, H>) {
        let gateway = self.clone();
        let server = server.clone();
        // Before the task runs, because `until_served` waits only if there is a receiver.
        let mut changes = self.changed.subscribe();
        self.upstreams()
            .iter()
            .for_each(|upstream| upstream.lists.log_left_out(upstream.name()));
        tokio::spawn(async move {
            loop {
                #[cfg(feature = "cli")]
                if gateway.is_unread() {
                    gateway.read_and_serve(&server).await;
                }
                tokio::select! {
                    changed = changes.changed() => if changed.is_err() { return },
                    // A lock that could not be opened is tried again first.
                    () = sleep(FILE_CHECK), if gateway.is_unread() => continue,
                    () = sleep(FILE_CHECK), if !gateway.is_unread() => {
                        // What these change arrives through `changes`, so nothing is replaced here.
                        #[cfg(feature = "cli")]
                        gateway.take_approvals();
                        gateway.reload_lock();
                        gateway.start_after_logins();
                        #[cfg(feature = "cli")]
                        gateway.keep_first_list(&server);
                        continue;
                    }
                }
                // Read before the registry is built, so that a change meanwhile replaces it again.
                let known = *changes.borrow_and_update();
                if let Err(error) = server.replace(gateway.registry()) {
                    tracing::warn!(%error, "the former tools stay");
                }
                // Callers that wait for new tools look at this number. A registry that was refused
                // counts, too, so that they do not wait for it.
                gateway.served.send_replace(known);
            }
        });
    }

    /// Ends all servers and starts, and waits until their processes have ended, for two seconds at
    /// most. The gateway starts none any more.
    pub async fn stop(&self) {
        // First: the token of each upstream is a child of this one, so no start goes on.
        self.shared.processes.ending().cancel();
        let upstreams = self.upstreams();
        let stopping = async {
            // All at once, because they share one time limit.
            futures::stream::iter(upstreams.iter())
                .for_each_concurrent(None, |upstream| upstream.stop())
                .await;
            // The processes of canceled starts and of removed servers are in no pool.
            self.shared.processes.until_ended().await;
        };
        if timeout(STOP_TIMEOUT, stopping).await.is_err() {
            tracing::warn!("a server did not end in time");
        }
        // Here, because a task that outlives the gateway may hold the lock until the process ends.
        if let Some(lock) = self.shared.lock() {
            lock.write_waiting();
        }
    }

    /// Kills all processes at once, for a person who does not want to wait.
    #[cfg(feature = "cli")]
    pub(crate) fn kill(&self) {
        self.shared.processes.kill();
    }

    /// Returns whether a server has the login of a person.
    #[cfg(feature = "cli")]
    pub(crate) fn has_logins(&self) -> bool {
        self.upstreams().iter().any(|upstream| upstream.has_login())
    }

    pub(crate) async fn read_lists(
        &self,
        upstreams: Vec<&Arc<Upstream>>,
        report: impl Fn(usize, usize) + Send + Sync,
    ) {
        let done = AtomicUsize::new(0);
        let total = upstreams.len();
        let places = StartPlaces::new();
        report(0, total);
        let read = async |upstream: &Arc<Upstream>| {
            // An error is kept in the health of its upstream.
            drop(places.run(upstream.read_lists()).await);
            report(done.fetch_add(1, Relaxed) + 1, total);
        };
        // While this is not zero, a search waits for idle servers, too: their turn to start comes.
        self.shared.refreshing.fetch_add(1, Relaxed);
        futures::stream::iter(upstreams)
            .for_each_concurrent(STARTS_MAX, read)
            .await;
        self.shared.refreshing.fetch_sub(1, Relaxed);
    }

    /// Returns the well-known environment variables that are set and that at least one process does
    /// not get.
    pub fn withheld_variables(&self) -> Vec<&'static str> {
        let names = self
            .upstreams()
            .iter()
            .flat_map(|upstream| upstream.withheld_variables())
            .collect::<BTreeSet<_>>();
        names.into_iter().collect()
    }
}
