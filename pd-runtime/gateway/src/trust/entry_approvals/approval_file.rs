//! The file of approved entries. It is in the user's state directory, where a program that may
//! write only in a project cannot write.

use super::error::ApprovalError;
use pd_runtime::upstream::text::{
    file_lock::{FileLock, LockTimes},
    regular_file, unix_time,
    write_file::{create_private_directory, write_private},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    time::Duration,
};

/// The version of the file's format.
const VERSION: u64 = 1;
/// The largest file that is read, in bytes.
const FILE_MAX: u64 = 4 << 20;
/// The most approvals. The oldest ones are dropped.
const APPROVALS_MAX: usize = 5_000;
/// The times of the lock that writers of the file have.
const WRITERS: LockTimes = LockTimes {
    abandoned: Duration::from_secs(10),
    patience: Duration::from_secs(2),
    pause: Duration::from_millis(20),
};

/// The file of approved entries. It need not exist.
#[derive(Debug, Clone)]
pub(super) struct ApprovalFile(PathBuf);

/// The approval of one entry. An entry has one approval, so that a version that was replaced cannot
/// come back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Approval {
    /// The directory that the entry's paths start from.
    pub(super) directory: String,
    /// The entry's name in its file.
    pub(super) server: String,
    /// The digest of the entry.
    pub(super) digest: String,
    /// Seconds since 1970.
    approved_at: u64,
}

impl Approval {
    pub(super) fn new(directory: &str, server: &str, digest: &str) -> Self {
        let approved_at = unix_time::seconds();
        Self {
            directory: directory.to_owned(),
            server: server.to_owned(),
            digest: digest.to_owned(),
            approved_at,
        }
    }

    fn is_of_same_entry(&self, other: &Self) -> bool {
        (&self.directory, &self.server) == (&other.directory, &other.server)
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Document {
    version: u64,
    entries: Vec<Approval>,
}

impl ApprovalFile {
    pub(super) fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Reads the approvals.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, if others can write it, or if it is not a file
    /// of this version.
    pub(super) fn read(&self) -> Result<Vec<Approval>, ApprovalError> {
        let file = match regular_file::open_private(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other.map_err(|error| self.unreadable(&error))?,
        };
        let mut text = String::new();
        // One byte more than the limit shows that the file is too large.
        file.take(FILE_MAX + 1)
            .read_to_string(&mut text)
            .map_err(|error| self.unreadable(&error))?;
        if text.len() as u64 > FILE_MAX {
            return Err(self.damaged());
        }
        let document: Value = serde_json::from_str(&text).map_err(|_| self.damaged())?;
        // Checked before the rest is read, because a newer file can have another form.
        if document
            .get("version")
            .and_then(Value::as_u64)
            .is_some_and(|version| version > VERSION)
        {
            return Err(ApprovalError::Newer {
                path: self.0.clone(),
            });
        }
        let document: Document = serde_json::from_value(document).map_err(|_| self.damaged())?;
        if document.version == VERSION {
            Ok(document.entries)
        } else {
            Err(self.damaged())
        }
    }

    /// Adds approvals, and drops former ones of the same entries.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`read`](Self::read), or an error if the file cannot be written.
    pub(super) fn add(&self, approvals: Vec<Approval>) -> Result<(), ApprovalError> {
        if let Some(directory) = self.0.parent() {
            create_private_directory(directory).map_err(|error| self.unwritable(&error))?;
        }
        // Before the read, so that no approval of another process is lost.
        let _lock = FileLock::acquire(&self.0.with_extension("json.writer"), WRITERS)
            .map_err(|error| self.unwritable(&error))?;
        let mut entries = self.read()?;
        entries.retain(|known| approvals.iter().all(|new| !new.is_of_same_entry(known)));
        // New approvals are at the end, so the oldest ones are at the beginning.
        entries.extend(approvals);
        entries.drain(..entries.len().saturating_sub(APPROVALS_MAX));
        let document = Document {
            version: VERSION,
            entries,
        };
        let text = serde_json::to_string_pretty(&document)
            .map_err(|error| self.unwritable(&error.into()))?;
        write_private(&self.0, &text).map_err(|error| self.unwritable(&error))
    }

    fn unreadable(&self, error: &io::Error) -> ApprovalError {
        ApprovalError::Unreadable {
            path: self.0.clone(),
            why: error.to_string(),
        }
    }

    fn damaged(&self) -> ApprovalError {
        ApprovalError::Damaged {
            path: self.0.clone(),
        }
    }

    fn unwritable(&self, error: &io::Error) -> ApprovalError {
        ApprovalError::Unwritable {
            path: self.0.clone(),
            why: error.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use std::fs;

    /// A directory of one test, which ends with it.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            Self(std::env::temp_dir().join(format!("pd-approvals-{name}-{}", std::process::id())))
        }

        fn file(&self) -> ApprovalFile {
            ApprovalFile::new(self.0.join("state/approved.json"))
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            drop(fs::remove_dir_all(&self.0));
        }
    }

    #[test]
    fn an_entry_has_one_approval_and_the_oldest_are_dropped() {
        let folder = Folder::new("one");
        let file = folder.file();
        assert_eq!(file.read().unwrap(), []);
        file.add(vec![
            Approval::new("/p", "a", "1"),
            Approval::new("/q", "a", "1"),
        ])
        .unwrap();
        file.add(vec![Approval::new("/p", "a", "2")]).unwrap();
        let digests = |entries: &[Approval]| {
            entries
                .iter()
                .map(|entry| entry.digest.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(digests(&file.read().unwrap()), ["1", "2"]);
        file.add(
            (0..APPROVALS_MAX)
                .map(|number| Approval::new("/r", &number.to_string(), "3"))
                .collect(),
        )
        .unwrap();
        assert_eq!(file.read().unwrap().len(), APPROVALS_MAX);
        assert_eq!(
            fs::read_dir(folder.0.join("state")).unwrap().count(),
            1,
            "nothing is left beside it"
        );
    }

    #[test]
    fn a_file_that_is_damaged_or_newer_is_an_error_and_stays() {
        let folder = Folder::new("damaged");
        let file = folder.file();
        file.add(vec![Approval::new("/p", "a", "1")]).unwrap();
        for (text, reason) in [
            ("{", "is damaged"),
            ("{}", "is damaged"),
            (r#"{"version": 0, "entries": []}"#, "is damaged"),
            (r#"{"version": 2, "entries": {}}"#, "a newer version"),
        ] {
            fs::write(file.path(), text).unwrap();
            let error = file.read().unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
            assert!(file.add(vec![Approval::new("/p", "a", "1")]).is_err());
            assert_eq!(fs::read_to_string(file.path()).unwrap(), text);
        }
        fs::remove_file(file.path()).unwrap();
        fs::create_dir(file.path()).unwrap();
        assert!(
            file.read()
                .unwrap_err()
                .to_string()
                .contains("it is a directory")
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_write_approves_nothing() {
        use std::os::unix::fs::PermissionsExt;
        let folder = Folder::new("mode");
        let file = folder.file();
        file.add(vec![Approval::new("/p", "a", "1")]).unwrap();
        let mode = fs::metadata(file.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o622)).unwrap();
        assert!(file.read().unwrap_err().to_string().contains("chmod go-w"));
    }
}
