//! Errors of an export.

use crate::registry::problem::RegistryErrors;
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// The reason why nothing was exported, or not everything.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The registry has errors. Nothing was written.
    #[error(transparent)]
    Unsound(#[from] RegistryErrors),
    /// Files that no export wrote are in the way. Nothing was written.
    #[error(
        "not written by an export: {}; move these files away, or name another directory",
        join_paths(paths)
    )]
    Foreign {
        /// The files.
        paths: Vec<PathBuf>,
    },
    /// A link or a directory is in the place of a file, or a link or a file in the place of a
    /// directory. Nothing was written.
    #[error("{} is in the way: an export writes files into directories, and does not follow links in them; move it away", path.display())]
    Blocked {
        /// The path in the way.
        path: PathBuf,
    },
    /// The directory contains an export of another server, or in another format. Nothing was
    /// written.
    #[error("{} holds an export of `{server}` as {format}; name another directory, or remove this one", directory.display())]
    OtherExport {
        /// The directory.
        directory: PathBuf,
        /// The format of the existing export.
        format: String,
        /// The server of the existing export.
        server: String,
    },
    /// The record of the last export is not valid. Nothing was written.
    #[error("{} is not a valid record of an export: {why}; restore it from version control, or remove it and all exported files", path.display())]
    Corrupt {
        /// The record.
        path: PathBuf,
        /// The position and kind of the error.
        why: String,
    },
    /// Another version of this library wrote the record. Nothing was written.
    #[error("{} is of version {version}, and this pd-runtime reads version {reads}; use the one that wrote it, or remove it and all exported files", path.display())]
    UnknownVersion {
        /// The record.
        path: PathBuf,
        /// The version in the record.
        version: u64,
        /// The version that this library reads.
        reads: u64,
    },
    /// The index of a tree's servers is not valid. Nothing was written.
    #[error("{} is not a valid index of servers: {why}; repair it, or remove it", path.display())]
    BadIndex {
        /// The index.
        path: PathBuf,
        /// The error in the index.
        why: String,
    },
    /// The name of a skill is reserved on Windows, and its directory must have the same name.
    /// Nothing was written.
    #[error(
        "`{name}` is a reserved name on Windows, and the directory of a skill has its name; rename the group or bundle"
    )]
    ReservedName {
        /// The group or bundle.
        name: String,
    },
    /// A file or directory cannot be read. Nothing was written.
    #[error("{} cannot be read: {why}", path.display())]
    Unreadable {
        /// The file or directory.
        path: PathBuf,
        /// The error of the operating system.
        why: String,
    },
    /// A file cannot be written or removed. It still has its earlier contents as a whole; files
    /// before it are finished.
    #[error("{} cannot be written: {why}", path.display())]
    Unwritable {
        /// The file or directory.
        path: PathBuf,
        /// The error of the operating system.
        why: String,
    },
}

impl ExportError {
    pub(super) fn unreadable(path: &Path, why: &dyn fmt::Display) -> Self {
        Self::Unreadable {
            path: path.to_owned(),
            why: why.to_string(),
        }
    }

    pub(super) fn unwritable(path: &Path, why: &dyn fmt::Display) -> Self {
        Self::Unwritable {
            path: path.to_owned(),
            why: why.to_string(),
        }
    }
}

// `unwrap` in a test prints the debug format, which should be as readable as the message.
impl fmt::Debug for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Joins the first few paths.
fn join_paths(paths: &[PathBuf]) -> String {
    const LISTED_MAX: usize = 5;
    let first: Vec<String> = paths
        .iter()
        .take(LISTED_MAX)
        .map(|path| path.display().to_string())
        .collect();
    match paths.len().saturating_sub(LISTED_MAX) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
