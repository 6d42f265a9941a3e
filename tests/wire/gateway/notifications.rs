//! What upstreams notify clients of: changed lists, resources, and log messages.

use super::*;
use rmcp::model::{ServerNotification, SubscriptionFilter};

/// A client that is notified of the resource `memo://one` and of prompts.
enum Follower {
    Session(Client),
    Subscription(Client, Box<rmcp::service::Subscription>),
}

impl Follower {
    async fn connect(era: Era, server: &PdServer<(), Gateway>) -> Self {
        let client = connect(era, server).await;
        if era.has_session() {
            #[expect(
                deprecated,
                reason = "clients before 2026-07-28 still subscribe this way"
            )]
            client
                .running
                .subscribe(rmcp::model::SubscribeRequestParams::new("memo://one"))
                .await
                .unwrap();
            return Self::Session(client);
        }
        let filter = SubscriptionFilter::builder()
            .prompts_list_changed()
            .resource_subscriptions(["memo://one"])
            .build();
        let subscription = client.running.listen(filter).await.unwrap();
        Self::Subscription(client, Box::new(subscription))
    }

    fn client(&self) -> &Client {
        match self {
            Self::Session(client) | Self::Subscription(client, _) => client,
        }
    }

    async fn notices(&mut self, text: &str) {
        match self {
            Self::Session(client) => client.notices(text).await,
            Self::Subscription(_, subscription) => loop {
                let next = tokio::time::timeout(Duration::from_secs(10), subscription.next()).await;
                let noticed = match next.unwrap_or_else(|_| panic!("no `{text}`")).unwrap() {
                    Some(ServerNotification::ResourceUpdatedNotification(update)) => {
                        format!("updated {}", update.params.uri)
                    }
                    Some(ServerNotification::PromptListChangedNotification(_)) => {
                        "prompts".to_owned()
                    }
                    other => panic!("{other:?}"),
                };
                if noticed == text {
                    return;
                }
            },
        }
    }
}

#[tokio::test]
async fn clients_of_every_era_are_notified_by_upstreams_of_every_era() {
    for mode in ["legacy", "modern"] {
        for era in [Era::Session, Era::HttpSession, Era::Inline, Era::HttpInline] {
            let desk = Desk::new();
            let gateway = desk.one(&["notifies", mode], json!({})).await;
            let server = gateway.builder().listing(Listing::Minimal).build().unwrap();
            let mut follower = Follower::connect(era, &server).await;
            // A modern client's subscription reaches the upstream after its acknowledgment.
            until("the subscription", || desk.log("s").contains("memo://one")).await;
            follower
                .client()
                .call_described("s__touch", json!({}))
                .await;
            follower.notices("updated memo://one").await;
            follower
                .client()
                .call_described("s__add_prompt", json!({}))
                .await;
            follower.notices("prompts").await;
            let prompts = follower.client().running.list_all_prompts().await.unwrap();
            assert!(
                prompts.iter().any(|prompt| prompt.name == "s__part"),
                "{mode} {era:?}: {prompts:?}"
            );
            match follower {
                Follower::Session(client) => drop(client.running.cancel().await.unwrap()),
                Follower::Subscription(_, mut subscription) => subscription.cancel().await.unwrap(),
            }
            let ended = if mode == "modern" {
                "notifications/cancelled"
            } else {
                "resources/unsubscribe"
            };
            until(
                &format!("{mode} {era:?}: the end of the subscription"),
                || desk.log("s").contains(ended),
            )
            .await;
            gateway.stop().await;
        }
    }
}

#[tokio::test]
async fn an_upstream_is_subscribed_once_for_all_and_again_after_it_has_ended() {
    let desk = Desk::new();
    let gateway = desk.one(&["notifies"], json!({ "idle": 0.1 })).await;
    let server = gateway.builder().listing(Listing::Minimal).build().unwrap();
    let mut followers = Vec::new();
    for era in [Era::Session, Era::Inline] {
        followers.push(Follower::connect(era, &server).await);
    }
    let subscribed = || desk.log("s").matches("resources/subscribe").count();
    assert_eq!(subscribed(), 1);
    followers[0]
        .client()
        .call_described("s__crash", json!({}))
        .await;
    until("the next subscription", || subscribed() == 2).await;
    followers[1]
        .client()
        .call_described("s__touch", json!({}))
        .await;
    for follower in &mut followers {
        follower.notices("updated memo://one").await;
    }
    gateway.stop().await;
}

#[tokio::test]
async fn resources_that_a_client_does_not_see_cannot_be_subscribed() {
    let desk = Desk::new();
    let gateway = desk
        .one(&["notifies"], json!({ "scopes": ["hidden"] }))
        .await;
    let server = gateway.builder().listing(Listing::Minimal).build().unwrap();
    let client = connect(Era::HttpSession, &server).await;
    #[expect(
        deprecated,
        reason = "clients before 2026-07-28 still subscribe this way"
    )]
    let refused = client
        .running
        .subscribe(rmcp::model::SubscribeRequestParams::new("memo://one"))
        .await;
    let error = crate::harness::client::error_of(refused);
    assert_eq!(
        error.code,
        rmcp::model::ErrorCode::RESOURCE_NOT_FOUND,
        "{error:?}"
    );
    assert!(!desk.log("s").contains("subscribe"));
}

