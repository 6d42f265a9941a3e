//! A session is of no use to anybody but its opener, at any replica, whether Redis is there or not.

use crate::{
    caller::{Called, Caller},
    deployment::Deployment,
};
use serde_json::json;

/// Whoever else has the id of alice's session.
fn thieves(alice: &Caller) -> [Caller; 2] {
    [alice.stolen_by(Some("mallory")), alice.stolen_by(None)]
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn a_stolen_id_opens_nothing_at_any_replica() {
    let mut deployment = Deployment::open().await;
    let alice = Caller::session(&deployment.replicas[0].url, Some("alice")).await;
    alice.describe("tool-0").await;
    for outage in [false, true] {
        if outage {
            deployment.redis.kill();
        }
        let [here, there] = deployment.urls();
        for thief in thieves(&alice) {
            for url in [here, there] {
                assert_eq!(thief.at(url).status().await, 404);
                assert_eq!(
                    thief
                        .at(url)
                        .try_call("tool-0", json!({}))
                        .await
                        .unwrap_err()
                        .status,
                    404
                );
                assert_eq!(thief.at(url).delete().await, 404);
            }
        }
        // The replica that did not open it comes to know it by its opener only.
        assert_eq!(alice.at(there).status().await, 200);
        assert_eq!(
            alice.call("tool-0", json!({})).await,
            Called::Ran("did 0".to_owned())
        );
    }
}

#[tokio::test]
#[cfg_attr(
    not(redis_server),
    ignore = "needs a Redis server; `just redis` fetches one"
)]
async fn an_id_that_no_replica_made_is_unknown() {
    let mut deployment = Deployment::open().await;
    let alice = Caller::session(&deployment.replicas[0].url, Some("alice")).await;
    let (id, other) = (
        alice.session_id().to_owned(),
        Caller::session(&deployment.proxy.url, Some("bob")).await,
    );
    let mixed = format!("{}{}", &id[..32], &other.session_id()[32..]);
    let mut flipped = id.clone();
    flipped.replace_range(40..42, if &id[40..42] == "00" { "01" } else { "00" });
    for outage in [false, true] {
        if outage {
            deployment.redis.kill();
        }
        for forged in [
            "",
            "x",
            &id[..32],
            &mixed,
            &flipped,
            &format!("{id}0"),
            &"f".repeat(id.len()),
            &"9".repeat(6_000),
        ] {
            for url in deployment.urls() {
                assert_eq!(
                    alice.with_session(forged).at(url).status().await,
                    404,
                    "{forged}"
                );
            }
        }
    }
}
