//! The errors of approvals, each with what to do.

use std::path::PathBuf;

/// Why an approval cannot be read or kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ApprovalError {
    #[error(
        "approvals cannot be kept, because no home directory is known; set HOME, or run with `--config FILE`"
    )]
    NoDirectory,
    #[error("the approvals in {} cannot be read: {why}", .path.display())]
    Unreadable { path: PathBuf, why: String },
    #[error(
        "{} is damaged; remove it, and approve the servers of your projects again with `pd-gateway approve`",
        .path.display()
    )]
    Damaged { path: PathBuf },
    #[error("{} is that of a newer version of pd-gateway; update this one, or run with `--config FILE`", .path.display())]
    Newer { path: PathBuf },
    #[error("approvals cannot be kept in {}: {why}; check its permissions, or run with `--config FILE`", .path.display())]
    Unwritable { path: PathBuf, why: String },
}
