//! What changes whenever a file is replaced.

use serde::{Deserialize, Serialize};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::{fs, path::Path, time::SystemTime};

/// The times and the size of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileStamp {
    modified: SystemTime,
    size: u64,
    /// The time of the latest change of its content, its permissions or its place.
    #[cfg(unix)]
    changed: (i64, i64),
}

impl FileStamp {
    /// Returns the size in bytes.
    #[cfg(feature = "cli")]
    pub(crate) const fn size(&self) -> u64 {
        self.size
    }

    /// Returns `None` for a file that does not exist.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let file = fs::metadata(path).ok()?;
        Some(Self {
            modified: file.modified().ok()?,
            size: file.len(),
            #[cfg(unix)]
            // A program can set the time of modification back, and this one it cannot.
            changed: (file.ctime(), file.ctime_nsec()),
        })
    }
}
