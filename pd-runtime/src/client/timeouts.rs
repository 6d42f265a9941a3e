//! Time limits of requests, and the cancellation of a request that exceeds its limit or has its
//! future dropped.

use super::error::ClientError;
use rmcp::{
    RoleClient,
    model::{
        CancelledNotification, CancelledNotificationParam, ClientRequest, RequestId, ServerResult,
    },
    service::{Peer, PeerRequestOptions, ServiceError},
};
use std::time::Duration;

/// The time limit for sending a cancellation to a server that reads nothing.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest limit. Not every system can represent an instant much further in the future.
const LIMIT_MAX: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// The time limits of one client.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestTimeouts {
    /// The limit of lists, descriptions and all other requests that are not the model's calls.
    pub(super) request: TimeLimit,
    pub(super) call: TimeLimit,
}

/// The time limit of one request.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeLimit {
    /// The limit on the time without an answer or a progress notification.
    pub(super) silence: Duration,
    /// The limit on the whole request, regardless of progress.
    pub(super) total: Duration,
}

impl Default for RequestTimeouts {
    fn default() -> Self {
        let call = TimeLimit {
            silence: Duration::from_secs(5 * 60),
            total: Duration::from_secs(60 * 60),
        };
        Self {
            request: TimeLimit::from_total(Duration::from_secs(60)),
            call,
        }
    }
}

impl TimeLimit {
    /// Creates a limit that progress does not extend.
    pub(super) fn from_total(total: Duration) -> Self {
        let total = total.min(LIMIT_MAX);
        Self {
            silence: total,
            total,
        }
    }

    /// Returns the limit with another limit on silence.
    pub(super) fn with_silence(self, silence: Duration) -> Self {
        Self {
            silence: silence.min(LIMIT_MAX),
            ..self
        }
    }

    /// Returns the limit with another limit on the whole request.
    pub(super) fn with_total(self, total: Duration) -> Self {
        Self {
            total: total.min(LIMIT_MAX),
            ..self
        }
    }

    fn options(self) -> PeerRequestOptions {
        // Progress cannot extend the silence beyond the total, so one limit is enough.
        if self.silence >= self.total {
            return PeerRequestOptions::with_timeout(self.total);
        }
        PeerRequestOptions::with_timeout(self.silence)
            .reset_timeout_on_progress()
            .with_max_total_timeout(self.total)
    }
}

/// Sends a request and waits for its answer. Cancels the request if it exceeds its limit, or if
/// this future is dropped.
///
/// # Errors
///
/// Returns an error if the answer is an error, or if no answer arrives within the limit.
pub(super) async fn send_within(
    peer: &Peer<RoleClient>,
    request: ClientRequest,
    mut options: PeerRequestOptions,
    limit: TimeLimit,
) -> Result<ServerResult, ClientError> {
    let method = request.method().to_owned();
    let limits = limit.options();
    options.timeout = limits.timeout;
    options.reset_timeout_on_progress = limits.reset_timeout_on_progress;
    options.max_total_timeout = limits.max_total_timeout;
    let exchange = async {
        let handle = peer.send_request_with_option(request, options).await?;
        let mut unanswered = CancelOnDrop {
            peer,
            id: Some(handle.id.clone()),
        };
        let answer = handle.await_response().await;
        // Disarmed after every answer and every error: rmcp itself cancels a request that times
        // out.
        unanswered.id = None;
        answer
    };
    // On a timeout, rmcp first writes its cancellation, which blocks if the server reads nothing.
    // This outer limit ends that wait.
    let latest = limit.total.saturating_add(CANCEL_TIMEOUT);
    let late = ServiceError::Timeout {
        timeout: limit.total,
    };
    match tokio::time::timeout(latest, exchange)
        .await
        .unwrap_or(Err(late))
    {
        Err(ServiceError::Timeout { timeout }) => Err(ClientError::Timeout {
            request: method,
            limit: timeout,
        }),
        answer => Ok(answer?),
    }
}

/// Guard of a request without an answer. Dropping it sends `notifications/cancelled`, so that the
/// server can stop its work.
#[derive(Debug)]
struct CancelOnDrop<'a> {
    peer: &'a Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        // `drop` cannot await. Outside of a runtime nothing can be sent, and the server finds out
        // when the connection closes.
        let (Some(id), Ok(runtime)) = (self.id.take(), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        let peer = self.peer.clone();
        let params = CancelledNotificationParam::new(
            Some(id),
            Some("request abandoned by the caller".to_owned()),
        );
        let cancelled = CancelledNotification::new(params);
        runtime.spawn(async move {
            _ = tokio::time::timeout(CANCEL_TIMEOUT, peer.send_notification(cancelled.into()))
                .await;
        });
    }
}
