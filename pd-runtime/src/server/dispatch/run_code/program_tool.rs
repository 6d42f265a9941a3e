//! Calls of a tool that is a program. Access, the gate and the validation of arguments come before.

use super::{RunRequest, execute, failed_result};
use crate::{
    catalog::entry::CatalogEntry,
    code::{CodeProgram, message::ProgramError},
    disclosure::{program_run::ProgramRun, view::CallerView},
    policy::rate_limit::{concurrency::PoolPermit, retry_after::TryLater},
};
use futures::{FutureExt, future::BoxFuture};
use rmcp::{
    RoleServer,
    model::{CallToolResult, JsonObject},
    service::RequestContext,
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// How deep programs may call programs. A program may call itself.
const DEPTH_MAX: usize = 3;

/// Runs the program of a tool with these arguments.
///
/// This is no `async fn`: a program's calls may run programs, and the compiler cannot see through a
/// future that contains itself.
pub(in crate::server) fn call<'a>(
    entry: &'a Arc<CatalogEntry>,
    program: &'a CodeProgram,
    arguments: JsonObject,
    timeout: Option<Duration>,
    view: &'a CallerView<'_>,
    context: &'a RequestContext<RoleServer>,
) -> BoxFuture<'a, CallToolResult> {
    async move {
        let _permits = match RunPermits::acquire(entry, view, context).await {
            Ok(permits) => permits,
            Err(refusal) => return refusal,
        };
        let arguments = match serde_json::value::to_raw_value(&arguments) {
            Ok(arguments) => arguments,
            Err(error) => {
                return failed_result(&ProgramError::new("Arguments", error.to_string()), &[], "");
            }
        };
        let code = program.code.clone();
        let request = RunRequest {
            code,
            timeout,
            arguments: Some(arguments),
            program: Some(program),
        };
        execute(
            request,
            ProgramRun::for_tool(view.program_run()),
            view,
            context,
        )
        .await
    }
    .boxed()
}

/// The permits of a program's run: the tool's own, and the permits of processes.
#[derive(Debug)]
struct RunPermits {
    _permits: [Option<PoolPermit>; 3],
}

impl RunPermits {
    async fn acquire(
        entry: &CatalogEntry,
        view: &CallerView<'_>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Self, CallToolResult> {
        let outer = view.program_run();
        if outer.is_some_and(|outer| outer.depth >= DEPTH_MAX) {
            let text = format!(
                "programs call programs at most {DEPTH_MAX} deep; call other tools than `{}`",
                entry.name()
            );
            return Err(failed_result(
                &ProgramError::new("NestedTooDeep", text),
                &[],
                "",
            ));
        }
        Self::wait(entry, view, outer, context)
            .await
            .map_err(TryLater::into_result)
    }

    async fn wait(
        entry: &CatalogEntry,
        view: &CallerView<'_>,
        outer: Option<&ProgramRun>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Self, TryLater> {
        let mut patience = view.policy.limits.patience;
        let begun = Instant::now();
        let own = match &entry.slots {
            Some(slots) => Some(slots.wait(patience, &context.ct).await?),
            None => None,
        };
        // Both waits share one budget, as those of other calls do.
        patience = patience.saturating_sub(begun.elapsed());
        // The run that this one is in has the server's permit. Waiting for a second one while all
        // are held by runs that wait, too, would never end.
        let (each, shared) = match outer {
            Some(outer) => (None, Some(outer.inner.wait(patience, &context.ct).await?)),
            None => {
                view.limiter
                    .run_permits(view.caller.payer(), patience, &context.ct)
                    .await?
            }
        };
        Ok(Self {
            _permits: [own, each, shared],
        })
    }
}
