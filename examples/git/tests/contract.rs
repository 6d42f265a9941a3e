//! What the server promises: its registry is sound, its contracts are those of `tools.lock`, and each example in its
//! documentation works when a client reads it there and calls it, on the small repository and on this project's own.

use super::{
    super::{Repo, registry},
    fixture::Fixture,
};
use pd_runtime::prelude::*;
use rmcp::{
    RoleClient, ServiceExt,
    model::{CallToolRequestParams, ReadResourceRequestParams, ResourceContents},
    service::RunningService,
};
use serde_json::{Map, Value};
use std::path::Path;

type Client = RunningService<RoleClient, ()>;

#[test]
fn the_registry_keeps_its_promises() {
    let checked = registry().check().unwrap();
    assert!(
        checked.examples >= checked.tools,
        "every tool shows how it is called"
    );
}

#[test]
fn a_reviewer_has_nothing_to_remark() {
    assert_eq!(registry().lint(), []);
}

#[test]
fn each_tool_is_found_by_its_requests() {
    let registry = registry();
    assert!(
        registry.check_found(5).unwrap() >= 2 * registry.len(),
        "tools have two requests and more"
    );
}

/// `UPDATE_LOCK=1 cargo test` accepts a change that was meant.
#[test]
fn no_contract_changes_unseen() {
    registry()
        .check_lock(concat!(env!("CARGO_MANIFEST_DIR"), "/git/tools.lock"))
        .unwrap();
}

#[test]
fn a_bundle_says_what_each_of_its_tools_is_for() {
    let registry = registry();
    for bundle in registry.bundles() {
        let told = |tool: &&String| bundle.instructions.contains(&format!("`{tool}`"));
        assert_eq!(
            bundle.tools.iter().filter(told).count(),
            bundle.tools.len(),
            "{}",
            bundle.name
        );
    }
    assert_eq!(registry.bundles().len(), 1);
}

#[tokio::test]
async fn every_example_runs_on_the_small_repository() {
    let fixture = Fixture::small();
    run_examples(fixture.repo()).await;
}

#[tokio::test]
async fn every_example_runs_on_this_project() {
    // Sources that came in an archive have no history to ask about.
    if let Ok(repo) = Repo::discover(Path::new(env!("CARGO_MANIFEST_DIR"))) {
        run_examples(repo).await;
    }
}

async fn run_examples(repo: Repo) {
    let client = connect(repo).await;
    for tool in client.list_all_tools().await.unwrap() {
        for example in examples(&client, &tool.name).await {
            let call =
                CallToolRequestParams::new(tool.name.clone()).with_arguments(example.clone());
            let result = client.call_tool(call).await.unwrap();
            assert_ne!(
                result.is_error,
                Some(true),
                "{} {example:?}: {:?}",
                tool.name,
                result.content
            );
        }
    }
}

/// A client of a server, both in this process.
async fn connect(repo: Repo) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let server = PdServer::builder(registry(), repo).build().unwrap();
    tokio::spawn(async move {
        server
            .handler()
            .serve(theirs)
            .await
            .unwrap()
            .waiting()
            .await
    });
    ().serve(ours).await.unwrap()
}

/// The examples in a tool's full description. Reading it opens the gate.
async fn examples(client: &Client, tool: &str) -> Vec<Map<String, Value>> {
    let uri = format!("resource:///tool_descriptions?tools={tool}");
    let read = client
        .read_resource(ReadResourceRequestParams::new(uri))
        .await
        .unwrap();
    let ResourceContents::TextResourceContents { text, .. } = &read.contents[0] else {
        return Vec::new();
    };
    let descriptions: Value = serde_json::from_str(text).unwrap();
    let examples = descriptions[tool]["examples"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    examples
        .iter()
        .map(|example| example["input"].as_object().cloned().unwrap())
        .collect()
}
