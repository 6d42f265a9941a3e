//! How a tool fails: [`ToolError`] and the traits behind `#[derive(ToolErrors)]`.
//! How a failure is written for the model is in `dispatch::output`.

use rmcp::ErrorData;
use std::{borrow::Cow, fmt};

/// One way a tool can fail, and what its caller can do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErrorHelp {
    /// The code, in `SCREAMING_SNAKE` case: `error_guidance.common_errors[].error`.
    pub code: Cow<'static, str>,
    /// Why it happens; may be empty.
    pub cause: Cow<'static, str>,
    /// What to do instead; may be empty.
    pub solution: Cow<'static, str>,
}

impl ErrorHelp {
    /// Help for the error `code`.
    pub fn new(
        code: impl Into<Cow<'static, str>>,
        cause: impl Into<Cow<'static, str>>,
        solution: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { code: code.into(), cause: cause.into(), solution: solution.into() }
    }

    /// The same, for constants.
    #[doc(hidden)]
    pub const fn of(code: &'static str, cause: &'static str, solution: &'static str) -> Self {
        Self { code: Cow::Borrowed(code), cause: Cow::Borrowed(cause), solution: Cow::Borrowed(solution) }
    }
}

/// A failure that its caller is told about: a code to look up and a message to read.
///
/// It reaches the model as a result with `isError: true`, together with the help its tool documents for the code.
/// `?` turns any [`std::error::Error`] into one; `#[derive(ToolErrors)]` is the closed form, with a code for each variant.
///
/// ```
/// use pd_runtime::ToolError;
///
/// fn parse(text: &str) -> Result<i64, ToolError> {
///     if text.is_empty() {
///         return Err(ToolError::new("EMPTY_INPUT", "there is nothing to parse"));
///     }
///     Ok(text.parse()?)
/// }
///
/// assert_eq!(parse("").unwrap_err().code, "EMPTY_INPUT");
/// assert_eq!(parse("x").unwrap_err().message, "invalid digit found in string");
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolError {
    /// What went wrong, in `SCREAMING_SNAKE` case.
    pub code: Cow<'static, str>,
    /// What went wrong this time, for the model to read.
    pub message: String,
}

impl ToolError {
    /// The code of a failure that came in through `?` and so has none of its own.
    pub const FAILED: &'static str = "TOOL_FAILED";
    /// The code of arguments that do not fit their schema or type.
    pub const INVALID_ARGUMENTS: &'static str = "INVALID_ARGUMENTS";
    /// The code of a tool that panicked.
    pub const INTERNAL: &'static str = "INTERNAL_ERROR";
    /// The code of a tool that can be described but not called now; see [`Tool::unavailable`](crate::Tool::unavailable).
    pub const UNAVAILABLE: &'static str = "TOOL_UNAVAILABLE";

    /// A failure with this code and message.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into() }
    }

    pub(crate) fn invalid_argument(name: &str, problem: &str) -> Self {
        let message = if name.is_empty() {
            format!("the arguments do not fit: {problem}")
        } else {
            format!("argument `{name}` does not fit: {problem}")
        };
        Self::new(Self::INVALID_ARGUMENTS, message)
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

// `ToolError` itself is no `std::error::Error`, or this would collide with `From<T> for T`.
impl<E: std::error::Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            let cause_text = cause.to_string();
            if !message.contains(&cause_text) {
                message.push_str(": ");
                message.push_str(&cause_text);
            }
            source = cause.source();
        }
        Self::new(Self::FAILED, message)
    }
}

/// An error type whose values can be told to a caller.
///
/// `#[derive(ToolErrors)]` implements it for an enum: each variant is a code, its doc comment the solution.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool",
    label = "not an error a caller can be told",
    note = "add `#[derive(ToolErrors)]` to `{Self}`, or return `ToolError`, which `?` makes of any `std::error::Error`"
)]
pub trait IntoToolError: Send {
    /// The codes of this type, with help for each.
    const HELP: &'static [ErrorHelp];

    /// The value as code and message.
    fn into_tool_error(self) -> ToolError;
}

/// What `#[derive(ToolErrors)]` asks of an enum, in words of ours where it lacks.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no messages",
    label = "no `Display`",
    note = "add `#[derive(thiserror::Error)]` and `#[error(\"…\")]` above each variant, or implement `std::fmt::Display`"
)]
pub trait Message {
    /// What went wrong.
    fn message(&self) -> String;
}

#[diagnostic::do_not_recommend]
impl<E: fmt::Display> Message for E {
    fn message(&self) -> String {
        self.to_string()
    }
}

/// The message of an error whose type derives its codes.
pub fn message(error: &impl Message) -> String {
    error.message()
}

impl IntoToolError for ToolError {
    const HELP: &'static [ErrorHelp] = &[];

    fn into_tool_error(self) -> ToolError {
        self
    }
}

impl IntoToolError for String {
    const HELP: &'static [ErrorHelp] = &[];

    fn into_tool_error(self) -> ToolError {
        ToolError::new(ToolError::FAILED, self)
    }
}

impl IntoToolError for &'static str {
    const HELP: &'static [ErrorHelp] = &[];

    fn into_tool_error(self) -> ToolError {
        ToolError::new(ToolError::FAILED, self)
    }
}

/// Hosts hide protocol errors from the model, so rmcp's error type becomes a result like every other failure.
impl IntoToolError for ErrorData {
    const HELP: &'static [ErrorHelp] = &[];

    fn into_tool_error(self) -> ToolError {
        let code = match self.code.0 {
            -32602 => ToolError::INVALID_ARGUMENTS,
            -32603 => ToolError::INTERNAL,
            _ => ToolError::FAILED,
        };
        match self.data {
            Some(data) => ToolError::new(code, format!("{} ({data})", self.message)),
            None => ToolError::new(code, self.message),
        }
    }
}
