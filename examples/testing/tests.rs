//! From the cheapest test to the one that is nearest to a client.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use super::{BookingError, Rooms, registry};
use expect_test::expect_file;
use pd_runtime::{
    Principal,
    client::{Client, ListChangedHandler},
    prelude::*,
    rmcp::{RoleClient, ServiceExt, service::RunningService},
};
use serde_json::json;

const DAY: &str = "2026-08-03";

#[tokio::test]
async fn a_room_is_booked_once() {
    let (rooms, call) = (Rooms::default(), CallContext::recording());
    assert_eq!(
        rooms.book("Ada".into(), DAY.into(), &call).await.unwrap(),
        "Ada is yours on 2026-08-03."
    );
    assert_eq!(call.recorded().len(), 1);
    assert_eq!(rooms.free(DAY.into()).0, ["Grace"]);
    let error = rooms
        .book("Ada".into(), DAY.into(), &call)
        .await
        .unwrap_err();
    assert_eq!(
        error,
        BookingError::NotFree {
            room: "Ada".into(),
            day: DAY.into()
        }
    );
}

#[tokio::test]
async fn a_model_reads_what_is_wrong_with_its_call() {
    let (registry, rooms) = (registry(), Rooms::default());
    let result = registry
        .call(&rooms, "free", json!({ "day": DAY }))
        .await
        .unwrap();
    assert_eq!(result.structured_content, Some(json!(["Ada", "Grace"])));
    let error = registry
        .call(&rooms, "free", json!({ "date": DAY }))
        .await
        .unwrap_err();
    assert_eq!(error.code, "INVALID_ARGUMENTS");
    assert_eq!(
        error.message,
        "`/date` is not an argument of this tool; did you mean `day`?; `/day` is required"
    );
    let error = registry
        .call(&rooms, "book", json!({ "room": "Alan", "day": DAY }))
        .await
        .unwrap_err();
    assert_eq!(error.code, "NOT_FREE");
}

#[tokio::test]
async fn only_callers_with_the_scope_know_that_rooms_can_be_booked() {
    let server = PdServer::builder(registry(), Rooms::default())
        .build()
        .unwrap();
    let visitor = CallContext::detached().with_principal(Principal::new("bob"));
    let host =
        CallContext::detached().with_principal(Principal::new("eve").with_scopes(["rooms:write"]));
    assert_eq!(server.visible_tools(&visitor), ["free"]);
    assert_eq!(server.visible_tools(&host), ["free", "book"]);
    let arguments = json!({ "room": "Ada", "day": DAY });
    assert_eq!(
        server
            .call("book", arguments, &visitor)
            .await
            .unwrap_err()
            .code,
        "UNKNOWN_TOOL"
    );
}

#[test]
fn the_registry_keeps_its_promises() {
    let checked = registry().check().unwrap();
    assert_eq!(checked.examples, 2, "every tool shows how it is called");
    assert_eq!(registry().lint(), []);
}

/// `UPDATE_LOCK=1 cargo test` accepts a change that was meant.
#[test]
fn no_contract_changes_unseen() {
    registry()
        .check_lock("testing/expected/tools.lock")
        .unwrap();
}

#[test]
fn requests_find_their_tools() {
    let search = registry().search();
    for (request, tool) in [
        ("which rooms are available", "free"),
        ("reserve a room", "book"),
    ] {
        assert_eq!(
            search.find(request, 5).first().map(|hit| hit.name),
            Some(tool),
            "{request}"
        );
    }
}

/// Connects a client with a server, both in this process.
async fn connect() -> RunningService<RoleClient, ListChangedHandler> {
    let server = PdServer::builder(registry(), Rooms::default())
        .listing(Listing::Minimal)
        .build()
        .unwrap();
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        server
            .handler()
            .serve(theirs)
            .await
            .unwrap()
            .waiting()
            .await
    });
    ListChangedHandler::new().serve(ours).await.unwrap()
}

#[tokio::test]
async fn a_client_describes_a_tool_and_calls_it() {
    let running = connect().await;
    let client = Client::new(&running).await.unwrap();
    assert!(
        client
            .system_prompt()
            .contains("book: Book a room for a meeting")
    );
    let described = client.describe(["book"]).await.unwrap();
    assert!(described.text().contains("Books a room for a whole day."));
    let result = client
        .call("book", json!({ "room": "Ada", "day": DAY }))
        .await
        .unwrap();
    assert_eq!(
        result.content[0].as_text().unwrap().text,
        "Ada is yours on 2026-08-03."
    );
}

/// `UPDATE_EXPECT=1 cargo test` rewrites the file after a change that was meant.
#[tokio::test]
async fn the_list_is_the_expected_one() {
    let tools = connect().await.list_all_tools().await.unwrap();
    let list = serde_json::to_string_pretty(&tools).unwrap();
    expect_file!["expected/list.json"].assert_eq(&format!("{list}\n"));
}
