//! How a tool fails: [`ToolError`] and the traits behind `#[derive(ToolErrors)]`.
//! How a failure is written for the model is in `dispatch::output`.

mod any_error;
mod data_plane;

pub use any_error::ConvertibleError;

use rmcp::{ErrorData, model::ErrorCode};
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
/// `anyhow::Error`, `Box<dyn Error + Send + Sync>` and `String` are no such errors, so `?` needs
/// [`from_display`](Self::from_display): `.map_err(ToolError::from_display)?`. A tool may also return a `Result` with one of
/// them in place of `ToolError`; `anyhow::Error` needs the feature `anyhow`.
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
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolError {
    /// What went wrong, in `SCREAMING_SNAKE` case.
    pub code: Cow<'static, str>,
    /// What went wrong this time, for the model to read.
    pub message: String,
    /// Where MCP asks for a JSON-RPC error instead.
    protocol: Option<Box<ErrorData>>,
}

// rmcp's error says only `PartialEq`, but JSON has no number that is not itself.
impl Eq for ToolError {}

impl ToolError {
    /// The code of a failure that came in through `?` and so has none of its own.
    pub const FAILED: &'static str = "TOOL_FAILED";
    /// The code of arguments that do not fit their schema or type.
    ///
    /// Its result carries the tool's help for errors that concern arguments: those whose code has the word `ARGUMENT` or
    /// `PARAMETER`, and those whose code, cause or solution names an argument of the tool as a word.
    pub const INVALID_ARGUMENTS: &'static str = crate::protocol::keys::INVALID_ARGUMENTS;
    /// The code of a tool that panicked.
    pub const INTERNAL: &'static str = "INTERNAL_ERROR";
    /// The code of a tool that can be described but not called now; see [`Tool::unavailable`](crate::Tool::unavailable).
    pub const UNAVAILABLE: &'static str = "TOOL_UNAVAILABLE";
    /// The code of a tool that ran longer than its timeout; see [`Limits::call_timeout`](crate::Limits::call_timeout).
    pub const TIMEOUT: &'static str = "TIMEOUT";
    /// The code of a call that found as many running as may; see [`Limits::patience`](crate::Limits::patience).
    pub const BUSY: &'static str = "BUSY";
    /// The code of a caller who asks too often; see [`Limits`](crate::Limits).
    pub const RATE_LIMITED: &'static str = "RATE_LIMITED";
    /// The code of a result over [`Limits::response_bytes`](crate::Limits::response_bytes).
    pub const TOO_LARGE: &'static str = "RESPONSE_TOO_LARGE";

    /// A failure with this code and message.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), protocol: None }
    }

    /// A failure with the code [`FAILED`](Self::FAILED) and the text of any value, for errors that `?` cannot convert.
    ///
    /// The text is `{:#}`, which for an `anyhow::Error` is its whole chain, as one line of at most 2,000 characters.
    ///
    /// ```
    /// use pd_runtime::ToolError;
    ///
    /// fn find(name: &str) -> Result<u32, String> {
    ///     Err(format!("no such place: {name}"))
    /// }
    ///
    /// fn population(name: &str) -> Result<u32, ToolError> {
    ///     Ok(find(name).map_err(ToolError::from_display)? * 1_000)
    /// }
    ///
    /// assert_eq!(population("Oz").unwrap_err().message, "no such place: Oz");
    /// ```
    pub fn from_display(error: impl fmt::Display) -> Self {
        Self::new(Self::FAILED, any_error::line(format_args!("{error:#}")))
    }

    /// A failure that MCP wants answered with a JSON-RPC error: a client capability that the tool cannot do without
    /// (-32021), or a `requestState` that is not the one it was given (-32602).
    ///
    /// The client reads it, and most hosts hide it from their model. What a model can mend is better told with
    /// [`ToolError::new`].
    ///
    /// ```
    /// use pd_runtime::{prelude::*, rmcp::{ErrorData, model::ClientCapabilities}};
    ///
    /// fn needs_sampling(call: &CallContext) -> Result<(), ToolError> {
    ///     let declared = call.request().and_then(|request| request.client_capabilities()).unwrap_or_default();
    ///     if declared.sampling.is_none() {
    ///         let missing = ClientCapabilities::builder().enable_sampling().build();
    ///         return Err(ToolError::protocol(ErrorData::missing_required_client_capability(missing)));
    ///     }
    ///     Ok(())
    /// }
    /// # assert!(needs_sampling(&CallContext::detached()).is_err());
    /// ```
    pub fn protocol(error: ErrorData) -> Self {
        let told = Self::of(&error);
        Self { protocol: Some(Box::new(error)), ..told }
    }

    /// rmcp's error in words, for whoever reads results only.
    fn of(error: &ErrorData) -> Self {
        let code = match error.code.0 {
            -32602 => Self::INVALID_ARGUMENTS,
            -32603 => Self::INTERNAL,
            _ => Self::FAILED,
        };
        match &error.data {
            Some(data) => Self::new(code, format!("{} ({data})", error.message)),
            None => Self::new(code, error.message.clone()),
        }
    }

    /// The JSON-RPC error that this is, or the failure itself where it is none.
    pub(crate) fn into_protocol(self) -> Result<ErrorData, Self> {
        match self.protocol {
            Some(error) => Ok(*error),
            None => Err(self),
        }
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

/// An error type whose values can be told to a caller.
///
/// `#[derive(ToolErrors)]` implements it for an enum: each variant is a code, its doc comment the solution.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool",
    label = "not an error a caller can be told",
    note = "add `#[derive(ToolErrors)]` to `{Self}`, or return `ToolError`, which `?` makes of any `std::error::Error`",
    note = "of an error that `?` cannot convert, make one by `.map_err(ToolError::from_display)?`",
    note = "`anyhow::Error` needs pd-runtime's feature `anyhow`; a boxed error is `Box<dyn std::error::Error + Send + Sync>`"
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

/// Hosts hide protocol errors from the model, so rmcp's error type becomes a result like every other failure. What no model
/// can mend, a missing client capability, stays the JSON-RPC error that MCP demands (2026-07-28, basic).
impl IntoToolError for ErrorData {
    const HELP: &'static [ErrorHelp] = &[];

    fn into_tool_error(self) -> ToolError {
        if self.code == ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY {
            return ToolError::protocol(self);
        }
        ToolError::of(&self)
    }
}
