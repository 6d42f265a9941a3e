//! A hidden tool leaves no other trace than a name that is of no tool: not in events, not in numbers.

use super::Kept;
use crate::harness::{post::Post, shop, site::Site};
use pd_runtime::{Metrics, ServerBuilder, audit::AuditDetail, config::MetaTools};
use serde_json::{Value, json};

fn requests() -> Vec<(&'static str, Value)> {
    let mut requests = vec![
        ("tools/list", json!({})),
        ("tools/manifest", json!({})),
        ("resources/list", json!({})),
    ];
    for name in ["vault_open", "prices_of_gold", "vault_opn", "pay"] {
        let uri = format!("resource:///tool_descriptions?tools={name}");
        requests.push(("resources/read", json!({ "uri": uri })));
        requests.push(("tools/describe", json!({ "name": name })));
        requests.push(("tools/describe", json!({ "names": [name] })));
        requests.push(("tools/call", json!({ "name": name, "arguments": {} })));
        requests.push(("tools/call", json!({ "name": name, "arguments": "none" })));
        for meta_tool in ["call_tool", "describe_tools", "list_tools", "find_tools"] {
            let arguments = json!({ "name": name, "names": [name], "path": name, "query": name });
            requests.push((
                "tools/call",
                json!({ "name": meta_tool, "arguments": arguments }),
            ));
        }
    }
    for query in ["strongroom", "gold", "prices", ""] {
        requests.push((
            "tools/call",
            json!({ "name": "find_tools", "arguments": { "query": query } }),
        ));
        requests.push((
            "tools/call",
            json!({ "name": "list_tools", "arguments": { "path": query } }),
        ));
    }
    requests
}

/// What a caller without the scope leaves behind, without times.
async fn trace<S: Send + Sync + 'static>(server: ServerBuilder<S>) -> (Vec<Value>, String) {
    let (kept, metrics) = (Kept::new(), Metrics::prometheus());
    let detail = AuditDetail::NONE
        .with_queries()
        .with_subjects()
        .with_arguments();
    let server = server
        .meta_tools(MetaTools::all())
        .audit(kept.clone())
        .audit_detail(detail)
        .metrics(metrics.clone());
    let site = Site::open(&server.build().unwrap(), false).await;
    for caller in [
        Post::inline(&site.url).bearer("alice"),
        Post::stateless(&site.url),
    ] {
        for (method, params) in requests() {
            caller.send(method, params).await;
        }
    }
    let mut events = kept.take();
    for event in &mut events {
        let event = event.as_object_mut().unwrap();
        event.remove("time");
        event.remove("seconds");
    }
    let mut numbers: Vec<_> = metrics
        .render()
        .lines()
        .filter(|line| is_a_count(line))
        .map(str::to_owned)
        .collect();
    numbers.sort();
    (events, numbers.join("\n"))
}

/// Whether a line does not depend on how fast the machine is.
fn is_a_count(line: &str) -> bool {
    !line.contains("_bucket") && !line.contains("_sum")
}

#[tokio::test]
async fn a_hidden_tool_is_seen_like_an_unknown_name() {
    let [with, without] = shop::with_and_without_vault();
    let ((with, with_numbers), (without, without_numbers)) =
        (trace(with).await, trace(without).await);
    assert!(with.len() > 50, "{}", with.len());
    for (hidden, absent) in with.iter().zip(&without) {
        assert_eq!(hidden, absent);
    }
    assert_eq!(with.len(), without.len());
    assert_eq!(with_numbers, without_numbers);
    assert!(
        !with_numbers.contains("vault") && with_numbers.contains("pd_unknown_names_total"),
        "{with_numbers}"
    );
}
