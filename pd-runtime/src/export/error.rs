//! Why an export failed.

use crate::registry::problem::Problems;
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// Why nothing was exported, or not all.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The registry itself is not sound. Nothing was written.
    #[error(transparent)]
    Unsound(#[from] Problems),
    /// Files that no export wrote stand where this one would write. Nothing was written.
    #[error("no export wrote {}; move what stands there away, or name another directory", join_paths(paths))]
    Foreign {
        /// The files.
        paths: Vec<PathBuf>,
    },
    /// A link or a directory stands where a file should, or a link or a file where a directory should. Nothing was written.
    #[error("{} is in the way: an export writes files into directories, and follows no link in them; move it away", path.display())]
    Blocked {
        /// What stands there.
        path: PathBuf,
    },
    /// The directory holds an export of another server, or in another format. Nothing was written.
    #[error("{} holds an export of `{server}` as {format}; name another directory, or remove this one", directory.display())]
    OtherExport {
        /// The directory.
        directory: PathBuf,
        /// The format of what it holds.
        format: String,
        /// The server whose export it holds.
        server: String,
    },
    /// The record of what was written before is no such record. Nothing was written.
    #[error("{} is no record of an export: {why}; bring it back from version control, or remove it and all that was exported", path.display())]
    Corrupt {
        /// The record.
        path: PathBuf,
        /// Where, and what is wrong.
        why: String,
    },
    /// Another version of this library wrote the record. Nothing was written.
    #[error("{} is of version {version}, and this pd-runtime reads version {reads}; use the one that wrote it, or remove it and all that was exported", path.display())]
    UnknownVersion {
        /// The record.
        path: PathBuf,
        /// The version in it.
        version: u64,
        /// The one that is read.
        reads: u64,
    },
    /// The index of a tree's servers cannot be understood. Nothing was written.
    #[error("{} is not an index of servers: {why}; mend it, or remove it", path.display())]
    BadIndex {
        /// The index.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A skill is called like its directory, and Windows has no directory of this name. Nothing was written.
    #[error(
        "no directory can be called `{name}` on Windows, and a skill is called like its directory; rename the group or bundle"
    )]
    ReservedName {
        /// The group or bundle.
        name: String,
    },
    /// The system refuses to read a file or directory. Nothing was written.
    #[error("{} cannot be read: {why}", path.display())]
    Unreadable {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// The system refuses to write or remove a file. What stood there is still there, as a whole; files before it are done.
    #[error("{} cannot be written: {why}", path.display())]
    Unwritable {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
}

impl ExportError {
    pub(super) fn unreadable(path: &Path, why: &dyn fmt::Display) -> Self {
        Self::Unreadable { path: path.to_owned(), why: why.to_string() }
    }

    pub(super) fn unwritable(path: &Path, why: &dyn fmt::Display) -> Self {
        Self::Unwritable { path: path.to_owned(), why: why.to_string() }
    }
}

// `unwrap` in a test prints this; it should read like the message.
impl fmt::Debug for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The first few of them.
fn join_paths(paths: &[PathBuf]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<String> = paths.iter().take(SHOWN).map(|path| path.display().to_string()).collect();
    match paths.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
