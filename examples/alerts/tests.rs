//! Both servers are sound, and the way between them is worth its while.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[path = "../guard.rs"]
mod guard;

use crate::{
    Line,
    charts::{self, Charts},
    draw::{self, View},
    feed::{self, Feed},
    quake::WEEK,
    tour::Agent,
};
use clap::Parser;
use serde_json::{Value, json};

#[test]
fn registries_are_sound() {
    assert_eq!(feed::registry().check().unwrap().examples, 1);
    assert_eq!(charts::registry().check().unwrap().examples, 2);
}

#[test]
fn the_data_are_a_wide_table() {
    assert_eq!(WEEK.len(), 297);
    let row = serde_json::to_value(&WEEK[0]).unwrap();
    assert_eq!(row.as_object().unwrap().len(), 29);
}

#[tokio::test]
async fn two_columns_cost_a_fraction_in_both_modes() {
    let agent = Agent::connect().await.unwrap();
    let plain = agent.with_all_columns().await.unwrap();
    for mode in ["async", "sync"] {
        let cost = agent.with_two_columns(mode).await.unwrap();
        assert!(
            cost.read * 100 <= plain.read * 14,
            "{mode}: {} of {}",
            cost.read,
            plain.read
        );
        assert!(
            cost.written * 100 <= plain.written * 14,
            "{mode}: {} of {}",
            cost.written,
            plain.written
        );
    }
    agent.close().await;
}

#[tokio::test]
async fn points_are_counted_and_drawn() {
    let rows = feed::registry()
        .call(&Feed, "quakes", json!({ "min_magnitude": 6 }))
        .await
        .unwrap();
    let rows: Vec<Value> = serde_json::from_str(&rows.content[0].as_text().unwrap().text).unwrap();
    let numbered = rows.into_iter().enumerate().map(|(number, mut row)| {
        row["_row_id"] = json!(number);
        row
    });
    let handed = json!({ "abstract_data": Value::from(numbered.collect::<Vec<_>>()).to_string() });
    let counted = charts::registry()
        .call(&Charts, "count", handed.clone())
        .await
        .unwrap();
    let figures = counted.structured_content.unwrap();
    assert_eq!(
        (&figures["count"], &figures["largest"]),
        (&json!(5), &json!(6.4))
    );

    let drawn = charts::registry()
        .call(&Charts, "draw", handed)
        .await
        .unwrap();
    let image = drawn.content[1].as_image().unwrap();
    let svg = String::from_utf8(draw::from_base64(&image.data).unwrap()).unwrap();
    assert_eq!(
        (svg.matches("<circle").count(), svg.contains("longitude")),
        (5, true)
    );
}

#[test]
fn a_single_point_has_room_around_it() {
    let one = [serde_json::from_value(serde_json::to_value(&WEEK[0]).unwrap()).unwrap()];
    for view in [View::Map, View::Time] {
        assert_eq!(draw::svg(&one, view).unwrap().matches("<circle").count(), 1);
    }
}

#[tokio::test]
async fn nobody_gets_in_without_a_token() {
    for server in ["feed", "charts"] {
        guard::lets_nobody_in(|arguments| async move {
            let fixed = ["alerts", server].into_iter().map(str::to_owned);
            crate::run(Line::try_parse_from(fixed.chain(arguments)).unwrap()).await
        })
        .await;
    }
}
