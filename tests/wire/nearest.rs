//! An unknown name: the tools that were probably meant, by slips and by shared words, among those that exist for the caller.

use crate::harness::{post::Post, shop, site::Site, text, told};
use pd_runtime::{PdServer, Registry, Tool};
use serde_json::{Value, json};

const NAMES: [&str; 12] = [
    "caption_image",
    "cart_clear",
    "case_close",
    "capsule_open",
    "card_charge",
    "catalog_read",
    "cache_flush",
    "calendar_read",
    "call_list",
    "camera_start",
    "memory_list",
    "memory_capture",
];

fn server(tools: impl Iterator<Item = Tool<()>>) -> PdServer<()> {
    let registry = tools
        .fold(Registry::builder(), |builder, tool| builder.tool(tool))
        .build()
        .unwrap();
    PdServer::builder(registry, ())
        .listing(pd_runtime::Listing::Minimal)
        .ticket_key([3; 32])
        .build()
        .unwrap()
}

fn tools() -> impl Iterator<Item = Tool<()>> {
    NAMES.into_iter().map(|name| shop::saying(name, "done"))
}

async fn ask(shared: &PdServer<()>, method: &str, params: Value) -> Value {
    Post::inline(&Site::open(shared, false).await.url)
        .send(method, params)
        .await
        .body["result"]
        .take()
}

async fn nearest(shared: &PdServer<()>, name: &str) -> String {
    let asked =
        json!({ "name": "describe_tools", "arguments": { "names": [name], "detail": "summary" } });
    text(&ask(shared, "tools/call", asked).await).to_owned()
}

#[tokio::test]
async fn a_tool_that_has_the_word_is_the_nearest() {
    let shared = server(tools());
    for name in [
        "capture",
        "Capture",
        "captureMemory",
        "captures",
        "memory.capture.save",
    ] {
        let answer = nearest(&shared, name).await;
        assert!(
            answer.contains(&format!("`{name}`; the nearest: memory_capture, ")),
            "{answer}"
        );
    }
    let read = json!({ "uri": "resource:///tool_descriptions?tools=capture" });
    let described = told(&ask(&shared, "resources/read", read).await);
    assert_eq!(
        described["capture"]["available_tools"][0], "memory_capture",
        "{described}"
    );
}

#[tokio::test]
async fn a_slip_stays_nearer_than_a_word() {
    let answer = nearest(&server(tools()), "cart_claer").await;
    assert!(answer.contains("the nearest: cart_clear, "), "{answer}");
}

/// A tool that the caller may not see is not among the nearest, and does not change which are.
#[tokio::test]
async fn a_hidden_tool_is_no_nearest_one() {
    let hidden = tools().map(|tool| match tool.name() {
        "memory_capture" => tool.scope("memory"),
        _ => tool,
    });
    let absent = tools().filter(|tool| tool.name() != "memory_capture");
    let (hidden, absent) = (server(hidden), server(absent));
    for name in [
        "capture",
        "memory_capture",
        "memorycapture",
        "memory_capturs",
    ] {
        let answer = nearest(&hidden, name).await;
        assert_eq!(answer, nearest(&absent, name).await);
        assert!(
            !answer
                .replace(&format!("`{name}`"), "")
                .contains("memory_capture"),
            "{answer}"
        );
    }
}
