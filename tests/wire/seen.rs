//! What is seen of requests: events, spans and numbers, and what they do not tell.

mod events;
mod hidden;
mod numbers;
mod personal;
mod spans;

use pd_runtime::audit::{Audit, Event};
use serde_json::Value;
use std::{
    mem,
    sync::{Arc, Mutex},
};

/// Keeps events as JSON.
#[derive(Debug, Default)]
pub(super) struct Kept(Mutex<Vec<Value>>);

impl Audit for Kept {
    fn record(&self, event: &Event<'_>) {
        self.0
            .lock()
            .unwrap()
            .push(serde_json::to_value(event).unwrap());
    }
}

impl Kept {
    pub(super) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// What was kept since the last time.
    pub(super) fn take(&self) -> Vec<Value> {
        mem::take(&mut self.0.lock().unwrap())
    }

    /// The same, each in a line: `described greet, resources/read`.
    pub(super) fn lines(&self) -> Vec<String> {
        self.take().iter().map(line).collect()
    }
}

fn line(event: &Value) -> String {
    let text = |key: &str| event[key].as_str().unwrap_or_default();
    let tools = event["tools"].as_array().map(|tools| {
        let names: Vec<_> = tools
            .iter()
            .map(|tool| tool["tool"].as_str().unwrap())
            .collect();
        names.join(" ")
    });
    let about = [
        text("tool"),
        tools.as_deref().unwrap_or_default(),
        text("by"),
        text("reason"),
        text("outcome"),
    ];
    let about: Vec<_> = about.into_iter().filter(|word| !word.is_empty()).collect();
    format!("{} {}, {}", text("event"), about.join(" "), text("wire"))
}
