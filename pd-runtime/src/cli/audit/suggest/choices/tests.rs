//! The choices of callers, from the events of an audit log.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use super::*;
use serde_json::{Value, json};

const NAMES: [&str; 4] = ["log", "show", "blame", "status"];

fn choices(events: &[Value]) -> CallerChoices {
    let places = NAMES
        .iter()
        .enumerate()
        .map(|(place, name)| (*name, place))
        .collect();
    let mut choices = CallerChoices::default();
    for event in events {
        choices.record(&serde_json::from_value(event.clone()).unwrap(), &places);
    }
    choices.finish();
    choices
}

fn found(session: u64, query: &str, tools: &[&str]) -> Value {
    let tools: Vec<_> = tools.iter().map(|tool| json!({ "tool": tool })).collect();
    json!({ "event": "found", "session": session, "wire": "find_tools", "query": query, "tools": tools })
}

fn missed(session: u64, query: &str) -> Value {
    json!({ "event": "missed", "by": "query", "session": session, "wire": "find_tools", "text": query })
}

fn event(event: &str, session: u64, tool: &str) -> Value {
    json!({ "event": event, "session": session, "tool": tool, "wire": "tools/call", "outcome": "done" })
}

fn requests(events: &[Value]) -> Vec<(String, &'static str)> {
    choices(events)
        .take_requests()
        .into_iter()
        .map(|request| (request.text, NAMES[request.tool]))
        .collect()
}

#[test]
fn a_call_follows_the_search_that_found_its_tool() {
    let events = [
        found(1, "history", &["log", "show"]),
        found(2, "other", &["show"]),
        found(1, "who  broke\nit", &["blame", "show"]),
        event("called", 1, "log"),
        event("called", 1, "blame"),
        event("called", 1, "show"),
    ];
    assert_eq!(
        requests(&events),
        [
            ("history".to_owned(), "log"),
            ("who broke it".to_owned(), "blame")
        ]
    );
}

#[test]
fn searches_without_hits_share_the_tool_of_the_next_one() {
    let events = [
        found(1, "unrelated", &["show"]),
        missed(1, "culprit"),
        found(1, "who", &["blame"]),
        event("called", 1, "blame"),
    ];
    assert_eq!(
        requests(&events),
        [("culprit".to_owned(), "blame"), ("who".to_owned(), "blame")]
    );
}

#[test]
fn a_tool_that_no_search_found_belongs_to_the_last_one_unless_a_hit_was_opened() {
    assert_eq!(
        requests(&[missed(1, "changes"), event("called", 1, "status")]),
        [("changes".to_owned(), "status")]
    );
    let opened = [
        found(1, "changes", &["log"]),
        event("described", 1, "log"),
        event("called", 1, "status"),
    ];
    assert_eq!(requests(&opened), []);
    let failed = json!({ "event": "called", "session": 1, "tool": "status", "outcome": "failed" });
    assert_eq!(requests(&[missed(1, "changes"), failed]), []);
}

#[test]
fn a_tool_that_was_opened_and_never_called_was_passed_over() {
    let included =
        json!({ "event": "described", "session": 1, "tool": "show", "wire": "find_tools" });
    let mut events = vec![found(1, "a", &["show", "log"]), included];
    events.extend([
        event("described", 1, "log"),
        event("described", 1, "blame"),
        event("called", 1, "status"),
    ]);
    events.extend([
        event("called", 1, "blame"),
        found(1, "b", &["log"]),
        event("called", 1, "show"),
    ]);
    let choices = choices(&events);
    let pairs: Vec<_> = choices
        .pairs()
        .map(|((opened, called), _)| (NAMES[opened], NAMES[called]))
        .collect();
    assert_eq!(
        pairs,
        [("log", "status")],
        "`blame` was called later, and `show` came with the search"
    );
}

#[test]
fn a_caller_who_reads_everything_compares_nothing() {
    let mut events: Vec<_> = ["log", "show", "blame"]
        .map(|tool| event("described", 1, tool))
        .into();
    events.push(event("called", 1, "status"));
    assert_eq!(
        choices(&events).pairs().count(),
        3,
        "no search is necessary"
    );
    let names: Vec<String> = (0..6).map(|number| format!("tool{number}")).collect();
    let places = names
        .iter()
        .enumerate()
        .map(|(place, name)| (name.as_str(), place))
        .collect();
    let mut choices = CallerChoices::default();
    let events = names
        .iter()
        .map(|name| event("described", 1, name))
        .chain([event("called", 1, "tool0")]);
    events.for_each(|event| choices.record(&serde_json::from_value(event).unwrap(), &places));
    choices.finish();
    assert_eq!(choices.pairs().count(), 0);
}

#[test]
fn one_conversation_counts_once_and_memory_is_bounded() {
    let mut events = Vec::new();
    for session in 0..300 {
        let caller = json!({ "event": "found", "session": session, "principal": format!("p-{}", session % 2),
            "query": "history", "tools": [{ "tool": "show" }, { "tool": "log" }] });
        events.extend([
            caller.clone(),
            event("called", session, "log"),
            caller,
            event("called", session, "log"),
        ]);
    }
    let mut choices = choices(&events);
    let request = choices.take_requests().pop().unwrap();
    assert_eq!(
        (request.searches, request.conversations.len()),
        (600, KEYS_MAX)
    );
    assert_eq!(request.ranks, BTreeMap::from([(2, 600)]));
}
