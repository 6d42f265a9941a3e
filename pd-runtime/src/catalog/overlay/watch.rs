//! Knowing when a directory has changed and come to rest. (Feature `watch`.)

use super::error::OverlayFault;
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

/// How long nothing must happen before the directory is read.
const QUIET: Duration = Duration::from_millis(100);
/// How long it is waited for at most, where something always happens.
const PATIENCE: Duration = Duration::from_secs(10);

/// A directory that is watched; dropping it ends that.
#[derive(Debug)]
pub(crate) struct Watch {
    _watcher: Arc<Mutex<RecommendedWatcher>>,
}

impl Watch {
    /// Calls `look`, on a thread of its own, whenever something in the directory has changed, and then nothing for a moment.
    /// Another directory in its place is followed; where the one around it is replaced, nothing is any more.
    ///
    /// # Errors
    ///
    /// The directory cannot be watched.
    pub(crate) fn start(directory: &Path, mut look: impl FnMut() + Send + 'static) -> Result<Self, OverlayFault> {
        let unwatchable = |why: String| OverlayFault::Unwatchable { why };
        let directory = std::path::absolute(directory).map_err(|error| unwatchable(error.to_string()))?;
        // One wake is enough, however much has happened.
        let (waker, wakes) = mpsc::sync_channel(1);
        let own = directory.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| match event {
            Ok(event) if !concerns(&event, &own) => {}
            Ok(_) => drop(waker.try_send(())),
            Err(error) => {
                tracing::warn!(target: "pd_runtime::overlay", %error, "changes in {} may have been missed", own.display());
            }
        });
        let watcher = Arc::new(Mutex::new(watcher.map_err(|error| unwatchable(error.to_string()))?));
        aim(&watcher, &directory).map_err(|error| unwatchable(error.to_string()))?;
        let known = Arc::downgrade(&watcher);
        let follow = move || {
            while settled(&wakes)
                && let Some(watcher) = known.upgrade()
            {
                // Another directory may stand in its place; what is not there cannot be watched until the next event.
                if let Err(error) = aim(&watcher, &directory) {
                    tracing::warn!(target: "pd_runtime::overlay", %error, "{} cannot be watched now", directory.display());
                }
                drop(watcher);
                look();
            }
        };
        thread::Builder::new()
            .name("pd-overlay".to_owned())
            .spawn(follow)
            .map_err(|error| unwatchable(error.to_string()))?;
        Ok(Self { _watcher: watcher })
    }
}

/// Watches the directory, and the one that it stands in: the whole may be replaced.
fn aim(watcher: &Mutex<RecommendedWatcher>, directory: &Path) -> notify::Result<()> {
    let mut watcher = watcher.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(around) = directory.parent() {
        watcher.watch(around, RecursiveMode::NonRecursive)?;
    }
    watcher.watch(directory, RecursiveMode::NonRecursive)
}

/// Whether an event is about the directory or something in it. Systems tell paths with links resolved or not, so names must do.
/// Reading files must not wake those who read them.
fn concerns(event: &Event, directory: &Path) -> bool {
    let name = directory.file_name();
    let is_own = |path: &PathBuf| path.file_name() == name || path.parent().and_then(Path::file_name) == name;
    !event.kind.is_access() && (event.need_rescan() || event.paths.iter().any(is_own))
}

/// Waits until something has happened, and then nothing for a moment; false where there is nothing to wait for any more.
fn settled(wakes: &Receiver<()>) -> bool {
    if wakes.recv().is_err() {
        return false;
    }
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
