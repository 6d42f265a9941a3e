//! Upstreams that end at a request which they do not expect, and lists that end oddly.

use super::*;

fn odd(desk: &Desk, modes: &[&str]) -> (String, Value) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/wire/gateway/odd_upstream.py");
    let log = desk.log_file("s").to_str().unwrap().to_owned();
    let args: Vec<&str> = [script, &log].into_iter().chain(modes.iter().copied()).collect();
    ("s".to_owned(), json!({ "command": "python3", "args": args, "pd": { "startTimeout": 3 } }))
}

fn starts(desk: &Desk) -> usize {
    desk.log("s").lines().filter(|line| *line == "started").count()
}

#[tokio::test]
async fn a_server_that_ends_at_discover_is_sent_initialize_first_and_remembered() {
    for modes in [&["x"][..], &["late"], &["error"], &["at_initialize"], &["hangs"], &["no_list"]] {
        let desk = Desk::new();
        let gateway = desk.gateway([odd(&desk, modes)]);
        gateway.refresh().await;
        let status = gateway.status().remove(0);
        assert_eq!(starts(&desk), 2, "{modes:?} {status:?}");
        assert!(!format!("{status:?}").contains("ExpectedInitialize"), "{status:?}");
        let has_list = modes != ["no_list"];
        assert_eq!((status.tools == 3, status.last_error.is_none()), (has_list, has_list), "{modes:?} {status:?}");
        gateway.stop().await;
        let again = desk.gateway([odd(&desk, modes)]);
        again.refresh_all().await;
        assert_eq!(starts(&desk), 3, "{modes:?}: the era is remembered on disk");
        again.stop().await;
    }
}

#[tokio::test]
async fn a_process_that_exits_after_each_call_has_not_failed() {
    let desk = Desk::new();
    let gateway = desk.gateway([odd(&desk, &["exits"])]);
    gateway.refresh().await;
    let client = connect(Era::Session, &serve(&gateway)).await;
    for _ in 0..4 {
        assert_succeeded(&client.call_described("s__t0", json!({})).await);
    }
    assert!(gateway.status()[0].last_error.is_none(), "{:?}", gateway.status());
    gateway.stop().await;
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
        let gateway = desk.gateway([odd(&desk, &[mode])]);
        gateway.refresh().await;
        let status = gateway.status().remove(0);
        assert_eq!(status.tools, tools, "{mode}: {status:?}");
        assert!(status.notes.join(" ").contains(note), "{mode}: {status:?}");
        assert_eq!(status.notes.is_empty(), note.is_empty(), "{mode}: {status:?}");
        assert_eq!(status.left_out.len(), usize::from(mode == "twice"), "{mode}: {status:?}");
        gateway.stop().await;
    }
}

#[tokio::test]
async fn an_upstream_made_with_pd_runtime_needs_no_flags() {
    for listing in [Listing::Minimal, Listing::Grouped, Listing::Eager] {
        for is_stateful in [true, false] {
            let tools = Registry::builder().tool(saying::<()>("greet", "hello")).build().unwrap();
            let upstream = PdServer::builder(tools, ()).listing(listing).build().unwrap();
            let site = Site::open(&upstream, is_stateful).await;
            let desk = Desk::new();
            let headers = json!({ "authorization": "Bearer alice" });
            let gateway = desk.gateway([("web".to_owned(), json!({ "url": site.url, "headers": headers }))]);
            gateway.refresh().await;
            let registry: Registry<()> = gateway.registry();
            assert_eq!(registry.names().collect::<Vec<_>>(), ["web__greet"], "{listing:?}");
            for era in Era::ALL {
                let result = connect(era, &serve(&gateway)).await.call_described("web__greet", json!({})).await;
                assert_eq!(text(&result), "hello", "{listing:?} {era:?}");
            }
            gateway.stop().await;
        }
    }
}
