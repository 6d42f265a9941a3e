//! Tickets in front of a model: refusals name them, examples carry them, and a remembered connection needs none.

use crate::harness::{
    advice,
    client::{Client, Era, connect, connect_with, ticket},
    code, company, inline_meta,
    line::Line,
    shop, text, told, with_extension,
};
use pd_runtime::{Listing, config::SessionPerCall, prelude::*};
use serde_json::{Value, json};

/// The argument of a description's schema that a model copies.
const ARGUMENT: &str = "disclosure_ticket";

/// The last paragraph of a refusal: a request, and the call to send.
fn next(refused: &Value) -> (&str, &str) {
    advice(refused).last().unwrap().split_once('\n').unwrap()
}

#[tokio::test]
async fn a_refusal_ends_with_the_call_that_runs() {
    for era in Era::ALL {
        let server = shop::server().build().unwrap();
        let client = connect(era, &server).await;
        let refused = client.call("greet", json!({ "name": "Ada" })).await;
        let (request, call) = next(&refused);
        assert_eq!(request, "Now send:", "{era:?}");
        assert_eq!(
            call.contains(ARGUMENT),
            !era.has_session(),
            "{era:?}: {call}"
        );
        let call: Value = serde_json::from_str(call).unwrap();
        let greeted = client
            .call(call["name"].as_str().unwrap(), call["arguments"].clone())
            .await;
        assert_eq!(text(&greeted), "Welcome, Ada!", "{era:?}");
    }
}

#[tokio::test]
async fn a_refusal_says_what_is_missing_in_the_refused_call() {
    let server = PdServer::builder(company::registry(2), ())
        .listing(Listing::Minimal)
        .session_per_call(SessionPerCall::Refuse);
    let server = server.listing(Listing::Grouped).build().unwrap();
    let client = connect(Era::Inline, &server).await;
    let refused = client
        .call("user_get", json!({ "name": "spring", "verbose": true }))
        .await;
    let (request, call) = next(&refused);
    assert!(
        request.starts_with("Change this: no `verbose`, `owner` is missing. There are also `"),
        "{request}"
    );
    assert!(
        request.ends_with(". Then send, with a value for each <…>:"),
        "{request}"
    );
    let arguments = call
        .strip_prefix("{\"name\": \"call_read_only_tool\", \"arguments\": {\"name\": \"user_get\", \"arguments\": ");
    let arguments = arguments.unwrap();
    assert!(
        arguments.starts_with("{\"name\": \"spring\", \"disclosure_ticket\": \""),
        "{arguments}"
    );
    assert!(
        arguments.contains("\"owner\": <string(1..200)"),
        "{arguments}"
    );
    assert!(!arguments.contains("verbose"), "{arguments}");
}

#[tokio::test]
async fn a_client_that_passes_tickets_in_meta_reads_of_none() {
    let server = shop::server().build().unwrap();
    for era in [Era::Inline, Era::HttpInline] {
        let client = connect_with(era, &server, with_extension()).await;
        let refused = client.call("greet", json!({})).await;
        assert!(!text(&refused).contains(ARGUMENT), "{era:?}: {refused}");
        assert!(
            refused["_meta"]["dev.pd-runtime/tickets"]["greet"].is_string(),
            "{refused}"
        );
    }
}

/// The examples of the described tools, each with its tool.
fn examples(described: &Value) -> Vec<(&Value, &Value)> {
    let tools = described.as_object().unwrap().values();
    tools
        .flat_map(|tool| {
            tool["examples"]
                .as_array()
                .into_iter()
                .flatten()
                .map(move |one| (tool, one))
        })
        .collect()
}

#[tokio::test]
async fn examples_fit_the_schema_that_asks_for_a_ticket() {
    let server = shop::server().build().unwrap();
    for era in Era::ALL {
        let described = connect(era, &server).await.describe("greet,engrave").await;
        let examples = examples(&described);
        assert_eq!(examples.len(), 2, "{described}");
        for (tool, example) in examples {
            let validator = jsonschema::validator_for(&tool["inputSchema"]).unwrap();
            assert!(validator.is_valid(&example["input"]), "{era:?}: {example}");
            let carried = example["input"].get(ARGUMENT).and_then(Value::as_str);
            assert_eq!(carried, ticket(tool), "{era:?}");
            assert_eq!(carried.is_some(), !era.has_session(), "{era:?}");
        }
    }
}

#[tokio::test]
async fn an_example_runs_as_it_is_written() {
    for era in Era::ALL {
        let server = shop::server().build().unwrap();
        let client = connect(era, &server).await;
        for described in [
            client.describe("greet").await,
            described_by_tool(&client, "greet").await,
        ] {
            let input = described["greet"]["examples"][0]["input"].clone();
            assert_eq!(
                text(&client.call("greet", input).await),
                "Welcome, Ada!",
                "{era:?}"
            );
        }
        assert_eq!(server.state().ran(), 2, "{era:?}");
    }
}

/// The example under a signature, wherever it is shown, fits the declaration above it.
#[tokio::test]
async fn an_example_under_a_signature_runs_as_it_is_written() {
    for era in Era::ALL {
        let server = shop::server()
            .meta_tools(pd_runtime::config::MetaTools::all())
            .build()
            .unwrap();
        let client = connect(era, &server).await;
        for (tool, arguments) in [
            (
                "describe_tools",
                json!({ "names": ["greet"], "detail": "signature" }),
            ),
            ("list_tools", json!({ "path": "", "detail": "signature" })),
            (
                "find_tools",
                json!({ "query": "greet a customer who came in" }),
            ),
        ] {
            let shown = client.call(tool, arguments).await;
            let lines = text(&shown)
                .lines()
                .skip_while(|line| !line.starts_with("greet("))
                .skip(1);
            let example = lines
                .map_while(|line| (!line.is_empty()).then_some(line))
                .find_map(|line| line.strip_prefix("// e.g. "));
            let example = example.unwrap_or_else(|| panic!("{era:?}, {tool}: no example: {shown}"));
            assert_eq!(
                example.contains(ARGUMENT),
                !era.has_session(),
                "{era:?}, {tool}: {example}"
            );
            let greeted = client
                .call("greet", serde_json::from_str(example).unwrap())
                .await;
            assert_eq!(text(&greeted), "Welcome, Ada!", "{era:?}, {tool}");
        }
    }
}

