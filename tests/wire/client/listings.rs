//! Each listing in each era: what is to be described is, and called with what the model knows.

use crate::{
    client::agent::{Agent, agent, connect, text, warm},
    harness::{client::Era, shop},
};
use pd_runtime::{
    Listing,
    client::{Client, ClientError, ListChangedHandler},
    config::{MetaTools, Preset, Refusal},
};
use rmcp::model::{ClientConfig, Implementation};
use serde_json::json;

const LISTINGS: [Listing; 7] = [
    Listing::Minimal,
    Listing::Negotiated,
    Listing::Full,
    Listing::AUTO,
    Listing::Grouped,
    Listing::Eager,
    Listing::Reveal,
];

async fn greets(agent: &Agent, told: &str) {
    let greeted = agent
        .tools
        .call("shop__greet", json!({ "name": "Ada" }))
        .await
        .unwrap();
    assert_eq!(text(&greeted), "Welcome, Ada!", "{told}");
}

#[tokio::test]
async fn tools_are_described_and_called_in_every_listing_and_era() {
    for listing in LISTINGS {
        for era in Era::ALL {
            let told = format!("{listing:?} {era:?}");
            let agent = agent(era, &shop::server().listing(listing).build().unwrap()).await;
            let described = agent
                .tools
                .describe(["shop__stock", "shop__greet", "shop__nothing"])
                .await
                .unwrap();
            let names: Vec<_> = described.iter().map(|(name, _)| name).collect();
            assert_eq!(names, ["shop__stock", "shop__greet"], "{told}");
            let schema = described.get("shop__greet").unwrap().input_schema();
            assert_eq!(
                schema["required"],
                json!(["name"]),
                "{told}: no ticket is in it"
            );
            assert_eq!(described.unknown()[0].name, "shop__nothing", "{told}");
            greets(&agent, &told).await;
            let stock = agent.tools.call("shop__stock", json!({})).await.unwrap();
            assert!(!stock.is_error.unwrap_or_default(), "{told}: {stock:?}");
        }
    }
}

/// There a tool that was described is listed in full from then on, and the list says that it changed.
#[tokio::test]
async fn under_reveal_a_description_keeps_what_no_list_tells() {
    let agent = agent(
        Era::Session,
        &shop::server().listing(Listing::Reveal).build().unwrap(),
    )
    .await;
    let first = agent.tools.describe(["shop__greet"]).await.unwrap();
    let (told, cost) = (
        first.get("shop__greet").unwrap().json().clone(),
        agent.tools.tokens().descriptions,
    );
    assert!(told.contains_key("examples"), "{told:?}");
    for _ in 0..2 {
        agent.tools.changed();
        let again = agent.tools.describe(["shop__greet"]).await.unwrap();
        assert_eq!(again.get("shop__greet").unwrap().json(), &told);
    }
    assert_eq!(agent.tools.tokens().descriptions, cost, "it is shown once");
}

#[tokio::test]
async fn a_call_describes_first_by_itself() {
    for listing in LISTINGS {
        for era in Era::ALL {
            let refuses = shop::server().listing(listing).refusal(Refusal::Bare);
            greets(
                &agent(era, &refuses.build().unwrap()).await,
                &format!("{listing:?} {era:?}"),
            )
            .await;
        }
    }
}

#[tokio::test]
async fn hits_after_the_first_cost_no_round_trip() {
    for listing in [
        Listing::Minimal,
        Listing::Negotiated,
        Listing::Grouped,
        Listing::Eager,
    ] {
        for era in Era::ALL {
            let told = format!("{listing:?} {era:?}");
            let agent =
                warm(agent(era, &shop::server().listing(listing).build().unwrap()).await).await;
            agent
                .tools
                .describe(["shop__stock", "shop__pay"])
                .await
                .unwrap();
            // Where the extension cannot be negotiated, that listing is a full one.
            let is_full = listing == Listing::Negotiated && era == Era::HttpStateless;
            assert_eq!(
                agent.sent.take().len(),
                usize::from(!is_full),
                "{told}: both at once"
            );
            for _ in 0..3 {
                agent
                    .tools
                    .describe(["shop__pay", "shop__stock"])
                    .await
                    .unwrap();
                agent
                    .tools
                    .conversation()
                    .describe(["shop__pay"])
                    .await
                    .unwrap();
            }
            assert_eq!(agent.sent.take(), Vec::<String>::new(), "{told}");
            agent.tools.call("shop__stock", json!({})).await.unwrap();
            assert_eq!(agent.sent.take(), ["tools/call"], "{told}");
        }
    }
}

#[tokio::test]
async fn what_is_listed_in_full_costs_no_round_trip_at_all() {
    for era in Era::ALL {
        let agent = agent(era, &shop::server().listing(Listing::Full).build().unwrap()).await;
        agent.sent.take();
        agent
            .tools
            .describe(["shop__greet", "shop__pay"])
            .await
            .unwrap();
        assert_eq!(agent.sent.take(), Vec::<String>::new(), "{era:?}");
        assert_eq!(agent.tools.system_prompt(), "", "{era:?}");
    }
}

#[tokio::test]
async fn presets_of_other_systems_are_spoken() {
    for preset in [
        Preset::TwoStage,
        Preset::Tree,
        Preset::LazyMcp,
        Preset::Strata,
        Preset::Gram,
    ] {
        for era in Era::ALL {
            let shared = shop::server().preset(preset).build().unwrap();
            greets(&agent(era, &shared).await, &format!("{preset:?} {era:?}")).await;
        }
    }
}

