//! One upstream: it starts when a request needs it, and stops when it was idle for long.
//!
//! Its parts are `offered_lists`, `connections` and `health`. `start` opens a connection, and
//! `connection_watch` follows it to its end. `list_reading` reads the lists, and `reviewed_lists`
//! compares them with the lock. `sharing` selects the connection of a call. `subscriptions` has
//! the subscriptions to resources, and `rows` the columns of results. `issued_uris` and
//! `issued_tasks` remember what results contained. `upstream_error` and `server_state` render
//! failures and states for their readers, and `waiting_tools` what waits for approval.

#[cfg(feature = "cli")]
mod approval;
#[cfg(not(feature = "cli"))]
#[path = "upstream/no_approval.rs"]
mod approval;
pub(crate) mod connection_watch;
pub(crate) mod connections;
pub(crate) mod health;
pub(crate) mod issued_tasks;
pub(crate) mod issued_uris;
pub(crate) mod list_reading;
pub(crate) mod made_texts;
pub(crate) mod offered_lists;
pub(crate) mod rates;
pub(crate) mod reviewed_lists;
pub(crate) mod rows;
pub(crate) mod server_state;
pub(crate) mod shared_parts;
pub(crate) mod sharing;
pub(crate) mod start;
pub(crate) mod start_places;
pub(crate) mod subscriptions;
pub(crate) mod upstream_error;
mod waiting_tools;
mod withheld_variables;

use crate::{
    config::{ServerEntry, names},
    connection::{
        Connection, RequestError,
        client_events::EventTarget,
        pool::{ConnectionClient, ConnectionOwner},
        start_error::StartError,
    },
    failure::{
        failure_text::FailureText, limited_log::LimitedLog, secret_filter::SecretFilter,
        token_error::TokenError,
    },
    lists::cached_lists::{CachedLists, ListCache},
    message::{view_uri::ViewNames, wire::MessageBounds},
    upstream::{
        approval::UpstreamApproval,
        connections::UpstreamConnections,
        health::{BACKOFF_MIN, Health, UpstreamHealth},
        issued_tasks::IssuedTasks,
        issued_uris::IssuedUris,
        made_texts::KnownTexts,
        offered_lists::OfferedLists,
        rates::CallRates,
        rows::ObservedColumns,
        shared_parts::SharedParts,
        upstream_error::UpstreamError,
    },
};
#[cfg(feature = "cli")]
use pd_runtime::upstream::GroupLine;
use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    time::{Duration, Instant},
};
use tokio::time::sleep;

/// How long a start may take, unless the entry sets a time. Package runners download first.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// One upstream of a gateway.
#[derive(Debug)]
pub(crate) struct Upstream {
    pub(crate) entry: ServerEntry,
    pub(crate) fingerprint: String,
    pub(crate) shared: Arc<SharedParts>,
    pub(crate) lists: OfferedLists,
    pub(crate) connections: UpstreamConnections,
    pub(crate) health: UpstreamHealth,
    /// What nobody may read of its entry.
    pub(crate) secrets: Arc<SecretFilter>,
    /// What nobody reads of its entry in the failed result of a tool.
    pub(crate) result_secrets: SecretFilter,
    pub(crate) issued: IssuedUris,
    pub(crate) tasks: IssuedTasks,
    /// What its registry says about its tools.
    pub(crate) made: KnownTexts,
    approval: UpstreamApproval,
    rates: CallRates,
    /// The lines about messages that cannot be handled.
    log: Arc<LimitedLog>,
}

impl Upstream {
    pub(crate) fn new(entry: ServerEntry, shared: Arc<SharedParts>) -> Arc<Self> {
        let fingerprint = entry.fingerprint();
        let lists = known_lists(&entry, &fingerprint, shared.cache.as_ref());
        Self::with_lists(entry, fingerprint, lists, shared)
    }

    /// Creates an upstream whose lists are read later. `lines` are what the first list says of it.
    #[cfg(feature = "cli")]
    pub(crate) fn unread(
        entry: ServerEntry,
        lines: Vec<GroupLine>,
        shared: Arc<SharedParts>,
    ) -> Arc<Self> {
        let fingerprint = entry.fingerprint();
        let columns = known_columns(&entry, &fingerprint, shared.cache.as_ref());
        let lists = OfferedLists::new(None, None, columns).with_first_lines(lines);
        Self::with_lists(entry, fingerprint, lists, shared)
    }

