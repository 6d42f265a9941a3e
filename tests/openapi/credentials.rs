//! Each kind of credential arrives where its scheme says, and nobody else reads it.

use crate::{
    front::Front,
    harness::{client::Client, client::Era, text},
    mock::MockApi,
};
use serde_json::{Value, json};
use std::{
    fs,
    io::{self, Write},
    sync::{Arc, Mutex},
};

/// Characters that a URL, a cookie or JSON has a meaning for.
const QUERY: &str = "quer=y/key+1&2";
const HEADER: &str = "head\"er-key-1";
/// Base64, which a cookie may contain as it is.
const COOKIE: &str = "cookie+key/1==";
const PASSWORD: &str = "pass:w\u{f6}rd-one";
const BEARER: &str = "bearer-token-1";
const OWN: &str = "own-header-value";
const OTHER: &str = "other-cookie-1";

fn all() -> Value {
    json!({ "query": QUERY, "header": HEADER, "cookie": COOKIE, "basic": format!("ada:{PASSWORD}"), "bearer": BEARER })
}

/// An operation for each requirement, by its name. The answer is the request.
fn document(requirements: &Value, mock: &Value) -> Value {
    let operation = |name: &str, security: &Value| {
        let cookie = json!([{ "name": "theme", "in": "cookie", "schema": { "type": "string" } }, { "name": "sid", "in": "cookie", "schema": { "type": "string" } }]);
        let answer =
            json!({ "200": { "description": "Done" }, "401": { "description": "Who are you" } });
        json!({ "get": { "operationId": name, "parameters": cookie, "security": security, "responses": answer, "x-mock": mock } })
    };
    let requirements = requirements.as_object().unwrap().iter();
    let paths: serde_json::Map<_, _> = requirements
        .map(|(name, security)| (format!("/{name}"), operation(name, security)))
        .collect();
    json!({
        "openapi": "3.1.0", "servers": [{ "url": "/v1" }], "paths": paths,
        "components": { "securitySchemes": {
            "query": { "type": "apiKey", "in": "query", "name": "api_key" },
            "header": { "type": "apiKey", "in": "header", "name": "X-Api-Key" },
            "cookie": { "type": "apiKey", "in": "cookie", "name": "sid" },
            "other": { "type": "apiKey", "in": "cookie", "name": "other" },
            "basic": { "type": "http", "scheme": "basic" },
            "bearer": { "type": "http", "scheme": "bearer" },
            "login": { "type": "openIdConnect", "openIdConnectUrl": "https://a.example" },
        } },
    })
}

/// What one request carried: the query, and the headers of credentials.
fn carried(api: &MockApi) -> (String, [Option<String>; 3]) {
    let last = api.last();
    let target = last["target"].as_str().unwrap();
    let query = target.split_once('?').map_or("", |(_, query)| query);
    let header = |name: &str| last["headers"][name].as_str().map(str::to_owned);
    (
        query.to_owned(),
        ["authorization", "x-api-key", "cookie"].map(header),
    )
}

async fn start(
    requirements: &Value,
    mock: &Value,
    auth: Value,
    headers: Value,
) -> (MockApi, Front, Client) {
    let document = document(requirements, mock);
    let api = MockApi::start(&document).await;
    let entry = json!({ "url": format!("{}/v1", api.url), "auth": auth, "headers": headers });
    let front = Front::locked(&document, entry).await;
    assert_eq!(front.error(), "");
    let client = front.client(Era::Session).await;
    (api, front, client)
}

fn basic() -> String {
    // Base64 of `ada:pass:wörd-one` in UTF-8.
    "Basic YWRhOnBhc3M6d8O2cmQtb25l".to_owned()
}

