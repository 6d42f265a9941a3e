//! Every key of `#[pd_tool]`.
use pd_runtime::prelude::*;
async fn close_issue() {}
#[doc(hidden)]
const __PD_NAME_CLOSE_ISSUE: &'static str = "issues.close";
#[doc(hidden)]
const __PD_NAMING_CLOSE_ISSUE: ::pd_runtime::__private::Naming = ::pd_runtime::__private::Naming::Otherwise;
#[doc(hidden)]
#[allow(unexpected_cfgs, private_interfaces)]
const __PD_TOOL_CLOSE_ISSUE: ::pd_runtime::__private::Declared<()> = {
    use ::pd_runtime::__private as __pd;
    #[cfg(rust_analyzer)]
    {
        let _ = reopen;
    }
    #[allow(deprecated)]
    const __PD_RELATED_REOPEN: () = {
        let _ = reopen;
        match __pd::Naming::Absent {
            __PD_NAMING_REOPEN => __pd::refuse_related("close_issue", "reopen"),
            _ => {}
        }
    };
    const _: () = match __pd::Naming::Absent {
        __PD_NAMING_CLOSE_ISSUE => __pd::refuse_function("close_issue"),
        _ => {}
    };
    __pd::Declared {
        facts: __pd::Facts {
            title: __pd::Some("Close issue"),
            summary: "Close an issue and say why, in as many words as the project's rules ask for",
            summary_max: 100,
            related: &[
                match __pd::Naming::AsFunction {
                    __PD_NAMING_REOPEN => "reopen",
                    _ => {
                        __pd::renamed(
                            "close_issue",
                            "reopen",
                            {
                                const __PD_NAME_REOPEN: &'static str = "";
                                {
                                    #[allow(unused_imports)]
                                    use self::*;
                                    __PD_NAME_REOPEN
                                }
                            },
                        )
                    }
                },
            ],
            aliases: &["resolve", r#"finish "for good""#],
            icons: &[
                r#"{"src":"https://example.com/close.png"}"#,
                r#"{"src":"data:image/svg+xml;base64,AA==","sizes":["any"],"theme":"dark"}"#,
            ],
            hints: __pd::Hints {
                read_only: __pd::Some(false),
                destructive: __pd::Some(true),
                idempotent: __pd::Some(true),
                open_world: __pd::Some(false),
                ..__pd::Hints::NONE
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
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_KEY_CLOSE_ISSUE;
#[diagnostic::do_not_recommend]
impl<F> ::pd_runtime::__private::ToolKey<F, ()> for __PD_KEY_CLOSE_ISSUE {
    const DECLARED: ::pd_runtime::__private::Declared<()> = __PD_TOOL_CLOSE_ISSUE;
}
fn reopen() {}
#[doc(hidden)]
const __PD_NAME_REOPEN: &'static str = "reopen";
#[doc(hidden)]
const __PD_NAMING_REOPEN: ::pd_runtime::__private::Naming = ::pd_runtime::__private::Naming::AsFunction;
#[doc(hidden)]
#[allow(private_interfaces)]
const __PD_TOOL_REOPEN: ::pd_runtime::__private::Declared<()> = {
    use ::pd_runtime::__private as __pd;
    const _: () = match __pd::Naming::Absent {
        __PD_NAMING_REOPEN => __pd::refuse_function("reopen"),
        _ => {}
    };
    __pd::Declared {
        facts: __pd::Facts {
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
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_KEY_REOPEN;
#[diagnostic::do_not_recommend]
impl<F> ::pd_runtime::__private::ToolKey<F, ()> for __PD_KEY_REOPEN {
    const DECLARED: ::pd_runtime::__private::Declared<()> = __PD_TOOL_REOPEN;
}
fn main() {}
