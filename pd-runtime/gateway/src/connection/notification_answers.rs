//! The errors with which an upstream answers notifications.
//!
//! A notification has no answer (JSON-RPC 2.0, section 4.1). Some servers send an error for each
//! that they do not know. It has no id, as the error for a request that a server cannot read has
//! none. Taken for the latter, it would end a request that the server is about to answer.

use crate::{message::ErrorObject, transport::PENDING_MAX};
use parking_lot::Mutex;
use rmcp::model::ErrorCode;
use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

/// How long a notification can be answered at least. An answer can come after those to later
/// requests, because servers handle messages side by side.
const LATE: Duration = Duration::from_secs(10);

/// The notifications that the gateway sends.
const METHODS: [&str; 3] = [
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/roots/list_changed",
];

/// The notifications of a connection that can still be answered, from the oldest.
#[derive(Debug, Default)]
pub(super) struct NotificationAnswers(Mutex<VecDeque<SentNotification>>);

#[derive(Debug)]
struct SentNotification {
    at: Instant,
    /// The id of the first request after it.
    next_request: u64,
    /// Whether a later request was answered.
    is_overtaken: bool,
}

impl SentNotification {
    /// Returns whether it has no answer anymore: a server that answers in order would have sent it
    /// by now, and so would one that does not.
    fn is_over(&self) -> bool {
        self.is_overtaken && self.at.elapsed() > LATE
    }
}

impl NotificationAnswers {
    /// Records that a notification is sent. `next_request` is the id of the next request.
    pub(super) fn note_sent(&self, next_request: u64) {
        let mut sent = self.0.lock();
        if sent.len() >= PENDING_MAX {
            sent.pop_front();
        }
        sent.push_back(SentNotification {
            at: Instant::now(),
            next_request,
            is_overtaken: false,
        });
    }

    /// Records that a request was answered.
    pub(super) fn note_response(&self, id: u64) {
        let mut sent = self.0.lock();
        sent.iter_mut()
            .filter(|sent| sent.next_request <= id)
            .for_each(|sent| sent.is_overtaken = true);
        sent.retain(|sent| !sent.is_over());
    }

    /// Returns whether an error without an id can be the answer to a notification, and counts it as
    /// one.
    pub(super) fn take(&self, error: &ErrorObject) -> bool {
        let mut sent = self.0.lock();
        sent.retain(|sent| !sent.is_over());
        let is_answer = names_notification(error) || (!sent.is_empty() && is_refusal(error));
        if is_answer {
            sent.pop_front();
        }
        is_answer
    }
}

/// Returns whether an error names a method that only notifications have.
fn names_notification(error: &ErrorObject) -> bool {
    let data = error.data.as_ref().map(ToString::to_string);
    METHODS.iter().any(|method| {
        error.message.contains(method) || data.as_ref().is_some_and(|data| data.contains(method))
    })
}

/// Returns whether an error can mean that the server does not handle a notification. One about
/// parsing cannot: of what the gateway sends, requests have the values that a parser may refuse.
fn is_refusal(error: &ErrorObject) -> bool {
    let codes = [
        ErrorCode::INVALID_REQUEST,
        ErrorCode::METHOD_NOT_FOUND,
        ErrorCode::INTERNAL_ERROR,
    ];
    codes.iter().any(|code| code.0 == error.code)
        // An error that is only a text has the code of another.
        && !error.message.to_lowercase().contains("parse error")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn error(code: i32, message: &str) -> ErrorObject {
        ErrorObject {
            code,
            message: message.to_owned(),
            data: None,
        }
    }

    fn unknown() -> ErrorObject {
        error(-32_601, "Method not found")
    }

    fn with_sent(count: u64) -> NotificationAnswers {
        let answers = NotificationAnswers::default();
        (0..count).for_each(|number| answers.note_sent(number + 2));
        answers
    }

    /// Makes all notifications older than an answer can be late.
    fn age(answers: &NotificationAnswers) {
        for sent in answers.0.lock().iter_mut() {
            sent.at = Instant::now()
                .checked_sub(LATE + Duration::from_secs(1))
                .unwrap_or(sent.at);
        }
    }

    #[test]
    fn each_notification_has_one_answer() {
        let answers = with_sent(2);
        assert!(answers.take(&unknown()));
        assert!(answers.take(&error(-32_603, "Internal error")));
        assert!(!answers.take(&error(-32_600, "Invalid Request")));
        answers.note_sent(9);
        assert!(answers.take(&error(-32_600, "Invalid Request")));
    }

    #[test]
    fn an_answer_may_be_late_while_no_later_request_is_answered_or_for_a_time() {
        let answers = with_sent(1);
        answers.note_response(2);
        assert!(answers.take(&unknown()), "soon");
        let answers = with_sent(1);
        answers.note_response(1);
        age(&answers);
        assert!(answers.take(&unknown()), "nothing later was answered");
        let answers = with_sent(1);
        answers.note_response(2);
        age(&answers);
        assert!(!answers.take(&unknown()), "late");
        let answers = with_sent(2);
        age(&answers);
        answers.note_response(2);
        assert_eq!(answers.0.lock().len(), 1, "the later one is not overtaken");
    }

    #[test]
    fn only_an_error_that_can_be_about_a_notification_counts_as_its_answer() {
        let answers = with_sent(1);
        for (code, message) in [
            (-32_700, "Parse error"),
            (-32_603, "Parse error"),
            (-32_602, "Invalid params"),
            (-32_000, "busy"),
        ] {
            assert!(!answers.take(&error(code, message)), "{code} {message}");
        }
        assert!(answers.take(&unknown()));
    }

    #[test]
    fn the_name_of_a_notification_suffices() {
        let answers = NotificationAnswers::default();
        for method in METHODS {
            assert!(answers.take(&error(-32_700, &format!("cannot parse {method}"))));
            let data = Some(json!({ "method": method }));
            assert!(answers.take(&ErrorObject { data, ..unknown() }));
        }
        assert!(!answers.take(&error(-32_601, "unknown: notifications/progress")));
    }

    #[test]
    fn many_notifications_are_bounded() {
        let answers = with_sent(PENDING_MAX as u64 + 10);
        assert_eq!(answers.0.lock().len(), PENDING_MAX);
    }
}