#[tokio::test]
async fn each_scheme_arrives_in_its_place_and_nothing_else_does() {
    let requirements = json!({
        "none": [], "query": [{ "query": [] }], "header": [{ "header": [] }], "cookie": [{ "cookie": [] }],
        "basic": [{ "basic": [] }], "bearer": [{ "bearer": [] }],
        "both": [{ "query": [], "header": [], "cookie": [], "bearer": [] }],
        "either": [{ "login": [] }, { "basic": [], "other": [] }, { "header": [] }, { "bearer": [] }],
        "optional": [{}, { "header": [] }],
        "lacking": [{ "login": [] }, { "header": [], "other": [] }],
    });
    let (api, front, client) = start(&requirements, &json!({}), all(), json!({})).await;
    let query = "api_key=quer%3Dy%2Fkey%2B1%262";
    let cookie = "sid=cookie+key/1==";
    let bearer = format!("Bearer {BEARER}");
    let own = |text: &str| Some(text.to_owned());
    for (tool, expected) in [
        ("none", ("", [None, None, None])),
        ("query", (query, [None, None, None])),
        ("header", ("", [None, own(HEADER), None])),
        ("cookie", ("", [None, None, own(cookie)])),
        ("basic", ("", [own(&basic()), None, None])),
        ("bearer", ("", [own(&bearer), None, None])),
        ("both", (query, [own(&bearer), own(HEADER), own(cookie)])),
        // The first alternative that the entry has all credentials of.
        ("either", ("", [None, own(HEADER), None])),
        ("optional", ("", [None, own(HEADER), None])),
        // A part of an alternative is of no use, so it stays here.
        ("lacking", ("", [None, None, None])),
    ] {
        let result = client
            .call_described(&format!("api__{tool}"), json!({}))
            .await;
        assert_ne!(result["isError"], true, "{tool}: {result}");
        let (query, headers) = carried(&api);
        assert_eq!((query.as_str(), headers), expected, "{tool}");
    }
    // An argument beside the credential, and one that would be another credential.
    let arguments = json!({ "theme": "dark; sid=mine" });
    client.call_described("api__cookie", arguments).await;
    let (_, [_, _, sent]) = carried(&api);
    assert_eq!(
        sent.as_deref(),
        Some("sid=cookie+key/1==; theme=dark%3B%20sid%3Dmine")
    );
    let count = api.count();
    let refused = client
        .call_described("api__cookie", json!({ "sid": "mine" }))
        .await;
    assert_eq!(
        (refused["isError"].clone(), api.count()),
        (json!(true), count),
        "{refused}"
    );
    front.gateway.stop().await;
}

/// `headers` of an entry are of all requests, and a cookie of a scheme is beside those.
#[tokio::test]
async fn a_cookie_of_the_entry_and_one_of_a_scheme_are_both_sent() {
    let requirements =
        json!({ "cookies": [{ "cookie": [], "other": [] }], "bearer": [{ "bearer": [] }] });
    let auth = json!({ "cookie": COOKIE, "other": OTHER, "bearer": BEARER });
    let headers = json!({ "Cookie": "locale=de", "Authorization": format!("Bearer {OWN}") });
    let (api, front, client) = start(&requirements, &json!({}), auth, headers).await;
    client
        .call_described("api__cookies", json!({ "theme": "dark" }))
        .await;
    let (_, [authorization, _, cookie]) = carried(&api);
    let cookie = cookie.unwrap();
    for part in [
        "locale=de",
        "sid=cookie+key/1==",
        "other=other-cookie-1",
        "theme=dark",
    ] {
        assert!(
            cookie.split("; ").any(|own| own == part),
            "{part}: {cookie}"
        );
    }
    // A header of the entry replaces that of a scheme.
    assert_eq!(authorization, Some(format!("Bearer {OWN}")));
    client.call_described("api__bearer", json!({})).await;
    let (_, [authorization, ..]) = carried(&api);
    assert_eq!(authorization, Some(format!("Bearer {OWN}")));
    front.gateway.stop().await;
}

#[tokio::test]
async fn a_refusal_names_the_schemes_that_belong_together() {
    let requirements = json!({
        "one": [{ "header": [] }], "both": [{ "header": [], "query": [] }],
        "either": [{ "header": [] }, { "bearer": [] }],
        "mixed": [{ "bearer": [] }, { "header": [], "query": [] }, {}],
        "none": [],
    });
    let (_api, front, client) = start(
        &requirements,
        &json!({ "status": 401 }),
        json!({}),
        json!({}),
    )
    .await;
    for (tool, part) in [
        (
            "one",
            "The operation requires `header`; the operator sets its credential in",
        ),
        (
            "both",
            "The operation requires `header` and `query`; the operator sets their credentials in",
        ),
        (
            "either",
            "The operation requires `header` or `bearer`; the operator sets one of these credentials in",
        ),
        (
            "mixed",
            "The operation requires `bearer`, or `header` and `query`; the operator sets",
        ),
        (
            "none",
            "The document names no security scheme; the operator sets",
        ),
    ] {
        let refused = client
            .call_described(&format!("api__{tool}"), json!({}))
            .await;
        assert!(text(&refused).contains(part), "{tool}: {refused}");
    }
    front.gateway.stop().await;
}

