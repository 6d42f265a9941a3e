//! The system prompt, and what a conversation's tools cost.

use crate::{
    client::agent::agent,
    harness::{client::Era, company, shop},
};
use pd_runtime::{Listing, PdServer, estimate_tokens};
use serde_json::json;

#[tokio::test]
async fn the_prompt_has_the_guides_workflow_where_tools_are_to_be_described() {
    let agent = agent(Era::Session, &shop::server().build().unwrap()).await;
    let prompt = agent.tools.system_prompt();
    for words in [
        "1. PICK",
        "2. FETCH",
        "3. CALL",
        "DO NOT",
        "describe_tools",
        "sufficient for choosing",
    ] {
        assert!(prompt.contains(words), "{words}: {prompt}");
    }
    assert!(
        prompt.contains("  - shop__greet: Greet a customer\n"),
        "{prompt}"
    );
    assert!(
        !prompt.contains("hours"),
        "it is eager, so the model has it in full"
    );
    assert!(
        !prompt.contains("Find them with"),
        "there is nothing else to find"
    );
}

#[tokio::test]
async fn what_is_not_listed_is_to_be_found() {
    let agent = agent(
        Era::Inline,
        &shop::server().listing(Listing::Eager).build().unwrap(),
    )
    .await;
    let prompt = agent.tools.system_prompt();
    assert!(
        prompt.contains("Find them with shop__find_tools."),
        "{prompt}"
    );
    assert!(
        prompt.contains("2. FETCH") && !prompt.contains("shop__greet"),
        "{prompt}"
    );
    let names: Vec<String> = agent
        .tools
        .tools()
        .iter()
        .map(|tool| tool.name.to_string())
        .collect();
    assert_eq!(
        names,
        ["shop__hours", "shop__find_tools"],
        "what this client does is not shown"
    );
}

#[tokio::test]
async fn the_prompt_stays_as_tools_are_described() {
    let agent = agent(Era::Session, &shop::server().build().unwrap()).await;
    let before = agent.tools.system_prompt();
    agent
        .tools
        .describe(["shop__greet", "shop__order"])
        .await
        .unwrap();
    assert_eq!(agent.tools.system_prompt(), before);
}

#[tokio::test]
async fn a_conversation_is_billed_for_what_it_was_shown_once() {
    let agent = agent(Era::Session, &shop::server().build().unwrap()).await;
    let prompt = agent.tools.system_prompt();
    let start = agent.tools.tokens();
    assert_eq!(
        (start.prompt, start.descriptions, start.refusals),
        (estimate_tokens(&prompt), 0, 0)
    );
    let described = agent.tools.describe(["shop__greet"]).await.unwrap();
    let cost = described.get("shop__greet").unwrap().tokens();
    agent.tools.describe(["shop__greet"]).await.unwrap();
    agent
        .tools
        .call("shop__greet", json!({ "name": "Ada" }))
        .await
        .unwrap();
    assert_eq!(agent.tools.tokens().descriptions, cost);
    assert_eq!(agent.tools.tokens().total(), start.total() + cost);
    let other = agent.tools.conversation();
    assert_eq!(
        other.tokens().descriptions,
        0,
        "another conversation, another bill"
    );
    other.describe(["shop__greet"]).await.unwrap();
    assert_eq!(other.tokens().descriptions, cost);
}

/// Two hundred tools: one is described and called for a small part of what all of them cost in full.
#[tokio::test]
async fn a_large_server_costs_a_small_part() {
    let build = |listing| {
        PdServer::builder(company::registry(20), ())
            .listing(listing)
            .build()
            .unwrap()
    };
    let agent_of = async |listing| agent(Era::Inline, &build(listing)).await;
    let full = agent_of(Listing::Full).await;
    full.tools.system_prompt();
    let grouped = agent_of(Listing::Grouped).await;
    grouped.tools.system_prompt();
    grouped.tools.describe(["shop__user_get"]).await.unwrap();
    let (full, grouped) = (full.tools.tokens().total(), grouped.tools.tokens().total());
    assert!(grouped * 20 < full, "{grouped} of {full}");
}
