//! Every form of entry that `registry!` knows.
use pd_runtime::{Registry, prelude::*};
pub struct Repo;
impl Repo {
    pub fn status(&self) {}
    #[doc(hidden)]
    pub const __PD_NAME_STATUS: &'static str = "status";
    #[doc(hidden)]
    #[allow(private_interfaces)]
    pub const __PD_TOOL_STATUS: ::pd_runtime::__private::DeclaredTool<(Self,)> = {
        use ::pd_runtime::__private as __pd;
        #[allow(unused_imports)]
        use __pd::NotShared as _;
        __pd::shared_state::<Self>();
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "Show what has changed",
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("status")
            },
            handler: |call| __pd::HandlerFuture::<
                (Self,),
            >::run(async move { __pd::output(Self::status(call.lent.0)) }),
        }
    };
    pub fn search(&self) {}
    #[doc(hidden)]
    pub const __PD_NAME_SEARCH: &'static str = "search";
    #[doc(hidden)]
    #[allow(private_interfaces)]
    pub const __PD_TOOL_SEARCH: ::pd_runtime::__private::DeclaredTool<(Self,)> = {
        use ::pd_runtime::__private as __pd;
        #[allow(unused_imports)]
        use __pd::NotShared as _;
        __pd::shared_state::<Self>();
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "Search the files' text",
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("search")
            },
            handler: |call| __pd::HandlerFuture::<
                (Self,),
            >::run(async move { __pd::output(Self::search(call.lent.0)) }),
        }
    };
    pub fn log(&self) {}
    #[doc(hidden)]
    pub const __PD_NAME_LOG: &'static str = "log";
    #[doc(hidden)]
    #[allow(private_interfaces)]
    pub const __PD_TOOL_LOG: ::pd_runtime::__private::DeclaredTool<(Self,)> = {
        use ::pd_runtime::__private as __pd;
        #[allow(unused_imports)]
        use __pd::NotShared as _;
        __pd::shared_state::<Self>();
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "List commits, newest first",
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("log")
            },
            handler: |call| __pd::HandlerFuture::<
                (Self,),
            >::run(async move { __pd::output(Self::log(call.lent.0)) }),
        }
    };
}
pub struct Users;
impl Users {
    pub fn find(&self) {}
    #[doc(hidden)]
    pub const __PD_NAME_FIND: &'static str = "find";
    #[doc(hidden)]
    #[allow(private_interfaces)]
    pub const __PD_TOOL_FIND: ::pd_runtime::__private::DeclaredTool<(Self,)> = {
        use ::pd_runtime::__private as __pd;
        #[allow(unused_imports)]
        use __pd::NotShared as _;
        __pd::shared_state::<Self>();
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "Find a user by number",
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("find")
            },
            handler: |call| __pd::HandlerFuture::<
                (Self,),
            >::run(async move { __pd::output(Self::find(call.lent.0)) }),
        }
    };
}
mod clock {
    use pd_runtime::prelude::*;
    pub fn now() {}
    #[doc(hidden)]
    #[allow(non_camel_case_types)]
    pub struct __PD_TOOL_NOW;
    impl ::pd_runtime::__private::FreeTool<()> for __PD_TOOL_NOW {
        const NAME: &'static str = "now";
        const DECLARED: ::pd_runtime::__private::DeclaredTool<()> = {
            use ::pd_runtime::__private as __pd;
            __pd::DeclaredTool {
                facts: __pd::ToolFacts {
                    summary: "Tell the server's time",
                    location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                    ..__pd::facts::<()>("now")
                },
                handler: |_| __pd::run(async move { __pd::output(now()) }),
            }
        };
    }
    #[doc(hidden)]
    const __PD_FREE_NOW: () = ::pd_runtime::__private::in_module(|__PD_TOOL_NOW| {
        loop {}
    });
}
fn silence() {}
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_TOOL_SILENCE;
impl ::pd_runtime::__private::FreeTool<()> for __PD_TOOL_SILENCE {
    const NAME: &'static str = "silence";
    const DECLARED: ::pd_runtime::__private::DeclaredTool<()> = {
        use ::pd_runtime::__private as __pd;
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "Say nothing, politely",
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("silence")
            },
            handler: |_| __pd::run(async move { __pd::output(silence()) }),
        }
    };
}
#[doc(hidden)]
const __PD_FREE_SILENCE: () = ::pd_runtime::__private::in_module(|__PD_TOOL_SILENCE| {
    loop {}
});
#[derive(State)]
pub struct App {
    repo: Repo,
    users: Users,
}
#[automatically_derived]
impl ::pd_runtime::__private::Provide<Repo> for App {
    fn provide(&self) -> &Repo {
        &self.repo
    }
}
#[automatically_derived]
impl ::pd_runtime::__private::Provide<Users> for App {
    fn provide(&self) -> &Users {
        &self.users
    }
}
pub fn registry() -> Registry<App> {
    {
        #[allow(unexpected_cfgs, reason = "rust-analyzer sets it")]
        {
            #[cfg(rust_analyzer)]
            {
                let _ = Repo::status;
                let _ = Repo::search;
                let _ = silence;
                let _ = self::clock::now;
                let _ = Repo::log;
                let _ = Users::find;
            }
        }
        use ::pd_runtime::__private as __pd;
        trait __PdNoTool {
            const __PD_TOOL_FIND: __pd::NoSuchTool = __pd::NO_SUCH_TOOL;
            const __PD_TOOL_LOG: __pd::NoSuchTool = __pd::NO_SUCH_TOOL;
            const __PD_TOOL_SEARCH: __pd::NoSuchTool = __pd::NO_SUCH_TOOL;
            const __PD_TOOL_STATUS: __pd::NoSuchTool = __pd::NO_SUCH_TOOL;
        }
        impl<T> __PdNoTool for T {}
        #[allow(deprecated)]
        const __PD_FACTS_SILENCE: &__pd::ToolFacts = &__pd::tool(
                &silence,
                |__PD_TOOL_SILENCE| loop {},
            )
            .facts;
        #[allow(deprecated)]
        const __PD_FACTS_CLOCK_NOW: &__pd::ToolFacts = &{
            #[allow(non_snake_case)]
            fn __PD_TOOL_NOW() {}
            {
                #[allow(unused_imports)]
                use self::clock::*;
                #[allow(unused_qualifications)]
                let tool = __pd::tool(&self::clock::now, |__PD_TOOL_NOW| loop {});
                tool
            }
        }
            .facts;
        const __PD_CONTENTS: &__pd::RegistryContents<'_, 6> = &__pd::contents([
            ("Repo::status", &Repo::__PD_TOOL_STATUS.facts),
            ("Repo::search", &Repo::__PD_TOOL_SEARCH.facts),
            ("silence", __PD_FACTS_SILENCE),
            ("self::clock::now", __PD_FACTS_CLOCK_NOW),
            ("Repo::log", &Repo::__PD_TOOL_LOG.facts),
            ("Users::find", &Users::__PD_TOOL_FIND.facts),
        ]);
        const _: () = __pd::judge(__PD_CONTENTS, 0);
        const _: () = __pd::judge(__PD_CONTENTS, 1);
        const _: () = __pd::judge(__PD_CONTENTS, 2);
        const _: () = __pd::judge(__PD_CONTENTS, 3);
        const _: () = __pd::judge(__PD_CONTENTS, 4);
        const _: () = __pd::judge(__PD_CONTENTS, 5);
        const _: () = __pd::within(__PD_CONTENTS, 900);
        #[allow(deprecated)]
        let registry = __pd::registry(
            __pd::RegistryOptions {
                name: __pd::Some("repo"),
                version: __pd::Some("1.2.3"),
                instructions: r#"Read-only access to one Git repository.

Ask before you search."#,
                budget: __pd::Some(900),
                ..__pd::options(
                    ::core::env!("CARGO_PKG_NAME"),
                    ::core::env!("CARGO_PKG_VERSION"),
                )
            },
            [
                __pd::Declaration::node(Repo::__PD_TOOL_STATUS),
                __pd::Declaration::node(Repo::__PD_TOOL_SEARCH),
                __pd::Declaration::node(
                    __pd::tool(&silence, |__PD_TOOL_SILENCE| loop {}),
                ),
                __pd::Declaration::node({
                    #[allow(non_snake_case)]
                    fn __PD_TOOL_NOW() {}
                    {
                        #[allow(unused_imports)]
                        use self::clock::*;
                        #[allow(unused_qualifications)]
                        let tool = __pd::tool(
                            &self::clock::now,
                            |__PD_TOOL_NOW| loop {},
                        );
                        tool
                    }
                }),
                __pd::group(
                    "history",
                    "Read history: commits, authors",
                    "Begin with `log`.",
                    [__pd::Declaration::node(Repo::__PD_TOOL_LOG)],
                ),
                __pd::group(
                    "people-and-more",
                    "People and their caches",
                    "",
                    [
                        __pd::Declaration::node(Users::__PD_TOOL_FIND),
                        __pd::group(
                            "cache",
                            "What is remembered of people",
                            "",
                            [
                                __pd::Declaration::node(
                                    __pd::tool(&silence, |__PD_TOOL_SILENCE| loop {}),
                                ),
                            ],
                        ),
                    ],
                ),
            ],
        );
        registry
    }
}
pub fn empty() -> Registry<()> {
    {
        use ::pd_runtime::__private as __pd;
        __pd::registry(
            __pd::options(
                ::core::env!("CARGO_PKG_NAME"),
                ::core::env!("CARGO_PKG_VERSION"),
            ),
            [],
        )
    }
}
fn main() {}
