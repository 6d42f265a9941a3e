//! `call_tool` and `call_read_only_tool`.

use super::{client, grouped, ticket, with_ticket};
use crate::harness::{
    client::{Client, Era, connect},
    code, company, shop, text, told,
};
use pd_runtime::{GateMode, Listing, PdServer, config::MetaTools};
use serde_json::{Value, json};

/// Calls through `call_tool` after reading the signature.
async fn through(client: &Client, name: &str, arguments: Value) -> Value {
    client
        .call(
            "call_tool",
            json!({ "name": name, "arguments": described(client, name, arguments).await }),
        )
        .await
}

async fn described(client: &Client, name: &str, arguments: Value) -> Value {
    let signed = client
        .call(
            "describe_tools",
            json!({ "names": [name], "detail": "signature" }),
        )
        .await;
    with_ticket(arguments, text(&signed))
}

#[tokio::test]
async fn the_gate_and_the_result_are_the_tools_own() {
    for era in Era::ALL {
        let client = client(era).await;
        let undisclosed = client
            .call("call_tool", json!({ "name": "stock", "arguments": {} }))
            .await;
        assert_eq!(code(&undisclosed), "TOOL_DESCRIPTION_REQUIRED", "{era:?}");
        let called = through(&client, "stock", json!({})).await;
        assert_eq!(
            called["structuredContent"],
            json!({ "articles": 7 }),
            "{era:?}"
        );
        let invalid = through(&client, "order", json!({ "artcle": "vase" })).await;
        assert_eq!(code(&invalid), "INVALID_ARGUMENTS");
    }
}

#[tokio::test]
async fn a_ticket_may_stand_inside_the_arguments_or_beside_them() {
    let client = client(Era::Inline).await;
    let signed = client
        .call(
            "describe_tools",
            json!({ "names": ["stock"], "detail": "signature" }),
        )
        .await;
    let ticket = ticket(text(&signed)).unwrap();
    for arguments in [
        json!({ "name": "stock", "arguments": { "disclosure_ticket": ticket } }),
        json!({ "name": "stock", "arguments": {}, "disclosure_ticket": ticket }),
        json!({ "name": "stock", "disclosure_ticket": ticket }),
    ] {
        assert_ne!(
            client.call("call_tool", arguments.clone()).await["isError"],
            true,
            "{arguments}"
        );
    }
}

/// No gate, so that the forms alone are seen.
async fn open(offered: MetaTools) -> Client {
    connect(
        Era::Session,
        &grouped()
            .gate(GateMode::Off)
            .meta_tools(offered)
            .build()
            .unwrap(),
    )
    .await
}

#[tokio::test]
async fn arguments_are_understood_as_they_were_meant() {
    let client = open(MetaTools::all()).await;
    let meant = json!({ "word": "vase", "limit": 5, "tags": ["a", "b"] });
    let quoted = meant.to_string();
    let inside = json!({ "word": "vase", "limit": "5", "tags": "[\"a\",\"b\"]" });
    for sent in [
        json!({ "arguments": meant }),
        json!({ "arguments": quoted }),
        json!({ "arguments": Value::from(quoted).to_string() }),
        json!({ "arguments": inside }),
        json!({ "args": meant }),
        json!({ "parameters": meant }),
        json!({ "params": meant.to_string() }),
        json!({ "input": meant }),
    ] {
        let mut asked = sent.clone();
        asked["name"] = json!("search");
        let called = client.call("call_tool", asked).await;
        assert_eq!(text(&called), "vase 5 None None 2", "{sent}");
    }
}

#[tokio::test]
async fn a_text_is_repaired_in_no_direct_call_that_may_write_and_never_where_a_text_may_stand() {
    let client = open(MetaTools::all()).await;
    let direct = client
        .call("order", json!({ "article": "vase", "count": "5" }))
        .await;
    assert_eq!(code(&direct), "INVALID_ARGUMENTS");
    let called = client
        .call(
            "call_tool",
            json!({ "name": "search", "arguments": { "word": "[1]" } }),
        )
        .await;
    assert_eq!(text(&called), "[1] 20 None None 0");
}

#[tokio::test]
async fn arguments_beside_the_name_are_those_of_a_read_only_tool() {
    let flat = json!({ "name": "search", "word": "vase", "limit": "5" });
    let client = open(MetaTools::all()).await;
    for tool in ["call_tool", "call_read_only_tool"] {
        let called = client.call(tool, flat.clone()).await;
        assert_eq!(text(&called), "vase 5 None None 0", "{tool}");
    }
    let unknown = json!({ "name": "search", "word": "vase", "size": "small" });
    let strict = connect(
        Era::Session,
        &grouped()
            .gate(GateMode::Off)
            .run_corrected(false)
            .build()
            .unwrap(),
    )
    .await;
    for (client, sent) in [(&client, unknown), (&strict, flat)] {
        let told = client.call("call_tool", sent.clone()).await;
        assert_eq!(told["isError"], true, "{sent}: {told}");
        assert!(text(&told).contains("belong in `arguments`"), "{told}");
        let whole = r#"{"name": "call_read_only_tool", "arguments": {"name": "search", "#;
        assert!(text(&told).contains(whole), "{told}");
    }
}

