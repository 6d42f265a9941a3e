//! Every section of a doc comment.
use pd_runtime::prelude::*;
/// Commits of one branch or path, see [`log`](crate::log) and [`main`].
///
/// The text may have
///
/// - lists of its own,
///
/// ```text
/// # and fences, where this is no heading
/// ```
///
/// # Ordering
///
/// Newest first.
///
/// # Example
///
/// The last five commits
/// that touched a file:
///
/// ```json
/// { "path": "src/lib.rs", "limit": 5 }
/// ```
///
/// Note that `limit` counts commits.
///
/// Everything:
///
/// ```json
/// {
///   "limit": 500
/// }
/// ```
///
/// This may take a while.
///
/// ```
/// # fn hidden() {}
/// assert_eq!(1 + 1, 2);
/// ```
///
/// # Guidance
///
/// - To see who last changed a line,
///   use `blame` instead.
/// - Ask for few commits first.
///
/// # Notes
///
/// * Paths are relative to the repository's root.
///
/// # Errors
///
/// - `PATH_NOT_FOUND`: no commit of that revision has the path. Find it with `ls` first.
/// - `TIMEOUT`: the history is long.
/// - `INTERNAL_ERROR`
///
/// # Panics
///
/// Never.
async fn log(path: Option<String>, limit: u32) -> String {
    format!("{path:?} {limit}")
}
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_TOOL_LOG;
impl ::pd_runtime::__private::FreeTool<()> for __PD_TOOL_LOG {
    const NAME: &'static str = "log";
    const DECLARED: ::pd_runtime::__private::DeclaredTool<()> = {
        use ::pd_runtime::__private as __pd;
        const __PD_ERRORS: &[__pd::ErrorHelp] = {
            #[allow(unused_imports)]
            use __pd::ShapeFallback as _;
            __pd::ShapeProbe::<String>::ERRORS
        };
        const _: () = __pd::check_error_code("log", "PATH_NOT_FOUND", __PD_ERRORS);
        const _: () = __pd::check_error_code("log", "TIMEOUT", __PD_ERRORS);
        const _: () = __pd::check_error_code("log", "INTERNAL_ERROR", __PD_ERRORS);
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "List commits, newest first",
                description: r#"Commits of one branch or path, see `log` and `main`.

The text may have

- lists of its own,

```text
# and fences, where this is no heading
```

# Ordering

Newest first."#,
                arguments: &[
                    __pd::argument::<Option<String>>("path"),
                    __pd::ArgumentFacts {
                        default: __pd::Some(__pd::DefaultValue::Literal("20")),
                        ..__pd::argument::<u32>("limit")
                    },
                ],
                examples: &[
                    __pd::DeclaredExample {
                        description: "The last five commits that touched a file:",
                        input: r#"{ "path": "src/lib.rs", "limit": 5 }"#,
                        explanation: "Note that `limit` counts commits.",
                    },
                    __pd::DeclaredExample {
                        description: "Everything:",
                        input: r#"{
  "limit": 500
}"#,
                        explanation: "This may take a while.",
                    },
                ],
                guidance: &[
                    "To see who last changed a line, use `blame` instead.",
                    "Ask for few commits first.",
                ],
                notes: &["Paths are relative to the repository's root."],
                errors: &[
                    __pd::ErrorHelp::from_static(
                        "PATH_NOT_FOUND",
                        "no commit of that revision has the path.",
                        "Find it with `ls` first.",
                    ),
                    __pd::ErrorHelp::from_static("TIMEOUT", "the history is long.", ""),
                    __pd::ErrorHelp::from_static("INTERNAL_ERROR", "", ""),
                ],
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<String>("log")
            },
            handler: |mut call| __pd::run(async move {
                let path = __pd::take::<Option<String>>(&mut call.arguments, "path")?;
                let limit = __pd::take::<u32>(&mut call.arguments, "limit")?;
                __pd::output(log(path, limit).await)
            }),
        }
    };
}
#[doc(hidden)]
const __PD_FREE_LOG: () = ::pd_runtime::__private::in_module(|__PD_TOOL_LOG| loop {});
fn main() {}
