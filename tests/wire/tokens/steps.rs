//! What a search for several steps costs beside a search for one, over the tools of six captured lists.

use super::conversation::count;
use crate::harness::{line::Line, text};
use futures::{FutureExt, future::ready};
use pd_runtime::{IntoOutput, Listing, PdServer, Registry, Tool};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs, path::Path};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("data")
        .join(path);
    fs::read_to_string(path).unwrap()
}

fn server() -> PdServer<()> {
    let lists: Vec<String> = serde_json::from_str(&read("retrieval/steps/catalogs.json")).unwrap();
    let tools = lists.iter().flat_map(|list| {
        let list: Vec<Value> =
            serde_json::from_str(&read(&format!("retrieval/steps/{list}"))).unwrap();
        list.into_iter().map(|tool| {
            Tool::from_definition(serde_json::from_value(tool).unwrap(), |(): &(), _, _| {
                ready("done".into_output()).boxed()
            })
        })
    });
    let registry = Registry::builder().tools(tools).build().unwrap();
    PdServer::builder(registry, ())
        .listing(Listing::Grouped)
        .build()
        .unwrap()
}

fn requests(set: &str) -> Vec<Value> {
    read(&format!("retrieval/{set}/queries.jsonl"))
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the mean tokens of a search by set, and the tasks whose answer lacks a tool.
async fn measure(mut line: Line) -> (Vec<f64>, Vec<String>) {
    let mut costs = Vec::new();
    let mut missed = Vec::new();
    for set in ["natural", "steps", "steps-held-out"] {
        let requests = requests(set);
        let mut sum = 0;
        for request in &requests {
            let params = json!({ "name": "find_tools", "arguments": { "query": request["text"] } });
            let answer = line.result("tools/call", params.clone()).await;
            sum += count(&params) + count(&answer);
            let words: BTreeSet<&str> = text(&answer)
                .split(|letter: char| !(letter.is_ascii_alphanumeric() || "_-".contains(letter)))
                .collect();
            let is_met = |tools: &Value| {
                let mut tools = tools.as_array().unwrap().iter();
                tools.any(|tool| words.contains(tool.as_str().unwrap()))
            };
            let steps = request["steps"].as_array().unwrap();
            if steps.len() > 1 && !steps.iter().all(is_met) {
                missed.push(format!("{}: {}", request["text"], text(&answer)));
            }
        }
        costs.push(sum as f64 / requests.len() as f64);
    }
    (costs, missed)
}

#[tokio::test]
async fn several_steps_cost_at_most_half_more_than_one() {
    let server = server();
    for line in [
        Line::session(&server).await,
        Line::inline(&server, json!({})),
    ] {
        let (costs, missed) = measure(line).await;
        println!("tokens of a search: {costs:?}; missed {}", missed.len());
        assert!(costs[1].max(costs[2]) <= 1.5 * costs[0], "{costs:?}");
        assert!(missed.len() <= 9, "{missed:#?}");
    }
}
