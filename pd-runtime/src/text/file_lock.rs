//! A lock between processes: a file that only one process can create.

use super::{regular_file, write_file::create_new_private};
use std::{
    fs,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// The bytes of a lock that are read. A mark has 32.
const MARK_MAX: u64 = 64;

/// How long a lock lasts, and how long a process waits for it.
#[derive(Debug, Clone, Copy)]
pub struct LockTimes {
    /// The age from which a lock belongs to a process that has died. The holder needs less.
    pub abandoned: Duration,
    /// The longest wait for another process.
    pub patience: Duration,
    /// The pause between two tries.
    pub pause: Duration,
}

/// A lock, which ends when it is dropped.
#[derive(Debug)]
pub struct FileLock {
    path: PathBuf,
    /// The content of the file, by which a lock knows itself.
    mark: String,
}

impl FileLock {
    /// Waits on this thread until no other process has the lock. The directory must exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written, if another process keeps it for longer than
    /// the patience, or if a directory or a link is in its place.
    pub fn acquire(path: &Path, times: LockTimes) -> io::Result<Self> {
        let began = Instant::now();
        loop {
            if let Some(lock) = Self::try_acquire(path, times.abandoned)? {
                return Ok(lock);
            }
            check_patience(path, began, times)?;
            thread::sleep(times.pause);
        }
    }

    /// Waits until no other process has the lock, as [`acquire`](Self::acquire) does.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`acquire`](Self::acquire).
    pub async fn acquire_later(path: &Path, times: LockTimes) -> io::Result<Self> {
        let began = Instant::now();
        loop {
            if let Some(lock) = Self::try_acquire(path, times.abandoned)? {
                return Ok(lock);
            }
            check_patience(path, began, times)?;
            tokio::time::sleep(times.pause).await;
        }
    }

    /// Tries once. Returns `None` while another process has the lock.
    fn try_acquire(path: &Path, abandoned: Duration) -> io::Result<Option<Self>> {
        match create_new_private(path) {
            Ok(mut file) => {
                let lock = Self {
                    path: path.to_owned(),
                    mark: new_mark()?,
                };
                // Others read the mark of an old file only, so they never see a part of it.
                return file.write_all(lock.mark.as_bytes()).map(|()| Some(lock));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        // A directory or a link is not the lock of a process, and stays for ever.
        if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
            let why = format!("{} is not a file; remove it", path.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        remove_abandoned(path, abandoned);
        Ok(None)
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // A process that was suspended for too long has lost its lock to another one.
        if read_mark(&self.path).is_ok_and(|mark| mark == self.mark) {
            drop(fs::remove_file(&self.path));
        }
    }
}

/// Removes the lock of a process that has died.
fn remove_abandoned(path: &Path, abandoned: Duration) {
    // A time in the future says nothing, so the lock then counts as in use.
    let age = fs::metadata(path)
        .and_then(|file| file.modified())
        .ok()
        .and_then(|modified| modified.elapsed().ok());
    if age.is_none_or(|age| age <= abandoned) {
        return;
    }
    let (Ok(seen), Ok(mark)) = (read_mark(path), new_mark()) else {
        return;
    };
    // Set aside and not removed: since the age was read, another process may have removed the old
    // lock and created its own.
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{mark}"));
    let aside = path.with_file_name(name);
    if fs::rename(path, &aside).is_err() {
        return;
    }
    if read_mark(&aside).is_ok_and(|found| found != seen) {
        // This lock has a live process. A link fails if a third process was faster.
        drop(fs::hard_link(&aside, path));
    }
    drop(fs::remove_file(&aside));
}

fn read_mark(path: &Path) -> io::Result<String> {
    let mut mark = String::new();
    regular_file::open(path)?
        .take(MARK_MAX)
        .read_to_string(&mut mark)?;
    Ok(mark)
}

/// Returns a mark that no other lock has.
fn new_mark() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

fn check_patience(path: &Path, began: Instant, times: LockTimes) -> io::Result<()> {
    if began.elapsed() <= times.patience {
        return Ok(());
    }
    let why = format!(
        "another process keeps the lock {}; remove it if there is none",
        path.display()
    );
    Err(io::Error::new(io::ErrorKind::TimedOut, why))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::text::write_file::test_directory;
    use std::{fs::File, time::SystemTime};

    const TIMES: LockTimes = LockTimes {
        abandoned: Duration::from_secs(10),
        patience: Duration::from_millis(50),
        pause: Duration::from_millis(5),
    };

    #[test]
    fn a_lock_that_was_lost_does_not_end_its_successor() {
        let path = test_directory().join("lock");
        let suspended = FileLock::acquire(&path, TIMES).unwrap();
        // Another process finds it abandoned.
        fs::remove_file(&path).unwrap();
        let successor = FileLock::acquire(&path, TIMES).unwrap();
        drop(suspended);
        assert!(path.exists(), "the successor still has the lock");
        drop(successor);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn a_process_waits_for_a_lock_and_takes_an_abandoned_one() {
        let path = test_directory().join("lock");
        let held = FileLock::acquire_later(&path, TIMES).await.unwrap();
        let refused = FileLock::acquire_later(&path, TIMES).await.unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::TimedOut, "{refused}");
        let old = SystemTime::now() - 2 * TIMES.abandoned;
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(old)
            .unwrap();
        let taken = FileLock::acquire(&path, TIMES).unwrap();
        drop(held);
        assert!(path.exists(), "the new holder keeps its lock");
        drop(taken);
        let left = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(left, 0, "nothing is left behind");
    }

    #[test]
    fn many_that_find_an_abandoned_lock_have_it_one_at_a_time() {
        let path = test_directory().join("lock");
        File::create(&path)
            .unwrap()
            .set_modified(SystemTime::now() - 2 * TIMES.abandoned)
            .unwrap();
        let times = LockTimes {
            patience: Duration::from_secs(20),
            ..TIMES
        };
        let counter = path.with_file_name("counter");
        fs::write(&counter, "0").unwrap();
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..10 {
                        let _lock = FileLock::acquire(&path, times).unwrap();
                        let count: u32 = fs::read_to_string(&counter).unwrap().parse().unwrap();
                        fs::write(&counter, (count + 1).to_string()).unwrap();
                    }
                });
            }
        });
        assert_eq!(fs::read_to_string(&counter).unwrap(), "80");
    }

    #[test]
    fn what_is_not_a_file_in_its_place_is_reported_at_once() {
        let path = test_directory().join("lock");
        fs::create_dir(&path).unwrap();
        let error = FileLock::acquire(&path, TIMES).unwrap_err().to_string();
        assert!(error.contains("is not a file; remove it"), "{error}");
        fs::remove_dir(&path).unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/nowhere/at/all", &path).unwrap();
            let error = FileLock::acquire(&path, TIMES).unwrap_err().to_string();
            assert!(error.contains("is not a file; remove it"), "{error}");
        }
    }
}
