//! A configuration that replaces another one while the gateway runs.

use crate::{
    Gateway, GatewayConfig,
    config::{LeftOutServer, ServerEntry},
    upstream::Upstream,
};
#[cfg(feature = "cli")]
use crate::{config::file_stamp::FileStamp, gateway::FILE_CHECK};
#[cfg(feature = "cli")]
use std::{
    fmt::Display,
    path::{Path, PathBuf},
};
use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};
use tokio::time::{sleep, timeout};

/// The shortest time that a server which was removed runs on.
const RETIREMENT_MIN: Duration = Duration::from_secs(1);
/// How often a server which was removed is checked for open calls.
const USE_CHECK: Duration = Duration::from_millis(100);
/// The longest time that a server which was removed runs on for its open calls.
const RETIREMENT_MAX: Duration = Duration::from_secs(600);

/// The checks in a row after which a file that is not there counts as deleted.
#[cfg(feature = "cli")]
const MISSED_CHECKS: u32 = 2;

impl Gateway {
    /// Replaces the configuration, and reads the lists of servers that are new. A server with an
    /// unchanged entry goes on. Another one ends when its open calls have ended.
    /// [`follow`](Self::follow) offers the tools that there are then. A server with a mistake in
    /// its new entry keeps the former one.
    pub async fn reload(&self, config: GatewayConfig) {
        #[cfg(feature = "cli")]
        self.forget_first_list();
        // The lists of new servers are compared with the lock, which is open then.
        self.until_all_read().await;
        let removed = self.replace_upstreams(config);
        self.changed.send_modify(|changes| *changes += 1);
        // In the background, because open calls may take minutes.
        removed
            .into_iter()
            .for_each(|upstream| drop(tokio::spawn(retire(upstream))));
        self.refresh().await;
    }

    /// Replaces the upstreams, and returns those that have no entry any more.
    fn replace_upstreams(&self, config: GatewayConfig) -> Vec<Arc<Upstream>> {
        // An approval replaces upstreams, too, and each starts from the list of the other one.
        let _replacement = self.shared.replacement.lock();
        let former = self.upstreams();
        let mut left_out = config.left_out();
        let entries = config
            .servers
            .into_iter()
            .filter(|entry| !entry.is_disabled);
        let mut current: Vec<_> = entries
            .map(|entry| self.kept_or_new(entry, &former))
            .collect();
        keep_former(&mut left_out, &former, &mut current);
        let removed = former
            .iter()
            .filter(|upstream| !current.iter().any(|kept| Arc::ptr_eq(kept, upstream)));
        let removed: Vec<_> = removed.cloned().collect();
        tracing::info!(
            servers = current.len(),
            removed = removed.len(),
            "the configuration was read again"
        );
        self.shared.has_several.store(current.len() > 1, Relaxed);
        self.upstreams.store(Arc::new(current));
        self.left_out.store(Arc::new(left_out));
        removed
    }

    fn kept_or_new(&self, entry: ServerEntry, former: &[Arc<Upstream>]) -> Arc<Upstream> {
        // The line of an entry is for messages alone, and its text for approvals.
        let same = former.iter().find(|upstream| {
            let former = upstream.entry.clone();
            #[cfg(feature = "cli")]
            let former = ServerEntry {
                source: entry.source.clone(),
                ..former
            };
            ServerEntry {
                line: entry.line,
                ..former
            } == entry
        });
        let same = same.cloned();
        #[cfg(feature = "cli")]
        let same = self.kept_while_waiting(same, &entry, former);
        same.unwrap_or_else(|| {
            let upstream = Upstream::new(entry, self.shared.clone());
            // Its lists come from an earlier run, and the lock may have changed since.
            if let Err(error) = upstream.review_again() {
                tracing::warn!(server = upstream.name(), %error, "the lock could not be read");
            }
            upstream
        })
    }

