//! Waiting until files have changed, however an editor changes them.

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::{
    sync::mpsc,
    time::{Instant, timeout},
};

/// How long nothing must happen before files are read.
const QUIET: Duration = Duration::from_millis(50);
/// How long they wait at most, where something always happens beside them.
const PATIENCE: Duration = Duration::from_millis(500);

/// Changes in the directories of some files.
#[derive(Debug)]
pub(crate) struct Changes {
    wakes: mpsc::Receiver<()>,
    _watcher: RecommendedWatcher,
}

impl Changes {
    /// Watches the directories, not the files: many editors put a new file in the place of the old.
    pub(crate) fn beside<'a>(files: impl IntoIterator<Item = &'a Path>) -> notify::Result<Self> {
        // One wake is enough, however much has happened.
        let (waker, wakes) = mpsc::channel(1);
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // Reading the files must not wake those who read them.
            if !event.is_ok_and(|event| event.kind.is_access()) {
                let _ = waker.try_send(());
            }
        })?;
        for directory in files
            .into_iter()
            .flat_map(directories)
            .collect::<BTreeSet<_>>()
        {
            watcher.watch(&directory, RecursiveMode::NonRecursive)?;
        }
        Ok(Self {
            wakes,
            _watcher: watcher,
        })
    }

    /// Waits until something has happened, and then nothing for a moment. `None`: there is nothing to wait for any more.
    pub(crate) async fn settled(&mut self) -> Option<()> {
        self.wakes.recv().await?;
        let latest = Instant::now() + PATIENCE;
        while Instant::now() < latest
            && let Ok(wake) = timeout(QUIET, self.wakes.recv()).await
        {
            wake?;
        }
        Some(())
    }
}

/// The directories of a file and of its link's target; of a directory, itself too.
fn directories(file: &Path) -> impl Iterator<Item = PathBuf> {
    let (linked, own) = (
        file.canonicalize().ok(),
        file.is_dir().then(|| file.to_owned()),
    );
    let around = [Some(file.to_owned()), linked]
        .into_iter()
        .flatten()
        .map(|file| match file.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        });
    around.chain(own)
}
