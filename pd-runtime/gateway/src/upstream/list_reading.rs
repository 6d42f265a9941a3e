//! Reads the lists of an upstream, and offers what they contain.

use crate::{
    connection::{
        Connection, RequestError,
        client_events::{ClientEvent, EventKind},
        era::ServerFacts,
        pool::ConnectionClient,
    },
    failure::failure_text::FailureText,
    lists::{cached_lists::CachedLists, list},
    upstream::{Upstream, upstream_error::UpstreamError},
};
use serde_json::Value;
use std::sync::{Arc, atomic::Ordering::Relaxed};
use tokio::time::{Instant, sleep};

/// How often the lists are read if the session ends meanwhile.
const READINGS_MAX: usize = 2;

impl Upstream {
    /// Starts the upstream if it is not running, and waits until its lists were read.
    pub(crate) async fn read_lists(self: &Arc<Self>) -> Result<(), UpstreamError> {
        // Subscribed before the start, so that no reading is missed.
        let mut readings = self.lists.readings();
        let was_running = self.is_running();
        for _ in 0..READINGS_MAX {
            let connection = self.connection(&ConnectionClient::default()).await?;
            if was_running && self.lists().is_some() {
                // They are read again whenever the upstream notifies that they changed.
                return Ok(());
            }
            tokio::select! {
                _ = readings.changed() => {}
                _ = connection.until_closed() => {}
                () = sleep(self.start_timeout()) => {}
            }
            // The session has ended before the lists were read.
            if !connection.has_expired() {
                break;
            }
        }
        Ok(())
    }

    pub(crate) async fn refresh(&self, connection: &Connection, facts: &ServerFacts) {
        if let Err(reason) = self.read_from(connection, facts).await
            // The gateway itself has ended it, which is not a failure of the server.
            && !connection.is_closing()
            // The next connection reads them.
            && !(connection.has_expired() && self.lists().is_some())
        {
            let text = reason.whole();
            tracing::warn!(
                server = self.name(),
                reason = text,
                "the former lists of an upstream stay"
            );
            self.health.set_list_error(Some(reason));
        }
        self.lists.finish_reading();
    }

    /// Reads the lists from the upstream. If that fails, or a list is empty that was not, the
    /// former lists stay.
    async fn read_from(
        &self,
        connection: &Connection,
        facts: &ServerFacts,
    ) -> Result<(), FailureText> {
        let lists = list::read_all(connection, facts, Instant::now() + self.start_timeout()).await;
        if let Err(RequestError::InputClosed) = lists {
            connection.noticed_end().await;
        }
        let lists = lists.inspect_err(|error| self.end_without_login(error, connection));
        let mut lists = lists.map_err(|error| error.failure().without_secrets(&self.secrets))?;
        if lists.tools.is_empty() && self.lists().is_some_and(|former| !former.tools.is_empty()) {
            return Err("its list of tools is empty".into());
        }
        for note in &lists.notes {
            tracing::warn!(
                server = self.name(),
                note,
                "a list of an upstream is not as it should be"
            );
        }
        self.lists()
            .iter()
            .for_each(|former| lists.complete_partial(former));
        // All connections share these lists, and the server may list less for this one.
        if self.is_shared_by_principals() {
            self.lists()
                .iter()
                .for_each(|former| lists.keep_missing(former));
        }
        let era = connection.era().clone();
        let lists = CachedLists::new(self.name(), &self.fingerprint, era, facts.clone(), lists);
        let former = self.lists();
        let is_changed = self.store(lists).map_err(|error| error.to_string())?;
        // Written after the review, because what is held belongs to the texts that clients still
        // get.
        if let Some((cache, lists)) = self.shared.cache.as_ref().zip(self.lists())
            && let Err(error) = cache.write(&lists)
        {
            tracing::warn!(server = self.name(), %error, "could not write the cached lists");
        }
        self.shared.readings.fetch_add(1, Relaxed);
        self.health.set_list_error(None);
        if is_changed {
            self.shared.changed.send_modify(|changes| *changes += 1);
            self.announce_changes(former.as_deref());
        }
        Ok(())
    }

    /// Notifies clients of changes to prompts and resources. The server itself notifies them of
    /// tools.
    fn announce_changes(&self, former: Option<&CachedLists>) {
        let Some(lists) = self.lists() else { return };
        let is_changed = [
            (
                EventKind::PromptsChanged,
                former.map(prompts_of).unwrap_or_default() != prompts_of(&lists),
            ),
            (
                EventKind::ResourcesChanged,
                former.map(resources_of).unwrap_or_default() != resources_of(&lists),
            ),
        ];
        for (kind, _) in is_changed.into_iter().filter(|(_, is_changed)| *is_changed) {
            self.shared.events.send(ClientEvent {
                server: self.name().into(),
                // All clients share the lists, whichever connection has read them.
                session: None,
                kind,
            });
        }
    }
}

fn prompts_of(lists: &CachedLists) -> Vec<Value> {
    lists.prompts.clone()
}

fn resources_of(lists: &CachedLists) -> (Vec<Value>, Vec<Value>) {
    (lists.resources.clone(), lists.templates.clone())
}
