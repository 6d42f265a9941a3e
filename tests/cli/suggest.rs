//! `audit --suggest`: what callers searched for becomes an overlay that a person reviews.

use crate::{Ended, gateway::Project, run};
use serde_json::{Value, json};
use std::{fs, path::Path};
use tempfile::TempDir;

/// Clients that search by `query` and then call `hours`, each in a session of its own.
fn searches(query: &str, sessions: std::ops::Range<u64>) -> Vec<Value> {
    let events = |session: u64| {
        let caller = format!("p-{:016x}", session % 2);
        [
            json!({ "event": "missed", "by": "query", "text": query, "wire": "find_tools", "session": session, "principal": caller }),
            json!({ "event": "described", "tool": "hours", "wire": "describe_tools", "session": session, "principal": caller }),
            json!({ "event": "called", "tool": "hours", "wire": "call_tool", "outcome": "done", "seconds": 0.1,
                "arguments": { "of": "a-secret-argument" }, "session": session, "principal": caller }),
        ]
    };
    sessions.flat_map(events).collect()
}

/// Clients that read the description of `list`, and then call `hours`.
fn confusions(sessions: std::ops::Range<u64>) -> Vec<Value> {
    let events = |session: u64| {
        [
            json!({ "event": "found", "tools": [{ "tool": "list" }, { "tool": "hours" }], "wire": "find_tools", "session": session }),
            json!({ "event": "described", "tool": "list", "wire": "describe_tools", "session": session }),
            json!({ "event": "called", "tool": "hours", "wire": "tools/call", "outcome": "done", "session": session }),
        ]
    };
    sessions.flat_map(events).collect()
}

fn folder(events: &[Value]) -> TempDir {
    let folder = TempDir::new().unwrap();
    let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
    fs::write(folder.path().join("audit.jsonl"), lines).unwrap();
    folder
}

fn suggest(folder: &TempDir, arguments: &[&str]) -> Ended {
    run(
        folder.path(),
        ["audit", "audit.jsonl", "--suggest", "out"]
            .iter()
            .chain(arguments),
    )
}

