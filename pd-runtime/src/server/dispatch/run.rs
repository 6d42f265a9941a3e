//! Running a tool: in its turn, for as long as it may. A panic in it fails this call only.

use crate::{
    catalog::entry::Entry,
    disclosure::view::View,
    policy::rate_limit::{
        concurrency::{Slot, Slots},
        retry_after::TryLater,
    },
    tool::{context::CallContext, error::ToolError, output::Outcome},
};
use futures::FutureExt;
use rmcp::{RoleServer, model::JsonObject, service::RequestContext};
use std::{
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};

/// How long this tool may run, if that is limited.
pub(super) fn timeout(entry: &Entry, view: &View<'_>) -> Option<Duration> {
    entry.tool.about.timeout.or(view.policy.limits.call_timeout)
}

/// Gives a call that may time out a cancellation of its own: that of the request is the client's.
pub(super) fn detach(request: &mut RequestContext<RoleServer>) {
    request.ct = request.ct.child_token();
}

/// Runs the tool once it is its turn.
pub(super) async fn run(entry: &Arc<Entry>, context: CallContext, arguments: JsonObject, view: &View<'_>) -> Outcome {
    let turn = match Turn::of(entry, &context, view).await {
        Ok(turn) => turn,
        Err(later) => return Ok(later.into_result().into()),
    };
    let Some(longest) = timeout(entry, view) else {
        return run_in(turn, entry, &context, arguments).await;
    };
    let running = tokio::time::timeout(longest, run_in(turn, entry, &context, arguments));
    let mut running = std::pin::pin!(running);
    match running.as_mut().await {
        Ok(outcome) => outcome,
        Err(_) => {
            // Before the future is dropped: what the tool has started elsewhere hears of it.
            context.cancellation().cancel();
            Err(timed_out(entry, longest))
        }
    }
}

/// A call's places among those of its principal, its tool and the whole server, where those are limited.
#[derive(Debug)]
struct Turn {
    _slots: [Option<Slot>; 3],
}

impl Turn {
    /// Waits for all together no longer than patience lasts. Its principal's come first: who has all of them holds up nobody else.
    async fn of(entry: &Entry, context: &CallContext, view: &View<'_>) -> Result<Self, TryLater> {
        let mut patience = view.policy.limits.patience;
        let share = view.limiter.share(view.caller.payer());
        let mut slots = [None, None, None];
        for (slot, places) in slots.iter_mut().zip([&share, &entry.slots, &view.limiter.slots]) {
            *slot = take(places.as_ref(), &mut patience, context).await?;
        }
        Ok(Self { _slots: slots })
    }
}

async fn take(
    places: Option<&Slots>,
    patience: &mut Duration,
    context: &CallContext,
) -> Result<Option<Slot>, TryLater> {
    let Some(places) = places else { return Ok(None) };
    if let Some(slot) = places.take_free() {
        return Ok(Some(slot));
    }
    let begun = Instant::now();
    let slot = places.wait(*patience, context.cancellation()).await?;
    *patience = patience.saturating_sub(begun.elapsed());
    Ok(Some(slot))
}

async fn run_in(turn: Turn, entry: &Arc<Entry>, context: &CallContext, arguments: JsonObject) -> Outcome {
    if entry.tool.about.blocking {
        return run_blocking(turn, entry, context.clone(), arguments).await;
    }
    let _turn = turn;
    // Inside a future: a run-time tool's closure may panic before it returns one.
    let running = async { entry.tool.handler.call(&(), context, arguments).await };
    AssertUnwindSafe(running).catch_unwind().await.unwrap_or_else(|_| Err(panicked(entry)))
}

/// The turn ends with the thread, not with the call: threads that nobody waits for any more must not pile up.
async fn run_blocking(turn: Turn, entry: &Arc<Entry>, context: CallContext, arguments: JsonObject) -> Outcome {
    let ran = entry.clone();
    let span = tracing::Span::current();
    let running = tokio::task::spawn_blocking(move || {
        let (_turn, _entered) = (turn, span.enter());
        futures::executor::block_on(ran.tool.handler.call(&(), &context, arguments))
    });
    // What has not begun when the call ends need not begin.
    let _waiting = AbortOnDrop(running.abort_handle());
    running.await.unwrap_or_else(|_| Err(panicked(entry)))
}

struct AbortOnDrop(tokio::task::AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn panicked(entry: &Entry) -> ToolError {
    tracing::error!(tool = entry.name(), "the tool panicked");
    ToolError::new(ToolError::INTERNAL, "the tool failed unexpectedly; this is a defect of the server")
}

fn timed_out(entry: &Entry, longest: Duration) -> ToolError {
    tracing::warn!(tool = entry.name(), ?longest, "the tool ran out of time");
    let text = format!(
        "the tool was stopped after {longest:?}, as long as it may run; ask for less at once, or try again later"
    );
    ToolError::new(ToolError::TIMEOUT, text)
}