#[tokio::test]
async fn arguments_beside_the_name_of_a_tool_that_writes_are_taken_where_that_is_set() {
    let flat = json!({ "name": "order", "article": "vase", "count": 5 });
    let told = open(MetaTools::all())
        .await
        .call("call_tool", flat.clone())
        .await;
    assert_eq!(told["isError"], true);
    assert!(text(&told).contains("belong in `arguments`"), "{told}");
    let whole = r#"{"name": "call_tool", "arguments": {"name": "order", "arguments": "{\"article\": \"vase\", \"count\": 5}"}}"#;
    assert!(text(&told).ends_with(whole), "{told}");
    let client = open(MetaTools::all().flattened()).await;
    assert_ne!(client.call("call_tool", flat).await["isError"], true);
    let mixed = json!({ "name": "greet", "arguments": { "name": "Ada" } });
    assert_eq!(
        text(&client.call("call_tool", mixed).await),
        "Welcome, Ada!"
    );
}

#[tokio::test]
async fn what_finds_and_describes_may_be_called_through_what_calls() {
    for era in Era::ALL {
        for (name, arguments) in [
            ("find_tools", json!({ "query": "order an article" })),
            ("list_tools", json!({})),
            (
                "describe_tools",
                json!({ "names": ["stock"], "detail": "signature" }),
            ),
        ] {
            let own = client(era).await.call(name, arguments.clone()).await;
            let mut beside = arguments.clone();
            beside["name"] = json!(name);
            for (through, sent) in [
                ("call_tool", json!({ "name": name, "arguments": arguments })),
                (
                    "call_read_only_tool",
                    json!({ "name": name, "arguments": arguments.to_string() }),
                ),
                ("call_read_only_tool", beside),
                (
                    "call_tool",
                    json!({ "arguments": { "name": name, "arguments": arguments } }),
                ),
            ] {
                let told = client(era).await.call(through, sent.clone()).await;
                let (told, own) = (without_ticket(text(&told)), without_ticket(text(&own)));
                assert_eq!(told, own, "{era:?}: {through} {sent}");
            }
        }
    }
}

/// Tickets differ between connections.
fn without_ticket(told: &str) -> String {
    ticket(told).map_or_else(|| told.to_owned(), |ticket| told.replace(ticket, "…"))
}

#[tokio::test]
async fn what_was_described_through_what_calls_is_known() {
    let client = client(Era::Session).await;
    let names = json!({ "names": ["stock"] });
    client
        .call(
            "call_read_only_tool",
            json!({ "name": "describe_tools", "arguments": names }),
        )
        .await;
    let called = client
        .call("call_tool", json!({ "name": "stock", "arguments": {} }))
        .await;
    assert_eq!(called["structuredContent"], json!({ "articles": 7 }));
}

#[tokio::test]
async fn the_read_only_one_inside_the_other_stays_read_only_and_reaches_no_more_outside_of_it() {
    let client = open(MetaTools::all().call_read_only("call_read_only_tool")).await;
    let search = json!({ "name": "search", "arguments": { "word": "vase" } });
    let stock = json!({ "name": "stock", "arguments": {} });
    for (outer, inner, call, is_read) in [
        ("call_tool", "call_read_only_tool", &search, true),
        ("call_tool", "call_read_only_tool", &stock, false),
        ("call_read_only_tool", "call_tool", &search, false),
        ("call_read_only_tool", "call_tool", &stock, false),
    ] {
        let told = client
            .call(outer, json!({ "name": inner, "arguments": call }))
            .await;
        let is_told = text(&told) == "vase 20 None None 0";
        assert_eq!(is_told, is_read, "{outer}, {inner}: {told}");
        assert_eq!(told["isError"] == true, !is_read, "{outer}, {inner}");
    }
}

