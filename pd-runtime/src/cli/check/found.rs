//! Requests that must find their tools: those that tools declare, and those of a file.

use super::{
    CheckOptions, CliError,
    request_file::read_requests,
    style::{self, counted},
};
use crate::{Registry, check::MissedRequest, text::escape::one_line};

/// The number of requests whose reasons are printed. More do not help an author, and a file may
/// have thousands.
const SHOWN_MAX: usize = 20;

/// Searches for each request, and prints those that do not find their tool. The inner error counts
/// them.
pub(super) fn check_requests<S: 'static>(
    options: &CheckOptions,
    registry: &Registry<S>,
) -> Result<Result<(), String>, CliError> {
    let within = usize::from(options.within);
    let declared = registry.check_found(within);
    let from_file = match &options.requests {
        Some(path) => {
            let requests = read_requests(path, registry)?;
            Some(registry.check_requests(&requests, within).map(|()| requests.len()))
        }
        None => None,
    };
    let (mut count, mut missed) = (0, Vec::new());
    for checked in [Some(declared), from_file].into_iter().flatten() {
        match checked {
            Ok(checked) => count += checked,
            Err(requests) => missed.extend(requests),
        }
    }
    if missed.is_empty() {
        return report_success(count, within).map(Ok);
    }
    missed.iter().take(SHOWN_MAX).try_for_each(report_miss)?;
    if let Some(rest) = missed.len().checked_sub(SHOWN_MAX).filter(|rest| *rest > 0) {
        style::print(format_args!("and {} more\n", counted(rest, "request")))?;
    }
    let advice = "use the words that callers use in summaries, aliases and examples";
    let find = match missed.len() {
        1 => "1 request does not find its tool".to_owned(),
        many => format!("{} do not find their tools", counted(many, "request")),
    };
    Ok(Err(format!("{find}; {advice}")))
}

fn report_success(count: usize, within: usize) -> Result<(), CliError> {
    if count > 0 {
        let (requests, verb) = (counted(count, "request"), if count == 1 { "finds its" } else { "find their" });
        style::print(format_args!("{} {requests} {verb} tool among the first {within}\n", style::green("ok")))?;
    }
    Ok(())
}

/// Prints a miss in the format of compiler messages.
fn report_miss(missed: &MissedRequest) -> Result<(), CliError> {
    let origin = if missed.origin.is_empty() { String::new() } else { format!("{}: ", one_line(&missed.origin)) };
    style::print(format_args!("{origin}{}: {missed}\n", style::red("error")))?;
    Ok(())
}
