//! The report of an export.

use std::path::PathBuf;

/// The actions of an export for each file. Paths are relative to the directory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExportReport {
    /// Files that are new or changed.
    pub written: Vec<PathBuf>,
    /// Files that were already correct. They keep their modification time.
    pub unchanged: Vec<PathBuf>,
    /// Files of an earlier export that are no longer part of it.
    pub removed: Vec<PathBuf>,
    /// Files that were edited after they were written. They were not changed, so they are not up to
    /// date.
    pub kept: Vec<PathBuf>,
}
