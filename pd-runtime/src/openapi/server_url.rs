//! The URL of the server that requests go to.

use super::{document::Document, error::OpenApiError};
use reqwest::Url;
use serde_json::Value;

/// The longest URL of a server, in bytes.
const URL_MAX: usize = 2_000;

/// Returns the first server of a list, with the defaults of its variables.
pub(super) fn first_server(servers: Option<&Value>) -> Option<String> {
    let server = servers?.as_array()?.first()?;
    let mut url = server.get("url")?.as_str()?.to_owned();
    let variables = server.get("variables").and_then(Value::as_object);
    for (name, variable) in variables.into_iter().flatten() {
        if let Some(default) = variable.get("default").and_then(Value::as_str) {
            url = url.replace(&format!("{{{name}}}"), default);
        }
        if url.len() > URL_MAX {
            return None;
        }
    }
    Some(url)
}

/// Returns the server of a document. A document without one is served by its own server.
pub(super) fn document_server(document: &Document) -> String {
    first_server(document.root().get("servers")).unwrap_or_else(|| "/".to_owned())
}

/// Reads the URL of a server, which is relative to that of its document.
///
/// # Errors
///
/// Returns an error if the URL is relative and the document's URL is not known, or if it is not
/// that of an HTTP server.
pub(super) fn parse_server(text: &str, document: Option<&Url>) -> Result<Url, OpenApiError> {
    let shown: String = text.chars().take(200).collect();
    let wrong = |why: &str| OpenApiError::ServerUrl {
        why: format!("`{shown}` {why}"),
    };
    let url = match document {
        Some(document) => document.join(text),
        None => Url::parse(text),
    };
    let mut url = match url {
        Ok(url) => url,
        Err(_) if text.starts_with('/') || text.is_empty() || text.starts_with('.') => {
            return Err(wrong("is relative, and the document has no URL"));
        }
        Err(_) => return Err(wrong("is not a URL")),
    };
    if text.contains(['{', '}']) {
        return Err(wrong("has a variable without a default"));
    }
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(wrong(
            "does not begin with `http://` or `https://` and a host",
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        // Neither the user nor the password is shown.
        return Err(OpenApiError::ServerUrl {
            why: "it has a user name; set credentials apart from the URL".to_owned(),
        });
    }
    url.set_query(None);
    url.set_fragment(None);
    Ok(url)
}

/// Returns the scheme, host and port of a URL.
pub(super) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_server_has_the_defaults_of_its_variables_and_the_base_of_its_document() {
        let servers = json!([{ "url": "https://{region}.example.com/{v}?x#y",
                               "variables": { "region": { "default": "eu" }, "v": { "default": "v1" } } }]);
        let server = first_server(Some(&servers)).unwrap();
        let url = parse_server(&server, None).unwrap();
        assert_eq!(url.as_str(), "https://eu.example.com/v1");
        let document = Url::parse("https://example.com/docs/openapi.json").unwrap();
        for (text, expected) in [
            ("/api", "https://example.com/api"),
            ("v2", "https://example.com/docs/v2"),
            ("https://other.example", "https://other.example/"),
        ] {
            assert_eq!(
                parse_server(text, Some(&document)).unwrap().as_str(),
                expected
            );
        }
    }

    #[test]
    fn other_urls_are_refused_with_what_to_do() {
        for (text, part) in [
            ("/api", "is relative"),
            ("ftp://x", "does not begin"),
            ("file:///etc", "does not begin"),
            ("https://a:b@x", "user name"),
            ("https://{x}.example.com", "variable without a default"),
            ("https://x/{y}", "variable"),
        ] {
            let error = parse_server(text, None).unwrap_err().to_string();
            assert!(
                error.contains(part) && error.contains("server_url"),
                "{error}"
            );
        }
    }
}