#[tokio::test]
async fn log_messages_reach_the_client_of_their_call_from_its_level() {
    for mode in ["legacy", "modern"] {
        let desk = Desk::new();
        let gateway = desk.one(&["notifies", mode], json!({})).await;
        let server = gateway.builder().listing(Listing::Minimal).build().unwrap();
        let (client, silent) = (
            connect(Era::Session, &server).await,
            connect(Era::Session, &server).await,
        );
        #[expect(
            deprecated,
            reason = "clients before 2026-07-28 still set a level this way"
        )]
        let level = rmcp::model::SetLevelRequestParams::new(rmcp::model::LoggingLevel::Warning);
        #[expect(
            deprecated,
            reason = "clients before 2026-07-28 still set a level this way"
        )]
        client.running.set_level(level).await.unwrap();
        let result = client.call_described("s__log", json!({})).await;
        client.notices("log warning").await;
        assert_eq!(
            *client.noticed.others.lock().unwrap(),
            ["log warning"],
            "{mode}: not what it did not ask for"
        );
        if mode == "modern" {
            assert_eq!(told(&result), "warning", "the level of the client");
        } else {
            assert!(
                desk.log("s").contains(r#""level":"warning""#),
                "{}",
                desk.log("s")
            );
        }
        silent.call_described("s__log", json!({})).await;
        assert!(
            silent.noticed.others.lock().unwrap().is_empty(),
            "{mode}: it asked for none"
        );

        let modern = connect(Era::Inline, &server).await;
        let ticket = modern.describe("s__log").await["s__log"].clone();
        let arguments =
            json!({ "disclosure_ticket": crate::harness::client::ticket(&ticket).unwrap() });
        let meta = json!({ "io.modelcontextprotocol/logLevel": "debug" });
        modern
            .call_with_meta("s__log", arguments, meta)
            .await
            .unwrap();
        modern.notices("log warning").await;
        modern.notices("log debug").await;
        gateway.stop().await;
    }
}

#[tokio::test]
async fn an_upstream_over_http_notifies_on_a_stream_of_its_own() {
    let upstream = |tool| {
        Registry::builder()
            .tool(saying::<()>(tool, "hello"))
            .build()
            .unwrap()
    };
    let served = PdServer::builder(upstream("one"), ())
        .listing(Listing::Full)
        .build()
        .unwrap();
    let site = Site::open(&served, true).await;
    let desk = Desk::new();
    let headers = json!({ "authorization": "Bearer alice" });
    let gateway = desk.gateway([(
        "web".to_owned(),
        json!({ "url": site.url, "headers": headers }),
    )]);
    gateway.refresh().await;
    let server = serve(&gateway);
    gateway.follow(&server);
    let client = connect(Era::Session, &server).await;
    // The upstream has to know of the subscription before the change.
    sleep(Duration::from_millis(500)).await;
    served.replace(upstream("two")).unwrap();
    client.hears_changes(1).await;
    assert!(names(&client.list().await["tools"]).contains(&"web__two"));
    gateway.stop().await;
}

/// The stream of an upstream before 2026-07-28 ends after each change, and is resumed.
#[tokio::test]
async fn the_stream_of_an_upstream_over_http_is_resumed() {
    let (_upstream, url) = http_script("http_upstream.py", &[]).await;
    let desk = Desk::new();
    let gateway = desk.gateway([("web".to_owned(), json!({ "url": format!("{url}/mcp") }))]);
    gateway.refresh().await;
    let server = serve(&gateway);
    gateway.follow(&server);
    let client = connect(Era::Session, &server).await;
    let post = async |path: &str| {
        let answer = reqwest::Client::new()
            .post(format!("{url}{path}"))
            .body("{}")
            .send()
            .await
            .unwrap();
        answer.text().await.unwrap()
    };
    for (streams, changes) in [(1, 1), (2, 2)] {
        let began = Instant::now();
        while post("/resumed").await.matches(',').count() + 1 < streams
            || post("/resumed").await.contains("[]")
        {
            assert!(began.elapsed() < Duration::from_secs(10), "no stream");
            sleep(Duration::from_millis(50)).await;
        }
        post("/grow").await;
        client.hears_changes(changes).await;
        assert!(
            names(&client.list().await["tools"])
                .contains(&format!("web__count_{changes}").as_str())
        );
    }
    assert_eq!(post("/resumed").await, r#"{"resumed": [null, "grown-2"]}"#);
    gateway.stop().await;
}
