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
    if about.found_by.len() > REQUESTS_MAX {
        let count = about.found_by.len();
        report(format!("has {count} requests, more than {REQUESTS_MAX}; keep those that differ most"));
    }
    for (index, request) in about.found_by.iter().enumerate() {
        let (number, length) = (index + 1, request.len());
        if length > REQUEST_BYTES_MAX {
            report(format!(
                "{number} has {length} bytes, and search reads {REQUEST_BYTES_MAX} of a request; shorten it"
            ));
        } else if !request.contains(char::is_alphanumeric) {
            report(format!("{number} has no word; write what a caller asks for"));
        } else if about.found_by.iter().take(index).any(|earlier| earlier == request) {
            report(format!("{number} repeats an earlier one; remove it"));
        }
    }
}
