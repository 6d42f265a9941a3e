//! Validates a call's arguments. Most are validated at once. Those that may take long are validated
//! on the blocking pool, so that they hold no thread of the runtime.

use super::withhold_columns::{self, SelectiveCall};
use crate::{
    catalog::entry::CatalogEntry,
    disclosure::view::CallerView,
    policy::rate_limit::{self, retry_after::TryLater},
    registry::validate::InvalidArguments,
    schema::violations::SchemaViolations,
    surface::lossless_correction::LosslessCorrection,
};

use rmcp::model::JsonObject;
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// The most time for validating arguments. A pattern that backtracks ends earlier, by its own
/// limit.
const TIME_MAX: Duration = Duration::from_secs(5);

/// The reason why a tool does not run.
#[derive(Debug)]
pub(super) enum ValidationFailure {
    /// The arguments do not fit the schema.
    Invalid(InvalidArguments),
    /// Too many slow validations are running at the moment.
    Later(TryLater),
}

impl From<SchemaViolations> for ValidationFailure {
    fn from(violations: SchemaViolations) -> Self {
        Self::Invalid(violations.into())
    }
}

impl From<InvalidArguments> for ValidationFailure {
    fn from(invalid: InvalidArguments) -> Self {
        Self::Invalid(invalid)
    }
}

/// Valid arguments with the caller's choice of columns, and how they were corrected.
type ValidArguments<'a> = (JsonObject, Option<SelectiveCall<'a>>, Option<LosslessCorrection>);

/// Validates the arguments. A read-only tool may run with corrected ones, if nothing is lost.
///
/// # Errors
///
/// Returns the violations of the arguments that were sent.
pub(super) async fn validate_or_correct<'a>(
    entry: &'a Arc<CatalogEntry>,
    arguments: JsonObject,
    view: &CallerView<'_>,
    cancelled: &CancellationToken,
) -> Result<ValidArguments<'a>, ValidationFailure> {
    let invalid = match validate(entry, arguments, view, cancelled).await {
        Ok((arguments, selection)) => return Ok((arguments, selection, None)),
        Err(ValidationFailure::Invalid(invalid)) => invalid,
        Err(later) => return Err(later),
    };
    // Programs have a call that reports what is wrong. Headers repeat arguments by their right names, and
    // were compared with those that were sent.
    let may_run = view.policy.runs_corrected()
        && entry.is_read_only()
        && !view.serves_program()
        && entry.header_arguments.is_empty();
    let correction = may_run.then(|| LosslessCorrection::new(&entry.tool.about.input, &invalid)).flatten();
    let Some(mut correction) = correction else { return Err(invalid.into()) };
    // Boxed, because this future is large and rarely needed.
    let arguments = std::mem::take(&mut correction.arguments);
    match Box::pin(validate(entry, arguments, view, cancelled)).await {
        Ok((arguments, selection)) => Ok((arguments, selection, Some(correction))),
        Err(_) => Err(invalid.into()),
    }
}

/// Validates the arguments. Returns those with which the tool is run, and the caller's choice of
/// columns.
///
/// # Errors
///
/// Returns an error if the arguments do not fit, or cannot be validated at the moment.
async fn validate<'a>(
    entry: &'a Arc<CatalogEntry>,
    arguments: JsonObject,
    view: &CallerView<'_>,
    cancelled: &CancellationToken,
) -> Result<(JsonObject, Option<SelectiveCall<'a>>), ValidationFailure> {
    // Size and depth come first: they bound the work of everything below.
    let bytes = rate_limit::arguments::check(&arguments, &view.policy.limits)?;
    let about = &entry.tool.about;
    // Optional nulls are dropped and defaults inserted before validation, so that the schema judges
    // the values that the tool receives.
    let arguments = about.input.completed(arguments);
    let mut arguments = if entry.validator.may_take_long(bytes) {
        // Boxed, because this future is large and rarely needed.
        Box::pin(validate_on_pool(entry, arguments, view, cancelled)).await?
    } else {
        entry.validator.validate(arguments)?
    };
    let selection = withhold_columns::select(about, &mut arguments)?;
    Ok((arguments, selection))
}

/// Validates on the blocking pool. The permit is held until the thread is free, because threads
/// must not pile up.
async fn validate_on_pool(
    entry: &Arc<CatalogEntry>,
    arguments: JsonObject,
    view: &CallerView<'_>,
    cancelled: &CancellationToken,
) -> Result<JsonObject, ValidationFailure> {
    let places = view.limiter.judging(view.caller.payer(), view.policy.limits.patience, cancelled);
    let places = places.await.map_err(ValidationFailure::Later)?;
    let validator = entry.validator.clone();
    let validation = tokio::task::spawn_blocking(move || {
        let _places = places;
        validator.validate(arguments)
    });
    match tokio::time::timeout(TIME_MAX, validation).await {
        Ok(Ok(outcome)) => outcome.map_err(ValidationFailure::Invalid),
        // The validator panicked. The arguments count as invalid, because running the tool without
        // a check is the worse mistake.
        Ok(Err(_)) => Err(failed(entry, "the check of these arguments failed; send other ones")),
        Err(_) => Err(failed(entry, "takes too long to check against the tool's inputSchema; send less at once")),
    }
}

fn failed(entry: &CatalogEntry, why: &str) -> ValidationFailure {
    tracing::warn!(tool = entry.name(), seconds = TIME_MAX.as_secs(), "the arguments could not be validated");
    SchemaViolations::from_root(why.to_owned()).into()
}
