//! Our own extension, `dev.pd-runtime/disclosure`: declaration, `disclosure/describe`, tickets in `_meta`.

use crate::harness::{
    EXTENSION,
    client::{Era, connect, connect_with, error_of},
    code,
    line::Line,
    shop, told, with_extension,
};
use serde_json::{Value, json};

#[tokio::test]
async fn the_server_declares_it_in_both_generations() {
    let shared = shop::server().build().unwrap();
    let (_, initialized) = Line::session_with(&shared, json!({})).await;
    assert_eq!(
        initialized["capabilities"]["extensions"][EXTENSION],
        json!({ "version": 1 })
    );
    let discovered = Line::inline(&shared, json!({}))
        .result("server/discover", json!({}))
        .await;
    assert_eq!(
        discovered["capabilities"]["extensions"][EXTENSION],
        json!({ "version": 1 })
    );
}

#[tokio::test]
async fn describe_answers_with_descriptions_digests_and_tickets() {
    let mut line = Line::inline(&shop::server().build().unwrap(), with_extension());
    let described = line
        .result(
            "disclosure/describe",
            json!({ "names": ["greet", "nothing"] }),
        )
        .await;
    assert_eq!(described["resultType"], "complete");
    let greet = &described["descriptions"]["greet"];
    assert_eq!(
        greet["inputSchema"]["required"],
        json!(["name"]),
        "the schema is the author's own"
    );
    let digest = greet["_meta"]["dev.pd-runtime/digest"].as_str().unwrap();
    assert!(
        digest.starts_with("sha256:") && digest.len() == 71,
        "{digest}"
    );
    assert_eq!(
        described["descriptions"]["nothing"]["error"],
        "Tool 'nothing' not found"
    );
    assert!(described["descriptions"]["nothing"]["available_tools"].is_array());
    let tickets = described["_meta"]["dev.pd-runtime/tickets"]
        .as_object()
        .unwrap();
    assert_eq!(tickets.keys().collect::<Vec<_>>(), ["greet"]);
}

#[tokio::test]
async fn a_session_needs_no_tickets_and_its_results_have_no_type() {
    let (mut line, _) =
        Line::session_with(&shop::server().build().unwrap(), with_extension()).await;
    let described = line
        .result("disclosure/describe", json!({ "names": ["greet"] }))
        .await;
    assert_eq!(described["descriptions"]["greet"]["name"], "greet");
    assert_eq!(described.pointer("/_meta/dev.pd-runtime~1tickets"), None);
    assert_eq!(described.get("resultType"), None);
    assert_eq!(
        line.call("greet", json!({ "name": "Ada" })).await["content"][0]["text"],
        "Welcome, Ada!"
    );
}

#[tokio::test]
async fn a_client_that_did_not_declare_it_is_told_which_capability_it_lacks() {
    for era in Era::ALL {
        let client = connect(era, &shop::server().build().unwrap()).await;
        let error = error_of(
            client
                .custom("disclosure/describe", json!({ "names": ["greet"] }))
                .await,
        );
        assert_eq!(error.code.0, -32021, "{era:?}");
        let data = error.data.unwrap();
        assert_eq!(
            data["requiredCapabilities"]["extensions"][EXTENSION],
            json!({ "version": 1 }),
            "{era:?}: {data}"
        );
    }
}

#[tokio::test]
async fn names_of_another_shape_are_refused() {
    let mut line = Line::inline(&shop::server().build().unwrap(), with_extension());
    let many: Vec<_> = (0..51).map(|number| format!("tool_{number}")).collect();
    for params in [
        json!({}),
        json!({ "names": "greet" }),
        json!({ "names": [] }),
        json!({ "names": many }),
    ] {
        let answer = line.request("disclosure/describe", params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

#[tokio::test]
async fn rmcps_client_calls_with_the_ticket_in_meta() {
    for era in [Era::Inline, Era::HttpInline] {
        let client = connect_with(era, &shop::server().build().unwrap(), with_extension()).await;
        let described = client
            .custom("disclosure/describe", json!({ "names": ["greet"] }))
            .await
            .unwrap();
        let ticket = &described["_meta"]["dev.pd-runtime/tickets"]["greet"];
        let meta = json!({ "dev.pd-runtime/ticket": ticket });
        let greeted = client
            .call_with_meta("greet", json!({ "name": "Ada" }), meta)
            .await
            .unwrap();
        assert_eq!(greeted["content"][0]["text"], "Welcome, Ada!", "{era:?}");
    }
}

/// The resource and the meta-tool answer such a client with tickets in `_meta`, too.
#[tokio::test]
async fn other_surfaces_pass_tickets_in_meta() {
    let mut line = Line::inline(&shop::server().build().unwrap(), with_extension());
    let read = line.read("resource:///tool_descriptions?tools=greet").await;
    let called = line
        .call("describe_tools", json!({ "names": ["greet"] }))
        .await;
    for result in [&read, &called] {
        let ticket = result["_meta"]["dev.pd-runtime/tickets"]["greet"]
            .as_str()
            .unwrap();
        assert_eq!(
            told(result)["greet"]["inputSchema"]["required"],
            json!(["name"])
        );
        let meta = json!({ "dev.pd-runtime/ticket": ticket });
        let params = json!({ "name": "greet", "arguments": { "name": "Ada" }, "_meta": meta });
        assert_eq!(
            line.result("tools/call", params).await["content"][0]["text"],
            "Welcome, Ada!"
        );
    }
}

#[tokio::test]
async fn a_ticket_of_another_type_is_no_ticket() {
    let mut line = Line::inline(&shop::server().build().unwrap(), with_extension());
    for ticket in [
        json!(7),
        json!(null),
        json!([]),
        json!({}),
        json!(true),
        json!(""),
    ] {
        let meta = json!({ "dev.pd-runtime/ticket": ticket });
        let params = json!({ "name": "greet", "arguments": { "name": "Ada" }, "_meta": meta });
        assert_eq!(
            code(&line.result("tools/call", params).await),
            "TOOL_DESCRIPTION_REQUIRED",
            "{ticket}"
        );
    }
}

#[tokio::test]
async fn the_digest_is_the_registrys_own() {
    let mut line = Line::inline(&shop::server().build().unwrap(), with_extension());
    let described = line
        .result("disclosure/describe", json!({ "names": ["search"] }))
        .await;
    let digest = shop::registry().digest("search").unwrap().to_string();
    assert_eq!(
        described["descriptions"]["search"]["_meta"]["dev.pd-runtime/digest"],
        Value::from(digest)
    );
}