    fn with_lists(
        entry: ServerEntry,
        fingerprint: String,
        lists: OfferedLists,
        shared: Arc<SharedParts>,
    ) -> Arc<Self> {
        let max = entry.settings.connections.map(|max| max.get() as usize);
        // A child token: the end of the gateway ends each upstream, and one upstream ends alone.
        let stopping = shared.processes.ending().child_token();
        Arc::new(Self {
            fingerprint,
            lists,
            connections: UpstreamConnections::new(max, stopping),
            health: UpstreamHealth::default(),
            secrets: Arc::new(SecretFilter::new(&entry, |name| std::env::var(name).ok())),
            result_secrets: SecretFilter::for_results(&entry, |name| std::env::var(name).ok()),
            issued: IssuedUris::default(),
            tasks: IssuedTasks::default(),
            made: KnownTexts::default(),
            approval: UpstreamApproval::default(),
            rates: CallRates::new(&entry.settings),
            log: Arc::default(),
            entry,
            shared,
        })
    }

    /// Returns how long a start may take, and how long the lists.
    pub(crate) fn start_timeout(&self) -> Duration {
        self.entry.settings.start_timeout.unwrap_or(START_TIMEOUT)
    }

    /// Returns the names that clients have for its views.
    pub(crate) fn view_names(&self) -> ViewNames<'_> {
        let is_one_of_several = self.shared.has_several.load(Relaxed);
        ViewNames {
            server: is_one_of_several.then(|| self.name()),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.entry.name
    }

    /// Returns the name of its entry in the configuration, as texts show it.
    pub(crate) fn label(&self) -> String {
        self.entry.visible_label()
    }

    /// Returns the beginning of the names of its tools and prompts.
    pub(crate) fn prefix(&self) -> String {
        self.entry
            .settings
            .prefix
            .clone()
            .unwrap_or_else(|| names::default_prefix(self.name()))
    }

    /// Returns the latest lists, which may be from an earlier run. An entry that waits for approval
    /// has none.
    pub(crate) fn lists(&self) -> Option<Arc<CachedLists>> {
        if self.awaits_approval() {
            None
        } else {
            self.lists.latest()
        }
    }

    pub(crate) fn health(&self) -> Health {
        self.health.current()
    }

    /// Returns whether a connection is open.
    pub(crate) fn is_running(&self) -> bool {
        self.connections.is_any_open()
    }

    /// Returns the connection of a client, and starts the upstream if there is none.
    pub(crate) async fn connection(
        self: &Arc<Self>,
        client: &ConnectionClient,
    ) -> Result<Arc<Connection>, UpstreamError> {
        // Here, because nothing else starts a server or leads to a request.
        self.check_approval()?;
        let slot = self
            .connections
            .slot(client)
            .map_err(|limit| UpstreamError::Limit {
                server: self.label(),
                limit,
            })?;
        // Held until the start has ended, so that callers that come meanwhile find its connection.
        let _starting = slot.starting.lock().await;
        if let Some(connection) = slot.for_request() {
            return Ok(connection);
        }
        self.wait_for_restart(client.owner()).await?;
        let began = Instant::now();
        let mark = self.health.mark_start(client.owner());
        // Nobody waits for a start when the gateway ends.
        let started = self.connections.run_until_stopped(self.start(client)).await;
        drop(mark);
        match started.unwrap_or_else(|| Err(StartError::Stopped)) {
            Ok((connection, facts)) => {
                let connection = Arc::new(connection);
                self.health
                    .set_started(began.elapsed(), client.subject().is_none());
                self.connections.keep(client, &slot, &connection);
                // Weak, so that the task keeps alive neither a removed upstream nor its connection.
                let upstream = Arc::downgrade(self);
                let open = Arc::downgrade(&connection);
                tokio::spawn(Self::watch(upstream, open, slot.clone(), facts));
                Ok(connection)
            }
            Err(error) => {
                if let Some(reason) = error.login_reason() {
                    // Whether a principal has a login says nothing about other clients.
                    if client.subject().is_none() {
                        self.health.require_login(reason.clone().into());
                    }
                    return Err(UpstreamError::LoginRequired { reason });
                }
                let reason = self.start_reason(&error).without_secrets(&self.secrets);
                // A start that the gateway has canceled is not a failure of the server.
                if !self.connections.is_stopping() {
                    self.failed(client.owner(), &reason, error.is_for_all());
                }
                Err(UpstreamError::Start {
                    server: self.label(),
                    reason,
                })
            }
        }
    }

