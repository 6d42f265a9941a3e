//! A lock between processes that share a file of tokens.

use pd_runtime::upstream::Hex;
use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::time::{Instant, sleep};

/// The age from which a lock belongs to a process that has died. A renewal takes 45 seconds at
/// most.
const STALE: Duration = Duration::from_secs(60);
/// How long to wait for another process.
const WAIT_MAX: Duration = Duration::from_secs(70);
/// How often to try.
const PAUSE: Duration = Duration::from_millis(50);

/// A lock, which ends when it is dropped.
#[derive(Debug)]
pub(crate) struct FileLock {
    path: PathBuf,
    /// The content of the file, by which a lock knows itself.
    mark: String,
}

impl FileLock {
    /// Waits until no other process has the lock.
    ///
    /// # Errors
    ///
    /// Returns an error if the lock cannot be written, or if another process keeps it.
    pub(super) async fn acquire(path: &Path) -> io::Result<Self> {
        let began = Instant::now();
        let mark = new_mark()?;
        loop {
            // Only one process can create the file.
            match OpenOptions::new().write(true).create_new(true).open(path) {
                Ok(mut file) => {
                    let lock = Self {
                        path: path.to_owned(),
                        mark,
                    };
                    return file.write_all(lock.mark.as_bytes()).map(|()| lock);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            // A directory in its place would never be removed.
            if !fs::symlink_metadata(path).is_ok_and(|lock| lock.is_file()) && path.exists() {
                let why = format!(
                    "{} is in the place of a lock, and is not a file; remove it",
                    path.display()
                );
                return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
            }
            if is_stale(path) {
                // Of two processes that do so, one can remove the new lock of the other. Both renew
                // then, and the one that is refused reads the tokens of the other.
                drop(fs::remove_file(path));
            } else if began.elapsed() > WAIT_MAX {
                // `WAIT_MAX` is over `STALE`, so a process that has died is not the reason.
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "another process keeps the lock",
                ));
            } else {
                sleep(PAUSE).await;
            }
        }
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // A process that was suspended for longer than `STALE` has lost its lock to another one.
        if fs::read_to_string(&self.path).is_ok_and(|mark| mark == self.mark) {
            drop(fs::remove_file(&self.path));
        }
    }
}

/// Returns a mark that no other lock has.
fn new_mark() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(Hex(&bytes).to_string())
}

fn is_stale(path: &Path) -> bool {
    let age = fs::metadata(path)
        .and_then(|file| file.modified())
        .ok()
        .and_then(|modified| modified.elapsed().ok());
    age.is_some_and(|age| age > STALE)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[tokio::test]
    async fn a_lock_that_was_lost_does_not_end_its_successor() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tokens.lock");
        let suspended = FileLock::acquire(&path).await.unwrap();
        // Another process finds it stale.
        fs::remove_file(&path).unwrap();
        let successor = FileLock::acquire(&path).await.unwrap();
        drop(suspended);
        assert!(path.exists(), "the successor still has the lock");
        drop(successor);
        assert!(!path.exists());
    }
}
