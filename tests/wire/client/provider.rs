//! Requests to providers: what was sent once stays, byte by byte, as tools are described.

use crate::{
    client::agent::{Agent, agent, agent_with},
    harness::{client::Era, shop},
};
use pd_runtime::{Listing, client::Client};
use serde_json::{Value, json};

/// The JSON of a request's `tools` without its closing bracket, which is what a provider's cache sees.
fn bytes(tools: &[Value]) -> String {
    let text = serde_json::to_string(tools).unwrap();
    text.strip_suffix(']').unwrap().to_owned()
}

/// Describes and calls tools in some order, and looks at each request's bytes.
async fn stays(agent: &Agent, told: &str) {
    let made = |tools: &Client| [bytes(&tools.anthropic()), bytes(&tools.openai())];
    let mut before = made(&agent.tools);
    let first = before.clone();
    for names in [
        vec!["shop__order", "shop__stock"],
        vec!["shop__nothing"],
        vec!["shop__greet", "shop__order"],
    ] {
        agent.tools.describe(names).await.unwrap();
        agent
            .tools
            .call("shop__pay", json!({ "card": "7" }))
            .await
            .unwrap();
        let after = made(&agent.tools);
        for (before, after) in before.iter().zip(&after) {
            assert!(
                after.starts_with(before.as_str()),
                "{told}:\n{before}\n{after}"
            );
        }
        before = after;
    }
    let discloses = !agent.tools.system_prompt().is_empty();
    assert_eq!(
        before[0].len() > first[0].len(),
        discloses,
        "{told}: what was described joined"
    );
}

#[tokio::test]
async fn earlier_bytes_stay_as_tools_are_described() {
    for listing in [
        Listing::Minimal,
        Listing::Grouped,
        Listing::Eager,
        Listing::Reveal,
        Listing::Full,
    ] {
        for era in [Era::Session, Era::HttpInline] {
            for defer in [true, false] {
                let shared = shop::server().listing(listing).build().unwrap();
                let agent = agent_with(era, &shared, |builder| builder.defer(defer)).await;
                stays(&agent, &format!("{listing:?} {era:?} {defer}")).await;
            }
        }
    }
}

#[tokio::test]
async fn anthropic_defers_what_is_described_and_brings_it_in_by_reference() {
    let agent = agent(Era::Inline, &shop::server().build().unwrap()).await;
    let start = agent.tools.anthropic();
    assert_eq!(start[0]["name"], "describe_tools");
    assert_eq!(start[1]["name"], "shop__hours", "it is eager");
    assert!(
        start.iter().all(|tool| tool.get("defer_loading").is_none()),
        "one at least must not be"
    );
    let asked = json!({ "type": "tool_use", "id": "t1", "name": "describe_tools", "input": { "names": ["shop__greet"] } });
    let answer = agent.tools.answer_anthropic(&asked).await.unwrap();
    let reference = json!([{ "type": "tool_reference", "tool_name": "shop__greet" }]);
    assert_eq!(
        answer,
        json!({ "type": "tool_result", "tool_use_id": "t1", "content": reference })
    );
    let greet = agent.tools.anthropic().pop().unwrap();
    assert_eq!(
        (&greet["name"], &greet["defer_loading"]),
        (&json!("shop__greet"), &json!(true))
    );
    assert_eq!(
        greet["input_schema"]["required"],
        json!(["name"]),
        "no ticket"
    );
    let call = json!({ "type": "tool_use", "id": "t2", "name": "shop__greet", "input": { "name": "Ada" } });
    let answer = agent.tools.answer_anthropic(&call).await.unwrap();
    assert_eq!(
        answer["content"],
        json!([{ "type": "text", "text": "Welcome, Ada!" }])
    );
}

