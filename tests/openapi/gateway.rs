//! `pd-gateway` in front of an API: each kind of request and answer, in all generations, over
//! memory and HTTP.

use crate::{
    front::{Front, KEY},
    harness::{client::Era, text},
    mock::{MockApi, api_document},
};
use serde_json::json;
use std::{fs, time::Duration};
use tokio::time::{Instant, sleep};

#[tokio::test]
async fn every_kind_of_request_is_what_the_document_asks_for_in_every_era() {
    let api = MockApi::start(&api_document()).await;
    let front = Front::to(&api).await;
    assert_eq!(front.error(), "");
    for era in Era::ALL {
        let client = front.client(era).await;
        for (tool, arguments, request, body) in [
            (
                "pets_list",
                json!({ "filter": { "kind": "a b" }, "tags": ["x&y", "z"], "ids": [1, 2] }),
                "GET /v1/pets?filter%5Bkind%5D=a%20b&tags%5B%5D=x%26y&tags%5B%5D=z&ids=1%7C2",
                "",
            ),
            (
                "pets_create",
                json!({ "name": "Rex", "kind": "dog", "owner": { "name": "Ada", "boss": { "name": "B" } }, "weight": null }),
                "POST /v1/pets",
                r#"{"name":"Rex","kind":"dog","owner":{"name":"Ada","boss":{"name":"B"}},"weight":null}"#,
            ),
            (
                "pets_get",
                json!({ "id": 7, "X-Trace": "t 1" }),
                "GET /v1/pets/7",
                "",
            ),
            (
                "pets_move",
                json!({ "id": 7, "body": { "id": 8 } }),
                "PATCH /v1/pets/7",
                r#"{"id":8}"#,
            ),
            ("pets_delete", json!({ "id": 7 }), "DELETE /v1/pets/7", ""),
            (
                "owners_get",
                json!({ "name": "a/../b?c#d" }),
                "GET /v1/owners/a%2F..%2Fb%3Fc%23d",
                "",
            ),
            (
                "photo_put",
                json!({ "body": "iVBORw0KGgo=" }),
                "PUT /v1/photo",
                "\u{89}PNG\r\n\u{1a}\n",
            ),
            (
                "login",
                json!({ "name": "a&b", "roles": ["x", "y"] }),
                "POST /v1/login",
                "name=a%26b&roles=x&roles=y",
            ),
            (
                "notes_add",
                json!({ "body": "two\nlines" }),
                "POST /v1/notes",
                "two\nlines",
            ),
            (
                "export",
                json!({}),
                "GET /v1/export?api_key=k%26%3D1234567",
                "",
            ),
        ] {
            let result = client
                .call_described(&format!("api__{tool}"), arguments)
                .await;
            assert_ne!(result["isError"], true, "{era:?} {tool}: {result}");
            let sent = api.last();
            assert_eq!(sent["wrong"], json!([]), "{era:?} {tool}: {sent}");
            let line = format!(
                "{} {}",
                sent["method"].as_str().unwrap(),
                sent["target"].as_str().unwrap()
            );
            assert_eq!(
                (line.as_str(), sent["body"].as_str().unwrap()),
                (request, body),
                "{era:?} {tool}"
            );
            let header = |name: &str| sent["headers"][name].as_str();
            let (key, authorization) = match tool {
                "login" => (None, Some("Basic YWRhOnBhc3Mgd29yZA==")),
                "notes_add" => (None, Some("Bearer hunter2-hunter2")),
                "export" => (None, None),
                _ => (Some(KEY), None),
            };
            assert_eq!(
                (header("x-api-key"), header("authorization")),
                (key, authorization),
                "{tool}"
            );
        }
    }
    front.gateway.stop().await;
}

#[tokio::test]
async fn a_file_is_sent_in_a_form() {
    let api = MockApi::start(&api_document()).await;
    let front = Front::to(&api).await;
    let client = front.client(Era::Session).await;
    let arguments = json!({ "file": "AAH/", "title": "a \"b\"" });
    let result = client.call_described("api__files_add", arguments).await;
    assert_eq!(text(&result), "HTTP 204 No Content");
    let sent = api.last();
    let body = sent["body"].as_str().unwrap();
    assert_eq!(sent["wrong"], json!([]));
    assert!(
        body.contains("name=\"file\"; filename=\"file\"\r\nContent-Type: application/octet-stream\r\n\r\n\u{0}\u{1}\u{ff}\r\n"),
        "{body}"
    );
    assert!(body.contains("name=\"title\"\r\n\r\na \"b\"\r\n"), "{body}");
    front.gateway.stop().await;
}

