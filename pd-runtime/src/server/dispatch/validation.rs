//! Validates a call's arguments. Most are validated at once. Those that may take long are validated
//! on the blocking pool, so that they hold no thread of the runtime.

use super::withhold_columns::{self, SelectiveCall};
use crate::{
    catalog::entry::CatalogEntry,
    disclosure::view::CallerView,
    policy::rate_limit::{self, retry_after::TryLater},
    registry::validate::InvalidArguments,
    surface::{corrected_call::is_stray_call, lossless_correction::LosslessCorrection},
};
use pd_schema::violations::SchemaViolations;

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

/// The violation of arguments that are a call.
const STRAY_CALL: &str = "is a call of the tool; send the arguments inside it alone";

/// How deep texts inside texts are read.
const READINGS_MAX: usize = 4;

/// Valid arguments.
pub(super) struct ValidArguments<'a> {
    pub(super) arguments: JsonObject,
    /// The caller's choice of columns.
    pub(super) selection: Option<Box<SelectiveCall<'a>>>,
    /// Whether a value was sent as a text that holds its JSON.
    pub(super) is_from_text: bool,
    pub(super) correction: Option<Box<LosslessCorrection>>,
}

/// Arguments after the check that is made at once.
pub(super) enum FirstCheck<'a> {
    Valid(ValidArguments<'a>),
    /// The check may take long, so it is made on the blocking pool.
    Long(JsonObject),
}

/// Validates the arguments, if that takes no time. [`finish`] does the rest.
///
/// # Errors
///
/// Returns the violations of the arguments.
pub(super) fn check_at_once<'a>(
    entry: &'a Arc<CatalogEntry>,
    arguments: JsonObject,
    view: &CallerView<'_>,
) -> Result<FirstCheck<'a>, ValidationFailure> {
    // Size and depth come first: they bound the work of everything below.
    let bytes = rate_limit::arguments::check(&arguments, &view.policy.limits)?;
    // Optional nulls are dropped and defaults inserted before validation, so that the schema judges
    // the values that the tool receives.
    let arguments = entry.tool.about.input.completed(arguments);
    let validator = entry.validator().map_err(|why| failed(entry, &why))?;
    if validator.may_take_long(bytes) {
        return Ok(FirstCheck::Long(arguments));
    }
    let arguments = take_no_call(entry, validator.validate(arguments)?, view)?;
    select(entry, arguments).map(FirstCheck::Valid)
}

/// Refuses valid arguments that are a call of the tool. The tool would run without the arguments
/// inside, and nobody would notice.
///
/// # Errors
///
/// Returns a violation of the arguments as a whole.
fn take_no_call(
    entry: &CatalogEntry,
    arguments: JsonObject,
    view: &CallerView<'_>,
) -> Result<JsonObject, InvalidArguments> {
    let may_refuse = view.policy.runs_corrected() && !view.serves_program();
    if may_refuse && is_stray_call(&entry.tool.about, &arguments) {
        return Err(InvalidArguments {
            violations: SchemaViolations::from_root(STRAY_CALL.to_owned()),
            arguments,
        });
    }
    Ok(arguments)
}

/// Finishes the check of arguments that were not found valid at once. A text that holds the JSON of
/// a wanted object or array is that value. A read-only tool may run with corrected arguments, if
/// nothing is lost.
///
/// # Errors
///
/// Returns the violations of the arguments that were sent.
pub(super) async fn finish<'a>(
    first: Result<FirstCheck<'a>, ValidationFailure>,
    entry: &'a Arc<CatalogEntry>,
    view: &CallerView<'_>,
    cancelled: &CancellationToken,
) -> Result<ValidArguments<'a>, ValidationFailure> {
    let invalid = match check_long(first, entry, view, cancelled).await {
        Err(ValidationFailure::Invalid(invalid)) => invalid,
        done => return done,
    };
    let (invalid, is_from_text) = match read_texts(entry, invalid, view, cancelled).await? {
        TextReading::Valid(valid) => return Ok(valid),
        TextReading::Invalid(invalid, is_from_text) => (invalid, is_from_text),
    };
    // Programs have a call that reports what is wrong. Headers repeat arguments by their right
    // names, and were compared with those that were sent.
    let may_run = view.policy.runs_corrected()
        && entry.is_read_only()
        && !view.serves_program()
        && entry.header_arguments.is_empty();
    let correction = may_run
        .then(|| LosslessCorrection::new(&entry.tool.about, &invalid))
        .flatten();
    let Some(mut correction) = correction else {
        return Err(invalid.into());
    };
    let arguments = std::mem::take(&mut correction.arguments);
    match validate(entry, arguments, view, cancelled).await {
        Ok(valid) => Ok(ValidArguments {
            is_from_text,
            correction: Some(Box::new(correction)),
            ..valid
        }),
        // The violations of what was sent: the model does not know the corrected arguments.
        Err(_) => Err(invalid.into()),
    }
}