/// A handler of one's own declares nothing: descriptions come by the resource, or by the tool that describes.
#[tokio::test]
async fn without_our_extension_the_resource_serves() {
    for era in Era::ALL {
        let shared = shop::server().build().unwrap();
        let connected = connect(era, &shared, ()).await;
        let tools = Client::new(&connected.running).await.unwrap();
        connected.sent.take();
        let described = tools.describe(["greet", "search"]).await.unwrap();
        assert_eq!(
            described.get("greet").unwrap().input_schema()["required"],
            json!(["name"]),
            "{era:?}"
        );
        let by = if era.has_session() || era == Era::HttpStateless {
            "resources/read"
        } else {
            "disclosure/describe"
        };
        assert_eq!(connected.sent.take(), [by], "{era:?}");
        let greeted = tools.call("greet", json!({ "name": "Ada" })).await.unwrap();
        assert_eq!(text(&greeted), "Welcome, Ada!", "{era:?}");
        assert_eq!(
            connected.sent.take(),
            ["tools/call"],
            "{era:?}: the ticket went with it"
        );
    }
}

/// Its own handler declares groups, so what stands in them comes with them.
#[tokio::test]
async fn groups_are_opened_by_their_names() {
    for era in [Era::Session, Era::Inline, Era::HttpSession, Era::HttpInline] {
        let groups = json!({ "extensions": { "io.modelcontextprotocol/groups": {} } });
        let own = ClientConfig::new(
            serde_json::from_value(groups).unwrap(),
            Implementation::new("own", "0"),
        );
        let shared = shop::server().listing(Listing::Full).build().unwrap();
        let connected = connect(era, &shared, ListChangedHandler::with_handler(own)).await;
        let tools = Client::new(&connected.running).await.unwrap();
        let prompt = tools.system_prompt();
        assert!(
            prompt.contains("  - till: Money") && prompt.contains("2. FETCH"),
            "{era:?}: {prompt}"
        );
        assert!(
            !tools.tools().iter().any(|tool| tool.name == "pay"),
            "{era:?}"
        );
        let described = tools.describe(["till"]).await.unwrap();
        let names: Vec<_> = described.iter().map(|(name, _)| name).collect();
        assert!(
            names.contains(&"pay") && names.contains(&"protest"),
            "{era:?}: {names:?}"
        );
        connected.sent.take();
        let again = tools.conversation().describe(["till"]).await.unwrap();
        assert_eq!(
            again.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            names,
            "{era:?}"
        );
        assert_eq!(
            connected.sent.take(),
            Vec::<String>::new(),
            "{era:?}: it was opened before"
        );
        tools.changed();
        tools.describe(["till"]).await.unwrap();
        assert!(
            connected
                .sent
                .take()
                .iter()
                .any(|method| method == "groups/get"),
            "{era:?}: the list may be another"
        );
        assert!(
            text(&tools.call("pay", json!({ "card": "7" })).await.unwrap())
                .contains("CARD_REFUSED"),
            "{era:?}"
        );
        assert_eq!(connected.sent.take(), ["tools/call"], "{era:?}");
    }
}

#[tokio::test]
async fn a_peer_alone_is_enough() {
    let connected = connect(
        Era::Session,
        &shop::server().build().unwrap(),
        ListChangedHandler::new(),
    )
    .await;
    let tools = Client::new(connected.running.peer()).await.unwrap();
    assert_eq!(
        text(&tools.call("greet", json!({ "name": "Ada" })).await.unwrap()),
        "Welcome, Ada!"
    );
}

#[tokio::test]
async fn refusals_are_mended_once() {
    for refusal in [
        Refusal::WithDescription,
        Refusal::WithSignature,
        Refusal::Bare,
    ] {
        for era in Era::ALL {
            // Nothing tells that tools are to be described: none is listed, and no meta-tool.
            let server = shop::server()
                .listing(Listing::Eager)
                .meta_tools(MetaTools::none());
            let shared = server.refusal(refusal).build().unwrap();
            let agent = warm(agent(era, &shared).await).await;
            let greeted = agent
                .tools
                .call("shop__greet", json!({ "name": "Ada" }))
                .await;
            let sent = agent.sent.take();
            let told = format!("{refusal:?} {era:?}: {sent:?}");
            if refusal == Refusal::WithDescription {
                assert_eq!(text(&greeted.unwrap()), "Welcome, Ada!", "{told}");
                assert_eq!(sent, ["tools/call", "tools/call"], "{told}");
            } else {
                assert!(sent.len() <= 3, "{told}");
            }
        }
    }
}

#[tokio::test]
async fn unknown_names_come_with_those_that_are_near() {
    let agent = agent(Era::Session, &shop::server().build().unwrap()).await;
    let Err(ClientError::UnknownTool { nearest, .. }) =
        agent.tools.call("shop__gret", json!({})).await
    else {
        panic!("found")
    };
    assert_eq!(nearest[0], "shop__greet");
}

#[tokio::test]
async fn arguments_are_an_object() {
    let agent = agent(Era::Session, &shop::server().build().unwrap()).await;
    let failed = agent.tools.call("shop__greet", json!("Ada")).await;
    assert!(
        matches!(failed, Err(ClientError::NotAnObject { .. })),
        "{failed:?}"
    );
}

#[tokio::test]
async fn what_asks_for_input_is_handed_over() {
    for era in [Era::Inline, Era::HttpInline] {
        let agent = agent(era, &shop::server().build().unwrap()).await;
        let asked = agent.tools.call("shop__engrave", json!({})).await;
        assert!(
            matches!(asked, Err(ClientError::Unfinished { .. })),
            "{era:?}: {asked:?}"
        );
    }
}
