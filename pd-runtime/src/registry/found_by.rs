//! Rules for the requests that must find a tool. The macro reports the same mistakes at their
//! tokens.

use super::{problem::RegistryErrorKind, tool_spec::ToolSpec};

/// The maximum number of requests of one tool.
const REQUESTS_MAX: usize = 20;

/// The maximum length of a request, in bytes. Search reads no more of it.
pub(crate) const REQUEST_BYTES_MAX: usize = 4_096;

/// Reports requests that search cannot answer, and too many of them.
pub(super) fn check(about: &ToolSpec, report: &mut impl FnMut(RegistryErrorKind)) {
    let mut report = |why: String| report(RegistryErrorKind::BadFoundBy { why });
    if about.discovery.found_by.len() > REQUESTS_MAX {
        let count = about.discovery.found_by.len();
        report(format!(
            "{count} requests are more than {REQUESTS_MAX}; keep those that differ most"
        ));
    }
    for (index, request) in about.discovery.found_by.iter().enumerate() {
        // Authors count their requests from 1.
        let number = index + 1;
        let length = request.len();
        if length > REQUEST_BYTES_MAX {
            report(format!(
                "request {number} has {length} bytes, and search reads {REQUEST_BYTES_MAX} of a request; shorten it"
            ));
        } else if !request.contains(char::is_alphanumeric) {
            report(format!(
                "request {number} has no word; write what a caller asks for"
            ));
        } else if about
            .discovery
            .found_by
            .iter()
            .take(index)
            .any(|earlier| earlier == request)
        {
            report(format!(
                "request {number} repeats an earlier one; remove it"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use crate::{IntoOutput, Registry, Tool};
    use futures::FutureExt;

    fn problems(requests: Vec<String>) -> Vec<String> {
        let tool = Tool::new("log", "List commits", |(), _, _| {
            async { ().into_output() }.boxed()
        });
        let tool = requests.into_iter().fold(tool, Tool::found_by);
        let errors = Registry::<()>::builder().tool(tool).build().map(drop);
        errors
            .err()
            .iter()
            .flat_map(|errors| errors.iter())
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn requests_made_at_run_time_keep_the_rules_of_the_macro() {
        let texts = |texts: &[&str]| {
            texts
                .iter()
                .map(|text| (*text).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(problems(texts(&["what happened", "wer war das?"])), [""; 0]);
        assert_eq!(
            problems(texts(&["what happened", " ", "what happened"])),
            [
                "tool `log`: its `found_by`: request 2 has no word; write what a caller asks for",
                "tool `log`: its `found_by`: request 3 repeats an earlier one; remove it",
            ]
        );
        assert_eq!(
            problems(vec!["a".repeat(4_097)]),
            [
                "tool `log`: its `found_by`: request 1 has 4097 bytes, and search reads 4096 of a request; shorten it"
            ]
        );
        assert_eq!(
            problems((0..21).map(|number| number.to_string()).collect()),
            [
                "tool `log`: its `found_by`: 21 requests are more than 20; keep those that differ most"
            ]
        );
    }
}
