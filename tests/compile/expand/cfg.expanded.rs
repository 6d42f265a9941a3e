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
#[allow(non_camel_case_types)]
pub struct __PD_TOOL_PROCESSES;
#[cfg(not(windows))]
impl ::pd_runtime::__private::FreeTool<()> for __PD_TOOL_PROCESSES {
    const NAME: &'static str = "processes";
    const DECLARED: ::pd_runtime::__private::DeclaredTool<()> = {
        use ::pd_runtime::__private as __pd;
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
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
                let account = __pd::take::<
                    Option<String>,
                >(&mut call.arguments, "account")?;
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
}
#[cfg(not(windows))]
#[doc(hidden)]
const __PD_FREE_PROCESSES: () = ::pd_runtime::__private::in_module(|__PD_TOOL_PROCESSES| {
    loop {}
});
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
        #[allow(deprecated)]
        const __PD_FACTS_PROCESSES: &__pd::ToolFacts = &__pd::tool(
                &processes,
                |__PD_TOOL_PROCESSES| loop {},
            )
            .facts;
        #[cfg(windows)]
        #[allow(deprecated)]
        const __PD_FACTS_SERVICES: &__pd::ToolFacts = &__pd::tool(
                &services,
                |__PD_TOOL_SERVICES| loop {},
            )
            .facts;
        const __PD_CONTENTS: &__pd::RegistryContents<'_, 2> = &__pd::contents([
            #[cfg(not(windows))]
            ("processes", __PD_FACTS_PROCESSES),
            #[cfg(not(not(windows)))]
            __pd::ABSENT,
            #[cfg(windows)]
            ("services", __PD_FACTS_SERVICES),
            #[cfg(not(windows))]
            __pd::ABSENT,
        ]);
        const _: () = __pd::judge(__PD_CONTENTS, 0);
        const _: () = __pd::judge(__PD_CONTENTS, 1);
        #[allow(deprecated)]
        let registry = __pd::registry(
            __pd::options(
                ::core::env!("CARGO_PKG_NAME"),
                ::core::env!("CARGO_PKG_VERSION"),
            ),
            [
                #[cfg(not(windows))]
                __pd::Declaration::node(
                    __pd::tool(&processes, |__PD_TOOL_PROCESSES| loop {}),
                ),
                #[cfg(windows)]
                __pd::group(
                    "system",
                    "What only this system has",
                    "",
                    [
                        __pd::Declaration::node(
                            __pd::tool(&services, |__PD_TOOL_SERVICES| loop {}),
                        ),
                    ],
                ),
            ],
        );
        registry
    }
}
fn main() {}
