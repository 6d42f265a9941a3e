//! One cache for many: what one principal was given, no other is shown.

use crate::{
    client::agent::{agent_with, connect_to, text, warm},
    harness::{client::Era, shop, site::Site},
};
use pd_runtime::client::{Cache, Client, ClientBuilder, ListChangedHandler};
use serde_json::json;

fn of(builder: ClientBuilder, principal: &'static str, cache: &Cache) -> ClientBuilder {
    builder.principal(principal).cache(cache)
}

#[tokio::test]
async fn a_shared_cache_crosses_no_principals() {
    for era in Era::ALL {
        let (shared, cache) = (shop::server().build().unwrap(), Cache::new());
        let alice = agent_with(era, &shared, |builder| of(builder, "alice", &cache)).await;
        let again = agent_with(era, &shared, |builder| of(builder, "alice", &cache)).await;
        let bob = agent_with(era, &shared, |builder| of(builder, "bob", &cache)).await;
        let nobody = agent_with(era, &shared, |builder| builder.cache(&cache)).await;
        let [alice, again, bob, nobody] = [
            warm(alice).await,
            warm(again).await,
            warm(bob).await,
            warm(nobody).await,
        ];
        alice.tools.describe(["shop__greet"]).await.unwrap();
        again.tools.describe(["shop__greet"]).await.unwrap();
        assert_eq!(
            (alice.sent.take().len(), again.sent.take().len()),
            (1, 0),
            "{era:?}: she is known"
        );
        bob.tools.describe(["shop__greet"]).await.unwrap();
        nobody.tools.describe(["shop__greet"]).await.unwrap();
        assert_eq!(
            (bob.sent.take().len(), nobody.sent.take().len()),
            (1, 1),
            "{era:?}: they ask themselves"
        );
        for one in [&alice, &again, &bob, &nobody] {
            let greeted = one
                .tools
                .call("shop__greet", json!({ "name": "Ada" }))
                .await
                .unwrap();
            assert_eq!(
                text(&greeted),
                "Welcome, Ada!",
                "{era:?}: a session that described nothing is mended"
            );
        }
    }
}

/// `refund` is there for those with the scope `shop:refund` alone.
#[tokio::test]
async fn what_one_may_see_stays_hidden_from_the_other() {
    for (era, sessions) in [(Era::HttpSession, true), (Era::HttpInline, false)] {
        let (shared, cache) = (shop::server().build().unwrap(), Cache::new());
        let site = Site::open(&shared, sessions).await;
        let mut agents = Vec::new();
        for (principal, token) in [("till", "till shop:refund"), ("guest", "guest")] {
            let connected =
                connect_to(era, &site.url, Some(token), ListChangedHandler::new()).await;
            let tools = Client::builder()
                .server("shop", &connected.running)
                .principal(principal)
                .cache(&cache);
            agents.push((tools.build().await.unwrap(), connected));
        }
        let [(till, _till), (guest, _guest)] = agents.as_slice() else {
            panic!("two agents")
        };
        assert!(
            till.describe(["shop__refund"])
                .await
                .unwrap()
                .get("shop__refund")
                .is_some(),
            "{era:?}"
        );
        let described = guest.describe(["shop__refund"]).await.unwrap();
        assert!(
            described.get("shop__refund").is_none() && !described.unknown().is_empty(),
            "{era:?}"
        );
        assert!(
            guest
                .call("shop__refund", json!({ "amount": 1 }))
                .await
                .is_err(),
            "{era:?}"
        );
        assert!(
            !guest.system_prompt().contains("refund") && till.system_prompt().contains("refund"),
            "{era:?}"
        );
        assert_eq!(
            text(
                &till
                    .call("shop__refund", json!({ "amount": 1 }))
                    .await
                    .unwrap()
            ),
            "1",
            "{era:?}"
        );
    }
}
