//! Rules for the requests of `found_by`.
//!
//! The limits are those of pd-runtime's `registry/found_by.rs`, so that declared tools and tools
//! made at run time keep the same rules. A test of the sources compares both files.

use super::words::check_listed;
use crate::errors::Errors;
use syn::LitStr;

/// The maximum number of requests of one tool.
const REQUESTS_MAX: usize = 20;

/// The maximum length of a request, in bytes. Search reads no more of it.
const REQUEST_BYTES_MAX: usize = 4_096;

/// Checks the texts and their number. Each mistake is reported at its text.
pub(super) fn check(requests: &[LitStr], errors: &mut Errors) {
    check_listed("found_by", requests, errors);
    for request in requests {
        let text = request.value();
        if text.len() > REQUEST_BYTES_MAX {
            let length = text.len();
            errors.at(
                request,
                format_args!(
                    "search reads {REQUEST_BYTES_MAX} bytes of a request, and this one has {length}; shorten it"
                ),
            );
        } else if !text.trim().is_empty() && !text.contains(char::is_alphanumeric) {
            errors.at(
                request,
                "this text of `found_by` has no word; write what a caller asks for",
            );
        }
    }
    // Reported once, at the first text beyond the limit.
    if let Some(surplus) = requests.get(REQUESTS_MAX) {
        errors.at(
            surplus,
            format_args!(
                "`found_by` has more than {REQUESTS_MAX} texts; keep those that differ most"
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Span;

    #[test]
    fn a_request_is_as_long_as_search_reads() {
        let message = |length: usize| {
            let mut errors = Errors::default();
            check(
                &[LitStr::new(&"a".repeat(length), Span::call_site())],
                &mut errors,
            );
            (!errors.is_empty()).then(|| errors.into_compile_errors("x").to_string())
        };
        assert_eq!(message(REQUEST_BYTES_MAX), None);
        let long = message(REQUEST_BYTES_MAX + 1).unwrap_or_default();
        assert!(
            long.contains(
                "search reads 4096 bytes of a request, and this one has 4097; shorten it"
            ),
            "{long}"
        );
    }
}
