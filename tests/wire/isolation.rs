//! Attacks on the gate: other people's sessions and tickets, forged, stale, cut and swollen ones.

use crate::harness::{
    client::ticket,
    code, inline_meta,
    line::Line,
    post::Post,
    shop::{self, Shop},
    site::Site,
    told,
};
use pd_runtime::{GateMode, Listing, PdServer, Registry, ServerBuilder, config::SessionPerCall};
use serde_json::{Value, json};
use std::time::Duration;

const REQUIRED: &str = "TOOL_DESCRIPTION_REQUIRED";

fn greeting() -> Value {
    json!({ "name": "Ada" })
}

fn with_ticket(ticket: &Value) -> Value {
    json!({ "name": "Ada", "disclosure_ticket": ticket })
}

#[tokio::test]
async fn sessions_share_no_disclosure() {
    let site = Site::open(&shop::server().build().unwrap(), true).await;
    let (one, other) = (
        Post::session(&site.url, None).await,
        Post::session(&site.url, None).await,
    );
    one.describe("greet").await;
    assert_eq!(
        one.call("greet", greeting()).await["content"][0]["text"],
        "Welcome, Ada!"
    );
    assert_eq!(code(&other.call("greet", greeting()).await), REQUIRED);
}

#[tokio::test]
async fn a_forged_session_id_opens_nothing_on_sessionless_requests() {
    let shared = shop::server().build().unwrap();
    let site = Site::open(&shared, true).await;
    let owner = Post::session(&site.url, None).await;
    owner.describe("greet").await;
    let thief = Post::inline(&site.url).header("mcp-session-id", owner.session_id());
    assert_eq!(
        code(&thief.call("greet", greeting()).await),
        REQUIRED,
        "2026-07-28 knows no sessions"
    );
    let sessionless = Site::open(&shared, false).await;
    let thief = Post::stateless(&sessionless.url).header("mcp-session-id", owner.session_id());
    assert_eq!(code(&thief.call("greet", greeting()).await), REQUIRED);
}

#[tokio::test]
async fn another_principal_is_refused_in_a_stolen_session() {
    let site = Site::open(&shop::server().build().unwrap(), true).await;
    let alice = Post::session(&site.url, Some("alice")).await;
    alice.describe("greet").await;
    assert_eq!(
        alice.call("greet", greeting()).await["content"][0]["text"],
        "Welcome, Ada!"
    );
    let mallory = alice.bearer("mallory");
    for _ in 0..2 {
        let refused = mallory.call("greet", greeting()).await;
        assert_eq!(code(&refused), REQUIRED);
        assert_eq!(
            told(&refused).get("tool_description"),
            None,
            "a description would not help"
        );
    }
    mallory.describe("search").await;
    let refused = mallory.call("search", json!({ "word": "x" })).await;
    assert_eq!(
        code(&refused),
        REQUIRED,
        "reading in it does not help either"
    );
    let searched = alice.call("search", json!({ "word": "x" })).await;
    assert_eq!(
        code(&searched),
        REQUIRED,
        "nor did it disclose anything to alice"
    );
}

/// A session is its owner's whatever the gate is set to: what runs in it may talk to the owner's client.
#[tokio::test]
async fn a_stolen_session_is_refused_without_a_gate_too() {
    for server in [
        shop::server().gate(GateMode::Off),
        shop::server().gate(GateMode::Advise),
        shop::server().listing(Listing::Full),
    ] {
        let shared = server.build().unwrap();
        let site = Site::open(&shared, true).await;
        let alice = Post::session(&site.url, Some("alice")).await;
        let answer = alice
            .bearer("mallory")
            .send(
                "tools/call",
                json!({ "name": "greet", "arguments": greeting() }),
            )
            .await;
        assert_eq!(shared.state().ran(), 0, "{}", answer.body);
    }
}

/// Tokens are refreshed, and a new one may carry other scopes: the person is the same.
#[tokio::test]
async fn a_session_stays_its_owners_when_the_scopes_change() {
    let site = Site::open(&shop::server().build().unwrap(), true).await;
    let alice = Post::session(&site.url, Some("alice a b")).await;
    alice.describe("greet").await;
    for token in ["alice a b", "alice b a", "alice a", "alice a b shop:refund"] {
        let greeted = alice.bearer(token).call("greet", greeting()).await;
        assert_eq!(
            greeted["content"][0]["text"], "Welcome, Ada!",
            "{token}: {greeted}"
        );
    }
}

#[tokio::test]
async fn a_ticket_is_good_for_its_own_tool_only() {
    let mut line = Line::inline(&shop::server().build().unwrap(), json!({}));
    let described = told(
        &line
            .read("resource:///tool_descriptions?tools=search")
            .await,
    );
    let other = json!(ticket(&described["search"]).unwrap());
    assert_eq!(
        code(&line.call("greet", with_ticket(&other)).await),
        REQUIRED
    );
}