#[tokio::test]
async fn every_kind_of_answer_is_a_result() {
    let api = MockApi::start(&api_document()).await;
    let front = Front::to(&api).await;
    for era in [Era::Session, Era::HttpInline] {
        let client = front.client(era).await;
        let call = async |tool: &str| {
            client
                .call_described(&format!("api__{tool}"), json!({}))
                .await
        };
        let photo = call("photo_get").await;
        let image = json!({ "type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png" });
        assert_eq!(photo["content"], json!([image]), "{era:?}");
        let export = call("export").await;
        let resource = &export["content"][0]["resource"];
        assert_eq!(
            (&resource["blob"], &resource["mimeType"]),
            (&json!("UEsDBAD/"), &json!("application/zip"))
        );
        // A credential in the query is not part of the name.
        assert!(!export.to_string().contains("1234567"), "{export}");
        assert_eq!(text(&call("table").await), "a,b\n1,2\n");
        assert_eq!(text(&call("here").await), "a,b\n1,2\n");
        let odd = call("odd").await;
        assert_eq!(
            odd["structuredContent"],
            json!({ "tags": ["a"], "more": 1 }),
            "{odd}"
        );
        assert!(text(&odd).contains("\"seven\""), "{odd}");
        let away = call("away").await;
        assert!(
            text(&away).starts_with(
                "HTTP 302 Found, Location: http://other.example/x. The target was not requested"
            ),
            "{away}"
        );
    }
    front.gateway.stop().await;
}

#[tokio::test]
async fn a_failure_names_what_the_document_says_and_what_to_do() {
    let api = MockApi::start(&api_document()).await;
    let front = Front::to(&api).await;
    let client = front.client(Era::Session).await;
    let limited = client.call_described("api__limited", json!({})).await;
    assert_eq!(limited["isError"], true);
    assert_eq!(
        text(&limited),
        "HTTP 429 Too Many Requests: Too many requests of this key. Try again after 7 seconds.\n{\"error\":\"slow down\"}"
    );
    let secret = client.call_described("api__secret", json!({})).await;
    assert_eq!(secret["isError"], true);
    assert_eq!(
        text(&secret),
        "HTTP 401 Unauthorized. The operation requires `token`; the operator sets its credential in `auth` or `headers` of its \
         entry.\nbad token ***"
    );
    // What the document does not allow is refused before the server sees it.
    let count = api.count();
    for (tool, arguments) in [
        ("pets_get", json!({ "id": "../7" })),
        ("owners_get", json!({ "name": ".." })),
        ("owners_get", json!({ "name": "" })),
        ("pets_get", json!({ "id": 7, "X-Trace": "a\r\nX-Admin: 1" })),
        (
            "pets_get",
            json!({ "id": 7, "Authorization": "Bearer mine" }),
        ),
        ("pets_get", json!({ "id": 7, "X-Api-Key": "mine" })),
        ("pets_create", json!({ "name": "x", "id": 9 })),
        ("photo_put", json!({ "body": "?" })),
    ] {
        let refused = client
            .call_described(&format!("api__{tool}"), arguments.clone())
            .await;
        assert_eq!(refused["isError"], true, "{tool} {arguments}: {refused}");
    }
    assert_eq!(api.count(), count);
    front.gateway.stop().await;
}

#[tokio::test]
async fn reads_are_repeated_and_writes_that_may_have_run_are_not() {
    let api = MockApi::start(&api_document()).await;
    let front = Front::to(&api).await;
    let client = front.client(Era::Session).await;
    let read = client.call_described("api__flaky_get", json!({})).await;
    assert_eq!(text(&read), "here", "{read}");
    assert_eq!(api.count(), 2);
    let write = client.call_described("api__crash", json!({})).await;
    assert!(text(&write).contains("may have run"), "{write}");
    assert_eq!(api.count(), 3);
    front.gateway.stop().await;
}

