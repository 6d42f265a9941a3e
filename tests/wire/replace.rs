//! `Shared::replace`: clients are told, changed descriptions must be read again, the others need not.

use crate::harness::{
    client::{Era, connect},
    code,
    line::Line,
    names,
    post::Post,
    shop::saying,
    site::Site,
};
use pd_runtime::{PdServer, Registry};
use rmcp::{
    ServiceExt,
    model::{ServerNotification, SubscriptionFilter},
};
use serde_json::json;
use std::time::Duration;

fn registry(names: &[&'static str], described: &'static str) -> Registry<()> {
    let tools = names.iter().map(|name| saying::<()>(name, "said"));
    let noted = saying::<()>("note", "said").description(described);
    Registry::builder()
        .tools(tools)
        .tool(noted)
        .build()
        .unwrap()
}

fn shared() -> PdServer<()> {
    PdServer::builder(registry(&["stays"], "old"), ())
        .listing(pd_runtime::Listing::Minimal)
        .build()
        .unwrap()
}

async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(3), future)
        .await
        .expect("it in time")
}

#[tokio::test]
async fn sessions_hear_that_the_list_changed() {
    for era in [Era::Session, Era::HttpSession] {
        let shared = shared();
        let client = connect(era, &shared).await;
        assert_eq!(
            names(&client.list().await["tools"]),
            ["stays", "note", "describe_tools"]
        );
        shared
            .replace(registry(&["stays", "added"], "old"))
            .unwrap();
        client.hears_changes(1).await;
        assert_eq!(
            names(&client.list().await["tools"]),
            ["stays", "added", "note", "describe_tools"],
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn listeners_of_2026_07_28_hear_it_through_their_subscription() {
    for era in [Era::Inline, Era::HttpInline] {
        let shared = shared();
        let client = connect(era, &shared).await;
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        let mut subscription = client.running.listen(filter).await.unwrap();
        assert_eq!(
            subscription.acknowledged().tools_list_changed,
            Some(true),
            "{era:?}"
        );
        shared
            .replace(registry(&["stays", "added"], "old"))
            .unwrap();
        let heard = within(subscription.next()).await.unwrap();
        assert!(
            matches!(
                heard,
                Some(ServerNotification::ToolListChangedNotification(_))
            ),
            "{era:?}: {heard:?}"
        );
    }
}

#[tokio::test]
async fn only_changed_descriptions_must_be_read_again() {
    let shared = shared();
    let client = connect(Era::Session, &shared).await;
    client.describe("stays,note").await;
    shared
        .replace(registry(&["added", "stays"], "new"))
        .unwrap();
    assert_eq!(
        client.call("stays", json!({})).await["content"][0]["text"],
        "said"
    );
    assert_eq!(
        code(&client.call("note", json!({})).await),
        "TOOL_DESCRIPTION_REQUIRED"
    );
    shared.replace(registry(&[], "old")).unwrap();
    assert_eq!(
        client.call("note", json!({})).await["content"][0]["text"],
        "said",
        "this description was read"
    );
    assert!(
        client.try_call("stays", json!({})).await.is_err(),
        "it is gone"
    );
}

#[tokio::test]
async fn a_faulty_registry_changes_nothing() {
    let shared = shared();
    let mut line = Line::session(&shared).await;
    let faulty = registry(&["added"], "old").with_prefix("no good name ");
    assert!(shared.replace(faulty).is_err());
    let listed = line.result("tools/list", json!({})).await;
    assert_eq!(names(&listed["tools"]), ["stays", "note", "describe_tools"]);
}

/// A client that reads nothing must hold up neither the reload nor the others.
#[tokio::test]
async fn a_client_that_does_not_read_holds_nobody_up() {
    let shared = shared();
    let (stalled, theirs) = tokio::io::duplex(300);
    let handler = shared.handler();
    tokio::spawn(async move { handler.serve(theirs).await.unwrap().waiting().await });
    let mut stalled = Line::over(stalled);
    stalled.handshake(json!({})).await;
    let client = connect(Era::Session, &shared).await;
    for round in 0..20 {
        let registry = registry(if round % 2 == 0 { &["a"] } else { &["b"] }, "old");
        shared.replace(registry).unwrap();
    }
    client.hears_changes(1).await;
}

/// Over HTTP a session without an open stream has nobody to hear it.
#[tokio::test]
async fn a_session_without_a_stream_holds_nobody_up() {
    let shared = shared();
    let site = Site::open(&shared, true).await;
    let post = Post::session(&site.url, None).await;
    for round in 0..100 {
        let registry = registry(if round % 2 == 0 { &["a"] } else { &["b"] }, "old");
        shared.replace(registry).unwrap();
    }
    assert_eq!(
        names(&post.result("tools/list", json!({})).await["tools"])[0],
        "b"
    );
}

#[tokio::test]
async fn a_call_under_way_finishes_on_the_registry_it_began_with() {
    use crate::harness::shop;
    let shared = shop::server()
        .gate(pd_runtime::GateMode::Off)
        .build()
        .unwrap();
    let client = connect(Era::Session, &shared).await;
    let waiting = client.start("queue").await;
    within(shared.state().started.notified()).await;
    shared.replace(shop::unscoped()).unwrap();
    waiting.cancel(None).await.unwrap();
    within(shared.state().cancelled.notified()).await;
}

/// The same with a tool that callers on the network do not see.
fn with_hidden(names: &[&'static str], hidden: &'static str) -> Registry<()> {
    let vault = saying::<()>("vault", "said")
        .description(hidden)
        .scope("vault");
    registry(names, "old")
        .merge(Registry::builder().tool(vault).build().unwrap())
        .unwrap()
}

#[tokio::test]
async fn a_change_that_a_caller_cannot_see_reaches_nobody() {
    let shared = PdServer::builder(with_hidden(&["stays"], "old"), ())
        .listing(pd_runtime::Listing::Minimal)
        .build()
        .unwrap();
    let session = connect(Era::HttpSession, &shared).await;
    let owner = connect(Era::Session, &shared).await;
    let listener = connect(Era::HttpInline, &shared).await;
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut subscription = listener.running.listen(filter).await.unwrap();
    session.list().await;
    shared.replace(with_hidden(&["stays"], "new")).unwrap();
    owner.hears_changes(1).await;
    assert!(
        tokio::time::timeout(Duration::from_millis(300), subscription.next())
            .await
            .is_err(),
        "nothing changed"
    );
    assert_eq!(
        session
            .noticed
            .list_changes
            .load(std::sync::atomic::Ordering::SeqCst),
        0,
        "nothing changed"
    );
    shared
        .replace(with_hidden(&["stays", "added"], "new"))
        .unwrap();
    session.hears_changes(1).await;
    owner.hears_changes(2).await;
    let heard = within(subscription.next()).await.unwrap();
    assert!(
        matches!(
            heard,
            Some(ServerNotification::ToolListChangedNotification(_))
        ),
        "{heard:?}"
    );
}

/// The server cannot know whose rights changed elsewhere.
#[tokio::test]
async fn an_announced_change_reaches_everybody() {
    let shared = shared();
    let session = connect(Era::HttpSession, &shared).await;
    let listener = connect(Era::HttpInline, &shared).await;
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut subscription = listener.running.listen(filter).await.unwrap();
    session.list().await;
    for announced in 1..=2 {
        shared.notify_tools_changed();
        session.hears_changes(announced).await;
        let heard = within(subscription.next()).await.unwrap();
        assert!(
            matches!(
                heard,
                Some(ServerNotification::ToolListChangedNotification(_))
            ),
            "{heard:?}"
        );
    }
}

/// Clients that keep descriptions must read them again.
#[tokio::test]
async fn a_changed_description_is_a_change() {
    let shared = shared();
    let client = connect(Era::Session, &shared).await;
    shared.replace(registry(&["stays"], "new")).unwrap();
    client.hears_changes(1).await;
}
