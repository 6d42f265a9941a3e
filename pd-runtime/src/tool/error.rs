//! Tool failures: [`ToolError`] and the traits behind `#[derive(ToolErrors)]`.
//! `server::dispatch::output` renders a failure for the model.

mod any_error;
mod data_plane;

pub use any_error::ConvertibleError;

use rmcp::{
    ErrorData,
    model::{CallToolResponse, ErrorCode, InputRequiredResult},
};
use std::{borrow::Cow, fmt};

/// The beginning of a message about the arguments as a whole.
const ALL_ARGUMENTS: &str = "the arguments";

/// One way in which a tool can fail, and what the caller can do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErrorHelp {
    /// The code in `SCREAMING_SNAKE` case. The description contains it as
    /// `error_guidance.common_errors[].error`.
    pub code: Cow<'static, str>,
    /// Why the error happens. May be empty.
    pub cause: Cow<'static, str>,
    /// The way to avoid or handle the error. May be empty.
    pub solution: Cow<'static, str>,
}

impl ErrorHelp {
    /// Creates help for the error `code`.
    pub fn new(
        code: impl Into<Cow<'static, str>>,
        cause: impl Into<Cow<'static, str>>,
        solution: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            code: code.into(),
            cause: cause.into(),
            solution: solution.into(),
        }
    }

    /// Creates help in a constant.
    #[doc(hidden)]
    pub const fn from_static(
        code: &'static str,
        cause: &'static str,
        solution: &'static str,
    ) -> Self {
        Self {
            code: Cow::Borrowed(code),
            cause: Cow::Borrowed(cause),
            solution: Cow::Borrowed(solution),
        }
    }
}

/// A failure that the caller receives: a code to look up and a message to read.
///
/// The model receives it as a result with `isError: true`, together with the help that the tool
/// documents for the code. `?` converts any [`std::error::Error`] into a `ToolError`.
/// `#[derive(ToolErrors)]` is the closed form, with one code for each variant. `anyhow::Error`,
/// `Box<dyn Error + Send + Sync>` and `String` do not implement `std::error::Error`, so `?` needs
/// [`from_display`](Self::from_display): `.map_err(ToolError::from_display)?`. A tool may also
/// return a `Result` with one of these types in place of `ToolError`; `anyhow::Error` needs the
/// feature `anyhow`.
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
#[derive(Clone)]
#[non_exhaustive]
pub struct ToolError {
    /// The kind of failure, in `SCREAMING_SNAKE` case.
    pub code: Cow<'static, str>,
    /// The details of this failure, for the model to read.
    pub message: String,
    /// What the client gets instead of a result, where MCP requires it.
    instead: Option<Box<Instead>>,
    /// Whether it is about the arguments as a whole. The message then begins with `ALL_ARGUMENTS`.
    is_of_all_arguments: bool,
}

/// What a client gets instead of a failed result.
#[derive(Debug, Clone)]
enum Instead {
    /// A JSON-RPC error.
    Protocol(ErrorData),
    /// Questions to the client (MCP 2026-07-28). The call is made again with the answers.
    Input(InputRequiredResult),
}

impl PartialEq for ToolError {
    fn eq(&self, other: &Self) -> bool {
        // `is_of_all_arguments` describes the message, which is compared.
        self.code == other.code && self.message == other.message && self.instead == other.instead
    }
}

impl PartialEq for Instead {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            // `InputRequiredResult` does not implement `PartialEq`, so its fields are compared.
            (Self::Protocol(one), Self::Protocol(other)) => one == other,
            (Self::Input(one), Self::Input(other)) => {
                one.input_requests == other.input_requests
                    && one.request_state == other.request_state
            }
            _ => false,
        }
    }
}

// `ErrorData` and questions contain JSON, which has no NaN, so their equality is reflexive.
impl Eq for ToolError {}

