//! Refusals that carry a signature: they disclose to the server, and are no description.

use crate::{
    client::agent::{agent_with, text, warm},
    harness::{client::Era, shop},
};
use pd_runtime::{
    Listing,
    client::{Cache, Client},
    config::Refusal,
};
use serde_json::json;
use std::time::Duration;

/// `Eager` alone: a grouped list shows this tool in outline, so that nothing is refused.
const LISTINGS: [Listing; 1] = [Listing::Eager];

fn server(listing: Listing) -> pd_runtime::ServerBuilder<shop::Shop> {
    shop::server()
        .listing(listing)
        .refusal(Refusal::WithSignature)
}

async fn greets(tools: &Client, told: &str) {
    let greeted = tools
        .call("shop__greet", json!({ "name": "Ada" }))
        .await
        .unwrap();
    assert_eq!(text(&greeted), "Welcome, Ada!", "{told}");
}

/// What was described stays so, for the model and in the cache.
async fn is_described(tools: &Client, told: &str) {
    let described = tools.describe(["shop__greet"]).await.unwrap();
    let schema = described.get("shop__greet").unwrap().input_schema();
    assert_eq!(schema["required"], json!(["name"]), "{told}");
    let shown = tools
        .tools()
        .into_iter()
        .find(|tool| tool.name == "shop__greet")
        .unwrap();
    assert_eq!(shown.input_schema["required"], json!(["name"]), "{told}");
}

#[tokio::test]
async fn another_session_on_the_same_cache_calls_again_and_keeps_the_description() {
    for listing in LISTINGS {
        for era in [Era::Session, Era::HttpSession] {
            let (told, cache) = (format!("{listing:?} {era:?}"), Cache::new());
            let shared = server(listing).build().unwrap();
            let first = agent_with(era, &shared, |builder| {
                builder.principal("ada").cache(&cache)
            })
            .await;
            is_described(&first.tools, &told).await;
            let second = agent_with(era, &shared, |builder| {
                builder.principal("ada").cache(&cache)
            })
            .await;
            is_described(&second.tools, &told).await;
            second.sent.take();
            greets(&second.tools, &told).await;
            assert_eq!(second.sent.take(), ["tools/call", "tools/call"], "{told}");
            is_described(&second.tools, &told).await;
            is_described(&first.tools, &told).await;
            assert_eq!(second.sent.take(), Vec::<String>::new(), "{told}");
        }
    }
}

#[tokio::test]
async fn a_ticket_past_its_life_is_renewed_and_the_description_stays() {
    for listing in LISTINGS {
        for era in [Era::Inline, Era::HttpInline] {
            let told = format!("{listing:?} {era:?}");
            let shared = server(listing)
                .ticket_ttl(Duration::from_secs(1))
                .build()
                .unwrap();
            let agent = warm(agent_with(era, &shared, |builder| builder).await).await;
            is_described(&agent.tools, &told).await;
            tokio::time::sleep(Duration::from_millis(2_500)).await;
            agent.sent.take();
            greets(&agent.tools, &told).await;
            assert_eq!(agent.sent.take(), ["tools/call", "tools/call"], "{told}");
            greets(&agent.tools, &told).await;
            assert_eq!(
                agent.sent.take(),
                ["tools/call"],
                "{told}: the new ticket is kept"
            );
            is_described(&agent.tools, &told).await;
        }
    }
}
