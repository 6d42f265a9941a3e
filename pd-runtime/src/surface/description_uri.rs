//! The URIs of the resource `tool_descriptions` (specification v2.1, section 4), and the calls that
//! models write into them.

use super::normalized;
use crate::protocol::keys::DESCRIPTIONS_URI;
use rmcp::model::JsonObject;

/// Returns the query of a URI of the resource `tool_descriptions`; `None` for other URIs.
pub(super) fn query(uri: &str) -> Option<&str> {
    let rest = uri.strip_prefix(DESCRIPTIONS_URI)?;
    // Clients may normalize the URI: they add a slash before the query, or keep a fragment.
    let rest = rest.split('#').next().unwrap_or_default();
    match rest.strip_prefix('/').unwrap_or(rest) {
        "" => Some(""),
        query => query.strip_prefix('?'),
    }
}

/// Returns the names in `tools`, split on commas after percent-decoding. Other keys are ignored.
pub(super) fn requested_names(query: &str) -> Vec<String> {
    let values: Vec<_> = form_urlencoded::parse(query.as_bytes())
        .filter(|(key, _)| key == "tools")
        .map(|(_, value)| value)
        .collect();
    normalized(values.iter().flat_map(|value| value.split(',')))
}

/// Returns the tools that a URI of the resource names, and its other parameters, which a model took
/// for the arguments of a call. Returns `None` if a value could be lost: a parameter that comes
/// twice, a fragment, or `+`, which stands for a space here and for itself in a time.
pub(super) fn call_in(uri: &str) -> Option<(Vec<String>, JsonObject)> {
    let query = query(uri.trim())?;
    if uri.contains(['#', '+']) {
        return None;
    }
    let mut arguments = JsonObject::new();
    for (key, value) in form_urlencoded::parse(query.as_bytes()) {
        if key == "tools" {
            continue;
        }
        if arguments
            .insert(key.into_owned(), value.into_owned().into())
            .is_some()
        {
            return None;
        }
    }
    Some((requested_names(query), arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_resource_and_its_queries_are_ours() {
        assert_eq!(query("resource:///tool_descriptions"), Some(""));
        assert_eq!(query("resource:///tool_descriptions/"), Some(""));
        assert_eq!(
            query("resource:///tool_descriptions?tools=log"),
            Some("tools=log")
        );
        assert_eq!(
            query("resource:///tool_descriptions/?tools=log#top"),
            Some("tools=log")
        );
        assert_eq!(query("resource:///tool_descriptions2?tools=log"), None);
        assert_eq!(query("resource:///tool_descriptions/log"), None);
        assert_eq!(query("resource:///other"), None);
    }

    #[test]
    fn names_are_split_after_decoding_trimmed_and_kept_once() {
        assert_eq!(requested_names("tools=log,show"), ["log", "show"]);
        assert_eq!(
            requested_names("tools=%20log%2Cshow,,log+&x=1&tools=blame"),
            ["log", "show", "blame"]
        );
        assert_eq!(requested_names("tools="), Vec::<String>::new());
        assert_eq!(requested_names("tool=log"), Vec::<String>::new());
        assert_eq!(
            requested_names("tools=%ff%fe").len(),
            1,
            "what is not UTF-8 is an unknown name, not a failure"
        );
    }

    #[test]
    fn a_call_in_a_uri_loses_no_value() {
        let call = |query: &str| call_in(&format!("{DESCRIPTIONS_URI}?tools=log{query}"));
        let (names, arguments) = call("&path=a%20b&limit=3").unwrap_or_default();
        assert_eq!(names, ["log"]);
        assert_eq!(
            serde_json::Value::Object(arguments),
            serde_json::json!({ "path": "a b", "limit": "3" })
        );
        for lossy in ["&path=a&path=b", "&path=c#", "&since=10:00+01:00"] {
            assert_eq!(call(lossy), None, "{lossy}");
        }
    }
}
