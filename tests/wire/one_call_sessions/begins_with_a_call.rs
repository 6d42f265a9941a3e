//! A session, or a process, whose first request about tools is a call.

use super::{LASTING, WELCOME, ada, all_texts, assert_refused, builder, call_at_once};
use crate::harness::{
    client::{Era, connect},
    code,
    line::Line,
    post::Post,
    raw::Raw,
    shop::{self, Shop},
    site::Site,
    text,
};
use pd_runtime::{
    Limits, Listing, PdServer,
    code::CodeMode,
    config::{MetaTools, Preset, Rate, Refusal, SessionPerCall},
};
use serde_json::{Value, json};

const UNDISCLOSED: &str = "/_meta/dev.pd-runtime~1undisclosed/resource_uri";

#[tokio::test]
async fn its_calls_run_and_say_that_the_description_was_not_read() {
    for era in LASTING {
        let server = builder().build().unwrap();
        let mut client = Raw::connect(era, &server).await;
        for name in ["greet", "stock", "greet"] {
            let arguments = if name == "greet" { ada() } else { json!({}) };
            let called = client
                .result(
                    "tools/call",
                    json!({ "name": name, "arguments": arguments }),
                )
                .await;
            assert_ne!(called["isError"], true, "{era:?}: {called}");
            let uri = format!("resource:///tool_descriptions?tools={name}");
            assert_eq!(called.pointer(UNDISCLOSED), Some(&json!(uri)), "{era:?}");
        }
        assert_eq!(server.state().ran(), 2, "{era:?}");
    }
}

#[tokio::test]
async fn the_clients_of_sdks_run_their_first_call() {
    for era in LASTING {
        let called = connect(era, &builder().build().unwrap())
            .await
            .call("greet", ada())
            .await;
        assert_eq!(text(&called), WELCOME, "{era:?}");
    }
}

#[tokio::test]
async fn invalid_arguments_get_the_signature_and_a_call_that_runs_in_the_next_session() {
    for era in LASTING {
        let server = builder().build().unwrap();
        let invalid = call_at_once(
            era,
            &server,
            "search",
            json!({ "word": "tea", "limit": "many" }),
        )
        .await;
        assert_eq!(code(&invalid), "INVALID_ARGUMENTS", "{era:?}");
        let texts = all_texts(&invalid);
        assert!(texts.contains("limit?: int(1..100)"), "{era:?}: {texts}");
        assert!(
            texts.contains("{\"name\": \"search\", \"arguments\": {\"word\": \"tea\""),
            "{era:?}: {texts}"
        );
        let called = call_at_once(era, &server, "search", json!({ "word": "tea" })).await;
        assert_ne!(called["isError"], true, "{era:?}: {called}");
    }
}

/// SDKs list after a call, to check its result by the output schema.
#[tokio::test]
async fn a_list_after_the_call_changes_nothing() {
    for era in LASTING {
        let mut client = Raw::connect(era, &builder().build().unwrap()).await;
        client
            .result("tools/call", json!({ "name": "greet", "arguments": ada() }))
            .await;
        client.result("tools/list", json!({})).await;
        let called = client
            .result("tools/call", json!({ "name": "stock", "arguments": {} }))
            .await;
        assert_ne!(called["isError"], true, "{era:?}: {called}");
    }
}

#[tokio::test]
async fn a_session_that_learned_of_tools_first_is_refused_as_before() {
    let uri = "resource:///tool_descriptions?tools=stock";
    let firsts = [
        ("tools/list", json!({})),
        ("resources/read", json!({ "uri": uri })),
        (
            "tools/call",
            json!({ "name": "describe_tools", "arguments": { "names": ["stock"] } }),
        ),
        (
            "tools/call",
            json!({ "name": "find_tools", "arguments": { "query": "count the stock" } }),
        ),
        ("tools/describe", json!({ "names": ["stock"] })),
    ];
    for (method, params) in firsts {
        for era in LASTING {
            let server = builder().meta_tools(MetaTools::all()).build().unwrap();
            let mut client = Raw::connect(era, &server).await;
            client.result(method, params.clone()).await;
            let refused = client
                .result("tools/call", json!({ "name": "greet", "arguments": ada() }))
                .await;
            assert_refused(&refused);
            assert_eq!(server.state().ran(), 0, "{era:?} {method} {params}");
        }
    }
}

#[tokio::test]
async fn other_requests_before_the_call_are_not_about_tools() {
    for method in [
        "ping",
        "resources/list",
        "prompts/list",
        "resources/templates/list",
    ] {
        let mut line = Line::session(&builder().build().unwrap()).await;
        line.request(method, json!({})).await;
        assert_eq!(text(&line.call("greet", ada()).await), WELCOME, "{method}");
    }
}

