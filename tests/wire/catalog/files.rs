//! A catalog that changes while it is served.

use super::{CATALOG, Process, Shelf, tools};
use crate::harness::{
    client::{Era, connect_to},
    code,
    line::Line,
    names,
};
use rmcp::model::SubscriptionFilter;
use serde_json::{Value, json};
use std::{fs, io::Write, path::Path};

const CHANGED: &str = "notifications/tools/list_changed";

async fn hears_a_change(line: &mut Line) {
    while line.next().await["method"] != CHANGED {}
}

async fn listed(line: &mut Line) -> Vec<String> {
    let listed = line.result("tools/list", json!({})).await;
    names(&listed["tools"])
        .into_iter()
        .filter(|name| *name != "describe_tools")
        .map(str::to_owned)
        .collect()
}

fn in_place(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
}

fn in_pieces(path: &Path, text: &str) {
    let mut file = fs::File::create(path).unwrap();
    for piece in text.as_bytes().chunks(7) {
        file.write_all(piece).unwrap();
        file.sync_all().unwrap();
    }
}

fn by_rename(path: &Path, text: &str) {
    let beside = path.with_extension("swp");
    fs::write(&beside, text).unwrap();
    fs::rename(beside, path).unwrap();
}

fn with_a_backup(path: &Path, text: &str) {
    fs::rename(path, path.with_extension("bak")).unwrap();
    fs::write(path, text).unwrap();
}

fn by_deleting(path: &Path, text: &str) {
    fs::remove_file(path).unwrap();
    fs::write(path, text).unwrap();
}

#[tokio::test]
async fn a_new_catalog_is_served_however_it_was_written() {
    let shelf = Shelf::new(&tools(&["first"]));
    let (mut process, mut line) = shelf.stdio();
    line.handshake(json!({})).await;
    assert_eq!(listed(&mut line).await, ["first"]);
    let ways: [fn(&Path, &str); 5] = [in_place, in_pieces, by_rename, with_a_backup, by_deleting];
    for (round, way) in ways.into_iter().enumerate() {
        let names = ["second".to_owned(), format!("round{round}")];
        way(
            &shelf.path("tools.json"),
            &tools(&names.each_ref().map(String::as_str)).to_string(),
        );
        hears_a_change(&mut line).await;
        assert_eq!(listed(&mut line).await, names, "way {round}");
        process.says("the catalog changed: 2 tools").await;
    }
}

