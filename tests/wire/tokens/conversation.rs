//! What it costs a model to find one tool and call it, everything counted: the list, the search, what it finds, refusals and
//! the call.

use crate::harness::{company, line::Line, text};
use pd_runtime::{Listing, PdServer};
use serde_json::{Value, json};
use std::collections::HashMap;

pub(super) fn count(value: &Value) -> usize {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(&value.to_string())
        .len()
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Era {
    Session,
    Inline,
}

/// A conversation, with the tokens of each part.
struct Conversation {
    line: Line,
    parts: Vec<(&'static str, usize)>,
}

impl Conversation {
    async fn open(era: Era, groups: usize) -> Self {
        let server = PdServer::builder(company::registry(groups), ())
            .listing(Listing::Grouped)
            .build()
            .unwrap();
        let mut line = match era {
            Era::Session => Line::session(&server).await,
            Era::Inline => Line::inline(&server, json!({})),
        };
        let list = line.result("tools/list", json!({})).await;
        Self {
            line,
            parts: vec![("list", count(&list))],
        }
    }

    async fn call(&mut self, part: &'static str, name: &str, arguments: Value) -> Value {
        let params = json!({ "name": name, "arguments": arguments });
        let result = self.line.result("tools/call", params.clone()).await;
        self.parts
            .extend([(part, count(&params)), ("answer", count(&result))]);
        result
    }

    /// Finds a tool and calls it, as a model does that reads what it is told. The tool's own result is not counted.
    async fn find_and_call(mut self, query: &str, tool: &str) -> Vec<(&'static str, usize)> {
        let found = self
            .call("find", "find_tools", json!({ "query": query }))
            .await;
        let mut told = text(&found).to_owned();
        assert!(told.contains(tool), "{told}");
        loop {
            let mut arguments = json!({ "owner": "acme", "name": "spring" });
            if let Some(ticket) = ticket(&told, tool) {
                arguments["disclosure_ticket"] = json!(ticket);
            }
            // As the list declares them: JSON in a text.
            let arguments = json!({ "name": tool, "arguments": arguments.to_string() });
            let called = self.call("call", "call_tool", arguments).await;
            if called["isError"] != true {
                assert_eq!(text(&called), r#"{"owner":"acme","name":"spring"}"#);
                self.parts.pop();
                return self.parts;
            }
            assert!(self.parts.len() < 9, "{tool} cannot be called: {called}");
            told = told_texts(&called);
        }
    }
}

/// All that a model reads in a result.
pub(super) fn told_texts(result: &Value) -> String {
    let texts = result["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["text"].as_str().unwrap());
    texts.collect::<Vec<_>>().join("\n")
}

/// The ticket in a tool's signature, or in the call to send.
fn ticket<'a>(told: &'a str, tool: &str) -> Option<&'a str> {
    let signature = told.split_once(&format!("{tool}({{"))?.1;
    let (_, ticket) = signature.split_once("disclosure_ticket")?;
    ticket.trim_start_matches(['"', ':', ' ']).split('"').next()
}

#[tokio::test]
async fn finding_and_calling_one_tool_costs_few_tokens() {
    let mut most = HashMap::new();
    for (groups, query, tool, limit) in [
        (10, "archive a release", "release_archive", 480),
        (
            10,
            "how do two commits differ, compare them",
            "commit_compare",
            480,
        ),
        (
            100,
            "archive a regional contract",
            "regional_contract_archive",
            560,
        ),
        (100, "create a legacy alert", "legacy_alert_create", 560),
    ] {
        for era in [Era::Session, Era::Inline] {
            let parts = Conversation::open(era, groups)
                .await
                .find_and_call(query, tool)
                .await;
            let cost: usize = parts.iter().map(|(_, tokens)| tokens).sum();
            println!("{groups} groups, {era:?}, {query}: {cost} tokens, {parts:?}");
            assert!(
                cost <= limit,
                "{groups} groups, {era:?}, {query}: {cost} tokens, {parts:?}"
            );
            if era == Era::Session {
                most.entry(groups)
                    .and_modify(|most: &mut usize| *most = cost.max(*most))
                    .or_insert(cost);
            }
        }
    }
    let rounded = |groups: usize| most[&groups].div_ceil(10) * 10;
    let (hundred, thousand) = (rounded(10), rounded(100));
    let words = |page: &str| page.split_whitespace().collect::<Vec<_>>().join(" ");
    for (page, figures) in [
        (
            include_str!("../../../pd-runtime/docs/many-tools.md"),
            format!("about {hundred} tokens among 100 tools, and {thousand} among 1,000"),
        ),
        (
            include_str!("../../../README.md"),
            format!("about {thousand} tokens to find and call one tool among 1,000"),
        ),
    ] {
        assert!(words(page).contains(&figures), "a page must say: {figures}");
    }
}

/// Where nothing stands out, the refusal brings the signature.
#[tokio::test]
async fn a_search_that_leaves_it_open_costs_one_refusal_more() {
    for (groups, limit) in [(10, 650), (100, 670)] {
        for era in [Era::Session, Era::Inline] {
            let parts = Conversation::open(era, groups)
                .await
                .find_and_call("settings", "user_update")
                .await;
            let cost: usize = parts.iter().map(|(_, tokens)| tokens).sum();
            println!("{groups} groups, {era:?}: {cost} tokens, {parts:?}");
            assert_eq!(parts.len(), 6, "list, find, answer, call, refusal, call");
            assert!(
                cost <= limit,
                "{groups} groups, {era:?}: {cost} tokens, {parts:?}"
            );
        }
    }
}
