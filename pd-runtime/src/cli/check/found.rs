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
    let mut requests = registry.own_requests();
    if let Some(path) = &options.requests {
        requests.extend(read_requests(path, registry)?);
    }
    let Err(missed) = registry.check_requests(&requests, within) else {
        return report_success(requests.len(), within).map(Ok);
    };
    let count = missed.iter().count();
    missed.iter().take(SHOWN_MAX).try_for_each(report_miss)?;
    if count > SHOWN_MAX {
        style::print(format_args!("and {} more\n", counted(count - SHOWN_MAX, "request")))?;
    }
    let advice = "use the words that callers use in summaries, descriptions and aliases";
    let of = counted(requests.len(), "request");
    let (verb, noun) = if count == 1 { ("does", "its tool") } else { ("do", "their tools") };
    Ok(Err(format!("{count} of {of} {verb} not find {noun}; {advice}")))
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
