//! A registry in a generic impl. What may name generics is judged in an inline constant, when the code is built.
use pd_runtime::{Registry, prelude::*};
pub struct Clock;
pub fn now(clock: &Clock) {
    let _ = clock;
}
#[doc(hidden)]
pub const __PD_NAME_NOW: &'static str = "now";
#[doc(hidden)]
pub const __PD_NAMING_NOW: ::pd_runtime::__private::Naming = ::pd_runtime::__private::Naming::AsFunction;
#[doc(hidden)]
#[allow(private_interfaces)]
pub const __PD_TOOL_NOW: ::pd_runtime::__private::Declared<(Clock,)> = {
    use ::pd_runtime::__private as __pd;
    #[allow(unused_imports)]
    use __pd::NotShared as _;
    const _: () = match __pd::Naming::Absent {
        __PD_NAMING_NOW => __pd::refuse_function("now"),
        _ => {}
    };
    __pd::shared_state::<Clock>();
    __pd::Declared {
        facts: __pd::Facts {
            summary: "Tell the server's time",
            location: ::core::concat!(::core::file!(), ":", ::core::line!()),
            ..__pd::facts::<()>("now")
        },
        handler: |call| __pd::Lent::<
            (Clock,),
        >::run(async move { __pd::output(now(call.lent.0)) }),
    }
};
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub struct __PD_KEY_NOW;
#[diagnostic::do_not_recommend]
impl<F> ::pd_runtime::__private::ToolKey<F, (Clock,)> for __PD_KEY_NOW {
    const DECLARED: ::pd_runtime::__private::Declared<(Clock,)> = __PD_TOOL_NOW;
}
pub struct Users<T>(T);
impl<T: Send + Sync + 'static> Users<T> {
    pub fn find(&self) {
        let _ = &self.0;
    }
    #[doc(hidden)]
    pub const __PD_NAME_FIND: &'static str = "find";
    #[doc(hidden)]
    #[allow(unexpected_cfgs, private_interfaces)]
    pub const __PD_TOOL_FIND: ::pd_runtime::__private::Declared<(Self,)> = {
        use ::pd_runtime::__private as __pd;
        #[allow(unused_imports)]
        use __pd::NotShared as _;
        #[cfg(rust_analyzer)]
        {
            let _ = Self::list;
        }
        trait __PdNoTool {
            const __PD_NAME_LIST: &'static str = "";
            const __PD_TOOL_LIST: () = ();
        }
        impl<T> __PdNoTool for T {}
        let _ = || {
            __pd::Declaration::declared(Self::__PD_TOOL_LIST);
        };
        __pd::shared_state::<Self>();
        __pd::Declared {
            facts: __pd::Facts {
                summary: "Find a user by number",
                related: &[Self::__PD_NAME_LIST],
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("find")
            },
            handler: |call| __pd::Lent::<
                (Self,),
            >::run(async move { __pd::output(Self::find(call.lent.0)) }),
        }
    };
    pub fn list(&self) {}
    #[doc(hidden)]
    pub const __PD_NAME_LIST: &'static str = "list";
    #[doc(hidden)]
    #[allow(unexpected_cfgs, private_interfaces)]
    pub const __PD_TOOL_LIST: ::pd_runtime::__private::Declared<(Self,)> = {
        use ::pd_runtime::__private as __pd;
        #[allow(unused_imports)]
        use __pd::NotShared as _;
        #[cfg(rust_analyzer)]
        {
            let _ = now;
        }
        #[allow(deprecated)]
        const __PD_RELATED_NOW: () = {
            let _ = now;
            match __pd::Naming::Absent {
                __PD_NAMING_NOW => __pd::refuse_related("list", "now"),
                _ => {}
            }
        };
        __pd::shared_state::<Self>();
        __pd::Declared {
            facts: __pd::Facts {
                summary: "List users by name",
                related: &[
                    match __pd::Naming::AsFunction {
                        __PD_NAMING_NOW => "now",
                        _ => {
                            __pd::renamed(
                                "list",
                                "now",
                                {
                                    const __PD_NAME_NOW: &'static str = "";
                                    {
                                        #[allow(unused_imports)]
                                        use self::*;
                                        __PD_NAME_NOW
                                    }
                                },
                            )
                        }
                    },
                ],
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("list")
            },
            handler: |call| __pd::Lent::<
                (Self,),
            >::run(async move { __pd::output(Self::list(call.lent.0)) }),
        }
    };
    pub fn registry<S: Provide<Clock> + Provide<Self> + Send + Sync + 'static>() -> Registry<
        S,
    > {
        {
            #[allow(unexpected_cfgs, reason = "rust-analyzer sets it")]
            {
                #[cfg(rust_analyzer)]
                {
                    let _ = now;
                    let _ = Self::find;
                    let _ = Users::<T>::list;
                    let _ = <Users<T>>::find;
                }
            }
            use ::pd_runtime::__private as __pd;
            trait __PdNoTool {
                const __PD_TOOL_FIND: __pd::NoSuchTool = __pd::NO_SUCH_TOOL;
                const __PD_TOOL_LIST: __pd::NoSuchTool = __pd::NO_SUCH_TOOL;
            }
            impl<T> __PdNoTool for T {}
            const _: &__pd::Facts = &(*{
                #[allow(deprecated, unreachable_code, unused_variables, clippy::all)]
                let tool = __pd::keyed(
                    &now,
                    || {
                        let key = loop {};
                        let __PD_KEY_NOW = key;
                        key
                    },
                );
                tool
            })
                .facts;
            const __PD_CONTENTS: &__pd::Contents<'_, 1> = &__pd::contents([
                (
                    "now",
                    &(*{
                        #[allow(
                            deprecated,
                            unreachable_code,
                            unused_variables,
                            clippy::all
                        )]
                        let tool = __pd::keyed(
                            &now,
                            || {
                                let key = loop {};
                                let __PD_KEY_NOW = key;
                                key
                            },
                        );
                        tool
                    })
                        .facts,
                ),
            ]);
            const _: () = __pd::judge_name(__PD_CONTENTS, 0);
            const {
                let contents = &__pd::contents([
                    (
                        "now",
                        &(*{
                            #[allow(
                                deprecated,
                                unreachable_code,
                                unused_variables,
                                clippy::all
                            )]
                            let tool = __pd::keyed(
                                &now,
                                || {
                                    let key = loop {};
                                    let __PD_KEY_NOW = key;
                                    key
                                },
                            );
                            tool
                        })
                            .facts,
                    ),
                    ("Self::find", &Self::__PD_TOOL_FIND.facts),
                    ("Users::<T>::list", &Users::<T>::__PD_TOOL_LIST.facts),
                    ("<Users<T>>::find", &<Users<T>>::__PD_TOOL_FIND.facts),
                ]);
                __pd::judge(contents, 0);
                __pd::judge(contents, 1);
                __pd::judge(contents, 2);
                __pd::judge(contents, 3);
                __pd::within(contents, 900);
            }
            __pd::registry(
                __pd::Options {
                    budget: __pd::Some(900),
                    ..__pd::options(
                        ::core::env!("CARGO_PKG_NAME"),
                        ::core::env!("CARGO_PKG_VERSION"),
                    )
                },
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
                                &now,
                                || {
                                    let key = loop {};
                                    let __PD_KEY_NOW = key;
                                    key
                                },
                            );
                            tool
                        }),
                    ),
                    __pd::Declaration::node(Self::__PD_TOOL_FIND),
                    __pd::group(
                        "people",
                        "People and their caches",
                        "",
                        [
                            __pd::Declaration::node(Users::<T>::__PD_TOOL_LIST),
                            __pd::Declaration::node(<Users<T>>::__PD_TOOL_FIND),
                        ],
                    ),
                ],
            )
        }
    }
}
fn main() {}