#[tokio::test]
async fn a_tool_that_was_found_in_one_session_is_called_in_the_next() {
    for era in LASTING {
        let server = builder().listing(Listing::Grouped).build().unwrap();
        let found = call_at_once(
            era,
            &server,
            "find_tools",
            json!({ "query": "count the stock" }),
        )
        .await;
        assert!(all_texts(&found).contains("stock"), "{found}");
        let called = call_at_once(
            era,
            &server,
            "call_tool",
            json!({ "name": "stock", "arguments": {} }),
        )
        .await;
        assert_ne!(called["isError"], true, "{era:?}: {called}");
    }
}

#[tokio::test]
async fn calls_through_the_meta_tools_of_presets_run() {
    let server = builder().preset(Preset::Gram).build().unwrap();
    for era in LASTING {
        let called = call_at_once(
            era,
            &server,
            "execute_tool",
            json!({ "name": "greet", "arguments": ada() }),
        )
        .await;
        assert_eq!(text(&called), WELCOME, "{era:?}");
    }
}

#[tokio::test]
async fn calls_of_a_program_run() {
    for era in LASTING {
        let server = builder()
            .code_mode(CodeMode::new(env!("CARGO_BIN_EXE_library")))
            .build()
            .unwrap();
        let program = json!({ "code": "return await tools.search({ word: 'tea' })" });
        let called = call_at_once(era, &server, "run_code", program).await;
        assert!(text(&called).contains("tea 20"), "{era:?}: {called}");
    }
}

#[tokio::test]
async fn refusals_of_every_content_and_every_listing_are_spared() {
    for refusal in [
        Refusal::Bare,
        Refusal::WithSignature,
        Refusal::WithDescription,
    ] {
        for listing in [
            Listing::Minimal,
            Listing::Grouped,
            Listing::Eager,
            Listing::Reveal,
        ] {
            let server = builder().listing(listing).refusal(refusal).build().unwrap();
            let called = call_at_once(Era::HttpSession, &server, "greet", ada()).await;
            assert_eq!(text(&called), WELCOME, "{listing:?} {refusal:?}");
        }
    }
}

#[tokio::test]
async fn the_setting_refuses_as_the_specification_does() {
    for era in LASTING {
        let server = builder()
            .session_per_call(SessionPerCall::Refuse)
            .build()
            .unwrap();
        for _ in 0..3 {
            let refused = call_at_once(era, &server, "greet", ada()).await;
            assert_refused(&refused);
            assert_eq!(
                all_texts(&refused).contains("disclosure_ticket"),
                era == Era::Inline,
                "{era:?}: {refused}"
            );
        }
        assert_eq!(server.state().ran(), 0, "{era:?}");
    }
}

#[tokio::test]
async fn a_hidden_tool_is_an_unknown_one() {
    let (with, without) = {
        let [with, without] = shop::with_and_without_vault();
        (with.build().unwrap(), without.build().unwrap())
    };
    let answer = async |server: &PdServer<Shop>| {
        let site = Site::open(server, true).await;
        let call = json!({ "name": "vault_open", "arguments": {} });
        Post::session(&site.url, Some("alice"))
            .await
            .send("tools/call", call)
            .await
            .body
    };
    let (hidden, unknown): (Value, Value) = (answer(&with).await, answer(&without).await);
    assert_eq!(hidden, unknown);
    assert_eq!(hidden["error"]["code"], -32602, "{hidden}");
}

#[tokio::test]
async fn the_limits_count_such_calls() {
    let limits = Limits::none().calls(Rate::per_minute(1).burst(2));
    let site = Site::open(&builder().limits(limits).build().unwrap(), true).await;
    let call = async || {
        Post::session(&site.url, Some("alice"))
            .await
            .call("greet", ada())
            .await
    };
    assert_eq!(text(&call().await), WELCOME);
    assert_eq!(text(&call().await), WELCOME);
    assert_eq!(code(&call().await), "RATE_LIMITED");
}

#[tokio::test]
async fn another_principal_in_the_session_gets_nothing_and_changes_nothing() {
    let site = Site::open(&builder().build().unwrap(), true).await;
    let alice = Post::session(&site.url, Some("alice")).await;
    let mallory = alice.bearer("mallory");
    mallory.send("tools/list", json!({})).await;
    assert_refused(&mallory.call("greet", ada()).await);
    assert_eq!(
        text(&alice.call("greet", ada()).await),
        WELCOME,
        "the list of mallory does not count"
    );
    assert_refused(&mallory.call("greet", ada()).await);
}

/// Over HTTP, each request of 2026-07-28 stands alone, so a call says nothing about the client.
#[tokio::test]
async fn over_http_a_call_without_a_session_needs_its_ticket() {
    for era in [Era::HttpInline, Era::HttpStateless] {
        let refused = call_at_once(era, &builder().build().unwrap(), "greet", ada()).await;
        assert_refused(&refused);
        assert!(
            all_texts(&refused).contains("disclosure_ticket"),
            "{era:?}: {refused}"
        );
    }
}
