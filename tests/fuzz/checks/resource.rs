//! `resources/read` of any URI: what is answered has the specified shape, tells of no hidden tool, and discloses exactly the
//! tools whose descriptions are in it.

use super::{
    line::{Client, Line, parsed},
    run,
    world::{CANARY, EAGER, HIDDEN, Log, WITH, WITHOUT, Who, told},
};
use pd_runtime::PdServer;
use serde_json::{Map, Value, json};

/// The first byte says who asks and how; the rest is the URI.
pub fn check(data: &[u8]) {
    let Some((how, uri)) = data.split_first() else {
        return;
    };
    let uri = String::from_utf8_lossy(uri);
    let client = Client {
        inline: how & 1 != 0,
        extension: how & 2 != 0,
    };
    let who = [Who::NOBODY, Who::ALICE, Who::BOB, Who::KEEPER][usize::from(how >> 2 & 3)].clone();
    let answer = run(read_and_call(&WITH, &who, client, &uri));
    if !who.opens_vault {
        let without = run(async {
            let mut line = Line::connect(&WITHOUT, &who, client).await;
            line.request("resources/read", json!({ "uri": uri })).await
        });
        assert_eq!(answer, without, "a hidden tool is not as an unknown one");
        assert!(
            !answer.contains(CANARY) || uri.contains(CANARY) || decodes_to_canary(&uri),
            "{answer}"
        );
    }
}

/// What was asked for may be repeated, whatever way it was written.
fn decodes_to_canary(uri: &str) -> bool {
    uri.contains('%') || uri.contains('+')
}

/// Reads the URI, holds the answer against the specification, and then tries to call every tool there is.
async fn read_and_call(shared: &PdServer<Log>, who: &Who, client: Client, uri: &str) -> String {
    shared.state().take();
    let mut line = Line::connect(shared, who, client).await;
    let answer = line.request("resources/read", json!({ "uri": uri })).await;
    let disclosed = disclosed(&parsed(&answer), uri, who);
    for name in who.sees() {
        let ticket = disclosed
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, ticket)| ticket.clone());
        try_call(shared, &mut line, name, client, ticket).await;
    }
    let unknown = line.call("nothing", json!({}), None).await.to_string();
    for name in HIDDEN.into_iter().filter(|_| !who.opens_vault) {
        let refused = line.call(name, json!({}), None).await.to_string();
        assert_eq!(
            without_id(&refused.replace(name, "nothing")),
            without_id(&unknown),
            "a hidden tool shows"
        );
    }
    assert_eq!(shared.state().take(), [], "something hidden ran");
    answer
}

fn without_id(answer: &str) -> Value {
    let mut answer = parsed(answer);
    answer["id"].take();
    answer
}

/// A tool runs if, and only if, its description was in the answer, or stands in the list.
async fn try_call(
    shared: &PdServer<Log>,
    line: &mut Line,
    name: &str,
    client: Client,
    ticket: Option<Option<Value>>,
) {
    let is_disclosed = ticket.is_some();
    let ticket = ticket.flatten();
    assert_eq!(
        ticket.is_some(),
        is_disclosed && client.inline && name != EAGER,
        "a ticket is for where there is no session"
    );
    let (mut arguments, mut meta) = (json!({ "word": "x" }), None);
    match ticket {
        Some(ticket) if client.extension => meta = Some(json!({ "dev.pd-runtime/ticket": ticket })),
        Some(ticket) => arguments["disclosure_ticket"] = ticket,
        None => {}
    }
    let answer = line.call(name, arguments, meta).await;
    let ran = shared.state().take();
    let expected = is_disclosed || name == EAGER;
    assert_eq!(
        ran.iter().map(|ran| ran.tool.as_str()).collect::<Vec<_>>(),
        if expected { vec![name] } else { vec![] }
    );
    if !expected {
        let code = told(&answer["result"]).and_then(|told| told.pointer("/error/code").cloned());
        assert_eq!(code, Some(json!("TOOL_DESCRIPTION_REQUIRED")), "{answer}");
    }
}

/// The tools whose descriptions are in an answer, and their tickets where they have some.
fn disclosed(answer: &Value, uri: &str, who: &Who) -> Vec<(String, Option<Value>)> {
    assert_eq!(answer["jsonrpc"], "2.0");
    if let Some(error) = answer.get("error") {
        assert!(
            [json!(-32002), json!(-32602)].contains(&error["code"]),
            "{error}"
        );
        assert_eq!(error["data"]["uri"], uri);
        assert!(!is_descriptions(uri), "{error}");
        return Vec::new();
    }
    let result = &answer["result"];
    let [contents] = result["contents"].as_array().expect("contents").as_slice() else {
        panic!("{result}")
    };
    assert!(contents["uri"] == uri || uri.len() > 8 * 1024, "{contents}");
    let text = contents["text"].as_str().expect("a text");
    match contents["mimeType"].as_str().expect("a type") {
        "text/markdown" => Vec::new(),
        "application/json" => in_document(&document(text), result, who),
        other => panic!("{other}"),
    }
}

fn is_descriptions(uri: &str) -> bool {
    let rest = uri.strip_prefix("resource:///tool_descriptions");
    let rest = rest.map(|rest| rest.strip_prefix('/').unwrap_or(rest));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['?', '#']))
}

/// A JSON object that says nothing twice: written again it is the same.
fn document(text: &str) -> Map<String, Value> {
    let document: Map<String, Value> =
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(serde_json::to_string(&document).unwrap(), text);
    document
}

fn in_document(
    document: &Map<String, Value>,
    result: &Value,
    who: &Who,
) -> Vec<(String, Option<Value>)> {
    let kept = |name: &str| result["_meta"]["dev.pd-runtime/tickets"].get(name).cloned();
    // A skill's file is the description itself.
    if let Some(name) = document.get("name").and_then(Value::as_str) {
        assert!(document.contains_key("inputSchema"));
        return vec![(name.to_owned(), kept(name))];
    }
    let mut found = Vec::new();
    for (key, entry) in document {
        if entry.get("inputSchema").is_some() {
            assert_eq!(entry["name"], **key);
            assert!(who.sees().contains(&key.as_str()), "{key} is hidden");
            let spliced = entry
                .pointer("/inputSchema/properties/disclosure_ticket/const")
                .cloned();
            found.push((key.clone(), spliced.or_else(|| kept(key))));
        } else {
            let is_error = entry["error"].is_string() || entry["code"].is_string();
            assert!(
                is_error || key.starts_with('/') && entry["tools"].is_array(),
                "{key}: {entry}"
            );
        }
    }
    found
}
