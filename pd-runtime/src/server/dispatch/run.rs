//! Runs a tool: after it has its permits, and within its timeout. A panic fails only this call.

use crate::{
    catalog::entry::CatalogEntry,
    disclosure::view::CallerView,
    policy::rate_limit::{
        concurrency::{PermitPool, PoolPermit},
        retry_after::TryLater,
    },
    tool::{context::CallContext, error::ToolError, output::ToolResult},
};
use futures::FutureExt;
use rmcp::model::JsonObject;
use std::{
    future::{pending, poll_fn},
    panic::AssertUnwindSafe,
    pin::pin,
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};
use tokio::time::sleep;

/// How long the future of a cancelled call lives on.
const CANCEL_GRACE: Duration = Duration::from_millis(250);

/// Returns the tool's timeout, if it or the server sets one.
pub(super) fn timeout(entry: &CatalogEntry, view: &CallerView<'_>) -> Option<Duration> {
    entry.tool.about.timeout.or(view.policy.limits.call_timeout)
}

/// Runs the tool once the call has its permits.
pub(super) async fn run(
    entry: &Arc<CatalogEntry>,
    context: &CallContext,
    arguments: JsonObject,
    view: &CallerView<'_>,
) -> ToolResult {
    let turn = match CallPermits::take_free(entry, view) {
        Some(turn) => turn,
        // Boxed, because few calls wait, and every call would have room for it.
        None => match Box::pin(CallPermits::acquire(entry, context, view)).await {
            Ok(turn) => turn,
            Err(later) => return Ok(later.into_result().into()),
        },
    };
    let longest = timeout(entry, view);
    let mut running = pin!(run_in(turn, entry, context, arguments));
    // Boxed and begun after the tool's first step, because many tools end in that step.
    let mut ending = None;
    poll_fn(|task| {
        // A tool that has its result must not lose it to a limit that is over in the same moment.
        if let Poll::Ready(outcome) = running.as_mut().poll(task) {
            return Poll::Ready(outcome);
        }
        let ending = ending.get_or_insert_with(|| Box::pin(end_early(entry, context, longest)));
        ending.as_mut().poll(task).map(Err)
    })
    .await
}

/// Resolves when the call must end before its tool does.
async fn end_early(
    entry: &CatalogEntry,
    context: &CallContext,
    longest: Option<Duration>,
) -> ToolError {
    tokio::select! {
        () = abandoned(context) => {
            tracing::debug!(tool = entry.name(), "the client cancelled the call, and the tool was stopped");
            ToolError::cancelled()
        }
        longest = pass(longest) => {
            // Canceled before the future is dropped, so that tasks that the tool has spawned stop,
            // too.
            context.cancellation().cancel();
            timed_out(entry, longest)
        }
    }
}

/// Resolves a moment after the client has cancelled the call. In that moment the tool can see its
/// token, and end in its own way.
async fn abandoned(context: &CallContext) {
    context.cancellation().cancelled().await;
    sleep(CANCEL_GRACE).await;
}

/// Resolves when the time has passed, and never without a limit.
async fn pass(longest: Option<Duration>) -> Duration {
    match longest {
        Some(longest) => sleep(longest).map(|()| longest).await,
        None => pending().await,
    }
}

/// A call's permits of its principal, its tool and the whole server, for those that are limited.
#[derive(Debug)]
struct CallPermits {
    _slots: [Option<PoolPermit>; 3],
}

impl CallPermits {
    /// Takes the permits of a call that need not wait, or none.
    fn take_free(entry: &CatalogEntry, view: &CallerView<'_>) -> Option<Self> {
        let share = view.limiter.share(view.caller.payer());
        let free = |places: &Option<PermitPool>| match places {
            None => Some(None),
            Some(places) => places.take_free().map(Some),
        };
        Some(Self {
            // `?` drops the permits that were taken before, and `acquire` begins again.
            _slots: [
                free(&share)?,
                free(&entry.slots)?,
                free(&view.limiter.slots)?,
            ],
        })
    }

    /// Acquires the principal's, the tool's and the server's permit within one `patience`. The
    /// principal's permit comes first, so that a principal at its limit queues without blocking
    /// others.
    async fn acquire(
        entry: &CatalogEntry,
        context: &CallContext,
        view: &CallerView<'_>,
    ) -> Result<Self, TryLater> {
        let mut patience = view.policy.limits.patience;
        let share = view.limiter.share(view.caller.payer());
        let mut slots = [None, None, None];
        for (slot, places) in slots
            .iter_mut()
            .zip([&share, &entry.slots, &view.limiter.slots])
        {
            *slot = take(places.as_ref(), &mut patience, context).await?;
        }
        Ok(Self { _slots: slots })
    }
}

/// Acquires one permit, and takes the time spent from the budget.
async fn take(
    places: Option<&PermitPool>,
    patience: &mut Duration,
    context: &CallContext,
) -> Result<Option<PoolPermit>, TryLater> {
    let Some(places) = places else {
        return Ok(None);
    };
    // The usual case needs no clock and no timer.
    if let Some(slot) = places.take_free() {
        return Ok(Some(slot));
    }
    let begun = Instant::now();
    let slot = places.wait(*patience, context.cancellation()).await?;
    // The three waits share one budget, so that a client waits for at most `patience` in all.
    *patience = patience.saturating_sub(begun.elapsed());
    Ok(Some(slot))
}

async fn run_in(
    turn: CallPermits,
    entry: &Arc<CatalogEntry>,
    context: &CallContext,
    arguments: JsonObject,
) -> ToolResult {
    if entry.tool.about.blocking {
        return run_blocking(turn, entry, context.clone(), arguments).await;
    }
    let _turn = turn;
    // The call is inside the future, because the closure of a run-time tool may panic before it
    // returns a future.
    let running = async { entry.tool.handler.call(&(), context, arguments).await };
    // A panic may poison the author's locks, which then report it. It cannot leave the server's own
    // state half changed, so the assertion holds.
    let outcome = AssertUnwindSafe(running)
        .catch_unwind()
        .await
        .unwrap_or_else(|_| Err(panicked(entry)));
    outcome.or_else(ToolError::into_response)
}

/// Runs a blocking tool on the blocking pool. The permits are held until the thread is free, not
/// until the call ends: threads that no call waits for must not pile up.
async fn run_blocking(
    turn: CallPermits,
    entry: &Arc<CatalogEntry>,
    context: CallContext,
    arguments: JsonObject,
) -> ToolResult {
    let ran = entry.clone();
    // A pool thread has no current span, so the tool's own events would lose the request's.
    let span = tracing::Span::current();
    let running = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let _entered = span.enter();
        futures::executor::block_on(ran.tool.handler.call(&(), &context, arguments))
    });
    // Work that has not begun when the call ends need not begin.
    let _waiting = AbortOnDrop(running.abort_handle());
    running
        .await
        .unwrap_or_else(|_| Err(panicked(entry)))
        .or_else(ToolError::into_response)
}

struct AbortOnDrop(tokio::task::AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn panicked(entry: &CatalogEntry) -> ToolError {
    tracing::error!(tool = entry.name(), "the tool panicked");
    ToolError::new(
        ToolError::INTERNAL,
        "the tool failed unexpectedly; this is a defect of the server",
    )
}

fn timed_out(entry: &CatalogEntry, longest: Duration) -> ToolError {
    tracing::warn!(tool = entry.name(), ?longest, "the tool timed out");
    let text = format!(
        "the tool was stopped after {longest:?}, as long as it may run; ask for less at once, or try again later"
    );
    ToolError::new(ToolError::TIMEOUT, text)
}
