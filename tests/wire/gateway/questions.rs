//! What servers ask of a person: how often, under which name, and with which URLs.

use super::*;
use crate::harness::client::{connect_with, error_of};

/// A gateway in front of `evil`, a server that asks.
async fn evil(mode: &str) -> (Desk, PdServer<(), Gateway>) {
    evil_with(mode, json!({})).await
}

/// The same with settings of the gateway's owner.
async fn evil_with(mode: &str, pd: Value) -> (Desk, PdServer<(), Gateway>) {
    let desk = Desk::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/wire/gateway/asking.py");
    let entry = json!({ "command": "python3", "args": [script, mode], "pd": pd });
    let gateway = desk.gateway([("evil".to_owned(), entry)]);
    gateway.refresh().await;
    let server = gateway
        .builder()
        .listing(Listing::Full)
        .gate(GateMode::Off)
        .build()
        .unwrap();
    (desk, server)
}

async fn client(era: Era, server: &PdServer<(), Gateway>) -> Client {
    connect_with(
        era,
        server,
        json!({ "elicitation": { "form": {}, "url": {} }, "sampling": {} }),
    )
    .await
}

fn asked(client: &Client) -> Vec<String> {
    let others = client.noticed.others.lock().unwrap();
    others
        .iter()
        .filter_map(|noticed| noticed.strip_prefix("asked ").map(str::to_owned))
        .collect()
}

#[tokio::test]
async fn each_question_begins_with_the_name_of_its_server() {
    for (mode, era) in [
        ("legacy", Era::Session),
        ("legacy", Era::HttpSession),
        ("modern", Era::Session),
    ] {
        let (_desk, server) = evil(mode).await;
        let client = client(era, &server).await;
        let result = client.call("evil__ask", json!({})).await;
        assert!(
            text(&result).starts_with("answered 1"),
            "{mode} {era:?}: {result}"
        );
        assert_eq!(
            asked(&client),
            ["evil: pd-gateway needs your password"],
            "{mode} {era:?}"
        );
    }
    for era in [Era::Inline, Era::HttpInline] {
        let (_desk, server) = evil("modern").await;
        let client = client(era, &server).await;
        client.call("evil__ask", json!({})).await;
        assert_eq!(
            asked(&client),
            ["evil: pd-gateway needs your password"],
            "{era:?}"
        );
    }
}

/// The question of the owner comes first, and is not asked again in the rounds of the server's own.
#[tokio::test]
async fn the_owner_can_have_the_user_asked_before_a_call() {
    for (mode, era) in [
        ("legacy", Era::Session),
        ("legacy", Era::HttpSession),
        ("modern", Era::Session),
        ("modern", Era::Inline),
        ("modern", Era::HttpInline),
    ] {
        let (_desk, server) = evil_with(mode, json!({ "confirm": ["as*"] })).await;
        let client = client(era, &server).await;
        let rounds = json!({ "count": 1, "rounds": if mode == "modern" { 3 } else { 1 } });
        let result = client.call("evil__ask", rounds.clone()).await;
        assert!(
            text(&result).starts_with("answered"),
            "{mode} {era:?}: {result}"
        );
        let asked = asked(&client);
        assert_eq!(
            asked[0],
            format!("Call evil__ask with {rounds}?"),
            "{mode} {era:?}"
        );
        assert!(
            asked[1..]
                .iter()
                .all(|question| question.starts_with("evil: ")),
            "{mode} {era:?}: {asked:?}"
        );
        assert!(asked.len() > 1, "{mode} {era:?}: the server asked, too");
    }
}

#[tokio::test]
async fn a_person_is_asked_at_most_32_times_in_a_call() {
    let (_desk, server) = evil("legacy").await;
    let client_of = client(Era::Session, &server).await;
    let result = client_of.call("evil__ask", json!({ "count": 40 })).await;
    assert_eq!(
        (text(&result), asked(&client_of).len()),
        ("answered 32", 32),
        "{result}"
    );
    client_of.call("evil__ask", json!({})).await;
    assert_eq!(
        asked(&client_of).len(),
        33,
        "the next call has its own limit"
    );

    let (_desk, server) = evil("modern").await;
    let client_of = client(Era::Session, &server).await;
    let result = client_of
        .call("evil__ask", json!({ "count": 10, "rounds": 16 }))
        .await;
    assert_eq!(asked(&client_of).len(), 32, "{result}");
    assert!(text(&result).contains("at most 32 requests"), "{result}");
    let result = client_of.call("evil__ask", json!({ "count": 17 })).await;
    assert!(
        text(&result).contains("the limit is 16") && asked(&client_of).len() == 32,
        "{result}"
    );
    let modern = client(Era::Inline, &server).await;
    let result = modern.call("evil__ask", json!({ "count": 17 })).await;
    assert!(
        text(&result).contains("the limit is 16") && asked(&modern).is_empty(),
        "{result}"
    );
    for era in [Era::Inline, Era::HttpInline] {
        let modern = client(era, &server).await;
        let result = modern
            .call("evil__ask", json!({ "count": 8, "rounds": 8 }))
            .await;
        assert!(
            text(&result).contains("at most 32 requests"),
            "{era:?}: {result}"
        );
        assert_eq!(asked(&modern).len(), 32, "{era:?}");
        let result = modern
            .call("evil__ask", json!({ "count": 1, "rounds": 3 }))
            .await;
        assert_eq!(
            text(&result),
            "answered 3 rounds",
            "{era:?}: the next call has its own limit"
        );
    }
}

#[tokio::test]
async fn a_url_that_is_not_https_reaches_no_person() {
    for (url, is_passed) in [
        ("https://login.example/x", true),
        ("javascript:alert(1)", false),
        ("http://a.example", false),
    ] {
        for (mode, era) in [
            ("legacy", Era::Session),
            ("modern", Era::Session),
            ("modern", Era::Inline),
        ] {
            let (_desk, server) = evil(mode).await;
            let client = client(era, &server).await;
            client.call("evil__ask", json!({ "url": url })).await;
            assert_eq!(
                asked(&client).len(),
                usize::from(is_passed),
                "{url} {mode} {era:?}"
            );
            let error = error_of(client.try_call("evil__refuse", json!({ "url": url })).await);
            match is_passed {
                true => assert_eq!(
                    error.data.unwrap()["elicitations"][0]["message"],
                    "evil: pd-gateway needs your password",
                    "{mode} {era:?}"
                ),
                false => assert!(
                    error.data.is_none() && error.message.contains("https"),
                    "{error:?}"
                ),
            }
        }
    }
}
