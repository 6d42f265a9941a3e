//! Tasks of upstreams (SEP-2663).

use super::*;
use crate::harness::{inline_meta, line::Line};

#[tokio::test]
async fn a_task_is_asked_for_where_it_came_from() {
    let desk = Desk::new();
    let other = desk.script("other", &["modern", "tasks"], &json!({}));
    let gateway = desk.gateway([other, desk.script("s", &["modern", "tasks"], &json!({}))]);
    gateway.refresh().await;
    let server = gateway
        .builder()
        .listing(Listing::Full)
        .gate(GateMode::Off)
        .build()
        .unwrap();
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let served = server.clone();
    // A bare handler has rmcp's types alone, which lose keys.
    tokio::spawn(async move { pd_runtime::serve::transport(&served, theirs).await });
    let mut client = Line::over(ours);
    client.carry(Some(inline_meta(
        &json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } }),
    )));
    let unknown = client
        .request("tasks/get", json!({ "taskId": "t-1" }))
        .await;
    assert!(
        unknown["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no server has created this task"),
        "{unknown}"
    );

    let created = client
        .request("tools/call", json!({ "name": "s__later", "arguments": {} }))
        .await;
    assert_eq!(created["result"]["resultType"], "task", "{created}");
    assert_eq!(
        (
            &created["result"]["taskId"],
            &created["result"]["unknownKey"]
        ),
        (&json!("t-1"), &json!([1]))
    );
    let task = client
        .request("tasks/get", json!({ "taskId": "t-1" }))
        .await;
    assert_eq!(task["result"]["status"], "completed", "{task}");
    let result = json!({ "content": [{ "type": "text", "text": "done" }], "unknownKey": 2 });
    assert_eq!(task["result"]["result"], result, "{task}");
    let answers = json!({ "taskId": "t-1", "inputResponses": { "who": { "action": "decline" } } });
    assert_eq!(
        client.request("tasks/update", answers).await["result"]["resultType"],
        "complete"
    );
    assert_eq!(
        client
            .request("tasks/cancel", json!({ "taskId": "t-1" }))
            .await["result"]["resultType"],
        "complete"
    );
    assert!(
        desk.log("s")
            .contains(r#""inputResponses":{"who":{"action":"decline"}}"#),
        "{}",
        desk.log("s")
    );
    assert!(
        !desk.log("other").contains("tasks/"),
        "{}",
        desk.log("other")
    );

    // A client that cannot ask for tasks gets the result itself.
    let mut plain = Line::inline(&server, json!({}));
    let result = plain
        .request("tools/call", json!({ "name": "s__later", "arguments": {} }))
        .await;
    assert_eq!(
        result["result"]["content"][0]["text"], r#""later""#,
        "{result}"
    );
    gateway.stop().await;
}
