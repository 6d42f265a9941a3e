//! Requests that must find their tools. Tools declare some, and a file may have more.

use super::{
    CheckOptions, CliError,
    request_file::read_requests,
    style::{self, counted},
};
use crate::{Registry, check::MissedRequest, text::escape::one_line};
use serde::{Serialize, Serializer};
use serde_json::json;

/// The number of requests that are printed with their reasons. More do not help an author, and a
/// file may have thousands.
const SHOWN_MAX: usize = 20;

/// The searches for requests with a known answer.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct RequestSummary {
    /// The number of requests.
    pub(in crate::cli) requests: usize,
    /// The number of first hits that must contain the tool.
    pub(in crate::cli) within: usize,
    /// The requests that do not find their tool.
    #[serde(serialize_with = "serialize_missed")]
    pub(in crate::cli) missed: Vec<MissedRequest>,
    /// Whether the owner of a gateway reads it, who cannot edit the tools.
    #[serde(skip)]
    is_relayed: bool,
}

fn serialize_missed<S: Serializer>(
    missed: &[MissedRequest],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(missed.iter().map(|missed| {
        let MissedRequest { request, tool, origin, rank, .. } = missed;
        json!({ "request": request, "tool": tool, "rank": rank, "origin": origin, "message": missed.to_string() })
    }))
}

impl RequestSummary {
    /// Searches for each request.
    ///
    /// # Errors
    ///
    /// Returns an error if the file of requests cannot be read.
    pub(super) fn new<S: 'static>(
        options: &CheckOptions,
        registry: &Registry<S>,
    ) -> Result<Self, CliError> {
        let within = usize::from(options.within);
        let mut requests = registry.own_requests();
        if let Some(path) = &options.requests {
            requests.extend(read_requests(path, registry)?);
        }
        let missed = match registry.check_requests(&requests, within) {
            Ok(()) => Vec::new(),
            Err(missed) => missed.iter().cloned().collect(),
        };
        Ok(Self {
            requests: requests.len(),
            within,
            missed,
            is_relayed: registry.has_relayed_tools(),
        })
    }

    /// Returns why the check fails, if a request does not find its tool.
    pub(super) fn failure(&self) -> Option<String> {
        let count = self.missed.len();
        let of = counted(self.requests, "request");
        let (verb, noun) = if count == 1 {
            ("does", "its tool")
        } else {
            ("do", "their tools")
        };
        // The owner of a gateway cannot edit the tools, but an overlay adds to their texts.
        let advice = if self.is_relayed {
            "add the words that callers use to `aliases` in an overlay"
        } else {
            "use the words that callers use in summaries, descriptions and aliases"
        };
        (count > 0).then(|| format!("{count} of {of} {verb} not find {noun}; {advice}"))
    }

    pub(super) fn print(&self) -> Result<(), CliError> {
        self.missed
            .iter()
            .take(SHOWN_MAX)
            .try_for_each(print_miss)?;
        if self.missed.len() > SHOWN_MAX {
            style::print(format_args!(
                "and {} more\n",
                counted(self.missed.len() - SHOWN_MAX, "request")
            ))?;
        }
        if self.missed.is_empty() && self.requests > 0 {
            let requests = counted(self.requests, "request");
            let within = self.within;
            let verb = if self.requests == 1 {
                "finds its"
            } else {
                "find their"
            };
            let place = if within == 1 {
                "as the first hit".to_owned()
            } else {
                format!("among the first {within}")
            };
            style::print(format_args!(
                "{} {requests} {verb} tool {place}\n",
                style::green("ok")
            ))?;
        }
        Ok(())
    }
}

/// Prints a miss in the format of compiler messages.
fn print_miss(missed: &MissedRequest) -> Result<(), CliError> {
    let origin = if missed.origin.is_empty() {
        String::new()
    } else {
        format!("{}: ", one_line(&missed.origin))
    };
    style::print(format_args!("{origin}{}: {missed}\n", style::red("error")))?;
    Ok(())
}
