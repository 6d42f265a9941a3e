//! `list_tools`.

use super::{client, ticket};
use crate::harness::{client::Era, text};
use serde_json::{Value, json};

async fn listed(era: Era, asked: Value) -> Value {
    client(era).await.call("list_tools", asked).await
}

#[tokio::test]
async fn a_group_is_listed_by_its_path() {
    for path in ["/goods", "goods", "/goods/"] {
        let told = listed(Era::Session, json!({ "path": path })).await;
        let mut lines = text(&told).lines();
        assert_eq!(lines.next(), Some("/goods (5) — What is there"), "{path}");
        assert_eq!(lines.next(), Some("stock — Count the stock"));
        assert_eq!(lines.count(), 4);
    }
}

#[tokio::test]
async fn the_top_level_shows_its_tools_and_closed_groups() {
    for asked in [json!({}), json!({ "path": "/" }), json!({ "path": "" })] {
        let told = listed(Era::Session, asked).await;
        let lines: Vec<_> = text(&told).lines().collect();
        assert_eq!(lines.first(), Some(&"greet — Greet a customer"));
        assert_eq!(
            lines[lines.len() - 2..],
            ["/goods (5) — What is there", "/till (4) — Money"]
        );
    }
}

#[tokio::test]
async fn depth_opens_groups_and_detail_says_how_much() {
    let told = listed(Era::Session, json!({ "depth": 2, "detail": "names" })).await;
    let lines: Vec<_> = text(&told).lines().collect();
    let till = lines.iter().position(|line| *line == "/till (4)").unwrap();
    assert_eq!(
        lines[till + 1..],
        [" pay", " refund", " grumble", " protest"]
    );
    let refused = listed(Era::Session, json!({ "detail": "everything" })).await;
    assert_eq!(refused["isError"], true);
    assert_eq!(
        text(&refused),
        "`detail` must be one of names, summary, signature"
    );
}

#[tokio::test]
async fn signatures_disclose_and_summaries_do_not() {
    for era in [Era::Session, Era::Inline] {
        let client = client(era).await;
        client.call("list_tools", json!({ "path": "/till" })).await;
        assert_eq!(
            client.call("pay", json!({ "card": "1" })).await["_meta"],
            Value::Null
        );
        let told = client
            .call(
                "list_tools",
                json!({ "path": "/till", "detail": "signature" }),
            )
            .await;
        let signature = text(&told).split_once("\npay({").unwrap().1;
        let mut arguments = json!({ "card": "1" });
        if let Some(ticket) = ticket(signature) {
            arguments["disclosure_ticket"] = json!(ticket);
        }
        assert!(
            text(&client.call("pay", arguments).await).contains("CARD_REFUSED"),
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn an_unknown_path_is_told_with_the_nearest() {
    let told = listed(Era::Session, json!({ "path": "/godos" })).await;
    assert_eq!(told["isError"], true);
    assert_eq!(
        text(&told),
        "no group at `/godos`; the nearest: /goods, /till"
    );
    let tool = listed(Era::Session, json!({ "path": "/till/pay" })).await;
    assert_eq!(
        text(&tool),
        "`/till/pay` is a tool, not a group: describe `pay` with describe_tools"
    );
}
