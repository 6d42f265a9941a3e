//! A start with the first list of the latest run: it is answered before the lists of the servers
//! are read, and whatever needs a tool waits for them.
//!
//! Reading the lists of a thousand servers, comparing them with the lock and checking their tools
//! takes seconds, and a grouped list shows a line for each server. `lists/first_list.rs` keeps these
//! lines.

use super::Gateway;
use crate::{
    GatewayConfig,
    lists::{cached_lists::ListCache, first_list::FirstListFile},
    trust::lock::UpstreamLock,
    upstream::Upstream,
};
use pd_runtime::{PdServer, check::LockError, upstream::map_items};
use rmcp::ServerHandler;
use std::{collections::HashMap, path::Path, sync::atomic::Ordering::Relaxed, thread};
use tokio::sync::oneshot;

impl Gateway {
    /// Creates a gateway with a lock, as [`with_lock`](Self::with_lock) does. If the first list of
    /// the latest run still holds, [`follow`](Self::follow) reads the lists.
    pub(crate) fn create_for_first_list(
        config: GatewayConfig,
        cache: Option<ListCache>,
        lock: &Path,
    ) -> Result<Self, LockError> {
        let file = cache
            .as_ref()
            .and_then(|cache| FirstListFile::new(cache, &config.path, lock));
        let lines = file.as_ref().and_then(|file| file.read(&config));
        let gateway = match lines {
            Some(mut lines) => {
                let gateway = Self::with_upstreams(config, cache, |entry, shared| {
                    let lines = lines.remove(&entry.name).unwrap_or_default();
                    Upstream::unread(entry, lines, shared)
                });
                // Set first: no list is offered before this lock is open.
                drop(gateway.shared.unopened_lock.set(lock.to_owned()));
                gateway.shared.unread.send_replace(true);
                gateway
            }
            None => Self::create_with_lock(|| Self::with_list_cache(config, cache), lock)?,
        };
        *gateway.shared.first_list.lock() = file;
        Ok(gateway)
    }

    /// Reads the lists of all servers, and replaces the server's registry.
    pub(super) async fn read_and_serve<S, H>(&self, server: &PdServer<S, H>)
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let gateway = self.clone();
        let server = server.clone();
        let (done, ended) = oneshot::channel();
        // A thread of its own: the process must not wait for it if its client leaves.
        let reader = thread::Builder::new().name("list-reader".to_owned());
        let read = move || {
            let read = gateway
                .read_known()
                .map(|()| server.replace(gateway.registry()));
            drop(done.send(read));
        };
        if let Err(error) = reader.spawn(read) {
            tracing::warn!(%error, "no thread reads the lists; they are read later");
            return;
        }
        match ended.await {
            Ok(Ok(Ok(()))) => {}
            Ok(Ok(Err(error))) => tracing::warn!(%error, "no tools are served"),
            // Without the lock, a tool that waits for approval would be offered.
            Ok(Err(error)) => {
                tracing::warn!(%error, "no tools are served before the lock can be read");
                return;
            }
            Err(_) => tracing::warn!("the lists could not be read"),
        }
        self.shared.unread.send_replace(false);
    }

    fn read_known(&self) -> Result<(), LockError> {
        if let Some(path) = self.shared.unopened_lock.get()
            && self.shared.lock().is_none()
        {
            self.shared.set_lock(UpstreamLock::open(path)?);
        }
        let upstreams = self.upstreams();
        map_items(&upstreams, |upstream| upstream.read_known())
            .into_iter()
            .collect()
    }

    /// Keeps no first list any more, because its configuration has changed.
    pub(super) fn forget_first_list(&self) {
        if let Some(file) = self.shared.first_list.lock().take()
            && let Err(error) = file.remove()
        {
            tracing::warn!(%error, "the first list of the former configuration stays");
        }
    }

    /// Keeps the first list of the next run, if the server lists what all servers offer.
    pub(super) fn keep_first_list<S, H>(&self, server: &PdServer<S, H>)
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let mut file = self.shared.first_list.lock();
        let Some(file) = file.as_mut().filter(|_| !self.is_unread()) else {
            return;
        };
        let readings = self.shared.readings.load(Relaxed);
        if !file.is_outdated(readings, *self.served.borrow()) {
            return;
        }
        let upstreams = self.upstreams();
        let entries = upstreams.iter().map(|upstream| &upstream.entry);
        let kept = match server.listed_groups() {
            Some(groups) => {
                let names: HashMap<_, _> = self.groups().into_iter().collect();
                let mut lines = HashMap::<_, Vec<_>>::new();
                for line in groups {
                    let group = line.path.split('/').next().unwrap_or_default();
                    if let Some(upstream) = names.get(group) {
                        let of_server = lines.entry(upstream.name().to_owned()).or_default();
                        of_server.push(line);
                    }
                }
                file.keep(entries, lines)
            }
            None => file.remove(),
        };
        if let Err(error) = kept {
            tracing::warn!(%error, "the first list of the next start is not kept");
        }
    }
}
