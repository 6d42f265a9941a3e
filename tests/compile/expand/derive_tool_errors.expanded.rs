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
#[automatically_derived]
impl ::pd_runtime::__private::IntoToolError for GitError {
    const HELP: &'static [::pd_runtime::__private::ErrorHelp] = &[
        ::pd_runtime::__private::ErrorHelp::from_static(
            "PATH_NOT_FOUND",
            "… is in no commit of that revision",
            "Find it with `ls` first.",
        ),
        ::pd_runtime::__private::ErrorHelp::from_static(
            "SLOW",
            "no answer within {seconds} s",
            "Wait a minute, then ask for less.",
        ),
        #[cfg(windows)]
        ::pd_runtime::__private::ErrorHelp::from_static(
            "WINDOWS",
            "windows",
            "Never happens here.",
        ),
    ];
    fn into_tool_error(self) -> ::pd_runtime::__private::Error {
        let message = ::pd_runtime::__private::message(&self);
        let code = match self {
            Self::PathNotFound { .. } => "PATH_NOT_FOUND",
            Self::Timeout { .. } => "SLOW",
            Self::Broken { .. } => "BROKEN",
            #[cfg(windows)]
            Self::Windows { .. } => "WINDOWS",
        };
        ::pd_runtime::__private::Error::new(code, message)
    }
}
#[derive(Debug, thiserror::Error, ToolErrors)]
#[pd(crate = ::pd_runtime)]
pub enum Wrapped<E: std::error::Error + 'static> {
    /// Ask again.
    #[error(transparent)]
    Inner(E),
}
#[automatically_derived]
impl<E: std::error::Error + 'static> ::pd_runtime::__private::IntoToolError
for Wrapped<E>
where
    Self: ::core::fmt::Display + ::core::marker::Send,
{
    const HELP: &'static [::pd_runtime::__private::ErrorHelp] = &[
        ::pd_runtime::__private::ErrorHelp::from_static("INNER", "", "Ask again."),
    ];
    fn into_tool_error(self) -> ::pd_runtime::__private::Error {
        let message = ::pd_runtime::__private::message(&self);
        let code = match self {
            Self::Inner { .. } => "INNER",
        };
        ::pd_runtime::__private::Error::new(code, message)
    }
}
#[derive(Debug, thiserror::Error, ToolErrors)]
pub enum Never {}
#[automatically_derived]
impl ::pd_runtime::__private::IntoToolError for Never {
    const HELP: &'static [::pd_runtime::__private::ErrorHelp] = &[];
    fn into_tool_error(self) -> ::pd_runtime::__private::Error {
        match self {}
    }
}
fn main() {}
