//! What agent frameworks do to lists and calls: they drop what a schema does not declare, show one text
//! of a result, and take one argument for all.

use crate::harness::{
    advice,
    client::{Client, Era, connect},
    company, shop, text, told,
};
use pd_runtime::{
    GateMode,
    code::CodeMode,
    config::{MetaTools, Preset, Refusal},
    prelude::*,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const LISTINGS: [Listing; 6] = [
    Listing::Minimal,
    Listing::Negotiated,
    Listing::Full,
    Listing::Grouped,
    Listing::Eager,
    Listing::Reveal,
];
const PRESETS: [Preset; 5] = [
    Preset::TwoStage,
    Preset::Tree,
    Preset::LazyMcp,
    Preset::Strata,
    Preset::Gram,
];

/// Checks that providers accept a schema: no union at the root, plain names, a type for each member.
fn assert_fits(tool: &str, schema: &Value, is_root: bool) {
    let unions = ["anyOf", "oneOf", "allOf"]
        .iter()
        .any(|key| schema.get(key).is_some());
    assert!(
        schema["type"].is_string() && !(is_root && unions),
        "{tool}: {schema}"
    );
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let is_plain = name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "_.-".contains(letter));
        assert!(is_plain && (1..=64).contains(&name.len()), "{tool}: {name}");
        assert_fits(tool, member, false);
    }
    if let Some(items) = schema.get("items") {
        assert_fits(tool, items, false);
    }
    if schema["type"] == "array" {
        assert!(schema.get("items").is_some(), "{tool}: {schema}");
    }
}

#[tokio::test]
async fn every_member_of_a_meta_tools_schema_has_a_type() {
    let all = MetaTools::all().call_read_only("call_read_only_tool");
    let mut servers = vec![shop::server().listing(Listing::Grouped).meta_tools(all)];
    servers.push(shop::server().code_mode(CodeMode::new(env!("CARGO_BIN_EXE_library"))));
    servers.extend(LISTINGS.map(|listing| shop::server().listing(listing)));
    servers.extend(PRESETS.map(|preset| shop::server().preset(preset)));
    let own: Vec<String> = shop::registry().names().map(str::to_owned).collect();
    let mut checked = BTreeSet::new();
    for server in servers {
        let listed = connect(Era::Session, &server.build().unwrap())
            .await
            .list()
            .await;
        for tool in listed["tools"].as_array().unwrap() {
            let name = tool["name"].as_str().unwrap();
            if !own.iter().any(|own| own == name) {
                assert_fits(name, &tool["inputSchema"], true);
                checked.insert(name.to_owned());
            }
        }
    }
    assert!(checked.len() >= 16, "{checked:?}");
}

#[tokio::test]
async fn the_arguments_of_a_calling_tool_are_declared_as_text() {
    let text = json!({ "type": "string", "description": "JSON object" });
    let grouped = || {
        shop::server()
            .listing(Listing::Grouped)
            .meta_tools(MetaTools::all().call_read_only("read"))
    };
    for (server, calling) in [
        (grouped(), &["call_tool", "read"][..]),
        (shop::server().preset(Preset::Tree), &["call_tool"]),
        (shop::server().preset(Preset::LazyMcp), &["execute_tool"]),
        (shop::server().preset(Preset::Gram), &["execute_tool"]),
    ] {
        let listed = connect(Era::Session, &server.build().unwrap())
            .await
            .list()
            .await;
        for name in calling {
            let tool = listed["tools"]
                .as_array()
                .unwrap()
                .iter()
                .find(|tool| tool["name"] == **name)
                .unwrap();
            assert_eq!(
                tool["inputSchema"]["properties"]["arguments"], text,
                "{name}"
            );
        }
    }
}

fn company() -> PdServer<()> {
    gated(Listing::Grouped).build().unwrap()
}

/// A server that admits no call of an unread tool, also in a session that begins with it.
fn gated(listing: Listing) -> pd_runtime::ServerBuilder<()> {
    let builder = PdServer::builder(company::registry(2), ()).listing(listing);
    builder.session_per_call(pd_runtime::config::SessionPerCall::Refuse)
}

/// The call that a refusal ends with.
fn call_to_send(refused: &Value) -> Value {
    let call = text(refused).lines().last().unwrap();
    serde_json::from_str(call).unwrap_or_else(|error| panic!("{error} in {refused}"))
}

#[tokio::test]
async fn a_shown_call_has_its_arguments_in_the_form_that_arrived() {
    let wanted = json!({ "owner": "acme", "name": "spring" });
    for era in Era::ALL {
        for (sent, is_text) in [
            (json!({ "name": "user_get", "arguments": wanted }), false),
            (
                json!({ "name": "user_get", "arguments": wanted.to_string() }),
                true,
            ),
            // A client that validated dropped the object's members, or the object.
            (json!({ "name": "user_get" }), true),
        ] {
            let client = connect(era, &company()).await;
            let refused = client.call("call_tool", sent.clone()).await;
            assert_eq!(told(&refused)["error"]["code"], "TOOL_DESCRIPTION_REQUIRED");
            if sent.get("arguments").is_none() {
                assert!(text(&refused).contains("\"arguments\": \"{"), "{refused}");
                continue;
            }
            let call = call_to_send(&refused);
            assert_eq!(
                call["arguments"]["arguments"].is_string(),
                is_text,
                "{era:?}: {call}"
            );
            let called = client
                .call(call["name"].as_str().unwrap(), call["arguments"].clone())
                .await;
            assert_eq!(told(&called), wanted, "{era:?}: {called}");
        }
    }
}

