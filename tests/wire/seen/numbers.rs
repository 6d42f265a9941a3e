//! Numbers after what was done, as Prometheus reads them.

use crate::harness::{client::Era, post::Post, raw::Raw, shop, site::Site};
use pd_runtime::{Listing, Metrics, config::MetaTools};
use serde_json::{Value, json};
use std::time::Duration;

/// The value of a series; 0 where there is none.
fn number(metrics: &Metrics, series: &str) -> f64 {
    let text = metrics.render();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.map_or(0.0, |value| value.parse().unwrap())
}

fn call(name: &str, arguments: Value) -> Value {
    json!({ "name": name, "arguments": arguments })
}

#[tokio::test]
async fn what_is_done_is_counted() {
    for era in Era::ALL {
        let metrics = Metrics::prometheus();
        let server = shop::server()
            .listing(Listing::Minimal)
            .meta_tools(MetaTools::all())
            .metrics(metrics.clone());
        let mut client = Raw::connect(era, &server.build().unwrap()).await;
        client.request("tools/list", json!({})).await;
        for _ in 0..3 {
            client.request("tools/call", call("hours", json!({}))).await;
        }
        client
            .request("tools/call", call("hours", json!({ "day": 7 })))
            .await;
        client
            .request(
                "tools/call",
                call("find_tools", json!({ "query": "zzz qqq" })),
            )
            .await;
        client
            .request(
                "tools/call",
                call("find_tools", json!({ "query": "greet a customer" })),
            )
            .await;
        client
            .request("tools/call", call("nothing", json!({})))
            .await;
        client
            .request("tools/call", call("pay", json!({ "card": "1" })))
            .await;
        client
            .request("tools/describe", json!({ "names": ["stock"] }))
            .await;
        client.call_described("grumble", json!({})).await;
        let is = |series: &str, expected: f64| {
            assert_eq!(number(&metrics, series), expected, "{era:?}: {series}")
        };
        is(r#"pd_calls_total{tool="hours",outcome="done"}"#, 3.0);
        is(r#"pd_calls_total{tool="hours",outcome="invalid"}"#, 1.0);
        is(r#"pd_calls_total{tool="grumble",outcome="failed"}"#, 1.0);
        is(r#"pd_call_duration_seconds_count{tool="hours"}"#, 4.0);
        is(
            r#"pd_call_duration_seconds_bucket{tool="hours",le="300"}"#,
            4.0,
        );
        is("pd_calls_active", 0.0);
        is(r#"pd_finds_total{outcome="miss"}"#, 1.0);
        is(r#"pd_finds_total{outcome="hit"}"#, 1.0);
        is(r#"pd_unknown_names_total{wire="tools/call"}"#, 1.0);
        is(r#"pd_refused_total{reason="not_disclosed"}"#, 1.0);
        is(r#"pd_described_total{wire="tools/describe"}"#, 2.0);
        is(r#"pd_described_total{wire="find_tools"}"#, 1.0);
        is(
            r#"mcp_server_operation_duration_seconds_count{mcp_method_name="tools/list"}"#,
            1.0,
        );
        let errors = "mcp_server_operation_duration_seconds_count{mcp_method_name=\"tools/call\",error_type=";
        is(&format!("{errors}\"-32602\"}}"), 1.0);
        is(&format!("{errors}\"tool_error\"}}"), 3.0);
        assert!(
            number(
                &metrics,
                r#"pd_disclosed_tokens_total{wire="tools/describe"}"#
            ) > 20.0
        );
    }
}

#[tokio::test]
async fn tickets_that_are_not_good_are_counted() {
    let metrics = Metrics::prometheus();
    let site = Site::open(
        &shop::server().metrics(metrics.clone()).build().unwrap(),
        false,
    )
    .await;
    let arguments = json!({ "name": "Ada", "disclosure_ticket": "123456789012345678" });
    Post::inline(&site.url).call("greet", arguments).await;
    assert_eq!(number(&metrics, "pd_tickets_refused_total"), 1.0);
    assert_eq!(
        number(&metrics, r#"pd_refused_total{reason="bad_ticket"}"#),
        1.0
    );
}

#[tokio::test]
async fn sessions_are_counted_while_they_last() {
    let metrics = Metrics::prometheus();
    let shared = shop::server().metrics(metrics.clone()).build().unwrap();
    let first = Raw::connect(Era::Session, &shared).await;
    let second = Raw::connect(Era::Session, &shared).await;
    assert_eq!(number(&metrics, "pd_sessions_open"), 2.0);
    drop((first, second));
    let closing = async {
        while number(&metrics, "pd_sessions_open") > 0.0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), closing)
        .await
        .expect("they end");
}

#[tokio::test]
async fn whatever_is_sent_there_are_no_more_series() {
    let metrics = Metrics::prometheus();
    let server = shop::server()
        .meta_tools(MetaTools::all())
        .metrics(metrics.clone());
    let mut client = Raw::connect(Era::Session, &server.build().unwrap()).await;
    let mut series = Vec::new();
    for round in 0..3 {
        for number in 0..20 {
            let name = format!("unknown_{round}_{number}");
            client.request("tools/call", call(&name, json!({}))).await;
            client
                .request("tools/call", call("call_tool", json!({ "name": name })))
                .await;
            client
                .request("tools/call", call("find_tools", json!({ "query": name })))
                .await;
            client
                .request("tools/describe", json!({ "names": [name] }))
                .await;
            client.request(&format!("unknown/{name}"), json!({})).await;
            client
                .request(
                    "resources/read",
                    json!({ "uri": format!("resource:///{name}") }),
                )
                .await;
        }
        series.push(metrics.render().lines().count());
    }
    assert!(
        series[0] > 10 && series.iter().all(|count| *count == series[0]),
        "{series:?}"
    );
    assert!(!metrics.render().contains("unknown_1"));
}
