//! Calls of meta-tools that name no tool, or the same one again.

use super::{next, send, server};
use crate::harness::{
    client::{Era, connect},
    text, told,
};
use serde_json::json;

#[tokio::test]
async fn the_same_description_again_shows_the_calls_of_its_tools() {
    let client = connect(Era::Session, &server()).await;
    for (detail, names, calls) in [
        ("full", json!(["read_file"]), 1),
        ("signature", json!(["write_file", "read_file"]), 2),
        ("summary", json!(["write_file"]), 1),
    ] {
        let asked = json!({ "names": names, "detail": detail });
        let first = client.call("describe_tools", asked.clone()).await;
        let again = client.call("describe_tools", asked).await;
        // A client may parse a description, so the advice is a text of its own there.
        let own = usize::from(detail == "full");
        let advice = again["content"][own]["text"].as_str().unwrap();
        let advice = advice.strip_prefix(text(&first)).unwrap_or(advice).trim();
        let send = match calls {
            1 => "Now send",
            _ => "Send the one that does what was asked",
        };
        let told = format!(
            "This is the answer of the call before. {send}, with a value for each <…>:\n{{\"name\": \"call_"
        );
        assert!(advice.starts_with(&told), "{detail}: {advice}");
        assert_eq!(
            advice.matches("{\"name\": \"call_").count(),
            calls,
            "{advice}"
        );
    }
}

#[tokio::test]
async fn the_uri_of_a_description_with_arguments_is_a_call_of_what_reads() {
    let uri = |tool: &str| {
        format!("resource:///tool_descriptions?tools={tool}&owner=octo&repo=demo&file=a%20b.md")
    };
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &server()).await;
        let sent = json!({ "uri": uri("read_file") });
        let refused = client.call("call_read_only_tool", sent.clone()).await;
        assert_eq!(told(&refused)["error"]["code"], "TOOL_DESCRIPTION_REQUIRED");
        let (_, calls) = next(&refused);
        assert_eq!(calls[0]["name"], "call_read_only_tool", "{refused}");
        assert_eq!(text(&send(&client, &calls[0]).await), "octo/demo/a b.md");
        let told = client
            .call("call_tool", json!({ "uri": uri("write_file") }))
            .await;
        let nearest = "`name` must be the name of a tool. These are nearest:\n";
        assert!(text(&told).starts_with(nearest), "{told}");
        let call = r#"{"name": "call_tool", "arguments": {"name": "write_file", "#;
        assert!(text(&told).contains(call), "{told}");
    }
}

#[tokio::test]
async fn what_stands_beside_a_uri_is_not_lost() {
    let uri = "resource:///tool_descriptions?tools=read_file&owner=octo&repo=demo&path=a.md";
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &server()).await;
        let refused = client
            .call("call_read_only_tool", json!({ "uri": uri }))
            .await;
        let (_, calls) = next(&refused);
        let nested = &calls[0]["arguments"]["arguments"];
        let ticket = &nested["disclosure_ticket"];
        let mut sent = json!({ "uri": uri });
        if ticket.is_string() {
            sent["disclosure_ticket"] = ticket.clone();
        }
        let called = client.call("call_read_only_tool", sent.clone()).await;
        assert_eq!(text(&called), "octo/demo/a.md", "{era:?}");
        sent["branch"] = json!("next");
        let told = client.call("call_read_only_tool", sent).await;
        assert_eq!(told["isError"], true, "{era:?}: {told}");
    }
}

/// Texts of meta-tools are cut where errors repeat them, and an argument must not be.
#[tokio::test]
async fn a_long_argument_in_a_uri_is_whole() {
    let client = connect(Era::Session, &server()).await;
    client.describe("read_file").await;
    let path = "deep/".repeat(200);
    let uri =
        format!("resource:///tool_descriptions?tools=read_file&owner=octo&repo=demo&path={path}");
    let called = client
        .call("call_read_only_tool", json!({ "uri": uri }))
        .await;
    assert_eq!(text(&called), format!("octo/demo/{path}"));
}

#[tokio::test]
async fn a_call_without_a_name_and_arguments_is_answered_with_a_search() {
    let client = connect(Era::Session, &server()).await;
    for sent in [
        json!({}),
        json!({ "uri": "resource:///tool_descriptions?tools=absent" }),
        json!({ "uri": "resource:///tool_descriptions" }),
    ] {
        let (told, calls) = next(&client.call("call_tool", sent).await);
        assert!(told.starts_with("`name` must be the name of a tool. Now send:\n"));
        let search = json!({ "name": "find_tools", "arguments": { "query": "filled" } });
        assert_eq!(calls, [search], "{told}");
    }
}
