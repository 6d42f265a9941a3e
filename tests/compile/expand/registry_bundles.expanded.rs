//! Bundles beside groups, and the other things that may be called `bundle`.
use pd_runtime::{Registry, prelude::*};
pub struct Repo;
impl Repo {
    pub fn blame(&self) {}
    #[doc(hidden)]
    pub const __PD_NAME_BLAME: &'static str = "blame";
    #[doc(hidden)]
    #[allow(private_interfaces)]
    pub const __PD_TOOL_BLAME: ::pd_runtime::__private::DeclaredTool<(Self,)> = {
        use ::pd_runtime::__private as __pd;
        #[allow(unused_imports)]
        use __pd::NotShared as _;
        __pd::shared_state::<Self>();
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "Show who last changed a line",
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("blame")
            },
            handler: |call| __pd::HandlerFuture::<
                (Self,),
            >::run(async move { __pd::output(Self::blame(call.lent.0)) }),
        }
    };
    pub fn show(&self) {}
    #[doc(hidden)]
    pub const __PD_NAME_SHOW: &'static str = "show";
    #[doc(hidden)]
    #[allow(private_interfaces)]
    pub const __PD_TOOL_SHOW: ::pd_runtime::__private::DeclaredTool<(Self,)> = {
        use ::pd_runtime::__private as __pd;
        #[allow(unused_imports)]
        use __pd::NotShared as _;
        __pd::shared_state::<Self>();
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "Show one commit",
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("show")
            },
            handler: |call| __pd::HandlerFuture::<
                (Self,),
            >::run(async move { __pd::output(Self::show(call.lent.0)) }),
        }
    };
}
mod bundle {
    use pd_runtime::prelude::*;
    pub fn pack() {}
    #[doc(hidden)]
    #[allow(non_camel_case_types)]
    pub struct __PD_TOOL_PACK;
    impl ::pd_runtime::__private::FreeTool<()> for __PD_TOOL_PACK {
        const NAME: &'static str = "pack";
        const DECLARED: ::pd_runtime::__private::DeclaredTool<()> = {
            use ::pd_runtime::__private as __pd;
            __pd::DeclaredTool {
                facts: __pd::ToolFacts {
                    summary: "Pack all files into one",
                    location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                    ..__pd::facts::<()>("pack")
                },
                handler: |_| __pd::run(async move { __pd::output(pack()) }),
            }
        };
    }
    #[doc(hidden)]
    const __PD_FREE_PACK: () = ::pd_runtime::__private::in_module(|__PD_TOOL_PACK| {
        loop {}
    });
}
fn bundle() {}
#[doc(hidden)]
#[allow(non_camel_case_types)]
pub(crate) struct __PD_TOOL_BUNDLE;
impl ::pd_runtime::__private::FreeTool<()> for __PD_TOOL_BUNDLE {
    const NAME: &'static str = "unpack";
    const DECLARED: ::pd_runtime::__private::DeclaredTool<()> = {
        use ::pd_runtime::__private as __pd;
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "Take the files out again",
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("unpack")
            },
            handler: |_| __pd::run(async move { __pd::output(bundle()) }),
        }
    };
}
#[doc(hidden)]
const __PD_FREE_BUNDLE: () = ::pd_runtime::__private::in_module(|__PD_TOOL_BUNDLE| {
    loop {}
});
pub fn registry() -> Registry<Repo> {
    {
        #[allow(unexpected_cfgs, reason = "rust-analyzer sets it")]
        {
            #[cfg(rust_analyzer)]
            {
                let _ = bundle;
                let _ = bundle::pack;
                let _ = Repo::show;
                let _ = Repo::blame;
                let _ = Repo::blame;
                let _ = Repo::show;
                #[cfg(all())]
                let _ = bundle;
                #[cfg(all())]
                #[cfg(any())]
                let _ = bundle::unpack;
                #[cfg(all())]
                let _ = bundle::pack;
            }
        }
        use ::pd_runtime::__private as __pd;
        trait __PdNoTool {
            const __PD_TOOL_BLAME: __pd::NoSuchTool = __pd::NO_SUCH_TOOL;
            const __PD_TOOL_SHOW: __pd::NoSuchTool = __pd::NO_SUCH_TOOL;
        }
        impl<T> __PdNoTool for T {}
        #[allow(deprecated)]
        const __PD_FACTS_BUNDLE: &__pd::ToolFacts = &__pd::tool(
                &bundle,
                |__PD_TOOL_BUNDLE| loop {},
            )
            .facts;
        #[allow(deprecated)]
        const __PD_FACTS_BUNDLE_PACK: &__pd::ToolFacts = &{
            #[allow(non_snake_case)]
            fn __PD_TOOL_PACK() {}
            {
                #[allow(unused_imports)]
                use bundle::*;
                #[allow(unused_qualifications)]
                let tool = __pd::tool(&bundle::pack, |__PD_TOOL_PACK| loop {});
                tool
            }
        }
            .facts;
        #[cfg(all())]
        #[allow(deprecated)]
        const __PD_FACTS_BUNDLE_2: &__pd::ToolFacts = &__pd::tool(
                &bundle,
                |__PD_TOOL_BUNDLE| loop {},
            )
            .facts;
        #[cfg(all())]
        #[cfg(any())]
        #[allow(deprecated)]
        const __PD_FACTS_BUNDLE_UNPACK: &__pd::ToolFacts = &{
            #[allow(non_snake_case)]
            fn __PD_TOOL_UNPACK() {}
            {
                #[allow(unused_imports)]
                use bundle::*;
                #[allow(unused_qualifications)]
                let tool = __pd::tool(&bundle::unpack, |__PD_TOOL_UNPACK| loop {});
                tool
            }
        }
            .facts;
        #[cfg(all())]
        #[allow(deprecated)]
        const __PD_FACTS_BUNDLE_PACK_2: &__pd::ToolFacts = &{
            #[allow(non_snake_case)]
            fn __PD_TOOL_PACK() {}
            {
                #[allow(unused_imports)]
                use bundle::*;
                #[allow(unused_qualifications)]
                let tool = __pd::tool(&bundle::pack, |__PD_TOOL_PACK| loop {});
                tool
            }
        }
            .facts;
        const __PD_CONTENTS: &__pd::RegistryContents<'_, 4> = &__pd::contents([
            ("bundle", __PD_FACTS_BUNDLE),
            ("bundle::pack", __PD_FACTS_BUNDLE_PACK),
            ("Repo::show", &Repo::__PD_TOOL_SHOW.facts),
            ("Repo::blame", &Repo::__PD_TOOL_BLAME.facts),
        ]);
        const _: () = __pd::judge(__PD_CONTENTS, 0);
        const _: () = __pd::judge(__PD_CONTENTS, 1);
        const _: () = __pd::judge(__PD_CONTENTS, 2);
        const _: () = __pd::judge(__PD_CONTENTS, 3);
        const _: () = __pd::judge_bundled(
            __PD_CONTENTS,
            "who-broke-it",
            &Repo::__PD_TOOL_BLAME.facts,
        );
        const _: () = __pd::judge_bundled(
            __PD_CONTENTS,
            "who-broke-it",
            &Repo::__PD_TOOL_SHOW.facts,
        );
        #[cfg(all())]
        const _: () = __pd::judge_bundled(
            __PD_CONTENTS,
            "bundle-up",
            __PD_FACTS_BUNDLE_2,
        );
        #[cfg(all())]
        #[cfg(any())]
        const _: () = __pd::judge_bundled(
            __PD_CONTENTS,
            "bundle-up",
            __PD_FACTS_BUNDLE_UNPACK,
        );
        #[cfg(all())]
        const _: () = __pd::judge_bundled(
            __PD_CONTENTS,
            "bundle-up",
            __PD_FACTS_BUNDLE_PACK_2,
        );
        #[allow(deprecated)]
        let registry = __pd::with_bundles(
            __pd::registry(
                __pd::options(
                    ::core::env!("CARGO_PKG_NAME"),
                    ::core::env!("CARGO_PKG_VERSION"),
                ),
                [
                    __pd::Declaration::node(
                        __pd::tool(&bundle, |__PD_TOOL_BUNDLE| loop {}),
                    ),
                    __pd::Declaration::node({
                        #[allow(non_snake_case)]
                        fn __PD_TOOL_PACK() {}
                        {
                            #[allow(unused_imports)]
                            use bundle::*;
                            #[allow(unused_qualifications)]
                            let tool = __pd::tool(
                                &bundle::pack,
                                |__PD_TOOL_PACK| loop {},
                            );
                            tool
                        }
                    }),
                    __pd::group(
                        "bundle",
                        "A group, not a bundle",
                        "",
                        [__pd::Declaration::node(Repo::__PD_TOOL_SHOW)],
                    ),
                    __pd::group(
                        "history",
                        "Read history",
                        "",
                        [
                            __pd::Declaration::node(Repo::__PD_TOOL_BLAME),
                            __pd::Declaration::node(Repo::__PD_TOOL_SHOW),
                        ],
                    ),
                ],
            ),
            [
                __pd::bundle(
                    "who-broke-it",
                    "Find who broke a line",
                    "Blame the line, then show the commit it names.",
                    [
                        __pd::Declaration::name(Repo::__PD_TOOL_BLAME),
                        __pd::Declaration::name(Repo::__PD_TOOL_SHOW),
                    ],
                ),
                #[cfg(all())]
                __pd::bundle(
                    "bundle-up",
                    "Move a version elsewhere",
                    "",
                    [
                        __pd::Declaration::name(
                            __pd::tool(&bundle, |__PD_TOOL_BUNDLE| loop {}),
                        ),
                        #[cfg(any())]
                        __pd::Declaration::name({
                            #[allow(non_snake_case)]
                            fn __PD_TOOL_UNPACK() {}
                            {
                                #[allow(unused_imports)]
                                use bundle::*;
                                #[allow(unused_qualifications)]
                                let tool = __pd::tool(
                                    &bundle::unpack,
                                    |__PD_TOOL_UNPACK| loop {},
                                );
                                tool
                            }
                        }),
                        __pd::Declaration::name({
                            #[allow(non_snake_case)]
                            fn __PD_TOOL_PACK() {}
                            {
                                #[allow(unused_imports)]
                                use bundle::*;
                                #[allow(unused_qualifications)]
                                let tool = __pd::tool(
                                    &bundle::pack,
                                    |__PD_TOOL_PACK| loop {},
                                );
                                tool
                            }
                        }),
                    ],
                ),
            ],
        );
        registry
    }
}
fn main() {}
