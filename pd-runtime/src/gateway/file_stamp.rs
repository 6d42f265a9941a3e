//! What changes whenever a file is replaced.

use std::{fs, path::Path, time::SystemTime};

/// The time and the size of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStamp {
    modified: SystemTime,
    size: u64,
}

impl FileStamp {
    /// Returns `None` for a file that does not exist.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let file = fs::metadata(path).ok()?;
        Some(Self { modified: file.modified().ok()?, size: file.len() })
    }
}