/// A server repeats what it got: in results, errors, and targets of redirects.
#[tokio::test]
async fn no_answer_shows_a_credential() {
    let requirements = json!({
        "every": [{ "query": [], "header": [], "cookie": [], "bearer": [] }], "basic": [{ "basic": [] }],
    });
    let secrets = [
        QUERY,
        HEADER,
        COOKIE,
        PASSWORD,
        BEARER,
        "quer%3Dy%2Fkey%2B1%262",
        "YWRhOnBhc3M6d8O2cmQtb25l",
    ];
    for mock in [
        json!({ "echo": true }),
        json!({ "echo": true, "status": 400 }),
        json!({ "echo": true, "status": 401 }),
        json!({ "status": 302, "headers": { "Location": "http://other.exampleTARGET" } }),
        json!({ "status": 201, "headers": { "Location": "http://HOSTTARGET" } }),
        json!({ "headers": { "Content-Type": "text/plain" }, "body": "the key is bearer-token-1 here" }),
        json!({ "headers": { "Content-Type": "application/json" }, "body": "[\"bearer-token-1\"]" }),
        json!({ "headers": { "Content-Type": "application/zip" }, "base64": "AP8A" }),
    ] {
        let (_api, front, client) =
            start(&requirements, &mock, all(), json!({ "X-Auth-Token": OWN })).await;
        for tool in ["every", "basic"] {
            let result = client
                .call_described(&format!("api__{tool}"), json!({}))
                .await;
            let shown = result.to_string();
            for secret in secrets.into_iter().chain([OWN]) {
                let escaped = json!(secret).to_string();
                assert!(
                    !shown.contains(secret) && !shown.contains(escaped.trim_matches('"')),
                    "{mock}: {secret} in {shown}"
                );
            }
        }
        front.gateway.stop().await;
    }
}

/// Values of headers that are no credentials are words of many answers.
#[tokio::test]
async fn an_answer_keeps_what_only_looks_like_a_header_of_the_entry() {
    let body = json!({ "version": "2022-11-28", "type": "application/vnd.github+json" });
    let mock =
        json!({ "headers": { "Content-Type": "application/json" }, "body": body.to_string() });
    let headers =
        json!({ "X-GitHub-Api-Version": "2022-11-28", "Accept": "application/vnd.github+json" });
    let (api, front, client) = start(&json!({ "read": [] }), &mock, json!({}), headers).await;
    let result = client.call_described("api__read", json!({})).await;
    assert_eq!(result["structuredContent"], body, "{result}");
    assert_eq!(
        api.last()["headers"]["accept"],
        "application/vnd.github+json"
    );
    front.gateway.stop().await;
}

/// The lines of a log.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn neither_log_nor_lock_nor_list_nor_description_has_a_credential() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    // The test has one thread, so all of its tasks log here.
    let _guard = tracing::subscriber::set_default(subscriber);
    let requirements = json!({ "every": [{ "query": [], "header": [], "cookie": [], "bearer": [] }], "basic": [{ "basic": [] }] });
    let (api, front, client) = start(
        &requirements,
        &json!({ "echo": true, "status": 500 }),
        all(),
        json!({ "X-Auth-Token": OWN }),
    )
    .await;
    for tool in ["every", "basic"] {
        client
            .call_described(&format!("api__{tool}"), json!({}))
            .await;
    }
    let mut shown = client.list().await.to_string();
    shown.push_str(&client.describe("api__every,api__basic").await.to_string());
    shown.push_str(&fs::read_to_string(front.lock_file()).unwrap());
    for file in fs::read_dir(front.directory.path().join("cache")).unwrap() {
        shown.push_str(&fs::read_to_string(file.unwrap().path()).unwrap());
    }
    let status = format!("{:?} {:?}", front.gateway.status(), front.gateway);
    shown.push_str(&status);
    // A server that is gone, and a document that is not one any more.
    drop(api);
    for tool in ["every", "basic"] {
        let failed = client
            .call_described(&format!("api__{tool}"), json!({}))
            .await;
        assert_eq!(failed["isError"], true, "{failed}");
        shown.push_str(&failed.to_string());
    }
    front.replace_document(&json!({ "openapi": "3.0.0", "paths": {} }));
    front.gateway.refresh_all().await;
    shown.push_str(&front.error());
    let log = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(!log.is_empty());
    shown.push_str(&log);
    for secret in [
        QUERY,
        HEADER,
        COOKIE,
        PASSWORD,
        BEARER,
        OWN,
        "quer%3Dy%2Fkey%2B1%262",
        "YWRhOnBhc3M6d8O2cmQtb25l",
    ] {
        let escaped = json!(secret).to_string();
        for secret in [secret, escaped.trim_matches('"')] {
            if let Some((before, _)) = shown.split_once(secret) {
                let near: Vec<char> = before.chars().rev().take(300).collect();
                panic!(
                    "{secret} after {}",
                    near.into_iter().rev().collect::<String>()
                );
            }
        }
    }
    front.gateway.stop().await;
}
