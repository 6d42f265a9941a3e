//! Conversations: who talks when, and what a client may say.

use super::{
    Failure, inline,
    over_http::{client::Client, connection::Connection},
    session,
    tools::ANSWER,
};
use futures::future::try_join_all;
use serde_json::{Value, json};
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

/// Who talk at the same time.
const TALKERS: u64 = 8;
/// How often each begins a conversation.
const EACH: Duration = Duration::from_millis(250);
/// After so many conversations a talker takes a new connection.
const CONNECTION: u64 = 16;
/// How many principals come again and again.
const REGULARS: u64 = 1_000;

/// What was said so far.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    conversations: AtomicU64,
    requests: AtomicU64,
}

impl Counts {
    /// Requests so far.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Relaxed)
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} conversations, {} requests",
            self.conversations.load(Relaxed),
            self.requests()
        )
    }
}

/// A client in conversation.
pub(crate) struct Talk<'a> {
    pub(crate) client: Client,
    pub(crate) connection: &'a mut Connection,
    pub(crate) url: &'a str,
    pub(crate) number: u64,
    counts: &'a Counts,
}

/// Talks for ever.
///
/// # Errors
///
/// Something was not answered as it should be.
pub(crate) async fn talk(url: &str, counts: Arc<Counts>) -> Result<Failure, Failure> {
    try_join_all((0..TALKERS).map(|talker| talk_one(talker, url, &counts))).await?;
    Err("nobody talks any more".into())
}

async fn talk_one(talker: u64, url: &str, counts: &Counts) -> Result<(), Failure> {
    let first = Instant::now() + EACH.mul_f64(talker as f64 / TALKERS as f64);
    let mut ticks = interval_at(first, EACH);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let mut connection = Connection::open(url).await?;
        for _ in 0..CONNECTION {
            ticks.tick().await;
            let number = counts.conversations.fetch_add(1, Relaxed);
            let era = if number.is_multiple_of(2) {
                session::ERA
            } else {
                inline::ERA
            };
            let client = Client::open(era, Some(&principal(number)), &mut connection).await?;
            let talk = Talk {
                client,
                connection: &mut connection,
                url,
                number,
                counts,
            };
            let talked = if era == session::ERA {
                session::talk(talk).await
            } else {
                inline::talk(talk).await
            };
            talked.map_err(|error| format!("conversation {number}: {error}"))?;
        }
    }
}

/// Every eighth comes once and never again.
fn principal(number: u64) -> String {
    if number.is_multiple_of(8) {
        format!("guest-{number}")
    } else {
        format!("regular-{}", number % REGULARS)
    }
}

impl Talk<'_> {
    /// The result of a request.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Result<Value, Failure> {
        self.counts.requests.fetch_add(1, Relaxed);
        self.client.request(method, params, self.connection).await
    }

    /// The description of a tool.
    pub(crate) async fn describe(&mut self, tool: &str) -> Result<Value, Failure> {
        self.counts.requests.fetch_add(1, Relaxed);
        Ok(serde_json::from_str(
            &self.client.describe(tool, self.connection).await?,
        )?)
    }

    /// The text that a call was answered with.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Result<String, Failure> {
        let result = self
            .ask(
                "tools/call",
                json!({ "name": tool, "arguments": arguments }),
            )
            .await?;
        let text = result.pointer("/content/0/text").and_then(Value::as_str);
        Ok(text.ok_or("a call was answered without a text")?.to_owned())
    }

    /// A call that must succeed.
    pub(crate) async fn succeed(&mut self, tool: &str, arguments: Value) -> Result<(), Failure> {
        self.answered(tool, arguments, ANSWER).await
    }

    /// A call that must be answered with a text that holds this one.
    pub(crate) async fn answered(
        &mut self,
        tool: &str,
        arguments: Value,
        with: &str,
    ) -> Result<(), Failure> {
        let text = self.call(tool, arguments).await?;
        if text.contains(with) {
            Ok(())
        } else {
            Err(format!("{tool} was answered {text}, not {with}").into())
        }
    }

    /// A request that must fail.
    pub(crate) async fn fail(&mut self, method: &str, params: Value) -> Result<(), Failure> {
        match self.ask(method, params).await {
            Err(_) => Ok(()),
            Ok(result) => Err(format!("{method} was answered {result}").into()),
        }
    }
}
