//! Servers whose tools change: it is heard, and nothing old is served.

use crate::{
    client::agent::{Agent, Sent, agent, agent_with, connect, text},
    harness::client::Era,
};
use futures::{FutureExt, future::ready};
use pd_runtime::IntoOutput;
use pd_runtime::{
    Listing, PdServer, Registry, Tool,
    client::{Cache, Client, ClientError, ListChangedHandler},
    tool::ToolAnnotations,
};
use serde_json::{Value, json};
use std::time::Duration;

fn tool(name: &'static str, text: &'static str) -> Tool<()> {
    let tool = Tool::new(name, "Say one text", |_, _, _| {
        ready("said".into_output()).boxed()
    })
    .description(text);
    tool.with_annotations(ToolAnnotations::NONE)
}

fn registry(names: &[&'static str], text: &'static str) -> Registry<()> {
    let tools = names.iter().map(|name| tool(name, "stays"));
    Registry::builder()
        .tools(tools)
        .tool(tool("note", text))
        .build()
        .unwrap()
}

fn shared(listing: Listing) -> PdServer<()> {
    PdServer::builder(registry(&["stays"], "old"), ())
        .listing(listing)
        .build()
        .unwrap()
}

/// Asks until the change was heard.
async fn hears(agent: &Agent, name: &str, wanted: &str) {
    let heard = async {
        while agent
            .tools
            .describe([name])
            .await
            .unwrap()
            .get(name)
            .map(|told| told.description())
            != Some(wanted)
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), heard)
        .await
        .expect("a change in time");
}

fn count(sent: &Sent, method: &str) -> usize {
    sent.take().iter().filter(|own| *own == method).count()
}

#[tokio::test]
async fn a_change_is_heard_in_every_era_that_tells_of_it() {
    for listing in [Listing::Minimal, Listing::Full] {
        for era in [Era::Session, Era::Inline, Era::HttpSession, Era::HttpInline] {
            let shared = shared(listing);
            let agent = agent(era, &shared).await;
            hears(&agent, "shop__note", "old").await;
            agent.tools.describe(["shop__note"]).await.unwrap();
            shared
                .replace(registry(&["stays", "added"], "new"))
                .unwrap();
            hears(&agent, "shop__note", "new").await;
            agent.sent.take();
            agent.tools.describe(["shop__note"]).await.unwrap();
            assert_eq!(
                count(&agent.sent, "tools/list"),
                0,
                "{listing:?} {era:?}: listed once"
            );
            assert!(
                agent.tools.call("shop__added", json!({})).await.is_ok(),
                "{listing:?} {era:?}"
            );
        }
    }
}

#[tokio::test]
async fn without_a_listener_a_change_is_said_by_hand() {
    for era in [Era::Session, Era::HttpStateless] {
        let shared = shared(Listing::Minimal);
        let connected = connect(era, &shared, ()).await;
        let tools = Client::new(connected.running.peer()).await.unwrap();
        tools.describe(["note"]).await.unwrap();
        shared.replace(registry(&["stays"], "new")).unwrap();
        let before = tools.describe(["note"]).await.unwrap();
        assert_eq!(
            before.get("note").unwrap().description(),
            "old",
            "{era:?}: nothing was heard"
        );
        tools.changed();
        let after = tools.describe(["note"]).await.unwrap();
        assert_eq!(after.get("note").unwrap().description(), "new", "{era:?}");
    }
}

/// The model knows arguments of another description, so its call does not run.
#[tokio::test]
async fn a_changed_tool_is_shown_again_before_it_is_called() {
    for era in Era::ALL {
        let shared = shared(Listing::Minimal);
        let connected = connect(era, &shared, ListChangedHandler::new()).await;
        let tools = Client::new(&connected.running).await.unwrap();
        tools.describe(["note", "stays"]).await.unwrap();
        shared.replace(registry(&["stays"], "new")).unwrap();
        tools.changed();
        let refused = tools.call("note", json!({})).await.unwrap();
        assert_eq!(refused.is_error, Some(true), "{era:?}");
        let told: Value = serde_json::from_str(text(&refused)).unwrap();
        assert_eq!(
            told["error"]["code"], "TOOL_DESCRIPTION_REQUIRED",
            "{era:?}"
        );
        assert_eq!(told["tool_description"]["description"], "new", "{era:?}");
        assert_eq!(told["tool_description"]["name"], "note", "{era:?}");
        assert_eq!(
            text(&tools.call("note", json!({})).await.unwrap()),
            "said",
            "{era:?}"
        );
        assert_eq!(
            text(&tools.call("stays", json!({})).await.unwrap()),
            "said",
            "{era:?}"
        );
    }
}

