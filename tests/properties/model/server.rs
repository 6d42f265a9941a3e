//! What is: the real server, behind its real endpoints.

use crate::{
    checks::endpoint::{Endpoint, Reply, header, usual_headers},
    model::oracle::{Oracle, Outcome, place},
    model::plan::{By, CALLERS, EAGER, SCOPED, Step, Surface, TOOLS},
};
use futures::{FutureExt, future::ready};
use http::{Method, StatusCode};
use pd_runtime::{
    IntoOutput, PdServer, Principal, Registry, Tool, config::Refusal, serve::HttpOptions,
};
use serde_json::{Value, json};
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

/// How long a session may be idle, by the machine's clock.
const IDLE: Duration = Duration::from_millis(600);
const SCOPE: &str = "model:scoped";

/// The server, and what its clients remember.
pub(crate) struct Server {
    shared: PdServer<AtomicUsize>,
    endpoint: Endpoint,
    stateless: Endpoint,
    sessions: Vec<String>,
    tickets: Vec<String>,
    last: Instant,
}

impl Server {
    pub(crate) fn open(refusals_describe: bool) -> Self {
        let carries = if refusals_describe {
            Refusal::WithDescription
        } else {
            Refusal::Bare
        };
        let server = PdServer::builder(registry([Some(0); TOOLS.len()]), AtomicUsize::default())
            .listing(pd_runtime::Listing::Minimal)
            .session_per_call(pd_runtime::config::SessionPerCall::Refuse)
            .refusal(carries);
        let shared = server.build().expect("a sound registry");
        let endpoint = Endpoint::with(&shared, &HttpOptions::new().session_idle(IDLE));
        let stateless = Endpoint::open(&shared, false);
        Self {
            shared,
            endpoint,
            stateless,
            sessions: Vec::new(),
            tickets: Vec::new(),
            last: Instant::now(),
        }
    }

    /// Returns whether the last step took so long that sessions may have ended by themselves.
    pub(crate) fn was_slow(&mut self) -> bool {
        let since = std::mem::replace(&mut self.last, Instant::now());
        since.elapsed() > IDLE / 4
    }

    /// Takes a step that the oracle has taken already.
    pub(crate) async fn take(&mut self, step: &Step, oracle: &mut Oracle) -> Outcome {
        match *step {
            Step::Open { who } => self.opens(principal(who, oracle)).await,
            Step::Describe { by, tool, surface } => self.describe(by, tool, surface, oracle).await,
            Step::Call { by, tool, ticket } => self.call(by, tool, ticket, oracle).await,
            Step::List { by } => self.list(by, oracle).await,
            Step::Delete { session, thief } => {
                let who = thief.unwrap_or_else(|| oracle.owner(session));
                self.delete(session, principal(who, oracle)).await
            }
            Step::Expire => {
                std::thread::sleep(IDLE);
                tokio::time::sleep(IDLE).await;
                // Sessions were meant to end.
                self.last = Instant::now();
                Outcome::Done
            }
            Step::Scope { .. } => Outcome::Done,
            Step::Replace { .. } => {
                self.shared
                    .replace(registry(oracle.served()))
                    .expect("a sound registry");
                Outcome::Done
            }
        }
    }

