//! The approvals of a person: of the entries of a project's file, and of changes of servers.
//!
//! `entry_approvals` has the approved entries, and finds out which files belong to a project. `lock`
//! compares what servers list with the approved contracts, and holds what has changed.

#[cfg(feature = "cli")]
pub(crate) mod entry_approvals;
pub(crate) mod lock;
