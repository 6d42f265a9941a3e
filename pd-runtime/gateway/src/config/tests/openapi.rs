//! Entries of APIs.

use super::{super::*, SECRET, parse_at, parse_entry};
use std::path::PathBuf;

fn api(entry: &str) -> OpenApiServer {
    match parse_entry(entry).transport {
        ServerTransport::OpenApi(server) => server,
        other => panic!("{other:?}"),
    }
}

/// Returns the only mistake of an entry in a project's file, or of the user's own.
fn mistake(path: &str, entry: &str) -> String {
    let text = format!(r#"{{"mcpServers": {{"it": {entry}}}}}"#);
    let error = parse_at(path, &text).and_then(GatewayConfig::without_mistakes);
    let error = match error {
        Ok(config) => panic!("{config:?}"),
        Err(error) => error.to_string(),
    };
    assert!(!error.contains(SECRET), "{error}");
    error
}

#[test]
fn documents_are_files_and_urls() {
    let file = api(r#"{"openapi": "docs/api.yaml"}"#);
    assert_eq!(
        file.document,
        OpenApiSource::File(PathBuf::from("/work/app/docs/api.yaml"))
    );
    assert!(file.url.is_none() && !file.has_credentials());
    let home = api(r#"{"openapi": "~/api.yaml"}"#);
    assert_eq!(
        home.document,
        OpenApiSource::File(PathBuf::from("/home/ada/api.yaml"))
    );
    let remote = api(
        r#"{"openapi": "HTTPS://a.example/x?key=${TOKEN}", "url": "https://b.example/v1", "headers": {"X-A": "${TOKEN}"},
            "auth": {"key": "${TOKEN}", "other": null, "number": 17}}"#,
    );
    let url = format!("HTTPS://a.example/x?key={SECRET}");
    assert_eq!(remote.document, OpenApiSource::Url(url));
    assert_eq!(remote.url.as_deref(), Some("https://b.example/v1"));
    assert_eq!(remote.headers["X-A"].expose(), SECRET);
    let auth: Vec<_> = remote
        .auth
        .iter()
        .map(|(name, one)| (name.as_str(), one.expose()))
        .collect();
    assert_eq!(auth, [("key", SECRET), ("number", "17")]);
    assert!(!format!("{remote:?}").contains(SECRET), "{remote:?}");
}

#[test]
fn fingerprints_identify_an_api_without_its_secrets() {
    let source = |entry: &str| parse_entry(entry).fingerprint_source().to_string();
    let one =
        source(r#"{"openapi": "https://a.example/x?k=${TOKEN}", "auth": {"key": "${TOKEN}"}}"#);
    let same = source(r#"{"openapi": "https://a.example/x?k=1", "auth": {"key": "2"}}"#);
    assert_eq!(one, same);
    assert!(!one.contains(SECRET), "{one}");
    for other in [
        r#"{"openapi": "https://a.example/y?k=1", "auth": {"key": "2"}}"#,
        r#"{"openapi": "https://a.example/x?k=1", "auth": {"other": "2"}}"#,
        r#"{"openapi": "https://a.example/x?k=1", "auth": {"key": "2"}, "url": "https://b.example"}"#,
    ] {
        assert_ne!(source(other), one, "{other}");
    }
}

#[test]
fn mistakes_say_what_to_write() {
    let own = "/x/servers.json";
    for (entry, part) in [
        (
            r#"{"openapi": "a.yaml", "command": "b"}"#,
            "`openapi` and `command` exclude each other",
        ),
        (
            r#"{"openapi": "a.yaml", "httpUrl": "https://b"}"#,
            "`openapi` and `httpUrl` exclude each other",
        ),
        (r#"{"openapi": ""}"#, "openapi"),
        (r#"{"openapi": 3}"#, "must be a string"),
        (
            r#"{"openapi": "a.yaml", "url": "ftp://b"}"#,
            "must begin with `http://`",
        ),
        (r#"{"openapi": "http:///b"}"#, "no valid host"),
        (
            r#"{"openapi": "a.yaml", "auth": ["b"]}"#,
            "must be an object",
        ),
        (
            r#"{"openapi": "a.yaml", "auth": {"b": "${EMPTY}"}}"#,
            "auth.b",
        ),
        (
            r#"{"openapi": "a.yaml", "auth": {"b": "${LINES}"}}"#,
            "auth.b",
        ),
        (r#"{"OpenAPI": "a.yaml"}"#, "did you mean `openapi`?"),
        (
            r#"{"openapi": "a.yaml", "pd": {"oauth": {}}}"#,
            "`openapi` and `pd.oauth` exclude each other",
        ),
    ] {
        let found = mistake(own, entry);
        assert!(found.contains(part), "{entry}: {found}");
    }
}

/// A person approves the entry of a project, and not its document.
#[test]
fn the_document_of_a_project_does_not_choose_who_gets_credentials() {
    let entry = r#"{"openapi": "a.yaml", "auth": {"key": "${TOKEN}"}}"#;
    let found = mistake("/work/app/.mcp.json", entry);
    assert!(
        found.contains("add `url` with the URL of the API"),
        "{found}"
    );
    for fine in [
        r#"{"openapi": "a.yaml"}"#,
        r#"{"openapi": "a.yaml", "auth": {"key": "${TOKEN}"}, "url": "https://b.example"}"#,
        // A server of another origin gets no credentials then.
        r#"{"openapi": "https://b.example/a.yaml", "auth": {"key": "${TOKEN}"}}"#,
    ] {
        api(fine);
    }
}
