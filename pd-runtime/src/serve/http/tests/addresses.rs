//! Limits on sessions by address, and sessions that make room.

use super::{
    super::HttpOptions,
    site::{TestSite, answer},
};
use crate::config::Rate;
use axum::{body::Body, extract::ConnectInfo};
use futures::future::join_all;
use http::{Method, Response};
use serde_json::json;
use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

/// The outcome of an `initialize` by this principal from this address.
async fn initialize(site: &TestSite, subject: Option<&str>, address: &str) -> Response<Body> {
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "c", "version": "0" },
    });
    let message = super::site::request(json!(0), "initialize", params);
    let mut request = site
        .stranger(subject)
        .request(Method::POST, Body::from(message.to_string()));
    request
        .extensions_mut()
        .insert(ConnectInfo(SocketAddr::new(address.parse().unwrap(), 1)));
    site.send(request).await
}

fn id(opened: &Response<Body>) -> String {
    opened.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn an_address_has_so_many_sessions_of_nobody() {
    let site = TestSite::open(HttpOptions {
        max_sessions_per_address: 2,
        ..HttpOptions::default()
    });
    for (address, neighbor) in [("10.0.0.1", "10.0.0.2"), ("2001:db8::1", "2001:db8:0:1::1")] {
        let first = initialize(&site, None, address).await;
        assert_eq!(initialize(&site, None, address).await.status(), 200);
        let refused = initialize(&site, None, address).await;
        assert_eq!(refused.status(), 429);
        assert!(refused.headers().contains_key("retry-after"));
        let told = answer(refused).await;
        assert_eq!(told["error"]["code"], 429);
        assert!(
            told["error"]["message"]
                .as_str()
                .unwrap()
                .contains("2 open sessions"),
            "{told}"
        );
        assert_eq!(initialize(&site, None, neighbor).await.status(), 200);
        assert_eq!(
            initialize(&site, Some("alice"), address).await.status(),
            200,
            "a principal has its own account"
        );
        site.stranger(None).naming(&id(&first)).delete().await;
        assert_eq!(
            initialize(&site, None, address).await.status(),
            200,
            "its place is free again"
        );
        assert_eq!(initialize(&site, None, address).await.status(), 429);
    }
    assert_eq!(
        initialize(&site, None, "2001:db8::ffff").await.status(),
        429,
        "one /64 counts as one"
    );
}

/// A log in memory.
#[derive(Default, Clone)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl io::Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn refused_sessions_do_not_fill_the_log() {
    let memory = Memory::default();
    let writer = memory.clone();
    let log = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::WARN)
        .with_writer(move || writer.clone())
        .finish();
    let _log = tracing::subscriber::set_default(log);
    let few = HttpOptions {
        max_sessions_per_address: 1,
        ..HttpOptions::default()
    };
    let slow = HttpOptions {
        initialize_rate: Some(Rate::per_minute(1)),
        ..HttpOptions::default()
    };
    for options in [few, slow] {
        let site = TestSite::open(options);
        assert_eq!(initialize(&site, None, "10.0.0.1").await.status(), 200);
        for _ in 0..20 {
            assert_eq!(initialize(&site, None, "10.0.0.1").await.status(), 429);
        }
    }
    let text = String::from_utf8(memory.0.lock().unwrap().clone()).unwrap();
    assert!(!text.contains("Internal server error"), "{text}");
    // One line a second, and the test may see several seconds.
    assert!(text.lines().count() < 10, "{text}");
}

#[tokio::test]
async fn where_no_address_is_known_the_total_alone_applies() {
    let options = HttpOptions {
        max_sessions_per_address: 1,
        initialize_rate: Some(Rate::per_minute(1)),
        ..HttpOptions::default()
    };
    let site = TestSite::open(options);
    for _ in 0..5 {
        assert!(site.session(None).await.lives().await);
    }
}

#[tokio::test]
async fn a_payer_opens_sessions_at_a_rate() {
    let options = HttpOptions {
        initialize_rate: Some(Rate::per_minute(3)),
        ..HttpOptions::default()
    };
    let site = TestSite::open(options);
    for (subject, address) in [
        (None, "10.0.0.1"),
        (None, "10.0.0.2"),
        (Some("alice"), "10.0.0.1"),
    ] {
        for _ in 0..3 {
            let opened = initialize(&site, subject, address).await;
            assert_eq!(opened.status(), 200);
            site.stranger(subject).naming(&id(&opened)).delete().await;
        }
        let refused = initialize(&site, subject, address).await;
        assert_eq!(refused.status(), 429);
        let seconds: u64 = refused.headers()["retry-after"]
            .to_str()
            .unwrap()
            .parse()
            .unwrap();
        assert!((1..=20).contains(&seconds), "{seconds}");
        let told = answer(refused).await;
        assert_eq!(told["error"]["data"]["retryAfter"], seconds, "{told}");
    }
}

#[tokio::test]
async fn sessions_in_which_nothing_was_asked_yield_first() {
    let site = TestSite::open(HttpOptions {
        max_sessions: 3,
        ..HttpOptions::default()
    });
    let asked = site.session(None).await;
    assert!(asked.lives().await);
    let older = site.session(None).await;
    let newer = site.session(Some("bob")).await;
    let third = site.session(Some("alice")).await;
    assert!(third.lives().await && asked.lives().await);
    assert!(newer.lives().await, "the oldest one yields");
    assert!(!older.lives().await);
    let refused = site
        .initialize(None)
        .await
        .err()
        .expect("something was asked in all of them");
    assert_eq!(refused.status(), 503);
    assert_eq!(site.sessions.counts().0, 3);
}

#[tokio::test]
async fn openers_that_race_for_the_last_places_do_not_pass_the_total() {
    let site = TestSite::open(HttpOptions {
        max_sessions: 10,
        ..HttpOptions::default()
    });
    let opened = join_all((0..100).map(|_| initialize(&site, None, "10.0.0.1"))).await;
    assert!(
        opened
            .iter()
            .all(|opened| [200, 503].contains(&opened.status().as_u16()))
    );
    assert!(site.sessions.counts().0 <= 10);
    assert!(
        site.sessions.unasked() <= 2 * 10 + 64 + 1,
        "ended sessions are not remembered"
    );
}
