//! Large results of upstreams, by the bounds of their entries.

use super::*;
use pd_runtime::Limits;

/// A log with a line for each of 3,000 events, and a table of as many rows.
fn large() -> Value {
    let lines = (0..3_000).map(|number| format!("event {number} of the log\n"));
    let rows = (0..3_000).map(|number| json!({ "id": number, "name": format!("row {number}") }));
    json!({
        "content": [{ "type": "text", "text": lines.collect::<String>(), "odd": true }],
        "structuredContent": { "rows": rows.collect::<Vec<_>>() },
        "_meta": { "kept": 1 },
        "unknown": "kept",
    })
}

impl Desk {
    async fn large(&self, pd: Value) -> Gateway {
        let tool = |name: &str| json!({ "name": name, "description": "Read a log.", "inputSchema": { "type": "object" } });
        let fixed = json!({
            "tools/list": { "tools": [tool("log"), tool("other")] },
            "tools/call log": large(),
            "tools/call other": large(),
        });
        let file = self.log_file("s").with_extension("log.fixed");
        fs::write(file, fixed.to_string()).unwrap();
        self.one(&["fixed"], pd).await
    }
}

fn is_whole(result: &Value) -> bool {
    result["content"][0]["text"] == large()["content"][0]["text"]
}

#[tokio::test]
async fn an_entry_and_a_tool_have_their_own_bounds() {
    for (pd, default, log_is_whole, other_is_whole) in [
        (json!({}), None, true, true),
        (json!({}), Some(500), false, false),
        (json!({ "resultTokens": 500 }), None, false, false),
        (
            json!({ "resultTokens": 100_000_000 }),
            Some(500),
            true,
            true,
        ),
        (
            json!({ "tools": { "log": { "resultTokens": 500 } } }),
            None,
            false,
            true,
        ),
        (
            json!({ "resultTokens": 500, "tools": { "log": { "resultTokens": 90_000 } } }),
            None,
            true,
            false,
        ),
    ] {
        let desk = Desk::new();
        let gateway = desk.large(pd.clone()).await;
        let mut builder = gateway.builder().gate(GateMode::Off);
        if let Some(tokens) = default {
            builder = builder.limits(Limits::default().result_tokens(tokens));
        }
        let server = builder.build().unwrap();
        for era in Era::ALL {
            let client = connect(era, &server).await;
            for (name, whole) in [("s__log", log_is_whole), ("s__other", other_is_whole)] {
                let result = client.call(name, json!({})).await;
                assert_eq!(is_whole(&result), whole, "{era:?} {pd} {name}");
                assert_eq!(result["_meta"]["kept"], 1, "{era:?}: {result}");
                if whole {
                    assert_eq!(result["structuredContent"], large()["structuredContent"]);
                }
            }
        }
        gateway.stop().await;
    }
}

#[tokio::test]
async fn both_the_texts_and_the_value_of_a_result_can_be_read() {
    let desk = Desk::new();
    let gateway = desk.large(json!({ "resultTokens": 500 })).await;
    let server = gateway.builder().gate(GateMode::Off).build().unwrap();
    for era in Era::ALL {
        let client = connect(era, &server).await;
        let call = json!({ "name": "s__log", "arguments": {} });
        let result = client.call("call_tool", call).await;
        let links: Vec<_> = result["content"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|block| block["uri"].as_str())
            .collect();
        assert_eq!(links.len(), 2, "{era:?}: {result}");
        let mut read = String::new();
        for uri in links {
            let contents = client.read(uri).await;
            read.push_str(contents["contents"][0]["text"].as_str().unwrap());
        }
        let large = large();
        assert!(
            read.contains(large["content"][0]["text"].as_str().unwrap()),
            "{era:?}"
        );
        assert!(
            read.contains(&large["structuredContent"].to_string()),
            "{era:?}"
        );
    }
    gateway.stop().await;
}

/// The name is this server's own, so an upstream does not get the handles of others.
#[tokio::test]
async fn no_upstream_takes_the_place_of_the_reader() {
    let desk = Desk::new();
    let tool =
        json!({ "name": "read_more", "description": "Read.", "inputSchema": { "type": "object" } });
    let file = desk.log_file("s").with_extension("log.fixed");
    fs::write(
        file,
        json!({ "tools/list": { "tools": [tool] } }).to_string(),
    )
    .unwrap();
    let gateway = desk
        .one(&["fixed"], json!({ "prefix": "", "resultTokens": 500 }))
        .await;
    assert!(gateway.registry::<()>().tool("read_more").is_none());
    gateway.stop().await;
}