/// The change was not heard, and the server refuses: the refusal carries the new description, which the model has to see.
#[tokio::test]
async fn an_unheard_change_is_noticed_by_the_refusal() {
    for era in [Era::HttpStateless, Era::Inline, Era::HttpInline] {
        let shared = shared(Listing::Minimal);
        let connected = connect(era, &shared, ListChangedHandler::new()).await;
        let tools = Client::new(connected.running.peer()).await.unwrap();
        tools.describe(["note"]).await.unwrap();
        shared.replace(registry(&["stays"], "new")).unwrap();
        let mut told = text(&tools.call("note", json!({})).await.unwrap()).to_owned();
        assert!(
            told.contains("TOOL_DESCRIPTION_REQUIRED") && told.contains("new"),
            "{era:?}: {told}"
        );
        told = text(&tools.call("note", json!({})).await.unwrap()).to_owned();
        assert_eq!(told, "said", "{era:?}");
    }
}

/// The history refers to it, and providers refuse a request whose references they cannot follow.
#[tokio::test]
async fn a_tool_that_went_away_stays_in_requests_and_is_unknown() {
    for (listing, defer) in [
        (Listing::Minimal, true),
        (Listing::Minimal, false),
        (Listing::Full, true),
    ] {
        let shared = shared(listing);
        let agent = agent_with(Era::Session, &shared, |builder| builder.defer(defer)).await;
        agent
            .tools
            .describe(["shop__stays", "shop__note"])
            .await
            .unwrap();
        let before = [agent.tools.anthropic(), agent.tools.openai()];
        shared.replace(registry(&[], "old")).unwrap();
        agent.tools.changed();
        agent.tools.refresh().await.unwrap();
        assert_eq!(
            [agent.tools.anthropic(), agent.tools.openai()],
            before,
            "{listing:?} {defer}: to the byte"
        );
        let names: Vec<_> = agent
            .tools
            .tools()
            .into_iter()
            .map(|tool| tool.name)
            .collect();
        assert_eq!(
            names,
            ["shop__note"],
            "{listing:?} {defer}: what can be called"
        );
        for name in ["shop__stays", "stays"] {
            let gone = agent.tools.call(name, json!({})).await.unwrap_err();
            let ClientError::UnknownTool { nearest, .. } = gone else {
                panic!("{gone}")
            };
            assert!(
                !nearest.iter().any(|near| near == "shop__stays"),
                "{listing:?} {defer}: {nearest:?}"
            );
        }
        shared.replace(registry(&["stays"], "old")).unwrap();
        agent.tools.changed();
        agent.tools.refresh().await.unwrap();
        assert_eq!(
            text(&agent.tools.call("shop__stays", json!({})).await.unwrap()),
            "said",
            "{listing:?}: it is back"
        );
    }
}

/// One client left, the tools changed, and another joins with the same cache: its list is new, and so is what it describes.
#[tokio::test]
async fn a_shared_cache_serves_nothing_of_another_list() {
    for era in Era::ALL {
        let (shared, cache) = (shared(Listing::Minimal), Cache::new());
        let first = agent_with(era, &shared, |builder| {
            builder.principal("ada").cache(&cache)
        })
        .await;
        first.tools.describe(["shop__note"]).await.unwrap();
        drop(first);
        shared
            .replace(registry(&["stays", "added"], "new"))
            .unwrap();
        let second = agent_with(era, &shared, |builder| {
            builder.principal("ada").cache(&cache)
        })
        .await;
        let described = second.tools.describe(["shop__note"]).await.unwrap();
        assert_eq!(
            described.get("shop__note").unwrap().description(),
            "new",
            "{era:?}"
        );
    }
}
