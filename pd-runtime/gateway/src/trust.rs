//! What a person approves: the entries of a project's file, and changes of tools.

#[cfg(feature = "cli")]
pub(crate) mod approval;
pub(crate) mod lock;