    /// Waits for the next start after the first failure. Later pauses are too long for a caller.
    async fn wait_for_restart(&self, owner: &ConnectionOwner) -> Result<(), UpstreamError> {
        // The end of a process that is noticed during this wait adds a pause.
        while let Some((reason, seconds)) = self.health.delaying(owner).waiting() {
            let pause = self.health.delaying(owner).pause();
            if pause > BACKOFF_MIN {
                return Err(UpstreamError::Waiting {
                    server: self.label(),
                    reason,
                    seconds,
                });
            }
            if self
                .connections
                .run_until_stopped(sleep(pause))
                .await
                .is_none()
            {
                return Err(UpstreamError::Waiting {
                    server: self.label(),
                    reason,
                    seconds,
                });
            }
        }
        Ok(())
    }

    pub(crate) fn failed(&self, owner: &ConnectionOwner, reason: &FailureText, is_for_all: bool) {
        let failures = self.health.fail(owner, reason, is_for_all);
        let reason = reason.whole();
        tracing::warn!(server = self.name(), reason, failures, "an upstream failed");
    }

    /// Returns the bounds of the messages that the upstream sends.
    pub(crate) fn bounds(&self) -> MessageBounds {
        MessageBounds::new(
            self.entry.settings.response_bytes,
            self.shared.memory.clone(),
        )
    }

    pub(crate) fn event_target(&self, client: &ConnectionClient) -> EventTarget {
        let session = client.session().cloned();
        EventTarget {
            server: self.name().into(),
            session,
            is_of_owner: client.subject().is_none(),
            events: self.shared.events.clone(),
            log: self.log.clone(),
            secrets: self.secrets.clone(),
        }
    }

    /// Ends all connections and starts, and waits until their processes have ended. The upstream
    /// does not start again.
    pub(crate) async fn stop(&self) {
        self.connections.stop().await;
    }

    /// Counts a call of this tool.
    ///
    /// # Errors
    ///
    /// Returns an error if the server or the tool is at its limit.
    pub(crate) fn count_call(&self, tool: &str) -> Result<(), UpstreamError> {
        self.rates
            .count(tool)
            .map_err(|limit| UpstreamError::Limit {
                server: self.label(),
                limit,
            })
    }

    pub(crate) fn request_error(&self, error: RequestError) -> UpstreamError {
        match error {
            RequestError::Unauthorized(TokenError::LoginRequired(reason)) => {
                UpstreamError::LoginRequired { reason }
            }
            // A server can repeat a header or a variable of its entry in an error.
            RequestError::Refused(mut refused) => {
                refused.message = self.secrets.hide(&refused.message).into_owned();
                refused
                    .data
                    .iter_mut()
                    .for_each(|data| self.secrets.hide_in(data));
                UpstreamError::Request {
                    server: self.label(),
                    error: RequestError::Refused(refused),
                }
            }
            error => UpstreamError::Request {
                server: self.label(),
                error,
            },
        }
    }
}

/// Returns what is known of an earlier run with the same entry.
fn known_lists(entry: &ServerEntry, fingerprint: &str, cache: Option<&ListCache>) -> OfferedLists {
    let lists = cache.and_then(|cache| cache.read(&entry.name, fingerprint));
    let era = cache.and_then(|cache| cache.read_era(&entry.name, fingerprint));
    let columns = known_columns(entry, fingerprint, cache);
    OfferedLists::new(lists, era, columns)
}

fn known_columns(
    entry: &ServerEntry,
    fingerprint: &str,
    cache: Option<&ListCache>,
) -> ObservedColumns {
    cache
        .filter(|_| entry.settings.has_selective_tools())
        .map(|cache| ObservedColumns::open(cache.columns_path(&entry.name, fingerprint)))
        .unwrap_or_default()
}
