//! Open event streams: how many one caller may hold, and how long each outlives the right to it.

mod standing;

use super::{auth_guard::AuthGuard, response_body::ResponseBody};
use crate::{
    Principal,
    disclosure::caller,
    http_sessions::HttpRefusal,
    policy::rate_limit::quota::{
        QuotaAccount, QuotaClaim, QuotaReserve, QuotaShortage, SharedQuota,
    },
    protocol::headers::METHOD,
};

use axum::body::Body;
use http::{Method, StatusCode, header::CONTENT_TYPE, request::Parts};
use standing::{OpenStream, lapsed};
use std::{sync::Arc, time::Duration};

/// The method of 2026-07-28 that is answered by a stream that stays open.
const LISTEN: &str = "subscriptions/listen";
/// The value of `Retry-After`, in seconds.
const RETRY_SECONDS: u64 = 10;

/// The limits on the open streams of an endpoint.
#[derive(Debug)]
pub(super) struct StreamLimits {
    quota: Arc<SharedQuota>,
    /// The limit for one payer, repeated in messages.
    each: usize,
    /// The interval at which a stream's caller is authenticated again.
    check_interval: Option<Duration>,
}

/// One request that may be answered by a stream.
pub(super) struct StreamAdmission<'a> {
    streams: &'a StreamLimits,
    account: QuotaAccount,
    /// The slot of a request that asks for a stream. It is taken before any work is done for the
    /// request.
    claim: Option<QuotaClaim>,
    credentials: Option<StreamCredentials>,
}

/// A request's head, with which its caller is authenticated again.
pub(super) struct StreamCredentials {
    guard: Arc<AuthGuard>,
    head: Parts,
    subject: String,
}

impl StreamLimits {
    pub(super) fn new(total: usize, each: usize, check_interval: Option<Duration>) -> Self {
        // An interval of zero would authenticate in a busy loop; it turns the check off.
        Self {
            quota: SharedQuota::new(total, each),
            each,
            check_interval: check_interval.filter(|every| !every.is_zero()),
        }
    }

    /// Takes a slot for the stream that a request asks for.
    ///
    /// # Errors
    ///
    /// Returns the answer to the request if its caller holds the maximum of streams.
    pub(super) fn admit(
        &self,
        request: &Parts,
        guard: Option<&Arc<AuthGuard>>,
    ) -> Result<StreamAdmission<'_>, HttpRefusal> {
        let account = self
            .quota
            .account(caller::payer_over_http(&request.extensions));
        let claim = asks_for_stream(request)
            .then(|| self.claim(account))
            .transpose()?;
        let credentials = guard
            // A head that is not checked again is not kept.
            .filter(|_| self.check_interval.is_some())
            .and_then(|guard| StreamCredentials::new(guard, request));
        Ok(StreamAdmission {
            streams: self,
            account,
            claim,
            credentials,
        })
    }

    fn claim(&self, account: QuotaAccount) -> Result<QuotaClaim, HttpRefusal> {
        let mut claim = self.quota.claim(account);
        claim
            .grow_to(1, QuotaReserve::None)
            .map(|()| claim)
            .map_err(|shortage| self.refusal(shortage))
    }

    fn refusal(&self, shortage: QuotaShortage) -> HttpRefusal {
        let (status, message) = match shortage {
            QuotaShortage::Payer => (
                StatusCode::TOO_MANY_REQUESTS,
                format!(
                    "you hold {} open streams, the most that one caller may; close one, then try again",
                    self.each
                ),
            ),
            QuotaShortage::Total => (
                StatusCode::SERVICE_UNAVAILABLE,
                "this server has reached its limit of open streams; try again later".to_owned(),
            ),
        };
        HttpRefusal::new(status, message).retry_after(RETRY_SECONDS)
    }
}

/// Returns whether the answer to a request stays open: a session's own stream, or a subscription.
fn asks_for_stream(request: &Parts) -> bool {
    match request.method {
        Method::GET => true,
        // The method exists from 2026-07-28 on, where this header is required (SEP-2243).
        Method::POST => request
            .headers
            .get(METHOD)
            .is_some_and(|method| method == LISTEN),
        _ => false,
    }
}

impl StreamAdmission<'_> {
    /// Counts the answer if it is a stream. The stream of a call that runs already is counted but
    /// not refused: its result would be lost, and calls have their own limits.
    pub(super) fn follow(
        self,
        response: http::Response<ResponseBody>,
    ) -> http::Response<ResponseBody> {
        // A whole body has ended already, even if its content type is a stream's.
        if matches!(response.body(), ResponseBody::Whole(_)) || !is_stream(&response) {
            return response;
        }
        let claim = self.claim.unwrap_or_else(|| {
            let mut claim = self.streams.quota.claim(self.account);
            claim.count_one();
            claim
        });
        let end = self
            .credentials
            .zip(self.streams.check_interval)
            .map(|(credentials, every)| lapsed(credentials, every));
        response.map(|content| ResponseBody::Other(Body::new(OpenStream::new(content, claim, end))))
    }
}

fn is_stream(response: &http::Response<ResponseBody>) -> bool {
    response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind == "text/event-stream")
}

impl StreamCredentials {
    fn new(guard: &Arc<AuthGuard>, request: &Parts) -> Option<Self> {
        let subject = request.extensions.get::<Principal>()?.subject().to_owned();
        let mut head = request.clone();
        // The authenticator must see the request as it saw it first.
        head.extensions.remove::<Principal>();
        Some(Self {
            guard: guard.clone(),
            head,
            subject,
        })
    }
}
