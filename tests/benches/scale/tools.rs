//! Registries of any size: the captured tools, each repeated with words of its own.

use futures::{FutureExt, future::ready};
use pd_runtime::{IntoOutput, Registry, Tool};
use serde_json::Value;
use std::{collections::HashSet, fs, path::Path};

/// The files of `tests/data` with tools.
const CAPTURED: [&str; 8] = [
    "chrome-devtools",
    "context7",
    "github",
    "grafana",
    "mcp-git",
    "mcp-slack-archived",
    "notion",
    "playwright",
];
/// The first and the second half of a word that only the copies of one round have.
const FIRST: [&str; 16] = [
    "amber", "basil", "cedar", "delta", "ember", "fjord", "garnet", "hazel", "indigo", "juniper",
    "krypton", "lilac", "maple", "nickel", "ochre", "pepper",
];
const SECOND: [&str; 24] = [
    "bridge", "canyon", "desk", "engine", "forge", "gate", "harbor", "island", "junction", "kiln",
    "ledger", "market", "notebook", "orchard", "pier", "quarry", "river", "station", "tower",
    "union", "valley", "wharf", "yard", "zone",
];

/// The captured tools.
pub(crate) fn captured() -> Vec<Value> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let mut tools: Vec<Value> = CAPTURED
        .iter()
        .flat_map(|name| {
            let text = fs::read_to_string(directory.join(name).with_extension("json")).unwrap();
            serde_json::from_str::<Vec<Value>>(&text).unwrap()
        })
        .collect();
    // Some servers have tools of one name.
    let mut names = HashSet::new();
    tools.retain(|tool| names.insert(tool["name"].to_string()));
    tools
}

/// The word of a round of copies.
pub(crate) fn word(round: usize) -> String {
    format!(
        "{}{}",
        FIRST[round % FIRST.len()],
        SECOND[round / FIRST.len() % SECOND.len()]
    )
}

fn tool(captured: &Value, round: usize) -> Tool<()> {
    let word = word(round);
    let name = captured["name"].as_str().unwrap();
    let text = captured["description"].as_str().unwrap_or(name);
    let summary: String = text
        .lines()
        .next()
        .unwrap_or(name)
        .chars()
        .take(36)
        .collect();
    Tool::new(
        format!("{word}_{name}"),
        format!("{} of {word}", summary.trim_end_matches(['.', ' '])),
        |_: &(), _, _| ready("done".into_output()).boxed(),
    )
    .description(text.to_owned())
    .input_schema(captured["inputSchema"].clone())
}

/// A registry of so many tools.
pub(crate) fn registry(captured: &[Value], count: usize) -> Registry<()> {
    let tools =
        (0..count).map(|number| tool(&captured[number % captured.len()], number / captured.len()));
    Registry::builder().tools(tools).build().unwrap()
}