#[tokio::test]
async fn openai_is_given_what_is_described_in_the_input() {
    let agent = agent(Era::Inline, &shop::server().build().unwrap()).await;
    let start = agent.tools.openai();
    assert_eq!(
        (&start[0]["type"], &start[0]["execution"]),
        (&json!("tool_search"), &json!("client"))
    );
    let asked = json!({ "type": "tool_search_call", "call_id": "c1", "arguments": { "names": ["shop__greet"] } });
    let answer = agent.tools.answer_openai(&asked).await.unwrap();
    assert_eq!(
        (&answer["type"], &answer["call_id"]),
        (&json!("tool_search_output"), &json!("c1"))
    );
    assert_eq!(answer["tools"][0]["name"], "shop__greet");
    assert_eq!(agent.tools.openai(), start, "the tools stay as they are");
    let arguments = json!({ "name": "Ada" }).to_string();
    let call = json!({ "type": "function_call", "call_id": "c2", "name": "shop__greet", "arguments": arguments });
    let answer = agent.tools.answer_openai(&call).await.unwrap();
    assert_eq!(
        answer,
        json!({ "type": "function_call_output", "call_id": "c2", "output": "Welcome, Ada!" })
    );
}

#[tokio::test]
async fn what_a_model_can_mend_is_told_to_it() {
    let agent = agent(Era::Session, &shop::server().build().unwrap()).await;
    let call = |name: &str, input: Value| json!({ "type": "tool_use", "id": "t", "name": name, "input": input });
    for (name, input) in [
        ("shop__gret", json!({})),
        ("shop__greet", json!("Ada")),
        ("describe_tools", json!({})),
    ] {
        let answer = agent
            .tools
            .answer_anthropic(&call(name, input))
            .await
            .unwrap();
        assert_eq!(answer["is_error"], true, "{name}: {answer}");
    }
    assert!(
        agent
            .tools
            .answer_anthropic(&json!({ "type": "text", "text": "hello" }))
            .await
            .is_err()
    );
    assert!(
        agent
            .tools
            .answer_openai(&json!({ "type": "message" }))
            .await
            .is_err()
    );
}

#[tokio::test]
async fn without_deferral_describing_is_a_tool_like_others() {
    let shared = shop::server().build().unwrap();
    let agent = agent_with(Era::Session, &shared, |builder| builder.defer(false)).await;
    assert_eq!(agent.tools.openai()[0]["name"], "describe_tools");
    let asked = json!({ "type": "tool_use", "id": "t", "name": "describe_tools", "input": { "names": ["shop__greet"] } });
    let answer = agent.tools.answer_anthropic(&asked).await.unwrap();
    let told: Value = serde_json::from_str(answer["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(told["shop__greet"]["name"], "shop__greet");
    for tools in [agent.tools.anthropic(), agent.tools.openai()] {
        assert_eq!(tools.last().unwrap()["name"], "shop__greet");
    }
}

#[tokio::test]
async fn anthropics_model_is_told_what_was_unknown_beside_what_was_known() {
    let agent = agent(Era::Inline, &shop::server().build().unwrap()).await;
    let asked = |id: &str, names: &[&str]| json!({ "type": "tool_use", "id": id, "name": "describe_tools", "input": { "names": names } });
    let content = [
        json!({ "type": "text", "text": "I look them up." }),
        asked("t1", &["shop__greet", "shop__stok"]),
        asked("t2", &["shop__order"]),
        json!({ "type": "tool_use", "id": "t3", "name": "shop__greet", "input": { "name": "Ada" } }),
    ];
    let answer = agent
        .tools
        .answer_anthropic_message(&content)
        .await
        .unwrap();
    let kinds: Vec<_> = answer
        .iter()
        .map(|block| block["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        ["tool_result", "tool_result", "tool_result", "text"],
        "results come first, or the API refuses them"
    );
    assert_eq!(
        answer[0]["content"],
        json!([{ "type": "tool_reference", "tool_name": "shop__greet" }])
    );
    assert_eq!(answer[2]["content"][0]["text"], "Welcome, Ada!");
    let told: Value = serde_json::from_str(answer[3]["text"].as_str().unwrap()).unwrap();
    assert_eq!(
        told.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["shop__stok"]
    );
    assert_eq!(told["shop__stok"]["available_tools"][0], "shop__stock");
    assert!(
        agent
            .tools
            .answer_anthropic_message(&content[..1])
            .await
            .unwrap()
            .is_empty()
    );
}
