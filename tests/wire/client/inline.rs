//! Tools that a conversation gains, in its messages: what was found is called by its own name and schema.

use crate::{
    client::agent::{Agent, agent, agent_with},
    harness::{
        client::{Era, connect},
        shop,
    },
};
use futures::{FutureExt, future::ready};
use pd_runtime::{IntoOutput, Listing, PdServer, Registry, Tool};
use serde_json::{Value, json};

async fn inline(era: Era, server: &PdServer<shop::Shop>) -> Agent {
    agent_with(era, server, |builder| builder.inline_tools(true)).await
}

fn grouped() -> PdServer<shop::Shop> {
    shop::server().listing(Listing::Grouped).build().unwrap()
}

fn tool_use(name: &str, input: Value) -> Value {
    json!({ "type": "tool_use", "id": "t", "name": name, "input": input })
}

fn function_call(name: &str, arguments: Value) -> Value {
    json!({ "type": "function_call", "call_id": "c", "name": name, "arguments": arguments.to_string() })
}

/// The names of the definitions in a message of additions.
fn added(message: &Value) -> Vec<&str> {
    assert_eq!(message["role"], "system");
    let blocks = message["content"].as_array().unwrap();
    let name = |block: &'_ Value| {
        block
            .pointer("/tool/definition/name")
            .and_then(Value::as_str)
            .map(str::len)
    };
    assert!(
        blocks.iter().all(|block| name(block).is_some()),
        "{message}"
    );
    blocks
        .iter()
        .filter_map(|block| block.pointer("/tool/definition/name")?.as_str())
        .collect()
}

#[tokio::test]
async fn a_found_tool_is_called_by_its_own_name_and_schema() {
    let server = shop::server().listing(Listing::Eager).build().unwrap();
    // Without a session, a client before 2026-07-28 declares nothing.
    for era in Era::ALL
        .into_iter()
        .filter(|era| *era != Era::HttpStateless)
    {
        let agent = inline(era, &server).await;
        let tools = agent.tools.anthropic();
        assert_eq!(agent.tools.anthropic_changes(), None, "{era:?}");
        let search = tool_use(
            "shop__find_tools",
            json!({ "query": "greet a customer by name" }),
        );
        let answer = agent.tools.answer_anthropic(&search).await.unwrap();
        assert_eq!(answer["content"][0]["type"], "text", "{era:?}");
        let message = agent.tools.anthropic_changes().unwrap();
        let names = added(&message);
        assert_eq!(names[0], "shop__greet", "{era:?}: {message}");
        assert!(names.len() <= 5, "{names:?}");
        let definition = &message["content"][0]["tool"]["definition"];
        let schema = &definition["input_schema"];
        assert_eq!(
            schema["required"],
            json!(["name"]),
            "{era:?}: typed, and without a ticket"
        );
        assert!(definition.get("defer_loading").is_none(), "{era:?}");
        assert_eq!(agent.tools.anthropic_changes(), None, "{era:?}: once");
        assert_eq!(
            agent.tools.anthropic(),
            tools,
            "{era:?}: the request's tools stay"
        );

        agent.sent.take();
        let typed = tool_use("shop__greet", json!({ "name": "Ada" }));
        let typed = agent.tools.answer_anthropic(&typed).await.unwrap();
        assert_eq!(agent.sent.take(), ["tools/call"], "{era:?}: at once");

        // The same call by the meta-tool, by a client that inserts nothing.
        let plain = connect(era, &server).await;
        let described = plain
            .call("describe_tools", json!({ "names": ["greet"] }))
            .await;
        let text = crate::harness::text(&described).to_owned();
        let mut arguments = json!({ "name": "Ada" });
        if let Some(ticket) = text.split("\"disclosure_ticket\":{\"const\":\"").nth(1) {
            arguments["disclosure_ticket"] = json!(ticket.split('"').next().unwrap());
        }
        let call = json!({ "name": "greet", "arguments": arguments });
        let other = plain.call("call_tool", call).await;
        assert_eq!(typed["content"], other["content"], "{era:?}: {text}");
        assert!(typed.get("is_error").is_none(), "{era:?}: {typed}");
    }
}