/// The signature after invalid arguments keeps the ticket that the caller sent.
#[tokio::test]
async fn a_signature_after_invalid_arguments_has_the_ticket_that_was_sent() {
    for era in [Era::Inline, Era::HttpInline, Era::HttpStateless] {
        let client = connect(era, &shop::server().build().unwrap()).await;
        let described = client.describe("greet").await;
        let sent = ticket(&described["greet"]).unwrap();
        let refused = client
            .call("greet", json!({ "name": 5, "extra": [1], ARGUMENT: sent }))
            .await;
        assert_eq!(code(&refused), "INVALID_ARGUMENTS", "{era:?}");
        let example = text(&refused)
            .lines()
            .find_map(|line| line.strip_prefix("// e.g. "))
            .unwrap();
        let greeted = client
            .call("greet", serde_json::from_str(example).unwrap())
            .await;
        assert_eq!(text(&greeted), "Welcome, Ada!", "{era:?}");
    }
}

async fn described_by_tool(client: &Client, name: &str) -> Value {
    told(
        &client
            .call("describe_tools", json!({ "names": [name] }))
            .await,
    )
}

/// The arguments that `greet` takes, without a ticket.
fn ada() -> Value {
    json!({ "name": "Ada" })
}

#[tokio::test]
async fn a_remembered_connection_needs_no_ticket() {
    let server = shop::server().remember_connection(true).build().unwrap();
    let mut line = Line::inline(&server, json!({}));
    let refused = line.call("greet", ada()).await;
    assert_eq!(code(&refused), "TOOL_DESCRIPTION_REQUIRED");
    assert!(!refused.to_string().contains(ARGUMENT), "{refused}");
    let described = told(
        &line
            .read("resource:///tool_descriptions?tools=greet,engrave")
            .await,
    );
    assert!(!described.to_string().contains(ARGUMENT), "{described}");
    assert_eq!(text(&line.call("greet", ada()).await), "Welcome, Ada!");
    assert_eq!(server.state().ran(), 1);
}

#[tokio::test]
async fn a_refusal_on_a_remembered_connection_is_a_disclosure() {
    let server = shop::server().remember_connection(true).build().unwrap();
    let mut line = Line::inline(&server, json!({}));
    assert_eq!(
        code(&line.call("greet", ada()).await),
        "TOOL_DESCRIPTION_REQUIRED"
    );
    assert_eq!(text(&line.call("greet", ada()).await), "Welcome, Ada!");
    let with_ticket = json!({ "name": "Ada", ARGUMENT: "000000000000000000" });
    assert_eq!(
        text(&line.call("greet", with_ticket).await),
        "Welcome, Ada!",
        "the memory counts"
    );
}

#[tokio::test]
async fn connections_share_no_memory() {
    let server = shop::server().remember_connection(true).build().unwrap();
    let (mut one, mut other) = (
        Line::inline(&server, json!({})),
        Line::inline(&server, json!({})),
    );
    one.read("resource:///tool_descriptions?tools=greet").await;
    assert_eq!(
        code(&other.call("greet", ada()).await),
        "TOOL_DESCRIPTION_REQUIRED"
    );
    assert_eq!(text(&one.call("greet", ada()).await), "Welcome, Ada!");
}

#[tokio::test]
async fn a_session_and_a_remembered_connection_share_no_memory() {
    let server = shop::server().remember_connection(true).build().unwrap();
    let mut line = Line::session(&server).await;
    line.read("resource:///tool_descriptions?tools=greet").await;
    line.carry(Some(inline_meta(&json!({}))));
    assert_eq!(
        code(&line.call("greet", ada()).await),
        "TOOL_DESCRIPTION_REQUIRED"
    );
    line.read("resource:///tool_descriptions?tools=stock").await;
    line.carry(None);
    assert_eq!(
        code(&line.call("stock", json!({})).await),
        "TOOL_DESCRIPTION_REQUIRED"
    );
}

#[tokio::test]
async fn a_client_of_the_extension_is_remembered_too() {
    let server = shop::server().remember_connection(true).build().unwrap();
    let client = connect_with(Era::Inline, &server, with_extension()).await;
    let described = client
        .custom("disclosure/describe", json!({ "names": ["greet"] }))
        .await
        .unwrap();
    assert_eq!(
        described["_meta"].get("dev.pd-runtime/tickets"),
        None,
        "{described}"
    );
    assert_eq!(text(&client.call("greet", ada()).await), "Welcome, Ada!");
}

#[tokio::test]
async fn over_http_no_connection_is_remembered() {
    let server = shop::server().remember_connection(true).build().unwrap();
    let client = connect(Era::HttpInline, &server).await;
    let described = client.describe("greet").await;
    assert!(ticket(&described["greet"]).is_some(), "{described}");
    let refused = client.call("greet", ada()).await;
    assert!(next(&refused).1.contains(ARGUMENT), "{refused}");
    assert_eq!(
        text(&client.call_described("greet", ada()).await),
        "Welcome, Ada!"
    );
}