#[tokio::test]
async fn a_ticket_is_good_for_its_own_principal_only() {
    for sessions in [true, false] {
        let site = Site::open(&shop::server().build().unwrap(), sessions).await;
        let alice = Post::inline(&site.url).bearer("alice");
        let ticket = json!(ticket(&alice.describe("greet").await["greet"]).unwrap());
        assert_eq!(
            alice.call("greet", with_ticket(&ticket)).await["content"][0]["text"],
            "Welcome, Ada!"
        );
        assert_eq!(
            code(
                &alice
                    .bearer("bob")
                    .call("greet", with_ticket(&ticket))
                    .await
            ),
            REQUIRED
        );
        assert_eq!(
            code(
                &Post::inline(&site.url)
                    .call("greet", with_ticket(&ticket))
                    .await
            ),
            REQUIRED
        );
        let refreshed = alice
            .bearer("alice more")
            .call("greet", with_ticket(&ticket))
            .await;
        assert_eq!(
            refreshed["content"][0]["text"], "Welcome, Ada!",
            "other scopes are no other principal"
        );
    }
}

#[tokio::test]
async fn a_ticket_expires() {
    let shared = shop::server()
        .ticket_ttl(Duration::from_secs(1))
        .build()
        .unwrap();
    let mut line = Line::inline(&shared, json!({}));
    let described = told(&line.read("resource:///tool_descriptions?tools=greet").await);
    let ticket = json!(ticket(&described["greet"]).unwrap());
    assert_eq!(
        line.call("greet", with_ticket(&ticket)).await["content"][0]["text"],
        "Welcome, Ada!"
    );
    tokio::time::sleep(Duration::from_millis(2_100)).await;
    let refused = line.call("greet", with_ticket(&ticket)).await;
    assert_eq!(code(&refused), REQUIRED);
    let fresh = json!(crate::harness::client::ticket(&told(&refused)["tool_description"]).unwrap());
    assert_ne!(fresh, ticket);
    assert_eq!(
        line.call("greet", with_ticket(&fresh)).await["content"][0]["text"],
        "Welcome, Ada!",
        "the refusal mends it"
    );
}

#[tokio::test]
async fn a_ticket_of_the_same_key_is_good_on_every_replica() {
    let replica = || shop::server().ticket_key([7; 32]).build().unwrap();
    let mut one = Line::inline(&replica(), json!({}));
    let described = told(&one.read("resource:///tool_descriptions?tools=greet").await);
    let ticket = json!(ticket(&described["greet"]).unwrap());
    let greeted = Line::inline(&replica(), json!({}))
        .call("greet", with_ticket(&ticket))
        .await;
    assert_eq!(greeted["content"][0]["text"], "Welcome, Ada!");
    let stranger = shop::server().build().unwrap();
    assert_eq!(
        code(
            &Line::inline(&stranger, json!({}))
                .call("greet", with_ticket(&ticket))
                .await
        ),
        REQUIRED
    );
}

#[tokio::test]
async fn whatever_else_is_passed_as_a_ticket_is_refused() {
    let shared = shop::server().build().unwrap();
    let mut line = Line::inline(&shared, json!({}));
    let described = told(&line.read("resource:///tool_descriptions?tools=greet").await);
    let good = ticket(&described["greet"]).unwrap().to_owned();
    let forged = [
        json!(&good[..17]),
        json!(format!("{good}0")),
        json!(format!(" {good}")),
        json!("9".repeat(10_000)),
        json!("000000000000000000"),
        json!("\u{661}".repeat(9)),
        json!(""),
        json!(null),
        json!(true),
        json!([good]),
        json!({ "const": good }),
        json!(-1),
        json!(1.5e300),
        json!(u64::MAX),
    ];
    for ticket in forged {
        let refused = line.call("greet", with_ticket(&ticket)).await;
        assert_eq!(code(&refused), REQUIRED, "{ticket}");
        assert!(
            refused.to_string().len() < 4_000,
            "a refusal does not echo what was sent"
        );
    }
    assert_eq!(shared.state().ran(), 0);
    assert_eq!(
        line.call("greet", with_ticket(&json!(good))).await["content"][0]["text"],
        "Welcome, Ada!",
        "alive"
    );
}

fn note(text: &'static str) -> Registry<Shop> {
    Registry::builder()
        .tool(shop::saying("note", text).description(text))
        .build()
        .unwrap()
}

fn note_server(text: &'static str) -> ServerBuilder<Shop> {
    PdServer::builder(note(text), Shop::default())
        .listing(Listing::Minimal)
        .session_per_call(SessionPerCall::Refuse)
}

#[tokio::test]
async fn a_ticket_for_an_older_description_is_refused() {
    let shared = note_server("old").build().unwrap();
    let mut line = Line::inline(&shared, json!({}));
    let described = told(&line.read("resource:///tool_descriptions?tools=note").await);
    let arguments = json!({ "disclosure_ticket": ticket(&described["note"]).unwrap() });
    assert_eq!(
        line.call("note", arguments.clone()).await["content"][0]["text"],
        "old"
    );
    shared.replace(note("new")).unwrap();
    let refused = line.call("note", arguments).await;
    assert_eq!(code(&refused), REQUIRED);
    assert_eq!(told(&refused)["tool_description"]["description"], "new");
    assert_eq!(told(&refused)["error"]["reason"], CHANGED);
}

