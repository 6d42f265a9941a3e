//! What a person approves: the entries of a project's file, and changes of tools.

#[cfg(feature = "cli")]
pub(crate) mod approval;
#[cfg(not(feature = "cli"))]
#[path = "trust/no_approval.rs"]
pub(crate) mod approval;
pub(crate) mod lock;