#[tokio::test]
async fn a_broken_file_keeps_the_old_catalog() {
    let shelf = Shelf::new(&tools(&["first"]));
    let (mut process, mut line) = shelf.stdio();
    line.handshake(json!({})).await;
    let path = shelf.path("tools.json");
    for (text, why) in [
        (
            "[{\"name\": \"half",
            "is not a list of tools: EOF while parsing a string at line 1 column 15",
        ),
        (
            "[{\"name\": \"x\"}]",
            "is not a list of tools: tool 1 of the file: missing field `inputSchema`",
        ),
        (
            &tools(&["no name"]).to_string(),
            "its name has 1 to 64 characters",
        ),
    ] {
        fs::write(&path, text).unwrap();
        process.says(why).await;
        assert!(process.has_said("error: ") && listed(&mut line).await == ["first"]);
    }
    fs::remove_file(&path).unwrap();
    let told = process.says("cannot be read").await;
    assert!(told.ends_with("; the old catalog stays"), "{told}");
    assert_eq!(listed(&mut line).await, ["first"]);
    fs::write(&path, tools(&["second"]).to_string()).unwrap();
    hears_a_change(&mut line).await;
    assert_eq!(listed(&mut line).await, ["second"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_is_followed_through_its_link() {
    let shelf = Shelf::new(&tools(&["first"]));
    fs::create_dir(shelf.path("elsewhere")).unwrap();
    fs::rename(shelf.path("tools.json"), shelf.path("elsewhere/real.json")).unwrap();
    std::os::unix::fs::symlink("elsewhere/real.json", shelf.path("tools.json")).unwrap();
    let (_process, mut line) = shelf.stdio();
    line.handshake(json!({})).await;
    in_place(
        &shelf.path("elsewhere/real.json"),
        &tools(&["second"]).to_string(),
    );
    hears_a_change(&mut line).await;
    assert_eq!(listed(&mut line).await, ["second"]);
}

#[tokio::test]
async fn clients_over_http_hear_of_it() {
    let shelf = Shelf::new(&tools(&["first"]));
    let (_process, url) = shelf.http(&[]).await;
    let session = connect_to(Era::HttpSession, &url, None, json!({})).await;
    let inline = connect_to(Era::HttpInline, &url, None, json!({})).await;
    let mut subscription = inline
        .running
        .listen(SubscriptionFilter::builder().tools_list_changed().build())
        .await
        .unwrap();
    shelf.write("tools.json", &tools(&["second"]));
    session.hears_changes(1).await;
    assert!(subscription.next().await.unwrap().is_some());
    for client in [session, inline] {
        assert_eq!(names(&client.list().await["tools"])[0], "second");
    }
}

#[tokio::test]
async fn a_call_answers_with_its_arguments_or_says_why_not() {
    let mut catalog = tools(&["open", "closed"]);
    catalog[1]["_meta"] =
        json!({ "experimental/deterministic-groups": { "groups": ["desk"], "callable": false } });
    let shelf = Shelf::new(&catalog);
    let (_process, mut line) = shelf.stdio();
    line.handshake(json!({})).await;
    line.read("resource:///tool_descriptions?tools=open,closed")
        .await;
    let called = line.call("open", json!({ "a": 1 })).await;
    assert_eq!(
        (&called["structuredContent"], called.get("isError")),
        (&json!({ "a": 1 }), None)
    );
    assert_eq!(
        code(&line.call("closed", json!({})).await),
        "TOOL_UNAVAILABLE"
    );
    catalog[1]["_meta"] = Value::Null;
    shelf.write("tools.json", &catalog);
    hears_a_change(&mut line).await;
    assert_eq!(
        line.call("closed", json!({ "b": 2 })).await["structuredContent"],
        json!({ "b": 2 })
    );
}

/// A tool's file, as the implementation guide has it.
fn description(name: &str, guidance: &str) -> Value {
    json!({
        "name": name, "description": "Say it", "inputSchema": { "type": "object" },
        "usage_guidance": { "common_patterns": [guidance] },
    })
}

#[tokio::test]
async fn a_directory_of_descriptions_is_followed() {
    let shelf = Shelf::new(&json!([]));
    fs::create_dir(shelf.path("texts")).unwrap();
    let path = |file: &str| shelf.path("texts").join(file);
    in_place(
        &path("first.json"),
        &description("first", "Once.").to_string(),
    );
    let texts = shelf.path("texts").to_string_lossy().into_owned();
    let (mut process, mut line) = Process::stdio(CATALOG, [texts, "serve".to_owned()]);
    line.handshake(json!({})).await;
    assert_eq!(listed(&mut line).await, ["first"]);

    by_rename(
        &path("second.json"),
        &description("second", "Twice.").to_string(),
    );
    hears_a_change(&mut line).await;
    assert_eq!(listed(&mut line).await, ["first", "second"]);

    in_place(&path("first.json"), "{");
    process
        .says("first.json does not describe a tool: EOF while parsing")
        .await;
    assert_eq!(listed(&mut line).await, ["first", "second"]);

    in_place(
        &path("first.json"),
        &description("first", "Three times.").to_string(),
    );
    process.says("the catalog changed: 2 tools").await;
    let read = line.read("resource:///tool_descriptions?tools=first").await;
    let described: Value =
        serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(
        described["first"]["usage_guidance"]["common_patterns"],
        json!(["Three times."])
    );

    fs::remove_file(path("first.json")).unwrap();
    process.says("the catalog changed: 1 tools").await;
    assert_eq!(listed(&mut line).await, ["second"]);
}
