//! The least that makes a tool: a function and one line about it.
use pd_runtime::prelude::*;
/// Tell the server's time.
fn now() -> String {
    "12:00".to_owned()
}
#[doc(hidden)]
const __PD_NAME_NOW: &'static str = "now";
#[doc(hidden)]
const __PD_NAMING_NOW: ::pd_runtime::__private::Naming = ::pd_runtime::__private::Naming::AsFunction;
#[doc(hidden)]
#[allow(private_interfaces)]
const __PD_TOOL_NOW: ::pd_runtime::__private::Declared<()> = {
    use ::pd_runtime::__private as __pd;
    const _: () = match __pd::Naming::Absent {
        __PD_NAMING_NOW => __pd::refuse_function("now"),
        _ => {}
    };
    __pd::Declared {
        facts: __pd::Facts {
            summary: "Tell the server's time",
            description: "Tell the server's time.",
            location: ::core::concat!(::core::file!(), ":", ::core::line!()),
            ..__pd::facts::<String>("now")
        },
        handler: |_| __pd::run(async move { __pd::output(now()) }),
    }
};
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_KEY_NOW;
#[diagnostic::do_not_recommend]
impl<F> ::pd_runtime::__private::ToolKey<F, ()> for __PD_KEY_NOW {
    const DECLARED: ::pd_runtime::__private::Declared<()> = __PD_TOOL_NOW;
}
fn main() {}