    /// Returns the upstream that goes on: its entry is the same, or the changed entry waits for
    /// approval.
    #[cfg(feature = "cli")]
    fn kept_while_waiting(
        &self,
        same: Option<Arc<Upstream>>,
        entry: &ServerEntry,
        former: &[Arc<Upstream>],
    ) -> Option<Arc<Upstream>> {
        let Some(approvals) = self.shared.approvals() else {
            return same;
        };
        // A waiting upstream has the digest that an approval is compared with, so it is replaced by
        // one with the digest of the new text.
        if let Some(upstream) = same.filter(|upstream| !upstream.awaits_approval()) {
            upstream.set_waiting_change(None);
            return Some(upstream);
        }
        if approvals.allows(entry) {
            return None;
        }
        let mut former = former.iter();
        let running =
            former.find(|upstream| upstream.name() == entry.name && !upstream.awaits_approval());
        let Some(upstream) = running else {
            let command = approvals.command(&entry.name);
            tracing::warn!(
                server = entry.name,
                "a new entry is not started; `{command}` approves it"
            );
            return None;
        };
        upstream.set_waiting_change(Some(entry.clone()));
        Some(upstream.clone())
    }

    /// Reads the configuration again whenever its file changes. A file with mistakes is reported,
    /// and the former configuration stays. The task that does this ends with the runtime.
    #[cfg(feature = "cli")]
    pub(crate) fn watch_config<E: Display>(
        &self,
        path: PathBuf,
        read: impl Fn(&Path) -> Result<GatewayConfig, E> + Send + 'static,
    ) {
        let gateway = self.clone();
        let mut stamp = FileStamp::read(&path);
        tokio::spawn(async move {
            let mut missed = 0_u32;
            loop {
                sleep(FILE_CHECK).await;
                let now = FileStamp::read(&path);
                if now.is_none() {
                    missed = missed.saturating_add(1);
                    // A file that is gone for a moment is being replaced.
                    // Reported once, and not at each later check.
                    if missed == MISSED_CHECKS {
                        tracing::warn!(path = %path.display(), "the configuration file is gone; the former configuration stays");
                    }
                    continue;
                }
                if std::mem::take(&mut missed) >= MISSED_CHECKS {
                    tracing::info!(path = %path.display(), "the configuration file is back");
                }
                if now == stamp {
                    continue;
                }
                // Also for a file with mistakes, so that each version is reported once.
                stamp = now;
                match read(&path).map_err(|error| error.to_string()) {
                    Ok(config) => gateway.reload(config).await,
                    Err(error) => tracing::warn!(error, "the former configuration stays"),
                }
            }
        });
    }
}

impl Upstream {
    /// Waits until no request waits for its response.
    async fn until_unused(&self) {
        // Calls that have found the tool in the former registry may not be sent yet.
        sleep(RETIREMENT_MIN).await;
        loop {
            if self.connections.are_unused() {
                return;
            }
            sleep(USE_CHECK).await;
        }
    }
}

/// Keeps the servers with a mistake in their new entries, because a mistake while typing must not
/// end a server that works.
fn keep_former(
    left_out: &mut Vec<LeftOutServer>,
    former: &[Arc<Upstream>],
    current: &mut Vec<Arc<Upstream>>,
) {
    left_out.retain(|server| {
        let kept = former
            .iter()
            .find(|upstream| upstream.entry.label == server.label);
        // Another entry can have the name now, and two servers must not have one name.
        let kept = kept.filter(|kept| current.iter().all(|other| other.name() != kept.name()));
        let Some(kept) = kept else { return true };
        tracing::warn!(
            server = kept.name(),
            reason = server.reason,
            "the entry has a mistake; its former version stays"
        );
        current.push(kept.clone());
        false
    });
}

/// Ends a server when its open calls have ended.
pub(crate) async fn retire(upstream: Arc<Upstream>) {
    let _ = timeout(RETIREMENT_MAX, upstream.until_unused()).await;
    upstream.stop().await;
}