#[tokio::test]
async fn an_answer_over_the_bound_fails_its_call() {
    let api = MockApi::start(&api_document()).await;
    let entry = json!({ "url": format!("{}/v1", api.url), "pd": { "responseBytes": 100_000 } });
    let front = Front::new(&api_document(), entry).await;
    let client = front.client(Era::Session).await;
    let huge = client.call_described("api__huge", json!({})).await;
    assert!(text(&huge).contains("100000 bytes"), "{huge}");
    front.gateway.stop().await;
}

#[tokio::test]
async fn operations_of_one_tag_are_a_group_and_the_lock_sees_a_changed_document() {
    let api = MockApi::start(&api_document()).await;
    let front = Front::to(&api).await;
    let names: Vec<String> = front
        .gateway
        .registry::<()>()
        .names()
        .map(str::to_owned)
        .collect();
    assert!(names.contains(&"api__pets_get".to_owned()), "{names:?}");
    let mut changed = api_document();
    changed["paths"]["/pets"]["get"]["operationId"] = json!("pets/search");
    let file = front.directory.path().join("api.json");
    // The connection is open while a call was just made.
    let client = front.client(Era::Session).await;
    client.call_described("api__table", json!({})).await;
    fs::write(&file, changed.to_string()).unwrap();
    let began = Instant::now();
    loop {
        let registry = front.gateway.registry::<()>();
        if registry.tool("api__pets_search").is_some() {
            assert!(registry.tool("api__pets_list").is_none());
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(20));
        sleep(Duration::from_millis(50)).await;
    }
    front.gateway.stop().await;
}

#[tokio::test]
async fn a_document_is_fetched_and_its_foreign_server_gets_no_request() {
    let api = MockApi::start(&api_document()).await;
    let documents = MockApi::serving(&api_document()).await;
    let url = format!("{}/openapi.json", documents.url);
    // The document names https://pets.example.com.
    // With credentials and without: the server may be one that only this machine can reach.
    for entry in [
        json!({ "openapi": url, "auth": { "key": KEY } }),
        json!({ "openapi": url }),
    ] {
        let foreign = Front::new(&json!({}), entry).await;
        assert!(
            foreign
                .error()
                .contains("https://pets.example.com, of another origin; set the URL"),
            "{}",
            foreign.error()
        );
        foreign.gateway.stop().await;
    }
    let allowed = json!({ "openapi": url, "auth": { "key": KEY }, "url": format!("{}/v1", api.url), "headers": { "X-Own": "s3cret-s3cret" } });
    let front = Front::new(&json!({}), allowed).await;
    assert_eq!(front.error(), "");
    let client = front.client(Era::Session).await;
    let pet = client
        .call_described("api__pets_get", json!({ "id": 7 }))
        .await;
    assert_eq!(pet["structuredContent"]["name"], "Rex", "{pet}");
    assert_eq!(api.last()["headers"]["x-api-key"], KEY);
    assert_eq!(api.last()["headers"]["x-own"], "s3cret-s3cret");
    // The headers are those of the API, which is another server.
    assert_eq!(documents.last()["headers"].get("x-own"), None);
    front.gateway.stop().await;
}

#[tokio::test]
async fn a_document_that_cannot_be_used_is_explained_to_the_owner() {
    for (document, entry, reason) in [
        (json!({ "swagger": "1.2" }), json!({}), "is not OpenAPI 3.0"),
        (
            json!({ "openapi": "3.0.0", "paths": { "/x": { "get": {} } } }),
            json!({}),
            "is relative, and the document has no URL",
        ),
        (
            api_document(),
            json!({ "auth": { "keys": "x" } }),
            "no security scheme `keys`; it has `key`",
        ),
        (
            json!({}),
            json!({ "openapi": "/nowhere.yaml" }),
            "/nowhere.yaml cannot be read",
        ),
        (
            json!({}),
            json!({ "openapi": "http://127.0.0.1:9/x" }),
            "cannot be fetched",
        ),
    ] {
        let front = Front::new(&document, entry).await;
        let error = front.error();
        assert!(error.contains(reason), "{reason}: {error}");
        front.gateway.stop().await;
    }
}
