//! Results over the bound in tokens: a preview, and `read_more` for the rest.

use crate::harness::{
    client::{Client, Era, connect, connect_to},
    site::Site,
    text,
};
use pd_runtime::{
    GateMode, Limits, Listing, PdServer, Registry, ServerBuilder, Tool, estimate_tokens,
};
use serde_json::{Value, json};

/// The tokens of what a model sees first, and of an answer.
const SEEN_MAX: usize = 1_000;
const ANSWER_MAX: usize = 1_500;

fn rows() -> Value {
    let row = |number: usize| json!({ "id": number, "name": format!("item {number}"), "state": if number.is_multiple_of(100) { "open" } else { "closed" } });
    json!({ "items": (0..4_000).map(row).collect::<Vec<_>>() })
}

fn log() -> String {
    (0..9_000)
        .map(|number| format!("line {number} of the log says {}\n", number * 31 % 977))
        .collect()
}

fn tool(name: &'static str, answer: fn() -> rmcp::model::CallToolResult) -> Tool<()> {
    Tool::new(name, "Return much", move |(), _, _| {
        Box::pin(async move { Ok(answer().into()) })
    })
}

fn server() -> ServerBuilder<()> {
    use rmcp::model::{CallToolResult, ContentBlock};
    let tools = [
        tool("log", || CallToolResult::success(vec![ContentBlock::text(log())])),
        tool("rows", || CallToolResult::structured(rows())),
        tool("many", || {
            let block = |number| ContentBlock::text(format!("block {number} of {}", "x".repeat(90)));
            CallToolResult::success((0..900).map(block).collect())
        }),
        tool("wrapped", || {
            let mut result = CallToolResult::structured(json!({ "content": log() }));
            result.content = vec![ContentBlock::text(log())];
            result
        }),
        tool("small", || CallToolResult::structured(json!({ "a": 1 }))),
        tool("failed", || CallToolResult::error(vec![ContentBlock::text(log())])),
        tool("own", || CallToolResult::success(vec![ContentBlock::text("word ".repeat(400))]))
            .result_tokens(100),
        tool("promised", || CallToolResult::structured(rows()))
            .output_schema(json!({ "type": "object", "properties": { "items": { "type": "array" } }, "required": ["items"] })),
    ];
    let registry = Registry::builder().tools(tools).build().unwrap();
    PdServer::builder(registry, ()).limits(Limits::default().result_tokens(2_000))
}

/// The handle in a preview.
fn handle(result: &Value) -> String {
    let shown = text(result);
    let (_, rest) = shown
        .split_once("\"handle\":\"")
        .unwrap_or_else(|| panic!("{shown}"));
    rest.split_once('"').unwrap().0.to_owned()
}

async fn read(client: &Client, handle: &str, arguments: &Value) -> String {
    let mut arguments = arguments.clone();
    arguments["handle"] = handle.into();
    let answer = client.call("read_more", arguments).await;
    assert_ne!(answer["isError"], true, "{answer}");
    let answer = text(&answer).to_owned();
    assert!(estimate_tokens(&answer) <= ANSWER_MAX, "{answer}");
    answer
}

#[tokio::test]
async fn a_large_result_is_seen_in_few_tokens_and_read_whole() {
    let server = server().build().unwrap();
    for era in Era::ALL {
        let client = connect(era, &server).await;
        for (name, whole) in [
            ("log", log()),
            ("wrapped", log()),
            ("rows", rows().to_string()),
        ] {
            let result = client.call(name, json!({})).await;
            assert!(
                estimate_tokens(&result.to_string()) <= SEEN_MAX + 300,
                "{era:?}: {result}"
            );
            assert_eq!(result.get("structuredContent"), None, "{era:?}");
            assert_eq!(
                result["content"].as_array().unwrap().len(),
                2,
                "{era:?} {name}"
            );
            let link = &result["content"][1];
            assert_eq!(link["size"], whole.len());
            let read = client.read(link["uri"].as_str().unwrap()).await;
            assert_eq!(read["contents"][0]["text"], whole.as_str(), "{era:?}");
        }
        let result = client.call("rows", json!({})).await;
        let open = json!({ "query": "state=open", "columns": ["id"] });
        let found = read(&client, &handle(&result), &open).await;
        assert!(
            found.starts_with(
                "[40 of 4,000 rows of /items match; these are 40]\n#,id\n0,0\n100,100\n"
            ),
            "{found}"
        );
        let many = client.call("many", json!({})).await;
        let found = read(&client, &handle(&many), &json!({ "query": "block 877" })).await;
        assert!(found.contains("block 877 of xxx"), "{found}");
    }
}

