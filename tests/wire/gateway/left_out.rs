//! Entries with a mistake, as models read of them.

use super::*;
use crate::harness::post::Post;

fn gateway(desk: &Desk) -> Gateway {
    let odd =
        json!({ "type": "ws", "url": "ws://secret.example", "pd": { "summary": "SALARIES" } });
    let unset = json!({ "command": "x", "env": { "A": "${NEVER_SET_HERE_VALUE}" } });
    desk.gateway([
        desk.script("s", &[], &json!({})),
        ("odd one".to_owned(), odd),
        ("unset".to_owned(), unset),
    ])
}

const CALLS: [(&str, &str); 5] = [
    ("find_tools", r#"{"query":"qqzzxx"}"#),
    ("list_tools", "{}"),
    ("list_tools", r#"{"path":"odd-one"}"#),
    ("describe_tools", r#"{"names":["odd_one__x"]}"#),
    ("call_tool", r#"{"name":"odd_one__x","arguments":{}}"#),
];

#[tokio::test]
async fn the_model_of_the_owner_reads_the_name_alone_and_what_to_do() {
    let desk = Desk::new();
    let gateway = gateway(&desk);
    gateway.refresh().await;
    for era in [Era::Session, Era::Inline] {
        let client = connect(era, &gateway.builder().build().unwrap()).await;
        for (tool, arguments) in CALLS {
            let began = Instant::now();
            let answer = client
                .call(tool, serde_json::from_str(arguments).unwrap())
                .await
                .to_string();
            let sentence =
                "`odd_one` is not available, because its entry in the configuration has a mistake";
            assert!(
                answer.contains(sentence) && answer.contains("`pd-gateway doctor`"),
                "{tool} {arguments}: {answer}"
            );
            for word in ["secret.example", "ws", "SALARIES", "NEVER_SET", "mcp.json"] {
                assert!(
                    !answer.contains(word),
                    "{tool} {arguments} {word}: {answer}"
                );
            }
            assert!(
                began.elapsed() < Duration::from_secs(2),
                "{tool}: nothing is waited for"
            );
        }
        let listed = client.call("list_tools", json!({})).await.to_string();
        assert!(listed.contains("`unset` is not available"), "{listed}");
        assert_succeeded(&client.call_described("s__echo", json!({})).await);
    }
    gateway.stop().await;
}

/// The entry may have scopes, which nobody can read.
#[tokio::test]
async fn callers_over_http_read_nothing_of_an_entry_with_a_mistake() {
    let desk = Desk::new();
    let gateway = gateway(&desk);
    gateway.refresh().await;
    let site = Site::open(&gateway.builder().build().unwrap(), false).await;
    let caller = Post::inline(&site.url).bearer("bob");
    for (tool, arguments) in CALLS {
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        let body = caller
            .send(
                "tools/call",
                json!({ "name": tool, "arguments": arguments }),
            )
            .await
            .body
            .to_string();
        assert!(
            !body.contains("not available") && !body.contains("unset"),
            "{tool} {arguments}: {body}"
        );
    }
    gateway.stop().await;
}
