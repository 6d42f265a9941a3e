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
    /// Files of an earlier export that this one does not contain.
    pub removed: Vec<PathBuf>,
    /// Files that were edited after they were written. They were not changed, so they are not up to
    /// date.
    pub kept: Vec<PathBuf>,
}

impl ExportReport {
    /// Adds the report of another server of the same directory. Both have the index.
    #[cfg(feature = "cli")]
    pub(super) fn add(&mut self, other: Self) {
        let lists = [
            (&mut self.written, other.written),
            (&mut self.unchanged, other.unchanged),
            (&mut self.removed, other.removed),
            (&mut self.kept, other.kept),
        ];
        for (list, other) in lists {
            list.extend(other);
            list.sort_unstable();
            list.dedup();
        }
        // The index may be written for one server, and be up to date for the next one.
        self.unchanged.retain(|path| !self.written.contains(path));
    }
}