impl ToolError {
    /// The code of a failure for which the tool chose no code, such as one that `?` converted.
    pub const FAILED: &'static str = "TOOL_FAILED";
    /// The code for arguments that do not fit their schema or type.
    ///
    /// The result contains the tool's help for errors that concern arguments. These are the errors
    /// with a code that contains the word `ARGUMENT` or `PARAMETER`, and the errors with a code,
    /// cause or solution that names an argument of the tool as a word.
    pub const INVALID_ARGUMENTS: &'static str = crate::protocol::keys::INVALID_ARGUMENTS;
    /// The code for a tool that panicked.
    pub const INTERNAL: &'static str = "INTERNAL_ERROR";
    /// The code for a tool that can be described but not called now; see
    /// [`Tool::unavailable`](crate::Tool::unavailable).
    pub const UNAVAILABLE: &'static str = "TOOL_UNAVAILABLE";
    /// The code for a tool of another server that has changed, until a person approves the change.
    /// Only a gateway has such tools.
    pub const HELD: &'static str = "TOOL_HELD";
    /// The code for a tool that ran longer than its timeout; see
    /// [`Limits::call_timeout`](crate::Limits::call_timeout).
    pub const TIMEOUT: &'static str = "TIMEOUT";
    /// The code for a call that waited for a free slot until its queue timeout; see
    /// [`Limits::queue_timeout`](crate::Limits::queue_timeout).
    pub const BUSY: &'static str = "BUSY";
    /// The code for a caller that exceeds its rate limit; see [`Limits`](crate::Limits).
    pub const RATE_LIMITED: &'static str = "RATE_LIMITED";
    /// The code for a question to the user that no client can show; see
    /// [`CallContext::ask`](crate::CallContext::ask).
    pub const USER_UNREACHABLE: &'static str = "USER_UNREACHABLE";
    /// The code for a result larger than [`Limits::response_bytes`](crate::Limits::response_bytes).
    pub const TOO_LARGE: &'static str = "RESPONSE_TOO_LARGE";

    /// Creates a failure with this code and message.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            instead: None,
            is_of_all_arguments: false,
        }
    }

    /// Creates a failure with the code [`FAILED`](Self::FAILED) and the text of any value, for
    /// errors that `?` cannot convert.
    ///
    /// The text is formatted with `{:#}`, which for an `anyhow::Error` is its whole chain. It
    /// becomes one line of at most 2,000 characters.
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

    /// Creates a failure that MCP requires to be a JSON-RPC error: a missing client capability
    /// (-32021), or a `requestState` that the client has changed (-32602).
    ///
    /// The client reads the error, and most hosts hide it from their model. Report a failure that
    /// the model can fix with [`ToolError::new`] instead.
    ///
    /// ```
    /// use pd_runtime::{prelude::*, rmcp::{ErrorData, model::ClientCapabilities}};
    ///
    /// fn needs_sampling(call: &CallContext) -> Result<(), ToolError> {
    ///     let request = call.request();
    ///     let declared = request.and_then(|request| request.client_capabilities());
    ///     if declared.unwrap_or_default().sampling.is_none() {
    ///         let missing = ClientCapabilities::builder().enable_sampling().build();
    ///         let error = ErrorData::missing_required_client_capability(missing);
    ///         return Err(ToolError::protocol(error));
    ///     }
    ///     Ok(())
    /// }
    /// # assert!(needs_sampling(&CallContext::detached()).is_err());
    /// ```
    pub fn protocol(error: ErrorData) -> Self {
        // A caller that reads only results gets the same facts as text.
        let readable = Self::from_error_data(&error);
        Self {
            instead: Some(Box::new(Instead::Protocol(error))),
            ..readable
        }
    }

    /// Creates the outcome of a call that its client has cancelled. No client reads it.
    pub(crate) fn cancelled() -> Self {
        Self::new("CANCELLED", "the call was cancelled")
    }

    /// Creates the error with which a question leaves a tool.
    pub(crate) fn input_required(required: InputRequiredResult) -> Self {
        let readable = Self::new(
            "INPUT_REQUIRED",
            "the tool asks its user; return this error as it is",
        );
        Self {
            instead: Some(Box::new(Instead::Input(required))),
            ..readable
        }
    }

    /// Returns the question with which a tool ends, or the failure itself.
    pub(crate) fn into_response(self) -> Result<CallToolResponse, Self> {
        match self.instead.as_deref() {
            // Cloned, so that any other failure is returned as it is.
            Some(Instead::Input(required)) => Ok(required.clone().into()),
            _ => Err(self),
        }
    }

    /// Converts rmcp's error into a code and a message, for callers that read only results.
    fn from_error_data(error: &ErrorData) -> Self {
        // The codes of JSON-RPC 2.0, section 5.1: invalid params, and internal error.
        let code = match error.code.0 {
            -32602 => Self::INVALID_ARGUMENTS,
            -32603 => Self::INTERNAL,
            // Other codes belong to a server or a method, and no code of this crate matches them.
            _ => Self::FAILED,
        };
        match &error.data {
            // The message is one short sentence, and `data` has the details (JSON-RPC 2.0, section
            // 5.1).
            Some(data) => Self::new(code, format!("{} ({data})", error.message)),
            None => Self::new(code, error.message.clone()),
        }
    }

    /// Returns the JSON-RPC error, or the failure itself if it is not one.
    pub(crate) fn into_protocol(self) -> Result<ErrorData, Self> {
        match self.instead.as_deref() {
            // Cloned, so that any other failure is returned as it is.
            Some(Instead::Protocol(error)) => Ok(error.clone()),
            _ => Err(self),
        }
    }

    /// Returns the JSON-RPC error that answers a request for a prompt or a resource.
    #[doc(hidden)]
    pub fn into_error_data(self) -> ErrorData {
        self.into_protocol().unwrap_or_else(|error| {
            // A client can do something about this error: ask its user.
            let data =
                (error.code == Self::HELD).then(|| serde_json::json!({ "code": error.code }));
            ErrorData::internal_error(error.message, data)
        })
    }

    pub(crate) fn invalid_argument(name: &str, problem: &str) -> Self {
        let is_of_all_arguments = name.is_empty();
        let message = if is_of_all_arguments {
            format!("{ALL_ARGUMENTS} do not fit: {problem}")
        } else {
            format!("argument `{name}` does not fit: {problem}")
        };
        Self {
            is_of_all_arguments,
            ..Self::new(Self::INVALID_ARGUMENTS, message)
        }
    }

    /// Returns the message for a caller of several tools. A message that does not name the argument
    /// names the tool.
    pub(crate) fn message_from(&self, tool: &str) -> Cow<'_, str> {
        let rest = self
            .message
            .strip_prefix(ALL_ARGUMENTS)
            .filter(|_| self.is_of_all_arguments);
        rest.map_or(Cow::Borrowed(&*self.message), |rest| {
            format!("{ALL_ARGUMENTS} of `{tool}`{rest}").into()
        })
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

