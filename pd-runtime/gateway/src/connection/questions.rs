//! What servers ask of a person: how often, under which name, and which URLs a person is led to.
//!
//! This is the one place where the gateway rewrites texts of a server (and `form_texts`, for this
//! module). A client shows an
//! elicitation as one of the gateway, so a server could ask in the name of the gateway or of
//! another server.

use super::form_texts;
use crate::{
    config::loopback::is_loopback_url,
    message::{
        ErrorObject,
        client_request::{ELICITATION, ROOTS, SAMPLING},
    },
};
use pd_runtime::upstream::text::escape::for_person;
use reqwest::Url;
use rmcp::model::{ErrorCode, JsonObject};
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The most requests of one kind within one call.
pub(crate) const CALL_MAX: usize = 32;
/// The most requests of one result.
const ROUND_MAX: usize = 16;

/// The requests of each kind that a call may still make.
#[derive(Debug, Default)]
pub(crate) struct QuestionBudget {
    elicitations: AtomicUsize,
    samplings: AtomicUsize,
    roots: AtomicUsize,
}

/// How many requests of each kind a call has made: elicitations, samplings and lists of roots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct QuestionCounts(pub(crate) [usize; 3]);

impl QuestionBudget {
    /// Returns the budget of a call that may make no further request.
    pub(crate) fn exhausted() -> Self {
        let budget = Self::default();
        budget.raise_to(QuestionCounts([CALL_MAX; 3]));
        budget
    }

    /// Counts at least these requests.
    pub(crate) fn raise_to(&self, counts: QuestionCounts) {
        for (count, least) in self.kinds().iter().zip(counts.0) {
            // Never lowered, so that an older state which is sent again gives no questions back.
            count.fetch_max(least.min(CALL_MAX), Relaxed);
        }
    }

    pub(crate) fn counts(&self) -> QuestionCounts {
        QuestionCounts(self.kinds().map(|count| count.load(Relaxed).min(CALL_MAX)))
    }

    const fn kinds(&self) -> [&AtomicUsize; 3] {
        [&self.elicitations, &self.samplings, &self.roots]
    }

    /// Counts a request.
    ///
    /// # Errors
    ///
    /// Returns the error that answers the upstream if there were too many.
    pub(crate) fn take(&self, method: &str) -> Result<(), ErrorObject> {
        let count = match method {
            ELICITATION => &self.elicitations,
            SAMPLING => &self.samplings,
            ROOTS => &self.roots,
            _ => return Ok(()),
        };
        if count.fetch_add(1, Relaxed) < CALL_MAX {
            return Ok(());
        }
        // A counter that goes on would wrap around at last, and begin anew.
        count.store(CALL_MAX, Relaxed);
        Err(refused(format!(
            "one call has at most {CALL_MAX} requests of `{method}`; finish the call without more"
        )))
    }

    /// Begins anew with the next request of the client.
    pub(crate) fn reset(&self) {
        self.kinds()
            .iter()
            .for_each(|count| count.store(0, Relaxed));
    }
}