#[tokio::test]
async fn openai_is_given_found_and_described_tools_as_items() {
    let agent = inline(Era::Inline, &grouped()).await;
    let tools = agent.tools.openai();
    let describe = &tools[0];
    assert_eq!(
        (&describe["type"], &describe["name"]),
        (&json!("function"), &json!("describe_tools"))
    );
    let search = function_call("shop__find_tools", json!({ "query": "pay with a card" }));
    agent.tools.answer_openai(&search).await.unwrap();
    let item = agent.tools.openai_changes().unwrap();
    assert_eq!(
        (&item["type"], &item["role"]),
        (&json!("additional_tools"), &json!("developer"))
    );
    assert_eq!(item["tools"][0]["name"], "shop__pay");
    assert_eq!(item["tools"][0]["parameters"]["required"], json!(["card"]));

    let asked = function_call(
        "describe_tools",
        json!({ "names": ["shop__stock", "shop__pay", "shop__nothing"] }),
    );
    let answer = agent.tools.answer_openai(&asked).await.unwrap();
    let told = answer["output"].to_string();
    assert!(
        told.contains("You have these tools now: shop__stock, shop__pay")
            && told.contains("'shop__nothing' not found"),
        "{told}"
    );
    let item = agent.tools.openai_changes().unwrap();
    let names: Vec<_> = item["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["name"])
        .collect();
    assert_eq!(names, ["shop__stock"], "the other one is there");
    assert_eq!(
        (agent.tools.openai_changes(), agent.tools.openai()),
        (None, tools)
    );
}

#[tokio::test]
async fn a_description_costs_the_model_one_definition() {
    let agent = inline(Era::Session, &grouped()).await;
    let asked = tool_use(
        "describe_tools",
        json!({ "names": ["shop__pay", "shop__nothing"] }),
    );
    let answer = agent.tools.answer_anthropic(&asked).await.unwrap();
    assert_eq!(
        answer["content"][0]["text"],
        "You have these tools now: shop__pay"
    );
    let unknown = answer["content"][1]["text"].as_str().unwrap();
    assert!(unknown.contains("'shop__nothing' not found"), "{unknown}");
    assert_eq!(
        added(&agent.tools.anthropic_changes().unwrap()),
        ["shop__pay"]
    );
    let nothing = tool_use("describe_tools", json!({ "names": ["shop__nothing"] }));
    let answer = agent.tools.answer_anthropic(&nothing).await.unwrap();
    assert_eq!(answer["is_error"], true, "{answer}");
    assert_eq!(agent.tools.anthropic_changes(), None);
}

#[tokio::test]
async fn another_conversation_has_changes_of_its_own() {
    let agent = inline(Era::Session, &grouped()).await;
    agent.tools.describe(["shop__pay"]).await.unwrap();
    assert!(agent.tools.anthropic_changes().is_some());
    let other = agent.tools.conversation();
    assert_eq!(other.anthropic_changes(), None);
    other.describe(["shop__pay"]).await.unwrap();
    assert_eq!(added(&other.anthropic_changes().unwrap()), ["shop__pay"]);
}

#[tokio::test]
async fn nothing_is_inserted_unless_it_is_set() {
    let agent = agent(Era::Session, &grouped()).await;
    agent.tools.describe(["shop__pay"]).await.unwrap();
    assert_eq!(
        (
            agent.tools.anthropic_changes(),
            agent.tools.openai_changes()
        ),
        (None, None)
    );
    assert_eq!(agent.tools.anthropic().pop().unwrap()["name"], "shop__pay");
}

fn saying(name: &'static str, text: &'static str) -> Tool<()> {
    let tool = Tool::new(name, "Say one text", |_, _, _| {
        ready("said".into_output()).boxed()
    });
    // A tool without arguments looks like one that is not listed in full.
    let schema = json!({ "type": "object", "properties": { "word": { "type": "string" } } });
    tool.description(text).input_schema(schema)
}

/// A server whose tools are all listed in full, such as one that has shown a group.
fn listing(tools: &[(&'static str, &'static str)]) -> Registry<()> {
    let tools = tools.iter().map(|(name, text)| saying(name, text));
    Registry::builder().tools(tools).build().unwrap()
}

#[tokio::test]
async fn later_lists_become_additions_and_removals() {
    let server = PdServer::builder(listing(&[("first", "one")]), ()).listing(Listing::Full);
    let server = server.build().unwrap();
    let agent = agent_with(Era::Session, &server, |builder| builder.inline_tools(true)).await;
    let tools = [agent.tools.anthropic(), agent.tools.openai()];
    let refreshed = async |registry| {
        server.replace(registry).unwrap();
        agent.tools.changed();
        agent.tools.refresh().await.unwrap();
        let message = agent.tools.anthropic_changes();
        assert_eq!(
            [agent.tools.anthropic(), agent.tools.openai()],
            tools,
            "no byte changes"
        );
        message
    };
    let message = refreshed(listing(&[("first", "one"), ("later", "two")]))
        .await
        .unwrap();
    assert_eq!(added(&message), ["shop__later"]);
    let message = refreshed(listing(&[("first", "one"), ("later", "three")]))
        .await
        .unwrap();
    assert!(
        message["content"][0]["tool"]["definition"]["description"]
            .to_string()
            .contains("three"),
        "{message}"
    );
    let message = refreshed(listing(&[("first", "one")])).await.unwrap();
    let removal = json!({ "type": "tool_removal", "tool": { "type": "tool_reference", "name": "shop__later" } });
    assert_eq!(message["content"], json!([removal]));
    assert_eq!(refreshed(listing(&[("first", "one")])).await, None);
    let message = refreshed(listing(&[("first", "one"), ("later", "three")]))
        .await
        .unwrap();
    assert_eq!(added(&message), ["shop__later"], "it is back");
}