    async fn opens(&mut self, principal: Option<Principal>) -> Outcome {
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "model", "version": "0" },
        });
        let request =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        let body = request.to_string().into_bytes();
        let reply = self
            .endpoint
            .send(principal, Method::POST, usual_headers(), body)
            .await;
        let id = reply
            .headers
            .get("mcp-session-id")
            .expect("a session")
            .to_str()
            .expect("an id");
        self.sessions.push(id.to_owned());
        Outcome::Opened
    }

    async fn delete(&mut self, session: usize, principal: Option<Principal>) -> Outcome {
        let Some(at) = place(session, self.sessions.len()) else {
            return Outcome::NoSession;
        };
        let headers = usual_headers()
            .into_iter()
            .chain([header("mcp-session-id", &self.sessions[at])])
            .collect();
        let reply = self
            .endpoint
            .send(principal, Method::DELETE, headers, Vec::new())
            .await;
        match reply.status {
            StatusCode::NOT_FOUND => Outcome::NoSession,
            status if status.is_success() => Outcome::Done,
            status => panic!("{status}: {}", reply.body),
        }
    }

    async fn list(&mut self, by: By, oracle: &Oracle) -> Outcome {
        let Some(answer) = self.ask(by, oracle, "tools/list", json!({})).await else {
            return Outcome::NoSession;
        };
        let listed = answer["result"]["tools"].as_array().expect("a list");
        let is_listed = |name: &&str| listed.iter().any(|tool| tool["name"] == **name);
        Outcome::Listed(TOOLS.into_iter().filter(is_listed).collect())
    }

    async fn describe(
        &mut self,
        by: By,
        tool: usize,
        surface: Surface,
        oracle: &Oracle,
    ) -> Outcome {
        let name = TOOLS[tool];
        let (method, params) = match surface {
            Surface::Resource => (
                "resources/read",
                json!({ "uri": format!("resource:///tool_descriptions?tools={name}") }),
            ),
            Surface::Manifest => ("tools/describe", json!({ "names": [name] })),
            Surface::MetaTool => (
                "tools/call",
                json!({ "name": "describe_tools", "arguments": { "names": [name] } }),
            ),
            Surface::Signature => {
                let arguments = json!({ "names": [name], "detail": "signature" });
                (
                    "tools/call",
                    json!({ "name": "describe_tools", "arguments": arguments }),
                )
            }
        };
        let Some(answer) = self.ask(by, oracle, method, params).await else {
            return Outcome::NoSession;
        };
        let text = answer.to_string();
        self.note_ticket(&text);
        version_in(&text, tool).map_or(Outcome::Unknown, Outcome::Described)
    }

    async fn call(
        &mut self,
        by: By,
        tool: usize,
        ticket: Option<usize>,
        oracle: &Oracle,
    ) -> Outcome {
        // The oracle has taken the step: what this call is given is the last ticket there.
        let shown = ticket
            .and_then(|back| self.tickets.len().checked_sub(back + 1))
            .map(|at| self.tickets[at].clone());
        let mut arguments = json!({ "word": "x" });
        if let Some(ticket) = shown.filter(|_| !matches!(by, By::Session { .. })) {
            arguments["disclosure_ticket"] = json!(ticket);
        }
        let before = self.shared.state().load(Ordering::SeqCst);
        let params = json!({ "name": TOOLS[tool], "arguments": arguments });
        let answer = self.ask(by, oracle, "tools/call", params).await;
        let ran = self.shared.state().load(Ordering::SeqCst) - before;
        let Some(answer) = answer else {
            return Outcome::NoSession;
        };
        let outcome = outcome(&answer);
        assert_eq!(ran, usize::from(outcome == Outcome::Ran), "{answer}");
        if let Outcome::Refused { .. } = outcome {
            self.note_ticket(&answer.to_string());
        }
        match (by, outcome) {
            // Only sessions are told apart there.
            (By::Inline { .. } | By::Stateless { .. }, Outcome::Refused { .. }) => {
                Outcome::Refused { outdated: false }
            }
            (_, outcome) => outcome,
        }
    }

    /// `None` where the session is unknown.
    async fn ask(&self, by: By, oracle: &Oracle, method: &str, mut params: Value) -> Option<Value> {
        let mut headers = usual_headers();
        let endpoint = match by {
            By::Session { session, .. } => {
                let at = place(session, self.sessions.len())?;
                headers.push(header("mcp-session-id", &self.sessions[at]));
                &self.endpoint
            }
            By::Inline { .. } => {
                let name = params
                    .get("name")
                    .or(params.get("uri"))
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                headers.extend([
                    header("mcp-protocol-version", "2026-07-28"),
                    header("mcp-method", method),
                ]);
                headers.push(header("mcp-name", name));
                params["_meta"] = json!({
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientInfo": { "name": "model", "version": "0" },
                    "io.modelcontextprotocol/clientCapabilities": {},
                });
                &self.endpoint
            }
            By::Stateless { .. } => &self.stateless,
        };
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
            .to_string()
            .into_bytes();
        let reply = endpoint
            .send(
                principal(oracle.who(by), oracle),
                Method::POST,
                headers,
                body,
            )
            .await;
        match reply.status {
            StatusCode::NOT_FOUND if matches!(by, By::Session { .. }) => None,
            _ => Some(answer(&reply)),
        }
    }

    fn note_ticket(&mut self, text: &str) {
        let ticket = text
            .split(|c: char| !c.is_ascii_digit())
            .find(|run| run.len() == 18);
        self.tickets.extend(ticket.map(str::to_owned));
    }
}

fn answer(reply: &Reply) -> Value {
    reply
        .messages()
        .into_iter()
        .next()
        .unwrap_or_else(|| panic!("{reply:?}"))
}

fn outcome(answer: &Value) -> Outcome {
    if answer["error"]["code"] == -32602 {
        return Outcome::Unknown;
    }
    let text = answer
        .pointer("/result/content/0/text")
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("{answer}"));
    if text == "ran" {
        return Outcome::Ran;
    }
    // Advice follows the error after a blank line.
    let error = text.split("\n\n").next().unwrap_or_default();
    let told: Value = serde_json::from_str(error).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(told["error"]["code"], "TOOL_DESCRIPTION_REQUIRED", "{text}");
    Outcome::Refused {
        outdated: text.contains("has changed"),
    }
}

/// The version whose words are in a text.
fn version_in(text: &str, tool: usize) -> Option<u8> {
    (0..3).find(|version| text.contains(&words(tool, *version)))
}

fn words(tool: usize, version: u8) -> String {
    format!("{}-in-version-{version}", TOOLS[tool])
}

fn principal(who: usize, oracle: &Oracle) -> Option<Principal> {
    let scopes = oracle.has_scope(who).then_some(SCOPE);
    CALLERS[who].map(|subject| Principal::new(subject).with_scopes(scopes))
}

fn registry(served: [Option<u8>; TOOLS.len()]) -> Registry<AtomicUsize> {
    let tools = served
        .into_iter()
        .enumerate()
        .filter_map(|(tool, version)| Some(self::tool(tool, version?)));
    Registry::builder()
        .tools(tools)
        .build()
        .expect("sound tools")
}

fn tool(tool: usize, version: u8) -> Tool<AtomicUsize> {
    let schema = json!({
        "type": "object",
        "properties": { "word": { "type": "string", "description": words(tool, version) } },
        "additionalProperties": false,
    });
    let made = Tool::new(TOOLS[tool], "Do one thing", |runs: &AtomicUsize, _, _| {
        runs.fetch_add(1, Ordering::SeqCst);
        ready("ran".into_output()).boxed()
    })
    .input_schema(schema);
    match tool {
        SCOPED => made.scope(SCOPE),
        EAGER => made.eager(),
        _ => made,
    }
}
