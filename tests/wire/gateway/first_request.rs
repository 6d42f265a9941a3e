//! Servers that end, refuse or hang at a first request which they do not know.

use super::*;
use crate::harness::client::connect_to;

fn script(desk: &Desk, mode: &str, pd: &Value) -> (String, Value) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/wire/gateway/first_request.py");
    let log = desk.log_file("s").to_str().unwrap().to_owned();
    (
        "s".to_owned(),
        json!({ "command": "python3", "args": [script, log, mode], "pd": pd }),
    )
}

fn starts(desk: &Desk) -> usize {
    desk.log("s")
        .lines()
        .filter(|line| *line == "started")
        .count()
}

async fn assert_works(gateway: &Gateway, version: &str) {
    gateway.refresh_all().await;
    let status = gateway.status().remove(0);
    assert_eq!(
        (status.version.as_deref(), status.tools),
        (Some(version), 1),
        "{status:?}"
    );
    assert!(
        status.last_error.is_none() && !status.is_failing,
        "{status:?}"
    );
    let client = connect(Era::Session, &serve(gateway)).await;
    assert_eq!(
        text(&client.call_described("s__echo", json!({})).await),
        "echoed"
    );
}

#[tokio::test]
async fn a_process_that_ends_at_a_first_request_is_started_once_more_with_the_other() {
    for (mode, version, starts_of_first) in [
        ("ends", "2025-06-18", 2),
        ("ends_late", "2025-06-18", 2),
        ("closes_output", "2025-06-18", 2),
        ("answers_and_ends", "2025-06-18", 2),
        ("answers_unknown_and_ends", "2025-06-18", 2),
        ("writes_garbage_and_ends", "2025-06-18", 2),
        ("ends_after_both", "2025-06-18", 2),
        ("refuses", "2025-06-18", 2),
        ("ends_at_initialize", "2026-07-28", 1),
    ] {
        let desk = Desk::new();
        for (number, expected) in [starts_of_first, starts_of_first + 1]
            .into_iter()
            .enumerate()
        {
            let gateway = desk.gateway([script(&desk, mode, &json!({}))]);
            assert_works(&gateway, version).await;
            assert_eq!(
                starts(&desk),
                expected,
                "{mode}, gateway {number}: {}",
                desk.log("s")
            );
            gateway.stop().await;
        }
    }
}

/// A failure to read the lists must not cost the memory: the next gateway would end the process again.
#[tokio::test]
async fn the_first_request_is_remembered_without_lists() {
    let desk = Desk::new();
    fs::write(desk.0.path().join("s.log.no_lists"), "").unwrap();
    for expected in [2, 3] {
        let gateway = desk.gateway([script(&desk, "ends", &json!({}))]);
        gateway.refresh_all().await;
        assert!(
            gateway.status()[0]
                .last_error
                .as_deref()
                .unwrap()
                .contains("not yet"),
            "{:?}",
            gateway.status()
        );
        gateway.stop().await;
        assert_eq!(starts(&desk), expected, "{}", desk.log("s"));
    }
}

#[tokio::test]
async fn an_update_to_another_generation_is_found() {
    let (old, new) = (("ends", "2025-06-18"), ("ends_at_initialize", "2026-07-28"));
    for ((before, first), (after, then)) in [(old, new), (new, old)] {
        let desk = Desk::new();
        for (mode, version) in [(before, first), (after, then)] {
            fs::write(desk.0.path().join("s.log.mode"), mode).unwrap();
            let gateway = desk.gateway([script(&desk, "", &json!({}))]);
            assert_works(&gateway, version).await;
            gateway.stop().await;
        }
    }
}

#[tokio::test]
async fn a_server_that_hangs_after_the_first_request_is_started_beside_itself() {
    let desk = Desk::new();
    for expected in [2, 3] {
        let gateway = desk.gateway([script(&desk, "hangs", &json!({ "startTimeout": 3 }))]);
        assert_works(&gateway, "2025-06-18").await;
        gateway.stop().await;
        assert_eq!(
            starts(&desk),
            expected,
            "the order is remembered on disk: {}",
            desk.log("s")
        );
    }
}

/// Each connection of a client's own starts a process, in the order that worked for the lists.
#[tokio::test]
async fn connections_of_sessions_and_principals_start_in_the_order_that_worked() {
    for share in ["session", "principal"] {
        let desk = Desk::new();
        let gateway = desk.gateway([script(&desk, "ends", &json!({ "share": share }))]);
        gateway.refresh().await;
        assert_eq!(starts(&desk), 2, "{share}");
        let site = Site::open(&serve(&gateway), true).await;
        for (number, name) in ["alice", "bob"].into_iter().enumerate() {
            let client = connect_to(Era::HttpSession, &site.url, Some(name), json!({})).await;
            assert_eq!(
                text(&client.call_described("s__echo", json!({})).await),
                "echoed",
                "{share} {name}"
            );
            assert_eq!(
                starts(&desk),
                number + 3,
                "{share} {name}: {}",
                desk.log("s")
            );
        }
        gateway.stop().await;
    }
}

/// Both starts fail: the reason is that of `initialize`, which every server knows.
#[tokio::test]
async fn a_server_that_always_ends_has_the_reason_of_its_own() {
    let desk = Desk::new();
    let entry = json!({ "command": "sh", "args": ["-c", "echo 'no token is set' >&2; exit 3"] });
    let gateway = desk.gateway([("s".to_owned(), entry)]);
    gateway.refresh_all().await;
    let error = gateway.status()[0].last_error.clone().unwrap();
    assert!(
        error.contains("no token is set") && error.contains("exit status: 3"),
        "{error}"
    );
}

#[tokio::test]
async fn an_entry_chooses_the_first_request_and_the_other_one_follows() {
    for (mode, pd, version) in [
        ("both", json!({}), "2026-07-28"),
        ("both", json!({ "handshake": "discover" }), "2026-07-28"),
        ("both", json!({ "handshake": "initialize" }), "2025-06-18"),
        ("modern", json!({ "handshake": "initialize" }), "2026-07-28"),
        ("legacy", json!({ "handshake": "discover" }), "2025-06-18"),
    ] {
        let desk = Desk::new();
        let gateway = desk.one(&[mode], pd.clone()).await;
        let status = gateway.status().remove(0);
        assert_eq!(status.version.as_deref(), Some(version), "{mode} {pd}");
        gateway.stop().await;
    }
}
