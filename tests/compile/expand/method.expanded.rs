//! A method with every kind of parameter: state, arguments, context.
use pd_runtime::prelude::*;
struct Repo;
struct Clock;
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Log {
    commits: Vec<String>,
}
impl Repo {
    /// Commits of one branch or path, with author, date and subject.
    pub(crate) async fn log(
        &self,
        path: Option<String>,
        limit: u32,
        clock: &Clock,
        call: &CallContext,
    ) -> Result<Json<Log>, ToolError> {
        let _ = (path, limit, clock, call);
        Ok(Json(Log { commits: Vec::new() }))
    }
    #[doc(hidden)]
    pub(crate) const __PD_NAME_LOG: &'static str = "log";
    #[doc(hidden)]
    #[allow(unexpected_cfgs, private_interfaces)]
    pub(crate) const __PD_TOOL_LOG: ::pd_runtime::__private::DeclaredTool<
        (Self, Clock),
    > = {
        use ::pd_runtime::__private as __pd;
        #[allow(unused_imports)]
        use __pd::NotShared as _;
        #[cfg(rust_analyzer)]
        {
            let _ = Repo::show;
        }
        trait __PdNoTool {
            const __PD_NAME_SHOW: &'static str = "";
            const __PD_TOOL_SHOW: () = ();
        }
        impl<T> __PdNoTool for T {}
        let _ = || {
            __pd::Declaration::declared(Repo::__PD_TOOL_SHOW);
        };
        __pd::shared_state::<Self>();
        __pd::shared_state::<Clock>();
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "List commits, newest first",
                description: "Commits of one branch or path, with author, date and subject.",
                arguments: &[
                    __pd::ArgumentFacts {
                        doc: "Only commits that touch this path.",
                        ..__pd::argument::<Option<String>>("path")
                    },
                    __pd::ArgumentFacts {
                        doc: "How many commits to return.",
                        default: __pd::Some(__pd::DefaultValue::Literal("20")),
                        keywords: r#"{"minimum":1,"maximum":500}"#,
                        ..__pd::argument::<u32>("limit")
                    },
                ],
                related: &[Repo::__PD_NAME_SHOW],
                hints: __pd::ToolAnnotations {
                    read_only: __pd::Some(true),
                    ..__pd::ToolAnnotations::NONE
                },
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<Result<Json<Log>, ToolError>>("log")
            },
            handler: |mut call| __pd::HandlerFuture::<
                (Self, Clock),
            >::run(async move {
                let path = __pd::take::<Option<String>>(&mut call.arguments, "path")?;
                let limit = __pd::take::<u32>(&mut call.arguments, "limit")?;
                __pd::output(
                    Self::log(call.lent.0, path, limit, call.lent.1, call.context).await,
                )
            }),
        }
    };
    fn show(&self, commit: String) -> String {
        commit
    }
    #[doc(hidden)]
    const __PD_NAME_SHOW: &'static str = "show";
    #[doc(hidden)]
    #[allow(unexpected_cfgs, private_interfaces)]
    const __PD_TOOL_SHOW: ::pd_runtime::__private::DeclaredTool<(Self,)> = {
        use ::pd_runtime::__private as __pd;
        #[allow(unused_imports)]
        use __pd::NotShared as _;
        #[cfg(rust_analyzer)]
        {
            let _ = Self::log;
        }
        trait __PdNoTool {
            const __PD_NAME_LOG: &'static str = "";
            const __PD_TOOL_LOG: () = ();
        }
        impl<T> __PdNoTool for T {}
        let _ = || {
            __pd::Declaration::declared(Self::__PD_TOOL_LOG);
        };
        __pd::shared_state::<Self>();
        __pd::DeclaredTool {
            facts: __pd::ToolFacts {
                summary: "Show one commit with its changes",
                arguments: &[__pd::argument::<String>("commit")],
                related: &[Self::__PD_NAME_LOG],
                location: ::core::concat!(::core::file!(), ":", ::core::line!()),
                ..__pd::facts::<String>("show")
            },
            handler: |mut call| __pd::HandlerFuture::<
                (Self,),
            >::run(async move {
                let commit = __pd::take::<String>(&mut call.arguments, "commit")?;
                __pd::output(Self::show(call.lent.0, commit))
            }),
        }
    };
}
fn main() {}