/// Arguments after their texts were read.
enum TextReading<'a> {
    Valid(ValidArguments<'a>),
    /// Arguments that still do not fit, and whether any text was read.
    Invalid(InvalidArguments, bool),
}

/// Replaces the texts that hold the JSON of a wanted object or array by what they hold. This
/// changes no meaning, because the schema takes no text there, so it applies to tools that write,
/// too.
///
/// # Errors
///
/// Returns an error if the arguments cannot be validated at the moment.
async fn read_texts<'a>(
    entry: &'a Arc<CatalogEntry>,
    mut invalid: InvalidArguments,
    view: &CallerView<'_>,
    cancelled: &CancellationToken,
) -> Result<TextReading<'a>, ValidationFailure> {
    // A header that repeats a value inside a text was not compared with it.
    let is_checked = entry
        .header_arguments
        .iter()
        .all(|argument| argument.path.len() == 1);
    let may_read = view.policy.runs_corrected() && is_checked;
    let mut is_from_text = false;
    for _ in 0..READINGS_MAX {
        let Some(arguments) = invalid.with_texts_read().filter(|_| may_read) else {
            break;
        };
        match validate(entry, arguments, view, cancelled).await {
            Ok(valid) => {
                return Ok(TextReading::Valid(ValidArguments {
                    is_from_text: true,
                    ..valid
                }));
            }
            // What the texts hold exceeds a limit.
            Err(ValidationFailure::Invalid(next)) if next.arguments.is_empty() => break,
            Err(ValidationFailure::Invalid(next)) => (invalid, is_from_text) = (next, true),
            Err(later) => return Err(later),
        }
    }
    Ok(TextReading::Invalid(invalid, is_from_text))
}

/// Validates the arguments, at once or on the blocking pool.
///
/// # Errors
///
/// Returns an error if the arguments do not fit, or cannot be validated at the moment.
async fn validate<'a>(
    entry: &'a Arc<CatalogEntry>,
    arguments: JsonObject,
    view: &CallerView<'_>,
    cancelled: &CancellationToken,
) -> Result<ValidArguments<'a>, ValidationFailure> {
    check_long(
        check_at_once(entry, arguments, view),
        entry,
        view,
        cancelled,
    )
    .await
}

async fn check_long<'a>(
    first: Result<FirstCheck<'a>, ValidationFailure>,
    entry: &'a Arc<CatalogEntry>,
    view: &CallerView<'_>,
    cancelled: &CancellationToken,
) -> Result<ValidArguments<'a>, ValidationFailure> {
    match first? {
        FirstCheck::Valid(valid) => Ok(valid),
        FirstCheck::Long(arguments) => {
            let arguments = validate_on_pool(entry, arguments, view, cancelled).await?;
            select(entry, take_no_call(entry, arguments, view)?)
        }
    }
}

/// Takes the caller's choice of columns out of valid arguments.
fn select(
    entry: &Arc<CatalogEntry>,
    mut arguments: JsonObject,
) -> Result<ValidArguments<'_>, ValidationFailure> {
    let selection = withhold_columns::select(&entry.tool.about, &mut arguments)?.map(Box::new);
    Ok(ValidArguments {
        arguments,
        selection,
        is_from_text: false,
        correction: None,
    })
}

/// Validates on the blocking pool. The permit is held until the thread is free, because threads
/// must not pile up.
async fn validate_on_pool(
    entry: &Arc<CatalogEntry>,
    arguments: JsonObject,
    view: &CallerView<'_>,
    cancelled: &CancellationToken,
) -> Result<JsonObject, ValidationFailure> {
    let places = view
        .limiter
        .judging(view.caller.payer(), view.policy.limits.patience, cancelled);
    let places = places.await.map_err(ValidationFailure::Later)?;
    let validator = entry
        .validator()
        .map_err(|why| failed(entry, &why))?
        .clone();
    let validation = tokio::task::spawn_blocking(move || {
        let _places = places;
        validator.validate(arguments)
    });
    match tokio::time::timeout(TIME_MAX, validation).await {
        Ok(Ok(outcome)) => outcome.map_err(ValidationFailure::Invalid),
        // The validator panicked. The arguments count as invalid, because running the tool without
        // a check is the worse mistake.
        Ok(Err(_)) => Err(failed(
            entry,
            "the check of these arguments failed; send other ones",
        )),
        Err(_) => {
            let seconds = TIME_MAX.as_secs();
            let why = "takes too long to check against the tool's inputSchema; send less at once";
            tracing::warn!(tool = entry.name(), seconds, "the check took too long");
            Err(failed(entry, why))
        }
    }
}

fn failed(entry: &CatalogEntry, why: &str) -> ValidationFailure {
    tracing::warn!(
        tool = entry.name(),
        why,
        "the arguments could not be validated"
    );
    SchemaViolations::from_root(why.to_owned()).into()
}