fn json_of(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn words_of_callers_become_an_overlay_that_finds_the_tool() {
    let folder = folder(&searches("Closing time of Xanadu?", 0..4));
    let find = |arguments: &[&str]| {
        run(
            folder.path(),
            ["find", "closing Xanadu"].iter().chain(arguments),
        )
        .stdout
    };
    assert!(find(&[]).starts_with("nothing matches"));

    let ended = suggest(&folder, &[]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let row = ended
        .stdout
        .lines()
        .find(|line| line.contains("alias: closing"))
        .unwrap();
    assert_eq!(
        row.split_whitespace().collect::<Vec<_>>().join(" "),
        "hours alias: closing 4 4 2 – → 1"
    );
    assert!(
        ended.stdout.contains("first in 0.0 % → 100.0 %"),
        "{}",
        ended.stdout
    );

    assert_eq!(
        json_of(&folder.path().join("out/hours.json")),
        json!({ "name": "hours", "aliases": ["closing", "xanadu"] })
    );
    assert!(
        fs::read_to_string(folder.path().join("out/review.md"))
            .unwrap()
            .contains("| alias `` closing `` | 4 | 4 | 2 | – → – → 1 |")
    );
    assert!(
        find(&["--overlay", "out"]).starts_with("hours "),
        "{}",
        find(&["--overlay", "out"])
    );
    assert_eq!(
        run(folder.path(), ["check", "--overlay", "out"]).code,
        Some(0),
        "and its own request is found now"
    );
}

#[test]
fn the_report_is_json_for_programs() {
    let folder = folder(&searches("closing", 0..3));
    let report: Value = serde_json::from_str(&suggest(&folder, &["--json"]).stdout).unwrap();
    assert_eq!(report["files"], json!(["review.md", "hours.json"]));
    assert_eq!(
        report["before"],
        json!({ "searches": 3, "first": 0, "first_five": 0 })
    );
    assert_eq!(
        report["after"],
        json!({ "searches": 3, "first": 3, "first_five": 3 })
    );
    let expected = json!({
        "tool": "hours", "kind": "alias", "text": "closing", "is_written": true, "times": 3, "conversations": 3, "callers": 2,
        "logged_rank": null, "rank_before": null, "rank_after": 1, "called": null,
    });
    assert_eq!(report["suggestions"], json!([expected]));
}

#[test]
fn few_conversations_and_one_caller_suggest_nothing() {
    let few = folder(&searches("closing", 0..2));
    let ended = suggest(&few, &[]);
    assert!(
        ended.code == Some(0) && ended.stdout.starts_with("nothing to suggest: "),
        "{ended:?}"
    );
    assert!(!few.path().join("out").exists());
    assert!(
        suggest(&few, &["--min-conversations", "2"])
            .stdout
            .contains("alias: closing")
    );

    // One caller with many sessions, among others who search for something else.
    let mut events = searches("parking", 0..4);
    events.extend(
        searches("closing", 0..40)
            .into_iter()
            .filter(|event| event["session"].as_u64().unwrap() % 2 == 0),
    );
    let steered = folder(&events);
    let ended = suggest(&steered, &[]);
    assert!(
        ended.stdout.contains("alias: parking") && !ended.stdout.contains("closing"),
        "{ended:?}"
    );
    fs::remove_dir_all(steered.path().join("out")).unwrap();
    assert!(
        suggest(&steered, &["--min-callers", "1"])
            .stdout
            .contains("alias: closing")
    );
}

#[test]
fn a_log_without_queries_suggests_no_words() {
    let mut events = searches("closing", 0..5);
    events
        .iter_mut()
        .for_each(|event| drop(event.as_object_mut().unwrap().remove("text")));
    let told = "the log has no queries, so no words are suggested; `serve --audit-detail queries` records them\n";
    let ended = suggest(&folder(&events), &[]);
    assert!(
        ended.code == Some(0)
            && ended
                .stdout
                .starts_with(&format!("{told}nothing to suggest")),
        "{ended:?}"
    );

    // What callers did needs no queries.
    events.extend(confusions(10..14));
    let folder = folder(&events);
    let ended = suggest(&folder, &["--min-callers", "1"]);
    assert!(
        ended.stdout.starts_with(told) && ended.stdout.contains("related: hours"),
        "{ended:?}"
    );
    let expected = json!({
        "name": "list",
        "usage_guidance": { "important_notes": ["Not the same as `hours`: Tell when the library opens."] },
        "related": ["hours"],
    });
    assert_eq!(json_of(&folder.path().join("out/list.json")), expected);
    assert!(
        run(folder.path(), ["describe", "list", "--overlay", "out"])
            .stdout
            .contains("Not the same as `hours`")
    );
}

#[test]
fn no_text_of_a_caller_but_plain_words_is_written() {
    let hostile = "closing\u{1b}[31m \u{202e}\u{200b} alice@example.com 4111-1111 <b>`|` "
        .to_owned()
        + &"x".repeat(80);
    let mut events = searches(&hostile, 0..5);
    events
        .iter_mut()
        .for_each(|event| event["principal"] = json!("bob.subject"));
    let folder = folder(&events);
    let ended = suggest(&folder, &[]);
    let mut texts = vec![ended.stdout.clone()];
    for file in ["hours.json", "review.md"] {
        texts.push(fs::read_to_string(folder.path().join("out").join(file)).unwrap());
    }
    for text in texts {
        assert!(text.contains("closing"), "{text}");
        for secret in [
            "alice@", "4111", "<b>", "xxxxx", "bob", "subject", "secret", "\u{1b}", "\u{202e}",
            "\u{200b}",
        ] {
            assert!(!text.contains(secret), "{secret:?} in {text}");
        }
    }
}

#[test]
fn suggestions_change_the_texts_that_are_served() {
    let folder = folder(&searches("closing books Xanadu", 0..4));
    let served = folder.path().join("texts");
    fs::create_dir(&served).unwrap();
    fs::write(
        served.join("opening.json"),
        r#"{ "name": "hours", "aliases": ["closing"], "summary": "Tell the hours" }"#,
    )
    .unwrap();
    fs::write(
        served.join("hours.json"),
        r#"{ "name": "list", "summary": "List books" }"#,
    )
    .unwrap();
    let ended = suggest(&folder, &["--overlay", "texts"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    // The file has the name of the served one, so that a copy replaces it, and keeps its other texts.
    let file = json_of(&folder.path().join("out/opening.json"));
    assert_eq!(
        (&file["name"], &file["summary"]),
        (&json!("hours"), &json!("Tell the hours"))
    );
    let aliases = file["aliases"].as_array().unwrap();
    assert!(
        aliases[0] == "closing" && aliases.contains(&json!("xanadu")),
        "{file}"
    );
    assert!(!folder.path().join("out/hours.json").exists());
    fs::copy(
        folder.path().join("out/opening.json"),
        served.join("opening.json"),
    )
    .unwrap();
    assert_eq!(
        run(folder.path(), ["check", "--overlay", "texts"]).code,
        Some(0)
    );
    fs::remove_dir_all(folder.path().join("out")).unwrap();
    assert!(
        suggest(&folder, &["--overlay", "texts"])
            .stdout
            .starts_with("nothing to suggest")
    );
}

#[test]
fn only_a_new_directory_is_written() {
    let folder = folder(&searches("closing", 0..3));
    fs::create_dir(folder.path().join("out")).unwrap();
    let into_overlay = suggest(&folder, &["--overlay", "out"]);
    assert!(
        into_overlay.code == Some(1) && into_overlay.stderr.contains("out is the overlay itself"),
        "{into_overlay:?}"
    );
    fs::write(folder.path().join("out/list.json"), "{}").unwrap();
    let ended = suggest(&folder, &[]);
    assert_eq!(
        (ended.code, ended.stderr.as_str()),
        (
            Some(1),
            "error: out is not empty; name a new directory for the suggestions\n"
        )
    );
    assert_eq!(
        run(
            folder.path(),
            ["audit", "audit.jsonl", "--min-conversations", "2"]
        )
        .code,
        Some(2)
    );
    assert_eq!(
        run(
            folder.path(),
            ["audit", "audit.jsonl", "--tool", "list", "--suggest", "new"]
        )
        .code,
        Some(2)
    );
}

#[test]
fn suggestions_fit_the_tools_of_other_servers() {
    let project = Project::new();
    let mut events = searches("odometer tally", 0..4);
    for event in events.iter_mut().filter(|event| event["tool"] == "hours") {
        event["tool"] = json!("git__count");
    }
    let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
    fs::write(project.0.path().join("audit.jsonl"), lines).unwrap();
    assert!(
        project
            .run(&["find", "odometer"])
            .stdout
            .starts_with("nothing matches")
    );
    let ended = project.run(&["audit", "audit.jsonl", "--suggest", "out"]);
    assert!(
        ended.code == Some(0) && ended.stdout.contains("alias: odometer"),
        "{ended:?}"
    );
    let file = json_of(&project.0.path().join("out/git__count.json"));
    assert_eq!(
        file,
        json!({ "name": "git__count", "aliases": ["odometer", "tally"] })
    );
    let found = project.run(&["find", "odometer", "--overlay", "out"]);
    assert!(found.stdout.starts_with("git__count "), "{found:?}");
    assert_eq!(project.run(&["check", "--overlay", "out"]).code, Some(0));
    // The texts of the gateway's owner are no change of the server, which would need an approval.
    assert!(
        project
            .run(&["approve", "--list"])
            .stdout
            .ends_with("ok nothing is held\n")
    );
}
