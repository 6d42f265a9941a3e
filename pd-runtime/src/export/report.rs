//! What an export did.

use std::path::PathBuf;

/// What an export did with each file; paths are relative to its directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exported {
    /// Files that are new or changed.
    pub written: Vec<PathBuf>,
    /// Files that were as they should be; they keep their time of modification.
    pub unchanged: Vec<PathBuf>,
    /// Files of an earlier export that are no longer part of it.
    pub removed: Vec<PathBuf>,
    /// Files that somebody edited since they were written. They are as they were, and so not up to date.
    pub kept: Vec<PathBuf>,
}
