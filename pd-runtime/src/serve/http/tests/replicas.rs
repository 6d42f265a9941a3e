//! Sessions that were opened at another replica.

use super::{
    super::HttpOptions,
    site::{TestCaller, TestSite, answer, ends, request},
};
use rmcp::transport::streamable_http_server::session::{
    SessionState, SessionStore, SessionStoreError,
};
use serde_json::json;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

#[derive(Default)]
struct MapSessionStore(Mutex<HashMap<String, SessionState>>);

#[async_trait::async_trait]
impl SessionStore for MapSessionStore {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        tokio::task::yield_now().await;
        Ok(self.0.lock().unwrap().get(id).cloned())
    }

    async fn store(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        self.0.lock().unwrap().insert(id.to_owned(), state.clone());
        Ok(())
    }

    async fn delete(&self, id: &str) -> Result<(), SessionStoreError> {
        self.0.lock().unwrap().remove(id);
        Ok(())
    }
}

fn replicas(options: HttpOptions) -> (Arc<MapSessionStore>, [TestSite; 2]) {
    let store = Arc::new(MapSessionStore::default());
    let replica = || TestSite::with_store(options.clone(), Some(store.clone()));
    (store.clone(), [replica(), replica()])
}

/// The same, with ids that alone open sessions again.
fn replicas_with_key(options: HttpOptions) -> (Arc<MapSessionStore>, [TestSite; 2]) {
    let store = Arc::new(MapSessionStore::default());
    let replica = || TestSite::with_store_and_key(options.clone(), store.clone());
    (store.clone(), [replica(), replica()])
}

fn few(max_sessions: usize, max_sessions_per_principal: usize) -> HttpOptions {
    HttpOptions {
        max_sessions,
        max_sessions_per_principal,
        ..HttpOptions::default()
    }
}

#[tokio::test]
async fn a_restored_session_is_its_restorers_and_counts() {
    let (_, [one, other]) = replicas_with_key(few(100, 1));
    let alice = one.session(Some("alice")).await;
    let there = alice.at(&other);
    assert!(there.lives().await);
    assert_eq!(other.sessions.counts(), (1, 1));
    let mallory = there.stolen_by(Some("mallory"));
    assert_eq!(mallory.get().await.status(), 404);
    assert_eq!(mallory.delete().await.status(), 404);
    assert!(there.lives().await && alice.lives().await);
    // A second one takes the first one's place at that replica, and may come back in its own.
    let second = one.session(Some("alice")).await.at(&other);
    assert!(second.lives().await && other.sessions.counts() == (1, 1));
    assert!(there.lives().await && other.sessions.counts() == (1, 1));
}

#[tokio::test]
async fn where_there_is_no_room_none_is_restored() {
    let (_, [one, other]) = replicas(few(1, 256));
    let alice = one.session(Some("alice")).await;
    assert!(
        other.session(Some("bob")).await.lives().await,
        "something was asked in it, so it does not yield"
    );
    let refused = alice.at(&other).ping(json!(1)).await;
    assert_eq!(refused["error"]["code"], -32000, "{refused}");
    // Until rmcp has discarded a failed restoration, it answers that the session is unknown.
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(alice.at(&other).call(json!(1)).await.status(), 503);
    assert!(alice.lives().await);
}

#[tokio::test]
async fn a_session_can_be_ended_at_any_replica() {
    let (store, [one, other]) = replicas(few(100, 100));
    let alice = one.session(Some("alice")).await;
    let never: TestCaller<'_> = alice.at(&other).naming("00000000000000000000000000000000");
    assert_eq!(never.delete().await.status(), 404);
    assert_eq!(alice.at(&other).delete().await.status(), 204);
    assert!(store.0.lock().unwrap().is_empty());
    assert!(
        !alice.at(&other).lives().await,
        "nobody restores it any more"
    );
}

/// rmcp reports the end of a session late. It must not end the session that took its place.
#[tokio::test]
async fn a_session_that_came_back_outlives_its_former_self() {
    let (_, [one, _]) = replicas_with_key(few(100, 1));
    let first = one.session(Some("alice")).await;
    let call = first.call(json!(1)).await;
    one.running(1).await;
    let second = one.session(Some("alice")).await;
    assert!(
        ends(call.into_body().into_data_stream()).await,
        "the first one had to go"
    );
    assert!(first.lives().await, "it came back by its id");
    assert!(second.lives().await);
    assert!(first.lives().await);
    one.release(1);
    one.running(0).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(first.lives().await);
    one.release(1);
    assert!(answer(first.call(json!(2)).await).await["result"].is_object());
}

#[tokio::test]
async fn a_session_that_made_room_leaves_nothing_in_the_store() {
    for (is_back, (store, [one, _])) in [
        (false, replicas(few(100, 1))),
        (true, replicas_with_key(few(100, 1))),
    ] {
        let first = one.session(Some("alice")).await;
        let second = one.session(Some("alice")).await;
        let is_gone = || store.0.lock().unwrap().len() == 1;
        for _ in 0..100 {
            if is_gone() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert!(is_gone(), "one entry of two sessions stays");
        assert!(second.lives().await);
        assert_eq!(
            first.lives().await,
            is_back,
            "its id opens it again where replicas share a key"
        );
    }
}

/// rmcp recognizes such a call by its body, not by its version, and answers it when its tool has
/// ended.
#[tokio::test]
async fn a_self_contained_call_that_names_a_session_keeps_nobody_from_it() {
    let (_, [one, other]) = replicas(HttpOptions::default());
    let alice = one.session(Some("alice")).await;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2025-11-25", "io.modelcontextprotocol/clientCapabilities": {},
    });
    let call = request(
        json!(1),
        "tools/call",
        json!({ "name": "wait", "arguments": {}, "_meta": meta }),
    );
    let mallory = alice.at(&other).stolen_by(Some("mallory"));
    let meanwhile = async {
        other.running(1).await;
        let lives = tokio::time::timeout(Duration::from_secs(2), alice.at(&other).lives()).await;
        other.release(1);
        lives
    };
    let (called, lives) = tokio::join!(mallory.post(&call), meanwhile);
    assert_eq!(
        lives,
        Ok(true),
        "who restores the session waits for the call"
    );
    assert!(answer(called).await["result"].is_object());
}