/// An error type that a tool can return to its caller.
///
/// `#[derive(ToolErrors)]` implements it for an enum. Each variant is a code, and its doc comment
/// is the solution.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool",
    label = "not an error that a caller can receive",
    note = "return `ToolError`, which `?` makes of any `std::error::Error`; an enum of your own needs `#[derive(ToolErrors)]`",
    note = "of an error that `?` cannot convert, make one by `.map_err(ToolError::from_display)?`",
    note = "`anyhow::Error` needs pd-runtime's feature `anyhow`; a boxed error is `Box<dyn std::error::Error + Send + Sync>`"
)]
pub trait IntoToolError: Send {
    /// The codes of this type, with help for each code.
    const HELP: &'static [ErrorHelp];

    /// Converts the value into a code and a message.
    fn into_tool_error(self) -> ToolError;
}

/// The message of an error that derives `ToolErrors`. The trait exists for its error message, which
/// explains a missing `Display`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no messages",
    label = "no `Display`",
    note = "add `#[derive(thiserror::Error)]` and `#[error(\"…\")]` above each variant, or implement `std::fmt::Display`"
)]
pub trait ErrorMessage {
    /// Returns the description of this failure.
    fn message(&self) -> String;
}

#[diagnostic::do_not_recommend]
impl<E: fmt::Display> ErrorMessage for E {
    fn message(&self) -> String {
        self.to_string()
    }
}

/// Returns the message of an error with a type that derives its codes.
pub fn message(error: &impl ErrorMessage) -> String {
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

/// Converts rmcp's error into a result, because hosts hide protocol errors from the model. A
/// missing client capability, which no model can fix, stays the JSON-RPC error that MCP requires
/// (2026-07-28, basic).
impl IntoToolError for ErrorData {
    const HELP: &'static [ErrorHelp] = &[];

    fn into_tool_error(self) -> ToolError {
        if self.code == ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY {
            return ToolError::protocol(self);
        }
        ToolError::from_error_data(&self)
    }
}
