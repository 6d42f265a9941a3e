//! Subscription to a server's changes for the lifetime of the connection.

use super::{
    listener::{ChangeCounter, is_change},
    request::RequestSender,
};
use rmcp::{
    RoleClient,
    model::{ErrorCode, SubscriptionFilter},
    service::{Peer, ServiceError, Subscription},
};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// The time within which a server must acknowledge a subscription.
const ACKNOWLEDGE_TIMEOUT: Duration = Duration::from_secs(5);
/// The pause before a subscription that ended is renewed. It doubles after each subscription that
/// did not last.
const PAUSE_MIN: Duration = Duration::from_millis(200);
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// A subscription that ends when this value is dropped.
#[derive(Debug)]
pub(super) struct SubscriptionTask(JoinHandle<()>);

impl Drop for SubscriptionTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Subscribes to changes if the protocol sends them in no other way (protocol version 2026-07-28).
pub(super) async fn listen(
    requests: &RequestSender,
    changes: &ChangeCounter,
) -> Option<SubscriptionTask> {
    let info = requests.peer.peer_info()?;
    let announces_changes = info
        .capabilities
        .tools
        .as_ref()
        .is_some_and(|tools| tools.list_changed == Some(true));
    if !requests.inline || !announces_changes {
        return None;
    }
    // The first attempt is awaited, so that most clients are subscribed before they list the tools.
    // `keep_subscribed` tries again after an error.
    let subscription = subscribe(&requests.peer).await.ok();
    Some(SubscriptionTask(tokio::spawn(keep_subscribed(
        requests.peer.clone(),
        subscription,
        changes.clone(),
    ))))
}

/// Subscribes once. A server that does not acknowledge in time holds up nothing: the client tries
/// again later.
async fn subscribe(peer: &Peer<RoleClient>) -> Result<Subscription, ServiceError> {
    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    tokio::time::timeout(ACKNOWLEDGE_TIMEOUT, peer.listen(filter))
        .await
        .map_err(|_| ServiceError::Timeout {
            timeout: ACKNOWLEDGE_TIMEOUT,
        })?
}

/// Renews the subscription until the connection closes. A change between two subscriptions would be
/// missed, so both the end of one and the start of the next count as a change.
async fn keep_subscribed(
    peer: Peer<RoleClient>,
    mut subscription: Option<Subscription>,
    changes: ChangeCounter,
) {
    let mut pause = PAUSE_MIN;
    while !peer.is_transport_closed() {
        if let Some(current) = subscription.take() {
            let since = Instant::now();
            count_changes(current, &changes).await;
            changes.record();
            // A subscription that lasted does not indicate a broken server, so the next one is
            // renewed quickly.
            pause = if since.elapsed() > PAUSE_MAX {
                PAUSE_MIN
            } else {
                pause
            };
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(PAUSE_MAX);
        subscription = match subscribe(&peer).await {
            // The server announced changes but has no subscriptions. Further attempts would fail,
            // too.
            Err(ServiceError::McpError(error)) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                return;
            }
            result => result.ok(),
        };
        if subscription.is_some() {
            changes.record();
        }
    }
}

/// Counts changes until the subscription ends.
async fn count_changes(mut subscription: Subscription, changes: &ChangeCounter) {
    while let Ok(Some(notification)) = subscription.next().await {
        if is_change(&notification) {
            changes.record();
        }
    }
}
