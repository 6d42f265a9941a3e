//! x
#[doc(hidden)]
pub mod __private;
mod access;
mod descriptor;
mod tool;
pub use access::Principal;
pub use tool::{argument::*, context::*, error::*, handler::*, output::*, state::*};
extern crate self as pd_runtime;

#[cfg(test)]
mod contract {
    use super::*;
    use schemars::JsonSchema;
    #[derive(serde::Serialize, JsonSchema)]
    struct Log {
        n: u32,
    }
    struct Repo;
    enum GitError {
        PathNotFound(String),
    }
    impl IntoToolError for GitError {
        const HELP: &'static [ErrorHelp] = &[ErrorHelp::of("PATH_NOT_FOUND", "", "Find it")];
        fn into_tool_error(self) -> ToolError {
            match self {
                Self::PathNotFound(s) => ToolError::new("PATH_NOT_FOUND", s),
            }
        }
    }
    impl Repo {
        async fn log(&self, path: Option<String>, limit: u32, call: &CallContext) -> Result<Json<Log>, GitError> {
            call.progress(1.0, None, "x").await;
            if limit == 0 {
                return Err(GitError::PathNotFound(path.unwrap_or_default()));
            }
            Ok(Json(Log { n: limit }))
        }
        pub const __PD_NAME_LOG: &'static str = "log";
        pub const __PD_TOOL_LOG: ::pd_runtime::__private::Declared<(Self,)> = {
            use ::pd_runtime::__private as __pd;
            __pd::Declared {
                facts: __pd::Facts {
                    summary: "List commits",
                    arguments: &[
                        __pd::ArgumentFacts { doc: "Only", ..__pd::argument::<Option<String>>("path") },
                        __pd::ArgumentFacts {
                            doc: "How many",
                            default: Some(__pd::Preset::Literal("20")),
                            ..__pd::argument::<u32>("limit")
                        },
                    ],
                    related: &[Repo::__PD_NAME_LOG],
                    ..__pd::facts::<Result<Json<Log>, GitError>>(Self::__PD_NAME_LOG)
                },
                handler: |mut call| {
                    __pd::run(async move {
                        let path = __pd::take::<Option<String>>(&mut call.arguments, "path")?;
                        let limit = __pd::take::<u32>(&mut call.arguments, "limit")?;
                        __pd::output(Self::log(call.lent.0, path, limit, call.context).await)
                    })
                },
            }
        };
    }
    struct Users<T>(T);
    impl<T: Send + Sync + 'static> Users<T> {
        fn find(&self, clock: &Repo, id: u64) -> String {
            let _ = clock;
            id.to_string()
        }
        pub const __PD_TOOL_FIND: ::pd_runtime::__private::Declared<(Self, Repo)> = {
            use ::pd_runtime::__private as __pd;
            __pd::Declared {
                facts: __pd::Facts { arguments: &[__pd::argument::<u64>("id")], ..__pd::facts::<String>("find") },
                handler: |mut call| {
                    __pd::run(async move {
                        let id = __pd::take::<u64>(&mut call.arguments, "id")?;
                        __pd::output(Self::find(call.lent.0, call.lent.1, id))
                    })
                },
            }
        };
    }
    struct App {
        repo: Repo,
        users: Users<u8>,
    }
    impl Provide<Repo> for App {
        fn provide(&self) -> &Repo {
            &self.repo
        }
    }
    impl Provide<Users<u8>> for App {
        fn provide(&self) -> &Users<u8> {
            &self.users
        }
    }
    #[test]
    fn t() {
        let h: Handler<App> = crate::tool::handler::lending(Users::<u8>::__PD_TOOL_FIND.handler);
        let h2: Handler<App> = crate::tool::handler::lending(Repo::__PD_TOOL_LOG.handler);
        let app = App { repo: Repo, users: Users(1) };
        let ctx = CallContext::recording();
        let o = futures::executor::block_on(h.call(&app, &ctx, serde_json::from_str(r#"{"id":7}"#).unwrap()));
        println!("{o:?}");
        let o = futures::executor::block_on(h2.call(&app, &ctx, serde_json::from_str(r#"{"limit":7}"#).unwrap()));
        println!("{o:?} {:?}", ctx.recorded());
    }
}