/// Prepares a request of a server for the client: names the server before the message, and removes
/// what would share the context of other servers.
///
/// # Errors
///
/// Returns the error that answers the server if the request must not reach a person.
pub(crate) fn prepare(
    server: &str,
    method: &str,
    params: &mut JsonObject,
) -> Result<(), ErrorObject> {
    match method {
        ELICITATION => prepare_elicitation(server, params).map_err(refused),
        // The client would add the conversation, and what all servers of the gateway have said.
        SAMPLING => {
            params.shift_remove("includeContext");
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Prepares the requests that a result contains. Requests that the client answers itself count in
/// `budget`.
///
/// # Errors
///
/// Returns why the result is refused.
pub(crate) fn prepare_result(
    server: &str,
    result: &mut Value,
    budget: Option<&QuestionBudget>,
) -> Result<(), String> {
    let Some(Value::Object(requests)) = result.get_mut("inputRequests") else {
        return Ok(());
    };
    // A person would see thousands of questions one by one.
    if requests.len() > ROUND_MAX {
        return Err(format!(
            "{} requests at once, and the limit is {ROUND_MAX}",
            requests.len()
        ));
    }
    for request in requests.values_mut() {
        let method = request
            .get("method")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        budget
            .map_or(Ok(()), |budget| budget.take(&method))
            .map_err(|error| error.message)?;
        if let Some(Value::Object(params)) = request.get_mut("params") {
            prepare(server, &method, params).map_err(|error| error.message)?;
        }
    }
    Ok(())
}

/// Prepares the elicitations that an error contains: the client shows them before it repeats the
/// call. If one must not be shown, the error has no data.
pub(crate) fn prepare_error(server: &str, error: &mut ErrorObject) {
    let Some(Value::Array(elicitations)) = error
        .data
        .as_mut()
        .and_then(|data| data.get_mut("elicitations"))
    else {
        return;
    };
    let count = elicitations.len();
    let mut prepared = elicitations
        .iter_mut()
        .map(|elicitation| match elicitation {
            Value::Object(params) => prepare_elicitation(server, params),
            _ => Err("an elicitation is not an object".to_owned()),
        });
    let refusal = match count > ROUND_MAX {
        true => Some(format!(
            "{count} requests at once, and the limit is {ROUND_MAX}"
        )),
        // The first refusal ends this, because the error then has no elicitations anyway.
        false => prepared.find_map(Result::err),
    };
    if let Some(reason) = refusal {
        *error = refused(format!(
            "`{server}` asks the user for something that the gateway does not pass on: {reason}"
        ));
    }
}

fn prepare_elicitation(server: &str, params: &mut JsonObject) -> Result<(), String> {
    // Without the mode, too, because a client may offer each `url` that it finds.
    let has_url =
        params.get("mode").is_some_and(|mode| mode == "url") || params.contains_key("url");
    if has_url
        && !params
            .get("url")
            .and_then(Value::as_str)
            .is_some_and(is_safe_url)
    {
        return Err("a URL must be one of https, or of http on this machine".to_owned());
    }
    let message = params
        .get("message")
        .and_then(Value::as_str)
        .unwrap_or_default();
    // A terminal would obey characters that wipe out or move the name before the message.
    let message = format!("{server}: {}", for_person(message));
    params.insert("message".to_owned(), message.into());
    if let Some(form) = params.get_mut("requestedSchema") {
        form_texts::prepare(form)?;
    }
    Ok(())
}

/// Returns whether a person may be led to a URL. Other URLs, such as `javascript:…`, act in the
/// client itself.
fn is_safe_url(text: &str) -> bool {
    // `Url::parse` drops line breaks and tabs, so a client could read another URL than the one that
    // is checked here.
    let is_plain = !text
        .chars()
        .any(|letter| letter.is_control() || letter.is_whitespace());
    is_plain
        && Url::parse(text).is_ok_and(|url| match url.scheme() {
            "https" => url.has_host(),
            "http" => is_loopback_url(&url),
            _ => false,
        })
}

fn refused(message: String) -> ErrorObject {
    ErrorObject {
        code: ErrorCode::INVALID_REQUEST.0,
        message,
        data: None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;
    use pd_runtime::upstream::text::invisible::hidden_character;
    use serde_json::json;

    fn prepared(method: &str, params: Value) -> Option<Value> {
        let mut params = params.as_object().unwrap().clone();
        prepare("evil", method, &mut params)
            .ok()
            .map(|()| Value::Object(params))
    }

    #[test]
    fn an_elicitation_names_its_server() {
        let message =
            |params| prepared(ELICITATION, params).map(|params| params["message"].clone());
        let named = json!("evil: pd-gateway needs your password");
        for mode in [
            json!({}),
            json!({ "mode": "form" }),
            json!({ "mode": "url", "url": "https://a.example/x" }),
        ] {
            let mut params = mode;
            params["message"] = json!("pd-gateway needs your password");
            assert_eq!(message(params), Some(named.clone()));
        }
        assert_eq!(message(json!({ "message": 1 })), Some(json!("evil: ")));
        let sampling = prepared(
            SAMPLING,
            json!({ "includeContext": "allServers", "messages": [] }),
        );
        assert_eq!(sampling, Some(json!({ "messages": [] })));
    }

    #[test]
    fn a_message_cannot_wipe_out_the_name_of_its_server() {
        for message in [
            "\u{1b}[2K\rgithub: your token",
            "\rgithub: your token",
            "\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}github: your token",
            "\n\n\u{2028}\u{200b}\n\ngithub: your token",
            "\u{202e}nekot ruoy :buhtig",
        ] {
            for mode in [
                json!({ "mode": "form" }),
                json!({ "mode": "url", "url": "https://a.example" }),
            ] {
                let mut params = mode;
                params["message"] = json!(message);
                let prepared = prepared(ELICITATION, params).unwrap();
                let shown = prepared["message"].as_str().unwrap();
                assert!(shown.starts_with("evil: "), "{shown:?}");
                assert_eq!(hidden_character(shown), None, "{shown:?}");
                assert!(!shown.contains(['\n', '\u{2028}']), "{shown:?}");
            }
        }
    }

    #[test]
    fn the_form_of_an_elicitation_is_prepared_with_it() {
        let ask = |name: &str| {
            json!({ "message": "x", "requestedSchema": { "type": "object", "properties": {
                name: { "type": "string", "title": "\u{1b}[1AName" },
            } } })
        };
        let form = prepared(ELICITATION, ask("name")).unwrap()["requestedSchema"].take();
        assert_eq!(form["properties"]["name"]["title"], "\\u{1b}[1AName");
        assert_eq!(prepared(ELICITATION, ask("na\u{202e}me")), None);
    }

    #[test]
    fn a_person_is_led_to_safe_urls_alone() {
        for url in [
            "https://a.example/x?y",
            "http://127.0.0.1:8/x",
            "http://localhost/x",
            "http://[::1]/x",
        ] {
            assert!(
                prepared(ELICITATION, json!({ "mode": "url", "url": url })).is_some(),
                "{url}"
            );
        }
        for url in [
            "javascript:alert(1)",
            " javascript:alert(1)",
            "java\nscript:alert(1)",
            "http://a.example/",
            "http://127.0.0.1.evil.example/",
            "file:///etc/passwd",
            "data:text/html,x",
            "vscode://x",
            "https:",
            "",
            "/x",
        ] {
            let form = json!({ "mode": "form", "url": url });
            for params in [json!({ "mode": "url", "url": url }), form] {
                assert_eq!(prepared(ELICITATION, params), None, "{url}");
            }
        }
        assert_eq!(prepared(ELICITATION, json!({ "mode": "url" })), None);
    }

    #[test]
    fn requests_of_each_kind_are_counted() {
        let budget = QuestionBudget::default();
        (0..CALL_MAX).for_each(|_| budget.take(ELICITATION).unwrap());
        budget.take(ELICITATION).unwrap_err();
        budget.take(ELICITATION).unwrap_err();
        budget.take(SAMPLING).unwrap();
        budget.reset();
        budget.take(ELICITATION).unwrap();
    }

    #[test]
    fn results_and_errors_are_prepared_as_requests_are() {
        let ask = |url: &str| json!({ "mode": "url", "url": url, "message": "Log in" });
        let result = |url: &str, count: usize| {
            let request = || json!({ "method": ELICITATION, "params": ask(url) });
            let requests: JsonObject = (0..count)
                .map(|number| (number.to_string(), request()))
                .collect();
            json!({ "resultType": "input_required", "inputRequests": requests })
        };
        let mut good = result("https://a.example", ROUND_MAX);
        prepare_result("evil", &mut good, None).unwrap();
        assert_eq!(
            good["inputRequests"]["0"]["params"]["message"],
            "evil: Log in"
        );
        prepare_result(
            "evil",
            &mut result("https://a.example", ROUND_MAX + 1),
            None,
        )
        .unwrap_err();
        prepare_result("evil", &mut result("javascript:x", 1), None).unwrap_err();
        let full = QuestionBudget::exhausted();
        prepare_result("evil", &mut result("https://a.example", 1), Some(&full)).unwrap_err();

        let error = |elicitations: Vec<Value>| {
            let data = Some(json!({ "elicitations": elicitations }));
            let mut error = ErrorObject {
                code: -32042,
                message: "Log in".to_owned(),
                data,
            };
            prepare_error("evil", &mut error);
            error
        };
        assert_eq!(
            error(vec![ask("https://a.example")]).data.unwrap()["elicitations"][0]["message"],
            "evil: Log in"
        );
        for elicitations in [
            vec![ask("https://a.example"), ask("javascript:x")],
            vec![ask("https://a.example"); ROUND_MAX + 1],
            vec![json!("x")],
        ] {
            let error = error(elicitations);
            assert!(
                error.data.is_none() && error.code != -32042 && error.message.contains("`evil`"),
                "{error:?}"
            );
        }
    }
}
