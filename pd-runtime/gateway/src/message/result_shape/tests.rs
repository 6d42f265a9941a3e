//! What servers write in place of results, and what a client gets.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use super::*;
use rmcp::model::{CallToolResult, CompleteResult, GetPromptResult, ReadResourceResult};

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

#[test]
fn the_result_of_a_tool_keeps_its_text_in_blocks() {
    for (sent, expected) in [
        (
            json!({ "content": "done" }),
            json!({ "content": [text("done")] }),
        ),
        (
            json!({ "content": text("done") }),
            json!({ "content": [text("done")] }),
        ),
        (json!({ "content": {} }), json!({ "content": [text("{}")] })),
        (
            json!({ "content": ["a", 1, text("b")] }),
            json!({ "content": [text("a"), text("1"), text("b")] }),
        ),
        (
            json!({ "content": [{ "text": "a" }] }),
            json!({ "content": [text("a")] }),
        ),
        (
            json!({ "content": [{ "type": "text", "text": null }] }),
            json!({ "content": [text("null")] }),
        ),
        (json!({ "content": null }), json!({ "content": [] })),
        (json!({}), json!({ "content": [] })),
        (json!(null), json!({ "content": [] })),
        (json!("ok"), json!({ "content": [text("ok")] })),
        (
            json!([1, "b"]),
            json!({ "content": [text("1"), text("b")] }),
        ),
        (
            json!({ "rows": [1], "isError": "true" }),
            json!({ "isError": true, "content": [text(r#"{"rows":[1]}"#)] }),
        ),
        (
            json!({ "toolResult": "done" }),
            json!({ "content": [text("done")] }),
        ),
        (
            json!({ "toolResult": { "a": 1 } }),
            json!({ "content": [text(r#"{"a":1}"#)] }),
        ),
        (
            json!({ "structuredContent": { "a": 1 } }),
            json!({ "structuredContent": { "a": 1 }, "content": [] }),
        ),
        (
            json!({ "content": [], "isError": "false" }),
            json!({ "content": [], "isError": false }),
        ),
        (
            json!({ "content": [], "isError": 1, "_meta": "x" }),
            json!({ "content": [], "isError": true }),
        ),
        (
            json!({ "content": [], "isError": null }),
            json!({ "content": [] }),
        ),
    ] {
        let result = tool_result(sent.clone());
        if sent.get("rows").is_some() || sent.get("toolResult").is_some() {
            assert_eq!(result["content"], expected["content"], "{sent}");
        } else {
            assert_eq!(result, expected, "{sent}");
        }
        serde_json::from_value::<CallToolResult>(result).unwrap();
    }
    let own = json!({ "content": [text("a"), { "type": "hologram", "x": 1 }], "vendor": [1], "isError": true });
    assert_eq!(
        tool_result(own.clone()),
        own,
        "a result of MCP stays as it is"
    );
}

#[test]
fn contents_of_resources_are_a_list_with_uris() {
    let content = |text: &str| json!({ "contents": [{ "uri": "a://1", "text": text }] });
    for sent in [
        content("x"),
        json!({ "contents": { "uri": "a://1", "text": "x" } }),
        json!({ "contents": "x" }),
        json!({ "contents": ["x"] }),
        json!({ "contents": [{ "text": "x" }] }),
        json!({ "uri": "a://1", "text": "x" }),
        json!("x"),
    ] {
        let result = resource_result(sent.clone(), "a://1");
        assert_eq!(result, content("x"), "{sent}");
        serde_json::from_value::<ReadResourceResult>(result).unwrap();
    }
    assert_eq!(
        resource_result(json!({ "contents": [{ "text": { "a": 1 } }] }), "a://1"),
        json!({
            "contents": [{ "uri": "a://1", "text": r#"{"a":1}"# }]
        })
    );
    assert_eq!(
        resource_result(json!({ "contents": null }), "a://1"),
        json!({ "contents": [] })
    );
}

#[test]
fn messages_of_prompts_have_a_role_and_one_block() {
    let message =
        |content: &str| json!({ "messages": [{ "role": "user", "content": text(content) }] });
    for sent in [
        message("x"),
        json!({ "messages": [{ "role": "user", "content": "x" }] }),
        json!({ "messages": [{ "role": "user", "content": ["x"] }] }),
        json!({ "messages": { "role": "system", "content": "x" } }),
        json!({ "messages": "x" }),
        json!({ "messages": ["x"] }),
        json!("x"),
    ] {
        let result = prompt_result(sent.clone());
        assert_eq!(result, message("x"), "{sent}");
        serde_json::from_value::<GetPromptResult>(result).unwrap();
    }
    let two = prompt_result(
        json!({ "messages": [{ "role": "assistant", "content": [text("a"), text("b")] }] }),
    );
    assert_eq!(two["messages"].as_array().unwrap().len(), 2);
}

#[test]
fn completions_are_a_list_of_texts() {
    let expected = json!({ "completion": { "values": ["a", "1"] } });
    for sent in [
        json!({ "completion": { "values": ["a", 1] } }),
        json!({ "completion": ["a", "1"] }),
        json!({ "values": ["a", "1"] }),
        json!(["a", "1"]),
    ] {
        let result = completion_result(sent.clone());
        assert_eq!(
            result["completion"]["values"], expected["completion"]["values"],
            "{sent}"
        );
        serde_json::from_value::<CompleteResult>(result).unwrap();
    }
    assert_eq!(
        completion_result(json!({}))["completion"]["values"],
        json!([])
    );
}

#[test]
fn completions_have_the_bounds_of_mcp() {
    for (completion, expected) in [
        (
            json!({ "values": ["a"], "total": "many", "hasMore": "true" }),
            json!({ "values": ["a"], "hasMore": true }),
        ),
        (
            json!({ "values": [], "total": null, "hasMore": null }),
            json!({ "values": [] }),
        ),
        (
            json!({ "values": [], "total": -1, "hasMore": [] }),
            json!({ "values": [] }),
        ),
    ] {
        let result = completion_result(json!({ "completion": completion }));
        assert_eq!(result["completion"], expected, "{completion}");
        serde_json::from_value::<CompleteResult>(result).unwrap();
    }
    let many = json!({ "completion": { "values": vec!["a"; 150] } });
    let completion = &completion_result(many)["completion"];
    assert_eq!(completion["values"].as_array().unwrap().len(), 100);
    assert_eq!(
        (&completion["total"], &completion["hasMore"]),
        (&json!(150), &json!(true))
    );
}