#[tokio::test]
async fn invalid_arguments_in_a_text_are_corrected_in_a_text() {
    let server = PdServer::builder(company::registry(2), ())
        .listing(Listing::Grouped)
        .gate(GateMode::Off);
    let client = connect(Era::Session, &server.run_corrected(false).build().unwrap()).await;
    let sent =
        json!({ "name": "user_get", "arguments": "{\"ownr\": \"acme\", \"name\": \"spring\"}" });
    let invalid = client.call("call_tool", sent).await;
    assert_eq!(told(&invalid)["error"]["code"], "INVALID_ARGUMENTS");
    let call = call_to_send(&invalid);
    assert_eq!(
        call["arguments"]["arguments"], "{\"owner\": \"acme\", \"name\": \"spring\"}",
        "{call}"
    );
}

#[tokio::test]
async fn doubled_calls_arrive_as_they_were_meant() {
    let server = PdServer::builder(company::registry(2), ())
        .listing(Listing::Grouped)
        .gate(GateMode::Off);
    let client = connect(Era::Session, &server.build().unwrap()).await;
    let wanted = json!({ "owner": "acme", "name": "spring" });
    let call = json!({ "name": "user_get", "arguments": wanted });
    for sent in [
        call.clone(),
        json!({ "name": "user_get", "arguments": call }),
        json!({ "name": "user_get", "arguments": call.to_string() }),
        json!({ "name": "user_get", "arguments": Value::from(wanted.to_string()).to_string() }),
        json!({ "arguments": call }),
        json!({ "name": "call_tool", "arguments": call }),
    ] {
        let called = client.call("call_tool", sent.clone()).await;
        assert_eq!(told(&called), wanted, "{sent}: {called}");
    }
}

/// Has an argument that is called as that of the meta-tool.
#[pd_tool(summary = "Repeat a call")]
fn repeat(name: String, arguments: String) -> String {
    format!("{name} {arguments}")
}

#[tokio::test]
async fn a_tool_that_itself_has_arguments_gets_them() {
    let registry = pd_runtime::registry! {
        /// Calls.
        calls: { repeat },
    };
    let server = PdServer::builder(registry, ())
        .listing(Listing::Grouped)
        .gate(GateMode::Off)
        .build()
        .unwrap();
    let client = connect(Era::Session, &server).await;
    let own = json!({ "name": "repeat", "arguments": "{}" });
    let called = client
        .call("call_tool", json!({ "name": "repeat", "arguments": own }))
        .await;
    assert_eq!(text(&called), "repeat {}");
}

/// Every failure that a model reads.
async fn failures(client: &Client, calling: &str) -> Vec<Value> {
    let through = |name: &str, arguments: Value| {
        (
            calling.to_owned(),
            json!({ "name": name, "arguments": arguments }),
        )
    };
    let direct = |name: &str, arguments: Value| (name.to_owned(), arguments);
    let mut failures = Vec::new();
    for (name, arguments) in [
        direct("user_get", json!({ "name": "spring", "verbose": true })),
        through("team_get", json!({ "nam": "spring" })),
        through("user_get", json!({ "nam": 1 })),
        direct("user_get", json!({ "nam": 1 })),
        direct("user_get", json!({ "nam": 1 })),
        through("absent", json!({ "owner": "acme", "name": "spring" })),
        direct("describe_tools", json!({ "names": [] })),
        direct(
            "describe_tools",
            json!({ "names": ["user_get"], "detail": "none" }),
        ),
        direct("list_tools", json!({ "path": "absent" })),
        direct("find_tools", json!({ "query": "acme/spring" })),
        direct("find_tools", json!({ "query": "acme/spring" })),
    ] {
        failures.push(client.call(&name, arguments).await);
    }
    failures
}

#[tokio::test]
async fn failures_are_one_text_without_structured_content() {
    for refusal in [
        Refusal::WithSignature,
        Refusal::WithDescription,
        Refusal::Bare,
    ] {
        for listing in [Listing::Grouped, Listing::Minimal] {
            let builder = PdServer::builder(company::registry(2), ())
                .listing(listing)
                .refusal(refusal);
            let server = builder.meta_tools(MetaTools::all()).build().unwrap();
            for era in Era::ALL {
                let client = connect(era, &server).await;
                for failure in failures(&client, "call_tool").await {
                    assert_eq!(
                        failure["content"].as_array().map(Vec::len),
                        Some(1),
                        "{era:?}: {failure}"
                    );
                    assert_eq!(failure.get("structuredContent"), None, "{era:?}: {failure}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_bare_refusal_is_json_alone() {
    let server = gated(Listing::Minimal)
        .refusal(Refusal::Bare)
        .build()
        .unwrap();
    for era in Era::ALL {
        let refused = connect(era, &server)
            .await
            .call("user_get", json!({ "name": "spring" }))
            .await;
        let error: Value = serde_json::from_str(text(&refused)).unwrap();
        assert_eq!(
            error["error"]["code"], "TOOL_DESCRIPTION_REQUIRED",
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn a_refusal_is_error_then_description_then_the_call() {
    for (server, has_description) in [
        (gated(Listing::Grouped).build().unwrap(), false),
        (gated(Listing::Minimal).build().unwrap(), true),
    ] {
        for era in Era::ALL {
            let client = connect(era, &server).await;
            let refused = client
                .call("user_get", json!({ "owner": "acme", "name": "spring" }))
                .await;
            assert_eq!(
                told(&refused).get("tool_description").is_some(),
                has_description,
                "{refused}"
            );
            let parts = advice(&refused);
            assert!(
                parts.last().unwrap().starts_with("Now send:\n{\"name\": "),
                "{refused}"
            );
            assert_eq!(
                parts.len(),
                if has_description { 1 } else { 2 },
                "{refused}"
            );
        }
    }
}
