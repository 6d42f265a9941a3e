//! What an owner sees of calls that came unread.

use super::{ada, builder, call_at_once, listed_line};
use crate::{harness::client::Era, seen::Kept};
use pd_runtime::{GateMode, Metrics};
use serde_json::{Value, json};

/// The reason and the outcome in each event of a call.
fn calls(events: &[Value]) -> Vec<(&Value, &Value)> {
    let called = events.iter().filter(|event| event["event"] == "called");
    called
        .map(|event| (&event["undisclosed"], &event["outcome"]))
        .collect()
}

#[tokio::test]
async fn events_and_metrics_name_the_reason_of_each_such_call() {
    let (kept, metrics) = (Kept::new(), Metrics::prometheus());
    let server = builder()
        .audit(kept.clone())
        .metrics(metrics.clone())
        .build()
        .unwrap();
    call_at_once(Era::Session, &server, "greet", ada()).await;
    call_at_once(Era::Session, &server, "greet", json!({})).await;
    for _ in 0..2 {
        listed_line(&server).await.call("greet", ada()).await;
    }
    let mut line = listed_line(&server).await;
    line.call("describe_tools", json!({ "names": ["stock"] }))
        .await;
    line.call("stock", json!({})).await;
    let events = kept.take();
    let expected = json!([
        ["session_per_call", "done"],
        ["session_per_call", "invalid"],
        ["repeated", "done"],
        [null, "done"]
    ]);
    assert_eq!(json!(calls(&events)), expected);
    let text = metrics.render();
    for (reason, count) in [("session_per_call", 2), ("repeated", 1)] {
        let series = format!("pd_undisclosed_calls_total{{reason=\"{reason}\"}} {count}");
        assert!(text.contains(&series), "{series}: {text}");
    }
}

#[tokio::test]
async fn a_gate_that_advises_has_a_reason_of_its_own() {
    let kept = Kept::new();
    let server = builder()
        .gate(GateMode::Advise)
        .audit(kept.clone())
        .build()
        .unwrap();
    call_at_once(Era::Session, &server, "greet", ada()).await;
    assert_eq!(json!(calls(&kept.take())), json!([["advised", "done"]]));
}
