//! A client that knows one surface, and remembers all it was told.

use crate::{harness::post::Post, story::surface::Surface};
use serde_json::{Value, json};
use std::sync::Mutex;

/// Which generation of the protocol a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Generation {
    /// `initialize`, and a session.
    Session,
    /// 2026-07-28: each request stands for itself.
    Inline,
}

impl Generation {
    pub(crate) const ALL: [Self; 2] = [Self::Session, Self::Inline];
}

/// What proves a disclosure where there is no session.
#[derive(Debug, Clone)]
pub(crate) enum Ticket {
    Argument(String),
    Meta(String),
}

/// What was asked and what was answered.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    pub(crate) asked: String,
    pub(crate) answered: String,
}

/// A connected client.
pub(crate) struct Caller {
    post: Post,
    heard: Mutex<Vec<Exchange>>,
}

impl Caller {
    /// Connects a client that declares what the surface asks for; `None` where this generation has no such surface.
    pub(crate) async fn connect(
        url: &str,
        bearer: &str,
        surface: Surface,
        generation: Generation,
    ) -> Option<Self> {
        let capabilities = surface.capabilities();
        let post = match (generation, surface.version()) {
            (Generation::Session, version) => {
                Post::session_of(
                    url,
                    Some(bearer),
                    version.unwrap_or("2025-11-25"),
                    capabilities,
                )
                .await
            }
            (Generation::Inline, Some(_)) => return None,
            (Generation::Inline, None) => {
                Post::inline(url).bearer(bearer).capabilities(capabilities)
            }
        };
        Some(Self {
            post,
            heard: Mutex::default(),
        })
    }

    /// The whole response to a request.
    pub(crate) async fn ask(&self, method: &str, params: Value) -> Value {
        let asked = params.to_string();
        let answer = self.post.send(method, params).await.body;
        self.heard.lock().unwrap().push(Exchange {
            asked,
            answered: answer.to_string(),
        });
        answer
    }

    /// The result of a meta-tool.
    pub(crate) async fn meta_tool(&self, name: &str, arguments: Value) -> Value {
        self.ask(
            "tools/call",
            json!({ "name": name, "arguments": arguments }),
        )
        .await["result"]
            .take()
    }

    /// The result of a call with this proof.
    pub(crate) async fn call(
        &self,
        name: &str,
        mut arguments: Value,
        ticket: Option<Ticket>,
    ) -> Value {
        let mut params = json!({ "name": name });
        match ticket {
            Some(Ticket::Argument(ticket)) => arguments["disclosure_ticket"] = json!(ticket),
            Some(Ticket::Meta(ticket)) => {
                params["_meta"] = json!({ "dev.pd-runtime/ticket": ticket })
            }
            None => {}
        }
        params["arguments"] = arguments;
        self.ask("tools/call", params).await["result"].take()
    }

    /// All that was asked and answered.
    pub(crate) fn heard(&self) -> Vec<Exchange> {
        self.heard.lock().unwrap().clone()
    }
}
