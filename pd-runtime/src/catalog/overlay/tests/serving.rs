//! Reuse of entries when texts change.

use super::Folder;
use crate::{IntoOutput, PdServer, Registry, Tool, catalog::entry::CatalogEntry};
use futures::{FutureExt, future::ready};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

const TOOLS: usize = 1_000;

fn registry(tools: usize) -> Registry<()> {
    let tool = |number: usize| {
        let name = format!("tool{number}");
        Tool::new(name, "Do one thing", |_: &(), _, _| {
            ready("done".into_output()).boxed()
        })
        .concurrency(2)
    };
    Registry::builder()
        .tools((0..tools).map(tool))
        .build()
        .unwrap()
}

fn server() -> PdServer<()> {
    PdServer::builder(registry(TOOLS), ()).build().unwrap()
}

fn entries(server: &PdServer<()>) -> Vec<Arc<CatalogEntry>> {
    server.host().served().catalog().entries.clone()
}

fn text(edition: &str) -> String {
    format!("{{ \"description\": \"{edition}\" }}")
}

/// The bench `overlay` measures the time precisely. This test only checks that it does not grow
/// with the number of unchanged tools.
#[test]
fn of_a_thousand_files_only_the_changed_one_is_made_anew() {
    let server = server();
    let files = Folder::new(&[]);
    let compiled = entries(&server);
    (0..TOOLS).for_each(|number| files.write(&format!("tool{number}.json"), &text("first")));
    assert_eq!(server.overlay(&files).unwrap(), TOOLS);
    let first = entries(&server);
    files.write("tool7.json", &text("second"));
    let begun = Instant::now();
    assert_eq!(server.overlay(&files).unwrap(), 1);
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
    let second = entries(&server);
    for place in 0..TOOLS {
        assert_eq!(
            Arc::ptr_eq(&first[place], &second[place]),
            place != 7,
            "{place}"
        );
        assert!(
            Arc::ptr_eq(
                compiled[place].validator().unwrap(),
                second[place].validator().unwrap()
            ),
            "{place}: schemas are the same"
        );
    }
    files.write("tool7.json", "{}");
    assert_eq!(server.overlay(&files).unwrap(), 1);
    assert!(
        Arc::ptr_eq(&entries(&server)[7], &compiled[7]),
        "what says nothing else is what was compiled"
    );
}

#[test]
fn tools_are_found_by_what_is_said_of_them_now() {
    let (server, files) = (
        server(),
        Folder::new(&[("tool7.json", &text("Weigh the elephants"))]),
    );
    let found = |request: &str| {
        let finder = server.host().served().catalog().finder().clone();
        finder
            .find(request, 5, finder.all_visible())
            .iter()
            .map(|hit| hit.place)
            .collect::<Vec<_>>()
    };
    server.overlay(&files).unwrap();
    assert_eq!((found("elephants"), found("whales")), (vec![7], Vec::new()));
    files.write("tool7.json", &text("Count the whales"));
    files.write("tool9.json", &text("Weigh an elephant"));
    server.overlay(&files).unwrap();
    assert_eq!(
        (found("elephants"), found("whales"), found("tool8")[0]),
        (vec![9], vec![7], 8)
    );
    files.write("tool3.json", r#"{ "aliases": ["walrus"] }"#);
    assert_eq!(
        (server.overlay(&files).unwrap(), found("walrus")),
        (1, vec![3]),
        "aliases change nothing else"
    );
    server.replace(registry(8)).unwrap();
    assert_eq!(
        (found("elephants"), found("whales")),
        (Vec::new(), vec![7]),
        "of fewer tools"
    );
}

#[test]
fn calls_under_way_count_whatever_is_said_of_their_tool() {
    let server = server();
    let files = Folder::new(&[("tool0.json", &text("edited"))]);
    let slots = |server: &PdServer<()>| entries(server)[0].slots.clone().unwrap();
    let _running = [
        slots(&server).take_free().unwrap(),
        slots(&server).take_free().unwrap(),
    ];
    server.overlay(&files).unwrap();
    assert!(slots(&server).take_free().is_none());
    server.replace(registry(1)).unwrap();
    assert!(
        slots(&server).take_free().is_none(),
        "nor does a new registry free them"
    );
}

#[cfg(feature = "watch")]
#[test]
fn what_a_follower_was_about_to_lay_is_dropped_when_its_watch_ends() {
    let (server, files, faulty) = (
        server(),
        Folder::new(&[]),
        Folder::new(&[("tool0.json", "[]")]),
    );
    let follows = |generation| {
        server
            .host()
            .served()
            .reapply_overlay(files.as_ref(), generation)
            .is_some()
    };
    assert_eq!(server.watch_overlay(&files), Ok(0));
    assert!(follows(1));
    assert_eq!(server.watch_overlay(&files), Ok(0));
    assert!(!follows(1) && follows(2));
    assert!(server.watch_overlay(&faulty).is_err());
    assert!(!follows(2) && !follows(3), "a watch that failed is none");
    assert_eq!(server.watch_overlay(&files), Ok(0));
    assert_eq!(server.overlay(&files), Ok(0));
    assert!(!follows(4));
}
