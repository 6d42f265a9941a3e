//! Watches a directory and reports when it has changed and settled (feature `watch`).

use super::error::OverlayErrorKind;
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use parking_lot::Mutex;
use std::{
    path::Path,
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

/// The time without events before the directory is read.
const QUIET: Duration = Duration::from_millis(100);
/// The longest wait for such a pause, for directories that change all the time.
const PATIENCE: Duration = Duration::from_secs(10);

/// A watched directory. Dropping it ends the watch.
#[derive(Debug)]
pub(crate) struct DirectoryWatch {
    _watcher: Arc<Mutex<RecommendedWatcher>>,
}

impl DirectoryWatch {
    /// Calls `on_change` on its own thread when something in the directory has changed and then settled.
    /// If another directory replaces this one, the watch follows it. If the parent directory is
    /// replaced, the watch ends.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be watched.
    pub(crate) fn start(
        directory: &Path,
        mut on_change: impl FnMut() + Send + 'static,
    ) -> Result<Self, OverlayErrorKind> {
        let unwatchable = |why: String| OverlayErrorKind::Unwatchable { why };
        let directory =
            std::path::absolute(directory).map_err(|error| unwatchable(error.to_string()))?;
        // A channel of one message: any number of events before the next read need only one read.
        let (waker, wakes) = mpsc::sync_channel(1);
        let own = directory.clone();
        let watcher = notify::recommended_watcher(
            move |event: notify::Result<Event>| match event {
                Ok(event) if !concerns(&event, &own) => {}
                Ok(_) => drop(waker.try_send(())),
                Err(error) => {
                    tracing::warn!(target: "pd_runtime::overlay", %error, "changes in {} may have been missed", own.display());
                }
            },
        );
        let watcher = Arc::new(Mutex::new(
            watcher.map_err(|error| unwatchable(error.to_string()))?,
        ));
        watch_paths(&watcher, &directory).map_err(|error| unwatchable(error.to_string()))?;
        // A weak reference, so that dropping `DirectoryWatch` drops the watcher, closes the channel
        // and ends the thread.
        let known = Arc::downgrade(&watcher);
        let follow = move || {
            while wait_until_settled(&wakes)
                && let Some(watcher) = known.upgrade()
            {
                // Another directory may have this path now. A directory that does not exist yet
                // cannot be watched until the parent reports the next event.
                if let Err(error) = watch_paths(&watcher, &directory) {
                    tracing::warn!(target: "pd_runtime::overlay", %error, "{} cannot be watched now", directory.display());
                }
                // Released before the callback, so that `DirectoryWatch` can be dropped during the
                // callback and the watch ends.
                drop(watcher);
                on_change();
            }
        };
        thread::Builder::new()
            .name("pd-overlay".to_owned())
            .spawn(follow)
            .map_err(|error| unwatchable(error.to_string()))?;
        Ok(Self { _watcher: watcher })
    }
}

/// Watches the directory and its parent, because the directory itself may be replaced.
fn watch_paths(watcher: &Mutex<RecommendedWatcher>, directory: &Path) -> notify::Result<()> {
    let mut watcher = watcher.lock();
    if let Some(around) = directory.parent() {
        watcher.watch(around, RecursiveMode::NonRecursive)?;
    }
    watcher.watch(directory, RecursiveMode::NonRecursive)
}

/// Returns whether an event concerns the directory or a file in it. Operating systems report paths
/// with or without resolved links, so only names are compared. Read accesses do not count: reading
/// the files must not trigger another read.
fn concerns(event: &Event, directory: &Path) -> bool {
    let name = directory.file_name();
    !event.kind.is_access()
        && (event.need_rescan()
            || event.paths.iter().any(|path| {
                path.file_name() == name || path.parent().and_then(Path::file_name) == name
            }))
}

/// Waits for an event and then for a pause. Returns `false` once the watcher is gone.
fn wait_until_settled(wakes: &Receiver<()>) -> bool {
    if wakes.recv().is_err() {
        return false;
    }
    // The deadline is absolute: each event starts the pause again, and events may never end.
    let latest = Instant::now() + PATIENCE;
    while Instant::now() < latest {
        match wakes.recv_timeout(QUIET) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => break,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
    true
}
