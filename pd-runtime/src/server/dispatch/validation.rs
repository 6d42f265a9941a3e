//! Judging a call's arguments. Most are judged at once; those that may take long are judged on the blocking pool, so that no
//! thread of the runtime is held.

use super::selective::{self, Selection};
use crate::{
    catalog::entry::Entry,
    disclosure::view::View,
    policy::rate_limit::{self, retry_after::TryLater},
    registry::validate::Violations,
};
use rmcp::model::JsonObject;
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// How long arguments may be judged. A pattern that backtracks ends by itself before.
const TIME_MAX: Duration = Duration::from_secs(5);

/// Why a tool is not run.
#[derive(Debug)]
pub(super) enum Unjudged {
    /// The arguments do not fit.
    Invalid(Violations),
    /// Too many arguments that may take long are judged now.
    Later(TryLater),
}

impl From<Violations> for Unjudged {
    fn from(violations: Violations) -> Self {
        Self::Invalid(violations)
    }
}

/// Judges the arguments, and returns those that the tool is run with, and which columns it is asked for.
///
/// # Errors
///
/// They do not fit, or cannot be judged now.
pub(super) async fn judge<'a>(
    entry: &'a Arc<Entry>,
    arguments: JsonObject,
    view: &View<'_>,
    cancelled: &CancellationToken,
) -> Result<(JsonObject, Option<Selection<'a>>), Unjudged> {
    let bytes = rate_limit::arguments::check(&arguments, &view.policy.limits)?;
    let about = &entry.tool.about;
    let arguments = about.input.completed(arguments);
    let mut arguments = if entry.validator.may_take_long(bytes) {
        Box::pin(judge_elsewhere(entry, arguments, view, cancelled)).await?
    } else {
        entry.validator.validate(arguments)?
    };
    let selection = selective::select(about, &mut arguments)?;
    Ok((arguments, selection))
}

/// Judges on the blocking pool. The place is free again when the thread is: threads must not pile up.
async fn judge_elsewhere(
    entry: &Arc<Entry>,
    arguments: JsonObject,
    view: &View<'_>,
    cancelled: &CancellationToken,
) -> Result<JsonObject, Unjudged> {
    let places = view.limiter.judging(view.caller.payer(), view.policy.limits.patience, cancelled);
    let places = places.await.map_err(Unjudged::Later)?;
    let validator = entry.validator.clone();
    let judging = tokio::task::spawn_blocking(move || {
        let _places = places;
        validator.validate(arguments)
    });
    match tokio::time::timeout(TIME_MAX, judging).await {
        Ok(Ok(judged)) => judged.map_err(Unjudged::Invalid),
        Ok(Err(_)) => Err(undecided(entry, "the check of these arguments failed; send other ones")),
        Err(_) => Err(undecided(entry, "takes too long to check against the tool's inputSchema; send less at once")),
    }
}

fn undecided(entry: &Entry, why: &str) -> Unjudged {
    tracing::warn!(tool = entry.name(), seconds = TIME_MAX.as_secs(), "the arguments could not be judged");
    Violations::of_root(why.to_owned()).into()
}
