//! A registry in a generic impl. What may name generics is judged in an inline constant, when the code is built.
use pd_runtime::{Registry, prelude::*};
pub struct Clock;
pub fn now(clock: &Clock) {
    let _ = clock;
}
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub struct __PD_TOOL_NOW;
impl ::pd_runtime::__private::FreeTool<(Clock,)> for __PD_TOOL_NOW {
    const NAME: &'static str = "now";
    const DECLARED: ::pd_runtime::__private::DeclaredTool<(Clock,)> = {
        use ::pd_runtime::__private as __pd;
        #[allow(unused_imports)]
        use __pd::NotShared as _;
        __pd::shared_state::<Clock>();
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "Tell the server's time",
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("now")
            },
            handler: |call| __pd::HandlerFuture::<
                (Clock,),
            >::run(async move { __pd::output(now(call.lent.0)) }),
        }
    };
}
#[doc(hidden)]
const __PD_FREE_NOW: () = ::pd_runtime::__private::in_module(|__PD_TOOL_NOW| loop {});
pub struct Users<T>(T);
impl<T: Send + Sync + 'static> Users<T> {
    pub fn find(&self) {
        let _ = &self.0;
    }
    #[doc(hidden)]
    pub const __PD_NAME_FIND: &'static str = "find";
    #[doc(hidden)]
    #[allow(unexpected_cfgs, private_interfaces)]
    pub const __PD_TOOL_FIND: ::pd_runtime::__private::DeclaredTool<(Self,)> = {
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
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "Find a user by number",
                related: &[Self::__PD_NAME_LIST],
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("find")
            },
            handler: |call| __pd::HandlerFuture::<
                (Self,),
            >::run(async move { __pd::output(Self::find(call.lent.0)) }),
        }
    };
    pub fn list(&self) {}
    #[doc(hidden)]
    pub const __PD_NAME_LIST: &'static str = "list";
    #[doc(hidden)]
    #[allow(unexpected_cfgs, private_interfaces)]
    pub const __PD_TOOL_LIST: ::pd_runtime::__private::DeclaredTool<(Self,)> = {
        use ::pd_runtime::__private as __pd;
        #[allow(unused_imports)]
        use __pd::NotShared as _;
        #[cfg(rust_analyzer)]
        {
            let _ = now;
        }
        #[allow(deprecated)]
        const __PD_RELATED_NOW: &str = __pd::tool_name(&now, |__PD_TOOL_NOW| loop {});
        __pd::shared_state::<Self>();
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "List users by name",
                related: &[__PD_RELATED_NOW],
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("list")
            },
            handler: |call| __pd::HandlerFuture::<
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
            #[allow(deprecated)]
            const __PD_FACTS_NOW: &__pd::ToolFacts = &__pd::tool(
                    &now,
                    |__PD_TOOL_NOW| loop {},
                )
                .facts;
            const __PD_CONTENTS: &__pd::RegistryContents<'_, 1> = &__pd::contents([
                ("now", __PD_FACTS_NOW),
            ]);
            const _: () = __pd::judge_name(__PD_CONTENTS, 0);
            const {
                let contents = &__pd::contents([
                    ("now", __PD_FACTS_NOW),
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
            #[allow(deprecated)]
            let registry = __pd::registry(
                __pd::RegistryOptions {
                    budget: __pd::Some(900),
                    ..__pd::options(
                        ::core::env!("CARGO_PKG_NAME"),
                        ::core::env!("CARGO_PKG_VERSION"),
                    )
                },
                [
                    __pd::Declaration::node(__pd::tool(&now, |__PD_TOOL_NOW| loop {})),
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
            );
            registry
        }
    }
}
fn main() {}
