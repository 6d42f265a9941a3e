//! `#[derive(ToolErrors)]` on every kind of variant.

use pd_runtime::prelude::*;

#[derive(Debug, thiserror::Error, ToolErrors)]
pub enum GitError {
    /// Find it with `ls` first.
    #[error("{0} is in no commit of that revision")]
    PathNotFound(String),
    /// Wait a minute,
    /// then ask for less.
    #[tool_error(code = "SLOW")]
    #[error("no answer within {seconds} s")]
    Timeout { seconds: u32 },
    #[tool_error(hidden)]
    #[error("the repository is broken")]
    Broken,
    /// Never happens here.
    #[cfg(windows)]
    #[error("windows")]
    Windows,
}

#[derive(Debug, thiserror::Error, ToolErrors)]
#[pd(crate = ::pd_runtime)]
pub enum Wrapped<E: std::error::Error + 'static> {
    /// Ask again.
    #[error(transparent)]
    Inner(E),
}

#[derive(Debug, thiserror::Error, ToolErrors)]
pub enum Never {}

fn main() {}
