//! Every key of `#[pd_tool]`.
use pd_runtime::prelude::*;
async fn close_issue() {}
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_TOOL_CLOSE_ISSUE;
#[allow(unexpected_cfgs)]
impl ::pd_runtime::__private::FreeTool<()> for __PD_TOOL_CLOSE_ISSUE {
    const NAME: &'static str = "issues.close";
    const DECLARED: ::pd_runtime::__private::DeclaredTool<()> = {
        use ::pd_runtime::__private as __pd;
        #[cfg(rust_analyzer)]
        {
            let _ = reopen;
        }
        #[allow(deprecated)]
        const __PD_RELATED_REOPEN: &str = __pd::tool_name(
            &reopen,
            |__PD_TOOL_REOPEN| loop {},
        );
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                title: __pd::Some("Close issue"),
                summary: "Close an issue and say why, in as many words as the project's rules ask for",
                summary_max: 100,
                related: &[__PD_RELATED_REOPEN],
                aliases: &["resolve", r#"finish "for good""#],
                found_by: &["this bug is fixed", r#"say "done" on a ticket"#],
                icons: &[
                    r#"{"src":"https://example.com/close.png"}"#,
                    r#"{"src":"data:image/svg+xml;base64,AA==","sizes":["any"],"theme":"dark"}"#,
                ],
                hints: __pd::ToolAnnotations {
                    read_only: __pd::Some(false),
                    destructive: __pd::Some(true),
                    idempotent: __pd::Some(true),
                    open_world: __pd::Some(false),
                    ..__pd::ToolAnnotations::NONE
                },
                scopes: &["issues:read", "issues:write"],
                eager: true,
                deprecated: __pd::Some("use `reopen` with `state`"),
                allow: &[__pd::Lint::NoUsage, __pd::Lint::SummaryFullStop],
                meta: &[
                    ("vendor/rank", "3"),
                    ("vendor/tags", r#"["a",{"b":-1.5},null,true]"#),
                ],
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("issues.close")
            },
            handler: |_| __pd::run(async move { __pd::output(close_issue().await) }),
        }
    };
}
#[doc(hidden)]
const __PD_FREE_CLOSE_ISSUE: () = ::pd_runtime::__private::in_module(|
    __PD_TOOL_CLOSE_ISSUE|
loop {});
fn reopen() {}
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_TOOL_REOPEN;
impl ::pd_runtime::__private::FreeTool<()> for __PD_TOOL_REOPEN {
    const NAME: &'static str = "reopen";
    const DECLARED: ::pd_runtime::__private::DeclaredTool<()> = {
        use ::pd_runtime::__private as __pd;
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "Open a closed issue again",
                blocking: true,
                timeout: __pd::Some(__pd::Duration::from_millis(1500)),
                concurrency: __pd::Some(4),
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("reopen")
            },
            handler: |_| __pd::run(async move { __pd::output(reopen()) }),
        }
    };
}
#[doc(hidden)]
const __PD_FREE_REOPEN: () = ::pd_runtime::__private::in_module(|__PD_TOOL_REOPEN| {
    loop {}
});
fn main() {}
