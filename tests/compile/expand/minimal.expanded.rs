//! The least that makes a tool: a function and one line about it.
use pd_runtime::prelude::*;
/// Tell the server's time.
fn now() -> String {
    "12:00".to_owned()
}
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_TOOL_NOW;
impl ::pd_runtime::__private::FreeTool<()> for __PD_TOOL_NOW {
    const NAME: &'static str = "now";
    const DECLARED: ::pd_runtime::__private::DeclaredTool<()> = {
        use ::pd_runtime::__private as __pd;
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "Tell the server's time",
                description: "Tell the server's time.",
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<String>("now")
            },
            handler: |_| __pd::run(async move { __pd::output(now()) }),
        }
    };
}
#[doc(hidden)]
const __PD_FREE_NOW: () = ::pd_runtime::__private::in_module(|__PD_TOOL_NOW| loop {});
fn main() {}