const CHANGED: &str = "the description has changed since it was read";

#[tokio::test]
async fn a_session_is_told_that_a_description_changed() {
    let shared = note_server("old").build().unwrap();
    let mut line = Line::session(&shared).await;
    let never_read = line.call("note", json!({})).await;
    assert_eq!(told(&never_read)["error"].get("reason"), None);
    assert_eq!(
        line.call("note", json!({})).await["content"][0]["text"],
        "old"
    );
    shared.replace(note("new")).unwrap();
    let refused = line.call("note", json!({})).await;
    assert_eq!(told(&refused)["error"]["reason"], CHANGED);
    assert_eq!(told(&refused)["tool_description"]["description"], "new");
    assert_eq!(
        line.call("note", json!({})).await["content"][0]["text"],
        "new"
    );
}

/// Tools of an older catalog are remembered for the reason alone: nothing is admitted by it, however long ago it was.
#[tokio::test]
async fn no_former_description_admits_anybody() {
    let shared = note_server("first").build().unwrap();
    let mut line = Line::inline(&shared, json!({}));
    let described = told(&line.read("resource:///tool_descriptions?tools=note").await);
    let first = json!({ "disclosure_ticket": ticket(&described["note"]).unwrap() });
    for text in ["second", "third", "fourth", "fifth", "sixth", "seventh"] {
        shared.replace(note(text)).unwrap();
        assert_eq!(
            code(&line.call("note", first.clone()).await),
            REQUIRED,
            "{text}"
        );
    }
    shared.replace(note("first")).unwrap();
    assert_eq!(
        line.call("note", first).await["content"][0]["text"],
        "first",
        "it was read, and is as it was"
    );
}

#[tokio::test]
async fn keys_are_rotated_over_replicas_that_run() {
    let server = |key: [u8; 32], previous: &[[u8; 32]]| {
        shop::server()
            .ticket_key(key)
            .previous_ticket_keys(previous.iter().copied())
            .build()
            .unwrap()
    };
    let (old, new) = ([1; 32], [2; 32]);
    let mut replicas =
        [server(old, &[new]), server(new, &[old])].map(|shared| Line::inline(&shared, json!({})));
    for (one, other) in [(0, 1), (1, 0)] {
        let described = told(
            &replicas[one]
                .read("resource:///tool_descriptions?tools=greet")
                .await,
        );
        let ticket = json!(ticket(&described["greet"]).unwrap());
        let greeted = replicas[other].call("greet", with_ticket(&ticket)).await;
        assert_eq!(
            greeted["content"][0]["text"], "Welcome, Ada!",
            "{one} to {other}"
        );
    }
}

/// One connection may speak both generations: neither opens the gate for the other.
#[tokio::test]
async fn eras_on_one_connection_share_no_disclosure() {
    let shared = shop::server().build().unwrap();
    let mut line = Line::session(&shared).await;
    line.read("resource:///tool_descriptions?tools=greet").await;
    line.carry(Some(inline_meta(&json!({}))));
    let refused = line.call("greet", greeting()).await;
    assert_eq!(
        code(&refused),
        REQUIRED,
        "the session's disclosure is none of a request that stands for itself"
    );
    let described = told(
        &line
            .read("resource:///tool_descriptions?tools=search")
            .await,
    );
    let with = json!({ "word": "x", "disclosure_ticket": ticket(&described["search"]).unwrap() });
    line.carry(None);
    assert_eq!(
        code(&line.call("search", with).await),
        REQUIRED,
        "nor is a ticket one of the session"
    );
    assert_eq!(
        line.call("greet", greeting()).await["content"][0]["text"],
        "Welcome, Ada!"
    );
}

/// Requests run side by side: whichever overtakes, no call runs whose description had not been given when it was judged.
#[tokio::test]
async fn pipelined_calls_are_admitted_by_what_was_answered_or_not_at_all() {
    for round in 0..20 {
        let shared = shop::server().build().unwrap();
        let mut line = Line::session(&shared).await;
        let mut asked = Vec::new();
        for number in 0..10 {
            if number == round % 10 {
                line.ask(
                    "resources/read",
                    json!({ "uri": "resource:///tool_descriptions?tools=search" }),
                )
                .await;
            }
            asked.push(
                line.ask(
                    "tools/call",
                    json!({ "name": "greet", "arguments": greeting() }),
                )
                .await,
            );
        }
        let (mut admitted, mut disclosed, mut answered) = (0, 0, 0);
        while answered < asked.len() {
            let answer = line.next().await;
            // Beside the calls' answers come the read's, and that a list changed.
            if !answer["id"].as_u64().is_some_and(|id| asked.contains(&id)) {
                continue;
            }
            answered += 1;
            match told_or_text(&answer["result"]) {
                None => admitted += 1,
                Some(refusal) => {
                    disclosed += usize::from(refusal.get("tool_description").is_some())
                }
            }
        }
        assert!(disclosed >= 1, "reading of another tool admitted this one");
        assert_eq!(shared.state().ran(), admitted);
    }
}

fn told_or_text(result: &Value) -> Option<Value> {
    (result["isError"] == true).then(|| told(result))
}