#[tokio::test]
async fn a_handle_is_read_in_every_form_and_missed_by_its_name() {
    let server = server().build().unwrap();
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &server).await;
        let handle = handle(&client.call("log", json!({})).await);
        let link = format!("result://{handle}");
        for sent in [
            json!({ "handle": link, "lines": "1-1" }),
            json!({ "handle": format!("\"{handle}\""), "lines": "1-1" }),
            json!({ "handle": format!(" `{link}` "), "lines": "1-1" }),
            json!({ "id": handle, "lines": "1-1" }),
            json!({ "uri": link, "lines": "1-1" }),
            json!({ "name": "read_more", "arguments": { "handle": handle, "lines": "1-1" } }),
        ] {
            let read = client.call("read_more", sent.clone()).await;
            let is_read = text(&read).ends_with("line 0 of the log says 0\n");
            assert!(is_read, "{era:?} {sent}: {read}");
        }
        for sent in [
            json!({}),
            json!({ "handle": "" }),
            json!({ "lines": "1-1" }),
        ] {
            let told = client.call("read_more", sent).await;
            assert_eq!(told["isError"], true);
            assert!(text(&told).starts_with("`handle` is missing: "), "{told}");
        }
    }
}

#[tokio::test]
async fn what_is_small_fails_or_was_promised_stays_whole() {
    let server = server().listing(Listing::Full).build().unwrap();
    for era in Era::ALL {
        let client = connect(era, &server).await;
        let small = client.call("small", json!({})).await;
        assert_eq!(small["structuredContent"], json!({ "a": 1 }), "{era:?}");
        let failed = client.call("failed", json!({})).await;
        assert_eq!(text(&failed).len(), log().len());
        let own = client.call("own", json!({})).await;
        assert!(
            text(&own).contains("read_more {\"handle\""),
            "{era:?}: {own}"
        );
        // The client was listed the schema, and checks the value.
        let promised = client.call("promised", json!({})).await;
        assert_eq!(promised["structuredContent"], rows(), "{era:?}");
        assert!(text(&promised).contains("read_more"), "{era:?}");
    }
}

#[tokio::test]
async fn the_tool_is_listed_where_nothing_else_calls_it() {
    for (listing, is_listed) in [
        (Listing::Full, true),
        (Listing::Outline, true),
        (Listing::Minimal, true),
        (Listing::Eager, false),
    ] {
        let server = server()
            .listing(listing)
            .gate(GateMode::Off)
            .build()
            .unwrap();
        for era in Era::ALL {
            let client = connect(era, &server).await;
            let list = client.list().await.to_string();
            assert_eq!(
                list.contains("\"read_more\""),
                is_listed,
                "{era:?} {listing:?}"
            );
            if is_listed {
                continue;
            }
            let result = client
                .call("call_tool", json!({ "name": "log", "arguments": {} }))
                .await;
            let shown = text(&result);
            assert!(
                shown.contains("call_tool {\"name\":\"read_more\""),
                "{era:?}: {shown}"
            );
            let nested = json!({ "handle": handle(&result), "lines": "8990-9000" });
            for arguments in [nested.clone(), nested.to_string().into()] {
                let call = json!({ "name": "read_more", "arguments": arguments });
                let answer = client.call("call_tool", call).await;
                assert!(
                    text(&answer).ends_with("line 8999 of the log says 524\n"),
                    "{answer}"
                );
            }
        }
    }
    // Nothing changes for a server without the bound.
    let plain = crate::harness::shop::server()
        .listing(Listing::Full)
        .build()
        .unwrap();
    let client = connect(Era::Session, &plain).await;
    assert!(!client.list().await.to_string().contains("read_more"));
    assert!(
        client
            .try_call("read_more", json!({ "handle": "x" }))
            .await
            .is_err()
    );
}

#[tokio::test]
async fn nobody_else_reads_a_result() {
    let server = server().build().unwrap();
    for era in [Era::HttpSession, Era::HttpStateless, Era::HttpInline] {
        let site = Site::open(&server, era == Era::HttpSession).await;
        let alice = connect_to(era, &site.url, Some("alice"), json!({})).await;
        let bob = connect_to(era, &site.url, Some("bob"), json!({})).await;
        let anonymous = connect_to(era, &site.url, None, json!({})).await;
        let handle = handle(&alice.call("log", json!({})).await);
        let lines = json!({ "handle": handle, "lines": "1-3" });
        for other in [&bob, &anonymous] {
            let refused = other.call("read_more", lines.clone()).await;
            assert_eq!(refused["isError"], true, "{era:?}");
            assert!(
                text(&refused).starts_with("no result has this handle"),
                "{refused}"
            );
            let uri = format!("result://{handle}");
            let params = rmcp::model::ReadResourceRequestParams::new(uri);
            assert!(other.running.read_resource(params).await.is_err());
        }
        // Another session of the same person is one of a client whose sessions last one call.
        let again = connect_to(era, &site.url, Some("alice"), json!({})).await;
        let read = again.call("read_more", lines).await;
        assert!(
            text(&read).ends_with("line 2 of the log says 62\n"),
            "{read}"
        );
    }
}
