//! What a gateway lists of its upstreams.

use super::*;

#[tokio::test]
async fn lists_of_an_earlier_run_need_no_process() {
    let desk = Desk::new();
    desk.one(&[], json!({})).await.stop().await;
    let started = desk.log("s");
    let gateway = desk.gateway([desk.script("s", &[], &json!({}))]);
    gateway.refresh().await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    assert!(client.describe("s__echo").await["s__echo"]["description"].is_string());
    assert_eq!(desk.log("s"), started, "no process was started");
    assert_succeeded(&client.call("s__echo", json!({})).await);
    assert_ne!(desk.log("s"), started);
}

#[tokio::test]
async fn an_empty_or_failing_list_never_replaces_a_good_one() {
    for (mode, reason) in [
        ("no_tools", "its list of tools is empty"),
        ("failing_list", "no list today"),
    ] {
        let desk = Desk::new();
        desk.one(&[], json!({})).await.stop().await;
        fs::write(desk.log_file("s").with_extension("log.modes"), mode).unwrap();
        let gateway = desk.gateway([desk.script("s", &[], &json!({}))]);
        gateway.refresh_all().await;
        let status = gateway.status().remove(0);
        assert_eq!(status.tools, 10, "{mode}");
        assert!(
            status.last_error.as_ref().unwrap().contains(reason),
            "{status:?}"
        );
    }
}

#[tokio::test]
async fn a_changed_list_reaches_clients() {
    let desk = Desk::new();
    let gateway = desk.one(&[], json!({})).await;
    let server = serve(&gateway);
    gateway.follow(&server);
    let client = connect(Era::Session, &server).await;
    client.call_described("s__grow", json!({})).await;
    client.hears_changes(1).await;
    let list = client.list().await;
    assert!(names(&list["tools"]).contains(&"s__grown"), "{list}");
}

#[tokio::test]
async fn a_bad_definition_takes_no_other_tool_with_it() {
    let desk = Desk::new();
    let gateway = desk.one(&["bad_tools"], json!({})).await;
    let registry: Registry<()> = gateway.registry();
    let offered: Vec<&str> = registry.names().collect();
    assert_eq!(offered.len(), 14, "{offered:?}");
    assert!(offered.iter().all(|name| name.len() <= 64), "{offered:?}");
    let left_out = gateway.status().remove(0).left_out;
    let named: Vec<&str> = left_out.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(named, ["not_an_object", "hidden", "large"], "{left_out:?}");
    assert!(
        left_out[0].1.starts_with("its input schema"),
        "not the text of a registry: {left_out:?}"
    );
    let client = connect(Era::Session, &serve(&gateway)).await;
    let dotted = offered
        .iter()
        .find(|name| name.starts_with("s__with_dots"))
        .unwrap();
    assert_eq!(
        told(&client.call_described(dotted, json!({})).await),
        "with.dots/and more"
    );
}

#[tokio::test]
async fn names_have_the_prefix_of_their_entry() {
    let desk = Desk::new();
    let gateway = desk.gateway([
        desk.script(
            "one",
            &[],
            &json!({ "prefix": "", "include": ["ec*", "count"], "pin": ["echo"] }),
        ),
        desk.script(
            "two",
            &[],
            &json!({ "prefix": "", "exclude": ["count", "e*"], "summary": "The second" }),
        ),
    ]);
    gateway.refresh().await;
    let registry: Registry<()> = gateway.registry();
    let names: Vec<&str> = registry.names().collect();
    assert_eq!(
        names,
        [
            "echo", "count", "wait", "crash", "huge", "link", "deep", "grow", "refuse"
        ]
    );
    assert_eq!(
        registry
            .groups()
            .iter()
            .map(|group| group.summary.as_str())
            .collect::<Vec<_>>(),
        ["A script for tests", "The second"]
    );
    let gateway =
        desk.gateway(["one", "two"].map(|name| desk.script(name, &[], &json!({ "prefix": "" }))));
    gateway.refresh().await;
    let second = gateway.status().remove(1);
    assert_eq!(second.left_out.len(), 10);
    assert!(
        second.left_out[0].1.contains("set another `prefix`"),
        "{:?}",
        second.left_out[0]
    );
}

/// Agents search only if they know what is there, and clients cut longer texts.
#[tokio::test]
async fn find_tools_has_a_line_for_each_server() {
    let desk = Desk::new();
    let about = |summary: &str| json!({ "summary": summary });
    let long = "Keep ".to_owned() + &"very ".repeat(600) + "long notes";
    let gateway = desk.gateway([
        desk.script("git", &[], &about("Read a repository")),
        desk.script("notes", &[], &about(&long)),
    ]);
    gateway.refresh().await;
    let client = connect(Era::Session, &gateway.builder().build().unwrap()).await;
    let tools = client.list().await["tools"].clone();
    let find = tools
        .as_array()
        .unwrap()
        .iter()
        .find(|tool| tool["name"] == "find_tools")
        .unwrap();
    let text = find["description"].as_str().unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(
        lines[..2],
        ["Find tools for a task. Groups:", "- git: Read a repository"],
        "{text}"
    );
    assert!(lines[2].starts_with("- notes: Keep very very"), "{text}");
    assert!(lines.len() == 3 && text.chars().count() <= 2_048, "{text}");
}

/// The entry of a server whose lists, or whose end, are odd.
pub(super) fn odd(mode: &str) -> (String, Value) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/wire/gateway/odd_upstream.py");
    (
        "s".to_owned(),
        json!({ "command": "python3", "args": [script, mode] }),
    )
}

#[tokio::test]
async fn a_list_that_ends_oddly_loses_nothing_that_was_read() {
    for (mode, tools, note) in [
        ("repeats", 3, "repeats a"),
        ("empty", 3, ""),
        ("numbers", 6, ""),
        ("fails", 3, "Invalid cursor"),
        ("twice", 1, ""),
    ] {
        let desk = Desk::new();
        let gateway = desk.gateway([odd(mode)]);
        gateway.refresh().await;
        let status = gateway.status().remove(0);
        assert_eq!(status.tools, tools, "{mode}: {status:?}");
        assert!(status.notes.join(" ").contains(note), "{mode}: {status:?}");
        assert_eq!(
            status.notes.is_empty(),
            note.is_empty(),
            "{mode}: {status:?}"
        );
        assert_eq!(
            status.left_out.len(),
            usize::from(mode == "twice"),
            "{mode}: {status:?}"
        );
        gateway.stop().await;
    }
}