#[tokio::test]
async fn a_call_without_a_name_is_told_which_tools_have_its_arguments() {
    for era in Era::ALL {
        let client = client(era).await;
        for sent in [
            json!({ "article": "vase", "count": 5 }),
            json!({ "arguments": { "article": "vase", "count": 5 } }),
            json!({ "name": "", "arguments": "{\"article\": \"vase\", \"count\": 5}" }),
        ] {
            let told = client.call("call_tool", sent.clone()).await;
            assert_eq!(told["isError"], true, "{era:?}: {sent}");
            let told = text(&told);
            assert!(
                told.starts_with("`name` must be the name of a tool. These are nearest:\n"),
                "{era:?}: {told}"
            );
            assert!(told.contains("order({"), "{era:?}: {told}");
            assert!(told.contains(r#""name": "order""#), "{era:?}: {told}");
        }
        let told = client.call("call_tool", json!({})).await;
        let expected = "`name` must be the name of a tool. Now send:\n{\"name\": \"find_tools\"";
        assert!(text(&told).starts_with(expected), "{told}");
    }
}

#[tokio::test]
async fn what_cannot_be_called_is_told_with_what_can() {
    let client = client(Era::Session).await;
    for (asked, expected) in [
        (
            json!({ "name": "pya", "arguments": {} }),
            "no such tool: `pya`; the nearest: pay, ",
        ),
        (
            json!({ "name": "call_tool", "arguments": {} }),
            "`name` must be the name of a tool, and `call_tool` calls tools",
        ),
        (
            json!({ "arguments": {} }),
            "`name` must be the name of a tool",
        ),
        (
            json!({ "name": "greet", "arguments": [1] }),
            "the tool's arguments belong in `arguments`, as a JSON object",
        ),
        (
            json!({ "name": "greet", "arguments": "name: Ada" }),
            "the tool's arguments belong in `arguments`, as a JSON object",
        ),
    ] {
        let told = client.call("call_tool", asked.clone()).await;
        assert_eq!(told["isError"], true, "{asked}");
        assert!(text(&told).starts_with(expected), "{asked}: {told}");
    }
}

#[tokio::test]
async fn the_read_only_one_reaches_read_only_tools_alone() {
    let client = client(Era::Session).await;
    let arguments = described(&client, "search", json!({ "word": "vase" })).await;
    let called = client
        .call(
            "call_read_only_tool",
            json!({ "name": "search", "arguments": arguments }),
        )
        .await;
    assert_eq!(text(&called), "vase 20 None None 0");
    for name in ["stock", "greet"] {
        let refused = client
            .call(
                "call_read_only_tool",
                json!({ "name": name, "arguments": {} }),
            )
            .await;
        let expected = format!("`{name}` is not read-only: call it through call_tool. ");
        assert!(text(&refused).starts_with(&expected), "{refused}");
        let whole = format!("{{\"name\": \"call_tool\", \"arguments\": {{\"name\": \"{name}\"");
        assert!(text(&refused).contains(&whole), "{refused}");
        assert_eq!(refused["isError"], true);
    }
}

#[tokio::test]
async fn hints_are_the_most_cautious_ones() {
    let listed = client(Era::Session).await.list().await;
    let of = |name: &str| {
        let tools = listed["tools"].as_array().unwrap();
        tools.iter().find(|tool| tool["name"] == name).unwrap()["annotations"].clone()
    };
    assert_eq!(
        of("call_tool"),
        json!(null),
        "MCP's defaults: it writes, destroys and reaches others"
    );
    assert_eq!(of("call_read_only_tool"), json!({ "readOnlyHint": true }));
}

#[tokio::test]
async fn a_name_that_is_taken_is_refused_at_build() {
    let taken = shop::server()
        .meta_tools(MetaTools::all().find("pay"))
        .build();
    assert!(
        taken
            .err()
            .unwrap()
            .to_string()
            .contains("this name is the meta-tool's")
    );
    let twice = shop::server()
        .meta_tools(MetaTools::all().find("call_tool"))
        .build();
    assert!(
        twice
            .err()
            .unwrap()
            .to_string()
            .contains("two meta-tools are called `call_tool`")
    );
    for name in ["find tools", ""] {
        let illegal = shop::server()
            .meta_tools(MetaTools::all().find(name))
            .build();
        let expected = format!("the meta-tool `{name}` needs a name of 1 to 64");
        assert!(illegal.err().unwrap().to_string().contains(&expected));
    }
}

/// A tool that asks for input does so through `call_tool` as well; here, that progress and other metadata go along.
#[tokio::test]
async fn everything_else_of_the_call_goes_along() {
    let server = PdServer::builder(company::registry(1), ())
        .listing(Listing::Grouped)
        .gate(GateMode::Advise)
        .build()
        .unwrap();
    let client = connect(Era::Session, &server).await;
    let arguments =
        json!({ "name": "user_get", "arguments": { "owner": "acme", "name": "spring" } });
    let called = client.call("call_tool", arguments).await;
    assert_eq!(told(&called), json!({ "owner": "acme", "name": "spring" }));
    assert!(
        called["_meta"]["dev.pd-runtime/undisclosed"]["resource_uri"].is_string(),
        "{called}"
    );
}
