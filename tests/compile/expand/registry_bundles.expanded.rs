//! Bundles beside groups, and the other things that may be called `bundle`.
use pd_runtime::{Registry, prelude::*};
pub struct Repo;
impl Repo {
    pub fn blame(&self) {}
    #[doc(hidden)]
    pub const __PD_NAME_BLAME: &'static str = "blame";
    #[doc(hidden)]
    #[allow(private_interfaces)]
    pub const __PD_TOOL_BLAME: ::pd_runtime::__private::Declared<(Self,)> = {
        use ::pd_runtime::__private as __pd;
        __pd::Declared {
            facts: __pd::Facts {
                summary: "Show who last changed a line",
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("blame")
            },
            handler: |call| __pd::run(async move {
                __pd::output(Self::blame(call.lent.0))
            }),
        }
    };
    pub fn show(&self) {}
    #[doc(hidden)]
    pub const __PD_NAME_SHOW: &'static str = "show";
    #[doc(hidden)]
    #[allow(private_interfaces)]
    pub const __PD_TOOL_SHOW: ::pd_runtime::__private::Declared<(Self,)> = {
        use ::pd_runtime::__private as __pd;
        __pd::Declared {
            facts: __pd::Facts {
                summary: "Show one commit",
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("show")
            },
            handler: |call| __pd::run(async move {
                __pd::output(Self::show(call.lent.0))
            }),
        }
    };
}
mod bundle {
    use pd_runtime::prelude::*;
    pub fn pack() {}
    #[doc(hidden)]
    pub const __PD_NAME_PACK: &'static str = "pack";
    #[doc(hidden)]
    pub const __PD_NAMING_PACK: ::pd_runtime::__private::Naming = ::pd_runtime::__private::Naming::AsFunction;
    #[doc(hidden)]
    #[allow(private_interfaces)]
    pub const __PD_TOOL_PACK: ::pd_runtime::__private::Declared<()> = {
        use ::pd_runtime::__private as __pd;
        __pd::Declared {
            facts: __pd::Facts {
                summary: "Pack all files into one",
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<()>("pack")
            },
            handler: |_| __pd::run(async move { __pd::output(pack()) }),
        }
    };
}
fn bundle() {}
#[doc(hidden)]
const __PD_NAME_BUNDLE: &'static str = "unpack";
#[doc(hidden)]
const __PD_NAMING_BUNDLE: ::pd_runtime::__private::Naming = ::pd_runtime::__private::Naming::Otherwise;
#[doc(hidden)]
#[allow(private_interfaces)]
const __PD_TOOL_BUNDLE: ::pd_runtime::__private::Declared<()> = {
    use ::pd_runtime::__private as __pd;
    __pd::Declared {
        facts: __pd::Facts {
            summary: "Take the files out again",
            location: ::core::concat!(::core::file!(), ":", ::core::line!()),
            ..__pd::facts::<()>("unpack")
        },
        handler: |_| __pd::run(async move { __pd::output(bundle()) }),
    }
};
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
        const __PD_CONTENTS: &__pd::Contents<'_, 4> = &__pd::contents([
            ("bundle", &__PD_TOOL_BUNDLE.facts),
            (
                "bundle::pack",
                {
                    const __PD_TOOL_PACK: __pd::NoSuchTool = __pd::NO_SUCH_TOOL;
                    {
                        #[allow(unused_imports)]
                        use bundle::*;
                        &__PD_TOOL_PACK.facts
                    }
                },
            ),
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
            &__PD_TOOL_BUNDLE.facts,
        );
        #[cfg(all())]
        #[cfg(any())]
        const _: () = __pd::judge_bundled(
            __PD_CONTENTS,
            "bundle-up",
            {
                const __PD_TOOL_UNPACK: __pd::NoSuchTool = __pd::NO_SUCH_TOOL;
                {
                    #[allow(unused_imports)]
                    use bundle::*;
                    &__PD_TOOL_UNPACK.facts
                }
            },
        );
        #[cfg(all())]
        const _: () = __pd::judge_bundled(
            __PD_CONTENTS,
            "bundle-up",
            {
                const __PD_TOOL_PACK: __pd::NoSuchTool = __pd::NO_SUCH_TOOL;
                {
                    #[allow(unused_imports)]
                    use bundle::*;
                    &__PD_TOOL_PACK.facts
                }
            },
        );
        __pd::with_bundles(
            __pd::registry(
                __pd::options(
                    ::core::env!("CARGO_PKG_NAME"),
                    ::core::env!("CARGO_PKG_VERSION"),
                ),
                [
                    __pd::Declaration::node(__PD_TOOL_BUNDLE),
                    {
                        const __PD_TOOL_PACK: __pd::NoSuchTool = __pd::NO_SUCH_TOOL;
                        {
                            #[allow(unused_imports)]
                            use bundle::*;
                            __pd::Declaration::node(__PD_TOOL_PACK)
                        }
                    },
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
                        __pd::Declaration::name(__PD_TOOL_BUNDLE),
                        #[cfg(any())]
                        {
                            const __PD_TOOL_UNPACK: __pd::NoSuchTool = __pd::NO_SUCH_TOOL;
                            {
                                #[allow(unused_imports)]
                                use bundle::*;
                                __pd::Declaration::name(__PD_TOOL_UNPACK)
                            }
                        },
                        {
                            const __PD_TOOL_PACK: __pd::NoSuchTool = __pd::NO_SUCH_TOOL;
                            {
                                #[allow(unused_imports)]
                                use bundle::*;
                                __pd::Declaration::name(__PD_TOOL_PACK)
                            }
                        },
                    ],
                ),
            ],
        )
    }
}
fn main() {}
