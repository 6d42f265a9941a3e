//! The lists of an upstream, compared with the lock whenever either changes, and before a call.

use crate::{
    connection::Connection,
    lists::cached_lists::{CachedLists, ListedTool},
    trust::lock::{
        HeldKind, HeldLists, HeldTool, ListedDefinitions, SentDefinitions, UpstreamLock,
        review::is_compatible, text_definitions::text_definitions,
    },
    upstream::{Upstream, upstream_error::UpstreamError},
};
use pd_runtime::{check::LockError, upstream::ToolContract};
use std::sync::Arc;
use tokio::time::timeout;

impl Upstream {
    /// Replaces the lists, and returns whether they differ from the former ones.
    pub(crate) fn store(&self, mut lists: CachedLists) -> Result<bool, LockError> {
        // Locked until the lists are stored, so that no other review stores an older outcome.
        let review = self.lists.lock();
        let former = self.lists();
        let held = self.held_lists(&lists, former.as_deref())?;
        lists.sent = match self.shared.lock() {
            Some(_) => SentDefinitions::of_held(&held, lists.texts()),
            // Nothing is held without a lock, but a later gateway with one needs what was sent.
            None => former.map(|former| former.sent.clone()).unwrap_or_default(),
        };
        lists = lists.with_held(held);
        let is_changed = self.lists().is_none_or(|former| {
            (&former.digest, &former.held, &former.facts)
                != (&lists.digest, &lists.held, &lists.facts)
        });
        self.lists.store(lists, &review);
        Ok(is_changed)
    }

    /// Reads what is known of an earlier run, and compares it with the lock.
    #[cfg(feature = "cli")]
    pub(crate) fn read_known(&self) -> Result<(), LockError> {
        let Some(cache) = &self.shared.cache else {
            return Ok(());
        };
        let name = self.name();
        if let Some(era) = cache.read_era(name, &self.fingerprint)
            && self.lists.era().is_none()
        {
            self.lists.set_era(era);
        }
        if let Some(lists) = cache.read(name, &self.fingerprint) {
            let review = self.lists.lock();
            // The server may have started, and have listed something newer.
            if self.lists.latest().is_none() {
                let held = self.held_lists(&lists, Some(&lists))?;
                let lists = match held == lists.held {
                    true => lists,
                    false => lists.with_held(held),
                };
                self.lists.store(lists, &review);
            }
        }
        Ok(())
    }

    /// Compares the lists with the lock once more, and returns whether other tools are held now.
    pub(crate) fn review_again(&self) -> Result<bool, LockError> {
        let review = self.lists.lock();
        let Some(former) = self.lists() else {
            return Ok(false);
        };
        let held = self.held_lists(&former, Some(&former))?;
        if held == former.held {
            return Ok(false);
        }
        self.lists.store(former.with_held(held), &review);
        Ok(true)
    }

    fn held_lists(
        &self,
        lists: &CachedLists,
        former: Option<&CachedLists>,
    ) -> Result<HeldLists, LockError> {
        let mut held = self
            .shared
            .lock()
            .map_or(Ok(HeldLists::default()), |lock| self.reviewed(lock, lists))?;
        if let Some(former) = former.filter(|_| !held.tools.is_empty() || !held.texts.is_empty()) {
            former
                .sent
                .attach_to(&mut held, &former.tools, former.texts());
        }
        Ok(held)
    }

    fn reviewed(
        &self,
        lock: &Arc<UpstreamLock>,
        lists: &CachedLists,
    ) -> Result<HeldLists, LockError> {
        let texts = text_definitions(lists.texts())
            .into_iter()
            .map(|text| text.definition)
            .collect();
        let listed = ListedDefinitions {
            tools: &lists.tools,
            texts,
        };
        lock.review(self.name(), self.entry.settings.trust, &listed)
    }

    /// Checks that a tool is as it was when the client read its description. A server that was just
    /// started, or has notified a change, may list another tool of the name, so its lists are read
    /// first.
    ///
    /// # Errors
    ///
    /// Returns an error if the tool is held, or a change of it concerns its callers.
    pub(crate) async fn check_tool(
        &self,
        tool: &ListedTool,
        connection: &Connection,
    ) -> Result<(), UpstreamError> {
        if self.shared.lock().is_none() {
            return Ok(());
        }
        if !connection.is_read() {
            // After the time, the lists count as unchanged, as they do if the server does not list
            // them.
            let _ = timeout(self.start_timeout(), connection.until_read()).await;
        }
        let Some(lists) = self.lists() else {
            return Ok(());
        };
        if Arc::ptr_eq(&lists, &tool.lists) && !lists.held.tools.contains_key(&tool.place) {
            return Ok(());
        }
        let place = lists
            .tools
            .iter()
            .position(|listed| listed.get("name").is_some_and(|name| name == tool.name()));
        // A server that no longer lists the tool answers the call itself.
        let Some(place) = place else { return Ok(()) };
        if let Some(held) = lists.held.tools.get(&place) {
            return Err(UpstreamError::Held {
                reason: held.reason(HeldKind::Tool, self.name()),
            });
        }
        let now = ListedTool { lists, place };
        if is_safe_for_callers(tool, &now) {
            return Ok(());
        }
        Err(UpstreamError::Changed {
            server: self.label(),
        })
    }

    /// Returns the tools that wait for a person's approval, and that the settings do not leave out,
    /// and then the other texts that wait.
    pub(crate) fn held_tools(&self) -> Vec<HeldTool> {
        let Some(lists) = self.lists() else {
            return Vec::new();
        };
        let tools = lists.held.tools.iter().filter_map(|(place, held)| {
            HeldTool::new(
                self.name(),
                HeldKind::Tool,
                held.approved.as_deref(),
                lists.tools.get(*place)?,
            )
        });
        let texts = text_definitions(lists.texts());
        let texts = lists.held.texts.iter().filter_map(|(place, held)| {
            let text = texts.get(*place)?;
            HeldTool::new(
                self.name(),
                text.kind,
                held.approved.as_deref(),
                &text.definition,
            )
        });
        tools
            .filter(|held| self.entry.settings.offers(&held.tool))
            .chain(texts)
            .collect()
    }
}

/// Returns whether a call that a client made for one definition may run with another one.
fn is_safe_for_callers(described: &ListedTool, now: &ListedTool) -> bool {
    if described.definition() == now.definition() {
        return true;
    }
    // Approved changes count as well: the client has not read the new text.
    let (Some(described), Some(now)) = (contract_of(described), contract_of(now)) else {
        return false;
    };
    is_compatible(&described, &now.with_omissions_of(&described))
}

fn contract_of(tool: &ListedTool) -> Option<ToolContract> {
    ToolContract::from_definition(tool.definition())
}
