//! Redacts call arguments for audit events. Capability URLs are cut to their origin, row bodies to
//! their size.

use crate::protocol::keys::{ABSTRACT_DATA, BODY_DATA, RESOURCE_URL};
use rmcp::model::JsonObject;
use serde_json::Value;

/// Redacts the arguments of a tool with this input schema. If the tool takes another tool's rows,
/// the URL of the remaining rows is a capability, of which only the origin is recorded. The rows
/// themselves are private data, of which only the size is recorded.
pub(super) fn redact_arguments(arguments: &JsonObject, schema: &JsonObject) -> JsonObject {
    let takes = |name| {
        schema
            .get("properties")
            .is_some_and(|properties| properties.get(name).is_some())
    };
    // Another tool may use the same argument names for something else.
    if !takes(ABSTRACT_DATA) {
        return arguments.clone();
    }
    let redact = |name: &str, value: &Value| match name {
        RESOURCE_URL => Value::from(value.as_str().map_or_else(|| "…".to_owned(), origin)),
        BODY_DATA => Value::from(format!(
            "{} bytes",
            value
                .as_str()
                .map_or_else(|| value.to_string().len(), str::len)
        )),
        _ => value.clone(),
    };
    arguments
        .iter()
        .map(|(name, value)| (name.clone(), redact(name, value)))
        .collect()
}

/// Returns a URL's scheme, host and port, or `…` if it is not an HTTP URL.
fn origin(url: &str) -> String {
    let of = |(scheme, rest): (&str, &str)| {
        // Browsers and the WHATWG parser treat a backslash like a slash, so it ends the authority
        // here, too.
        let authority = rest.split(['/', '\\', '?', '#']).next()?;
        // User info may contain a password. The last `@` ends it.
        let host = authority.rsplit('@').next()?;
        ["http", "https"]
            .contains(&scheme)
            .then(|| format!("{scheme}://{host}"))
    };
    match url.trim() {
        "" => String::new(),
        url => url
            .split_once("://")
            .and_then(of)
            .unwrap_or_else(|| "…".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: &Value) -> JsonObject {
        value.as_object().cloned().unwrap_or_default()
    }

    fn consumers() -> JsonObject {
        object(
            &json!({ "properties": { "abstract_data": {}, "resource_url": {}, "body_data": {} } }),
        )
    }

    #[test]
    fn of_a_url_the_origin_is_told_and_of_rows_their_size() {
        let sent = json!({
            "abstract_data": "[]", "resource_url": "https://a:secret@data.example.com:8443/s2sp/data/secret", "body_data": "[{}]",
        });
        let expected = json!({
            "abstract_data": "[]", "resource_url": "https://data.example.com:8443", "body_data": "4 bytes",
        });
        assert_eq!(
            Value::Object(redact_arguments(&object(&sent), &consumers())),
            expected
        );
        let others = object(&json!({ "properties": { "resource_url": {} } }));
        assert_eq!(
            redact_arguments(&object(&sent), &others),
            object(&sent),
            "it takes no rows"
        );
    }

    #[test]
    fn what_is_no_url_of_http_is_not_told() {
        for (url, expected) in [
            (json!("ddi://secret"), "…"),
            (json!("/s2sp/data/secret"), "…"),
            (json!(["http://data.example.com/secret"]), "…"),
            (
                json!(" http://data.example.com?secret"),
                "http://data.example.com",
            ),
            (json!(""), ""),
        ] {
            let sent = object(&json!({ "resource_url": url }));
            assert_eq!(
                Value::Object(redact_arguments(&sent, &consumers())),
                json!({ "resource_url": expected })
            );
        }
    }
}
