//! `#[cfg]` on a tool, an argument, the context and a registry's entries is kept.
use pd_runtime::{Registry, prelude::*};
#[cfg(not(windows))]
pub fn processes(
    #[cfg(unix)]
    user: Option<String>,
    #[cfg(windows)]
    account: Option<String>,
    #[cfg(unix)]
    call: &CallContext,
) -> String {
    let _ = call;
    user.unwrap_or_default()
}
#[cfg(not(windows))]
#[doc(hidden)]
pub const __PD_NAME_PROCESSES: &'static str = "processes";
#[cfg(not(windows))]
#[doc(hidden)]
pub const __PD_NAMING_PROCESSES: ::pd_runtime::__private::Naming = ::pd_runtime::__private::Naming::AsFunction;
#[cfg(not(windows))]
#[doc(hidden)]
#[allow(private_interfaces)]
pub const __PD_TOOL_PROCESSES: ::pd_runtime::__private::Declared<()> = {
    use ::pd_runtime::__private as __pd;
    const _: () = match __pd::Naming::Absent {
        __PD_NAMING_PROCESSES => __pd::refuse_function("processes"),
        _ => {}
    };
    __pd::Declared {
        facts: __pd::Facts {
            summary: "List what runs here",
            arguments: &[
                #[cfg(unix)]
                __pd::argument::<Option<String>>("user"),
                #[cfg(windows)]
                __pd::argument::<Option<String>>("account"),
            ],
            location: ::core::concat!(::core::file!(), ":", ::core::line!()),
            ..__pd::facts::<String>("processes")
        },
        handler: |mut call| __pd::run(async move {
            #[cfg(unix)]
            let user = __pd::take::<Option<String>>(&mut call.arguments, "user")?;
            #[cfg(windows)]
            let account = __pd::take::<Option<String>>(&mut call.arguments, "account")?;
            __pd::output(
                processes(
                    #[cfg(unix)]
                    user,
                    #[cfg(windows)]
                    account,
                    #[cfg(unix)]
                    call.context,
                ),
            )
        }),
    }
};
#[cfg(not(windows))]
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub struct __PD_KEY_PROCESSES;
#[cfg(not(windows))]
#[diagnostic::do_not_recommend]
impl<F> ::pd_runtime::__private::ToolKey<F, ()> for __PD_KEY_PROCESSES {
    const DECLARED: ::pd_runtime::__private::Declared<()> = __PD_TOOL_PROCESSES;
}
pub fn registry() -> Registry<()> {
    {
        #[allow(unexpected_cfgs, reason = "rust-analyzer sets it")]
        {
            #[cfg(rust_analyzer)]
            {
                #[cfg(not(windows))]
                let _ = processes;
                #[cfg(windows)]
                let _ = services;
            }
        }
        use ::pd_runtime::__private as __pd;
        #[cfg(not(windows))]
        const _: &__pd::Facts = &(*{
            #[allow(deprecated, unreachable_code, unused_variables, clippy::all)]
            let tool = __pd::keyed(
                &processes,
                || {
                    let key = loop {};
                    let __PD_KEY_PROCESSES = key;
                    key
                },
            );
            tool
        })
            .facts;
        #[cfg(windows)]
        const _: &__pd::Facts = &(*{
            #[allow(deprecated, unreachable_code, unused_variables, clippy::all)]
            let tool = __pd::keyed(
                &services,
                || {
                    let key = loop {};
                    let __PD_KEY_SERVICES = key;
                    key
                },
            );
            tool
        })
            .facts;
        const __PD_CONTENTS: &__pd::Contents<'_, 2> = &__pd::contents([
            #[cfg(not(windows))]
            (
                "processes",
                &(*{
                    #[allow(deprecated, unreachable_code, unused_variables, clippy::all)]
                    let tool = __pd::keyed(
                        &processes,
                        || {
                            let key = loop {};
                            let __PD_KEY_PROCESSES = key;
                            key
                        },
                    );
                    tool
                })
                    .facts,
            ),
            #[cfg(not(not(windows)))]
            __pd::ABSENT,
            #[cfg(windows)]
            (
                "services",
                &(*{
                    #[allow(deprecated, unreachable_code, unused_variables, clippy::all)]
                    let tool = __pd::keyed(
                        &services,
                        || {
                            let key = loop {};
                            let __PD_KEY_SERVICES = key;
                            key
                        },
                    );
                    tool
                })
                    .facts,
            ),
            #[cfg(not(windows))]
            __pd::ABSENT,
        ]);
        const _: () = __pd::judge(__PD_CONTENTS, 0);
        const _: () = __pd::judge(__PD_CONTENTS, 1);
        __pd::registry(
            __pd::options(
                ::core::env!("CARGO_PKG_NAME"),
                ::core::env!("CARGO_PKG_VERSION"),
            ),
            [
                #[cfg(not(windows))]
                __pd::Declaration::node(
                    (*{
                        #[allow(
                            deprecated,
                            unreachable_code,
                            unused_variables,
                            clippy::all
                        )]
                        let tool = __pd::keyed(
                            &processes,
                            || {
                                let key = loop {};
                                let __PD_KEY_PROCESSES = key;
                                key
                            },
                        );
                        tool
                    }),
                ),
                #[cfg(windows)]
                __pd::group(
                    "system",
                    "What only this system has",
                    "",
                    [
                        __pd::Declaration::node(
                            (*{
                                #[allow(
                                    deprecated,
                                    unreachable_code,
                                    unused_variables,
                                    clippy::all
                                )]
                                let tool = __pd::keyed(
                                    &services,
                                    || {
                                        let key = loop {};
                                        let __PD_KEY_SERVICES = key;
                                        key
                                    },
                                );
                                tool
                            }),
                        ),
                    ],
                ),
            ],
        )
    }
}
fn main() {}
