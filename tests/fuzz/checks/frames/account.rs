//! Requests and their answers, counted.

use super::Line;
use crate::checks::line::parsed;
use serde_json::{Value, json};
use std::collections::HashMap;

/// What was sent and heard on one line.
#[derive(Debug, Default)]
pub(crate) struct Account {
    asked: String,
    requests: Vec<Request>,
    cancelled: Vec<String>,
    heard: Vec<String>,
}

#[derive(Debug)]
struct Request {
    id: String,
    /// A subscription is answered when it ends.
    stays_open: bool,
}

impl Account {
    pub(crate) fn sent(&mut self, bytes: &[u8]) {
        self.asked.push_str(&String::from_utf8_lossy(bytes));
        for line in bytes.split(|byte| *byte == b'\n') {
            let Ok(message) = serde_json::from_slice::<Value>(line) else {
                continue;
            };
            let Some(method) = message.get("method").and_then(Value::as_str) else {
                continue;
            };
            if method == "notifications/cancelled" {
                self.cancelled
                    .extend(message.pointer("/params/requestId").and_then(id_of));
            }
            if let Some(id) = message.get("id").and_then(id_of) {
                self.requests.push(Request {
                    id,
                    stays_open: method == "subscriptions/listen",
                });
            }
        }
    }

    pub(crate) fn heard(&mut self, lines: &[String]) {
        self.heard.extend_from_slice(lines);
    }

    pub(crate) fn asked(&self) -> String {
        self.asked.clone()
    }

    pub(crate) fn into_heard(self) -> Vec<String> {
        self.heard
    }

    /// No request is answered twice; on a connection that was opened none is left without an answer, and it is still there. What
    /// rmcp cannot read at all it answers without an id.
    pub(crate) async fn settle(&self, is_open: bool, line: &mut Line) {
        let messages: Vec<_> = self.heard.iter().map(|line| parsed(line)).collect();
        let answers = messages
            .iter()
            .filter(|message| message.get("method").is_none());
        let mut answered = HashMap::<String, usize>::new();
        let mut nameless = 0;
        for answer in answers {
            assert!(
                answer.get("result").is_some() != answer.get("error").is_some(),
                "{answer}"
            );
            match answer.get("id") {
                None | Some(Value::Null) => nameless += 1,
                Some(id) => *answered.entry(id.to_string()).or_default() += 1,
            }
        }
        let asked = self.asked_for();
        for (id, times) in &answered {
            let asked = asked.get(id).copied().unwrap_or_default();
            assert!(
                *times <= asked,
                "{id} was asked {asked} times and answered {times} times: {}",
                self.asked
            );
        }
        // MCP forbids to use an id twice; rmcp then answers one of the two.
        let has_none = |id: &&String| !self.may_stay_open(id) && !answered.contains_key(*id);
        let missing = asked.keys().filter(has_none).count();
        if is_open {
            assert!(
                missing <= nameless,
                "{missing} requests have no answer: {}",
                self.asked
            );
            assert_alive(line).await;
        }
    }

    fn asked_for(&self) -> HashMap<String, usize> {
        let mut asked = HashMap::new();
        for request in &self.requests {
            *asked.entry(request.id.clone()).or_default() += 1;
        }
        asked
    }

    fn may_stay_open(&self, id: &String) -> bool {
        self.cancelled.contains(id)
            || self
                .requests
                .iter()
                .any(|request| request.id == *id && request.stays_open)
    }
}

/// The id as it stands in an answer: to JSON Schema, and so to rmcp, `1.0` is the whole number 1.
fn id_of(id: &Value) -> Option<String> {
    const EXACT: f64 = (1_u64 << 53) as f64;
    let whole = id
        .as_f64()
        .filter(|number| number.fract() == 0.0 && number.abs() < EXACT);
    match whole {
        Some(number) => Some((number as i64).to_string()),
        None => (id.is_string() || id.is_i64()).then(|| id.to_string()),
    }
}

async fn assert_alive(line: &mut Line) {
    let ping = json!({ "jsonrpc": "2.0", "id": "still-there", "method": "ping" });
    let heard = line.say(format!("{ping}\n").as_bytes()).await;
    assert!(
        heard.iter().any(|line| parsed(line)["id"] == "still-there"),
        "the connection is dead: {heard:?}"
    );
}
