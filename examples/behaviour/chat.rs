//! A model behind an endpoint of OpenAI's chat completions, as local runtimes have it.

use super::{
    Failure,
    agent::{Agent, Call, Function, Given, Reply, Said, Usage},
    call_reader, constrained,
    program::{self, RUN_CODE},
    prompted,
    task::Task,
};
use futures::{FutureExt, future::BoxFuture};
use reqwest::Client;
use serde_json::{Value, json};
use std::{path::Path, time::Duration};

/// How long a model may think about one turn: small machines take their time over long prompts.
const TURN: Duration = Duration::from_secs(600);
/// The most that it may say in one turn, in tokens.
const MOST: u32 = 512;

/// A model.
#[derive(Debug)]
pub(crate) struct Chat {
    http: Client,
    url: String,
    model: String,
    dialect: Dialect,
    sampling: Sampling,
}

/// How a model is told of its tools, and how it calls them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// By the endpoint.
    Native,
    /// In the prompt and in the text.
    Prompted,
    /// In the prompt, and by one JSON action a turn that a schema enforces. Without early answers
    /// the action is a call until a tool returned a result, as with `tool_choice: "required"`.
    Constrained { early_answers: bool },
}

/// How the endpoint chooses each next token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sampling {
    pub(crate) temperature: f64,
    pub(crate) seed: u64,
}

impl Chat {
    /// The model of this name at this endpoint.
    ///
    /// # Errors
    ///
    /// There can be no HTTP client.
    pub(crate) fn new(
        endpoint: &str,
        model: &str,
        dialect: Dialect,
        sampling: Sampling,
    ) -> Result<Self, Failure> {
        let url = format!("{}/v1/chat/completions", endpoint.trim_end_matches('/'));
        let http = Client::builder().timeout(TURN).build()?;
        Ok(Self {
            http,
            url,
            model: model.to_owned(),
            dialect,
            sampling,
        })
    }

    fn body(&self, given: &Given) -> Value {
        let (system, message): (String, fn(&Said) -> Value) = match self.dialect {
            Dialect::Native => (given.system.clone(), message),
            Dialect::Prompted => (prompted::system(given), prompted::message),
            Dialect::Constrained { .. } => (constrained::system(given), prompted::message),
        };
        let system = json!({ "role": "system", "content": system });
        let messages: Vec<Value> = std::iter::once(system)
            .chain(given.said.iter().map(message))
            .collect();
        let mut body = json!({ "model": self.model, "messages": messages, "max_tokens": MOST });
        let Sampling { temperature, seed } = self.sampling;
        set(&mut body, "temperature", temperature.into());
        set(&mut body, "seed", seed.into());
        match self.dialect {
            Dialect::Native => set(
                &mut body,
                "tools",
                given.functions.iter().map(definition).collect(),
            ),
            Dialect::Prompted => {}
            Dialect::Constrained { early_answers } => {
                let may_answer = early_answers || given.has_result;
                set(
                    &mut body,
                    "response_format",
                    constrained::response_format(given, may_answer),
                );
            }
        }
        body
    }

    async fn ask(&self, given: &Given) -> Result<Reply, Failure> {
        let response = self
            .http
            .post(&self.url)
            .json(&self.body(given))
            .send()
            .await?;
        let (status, text) = (response.status(), response.text().await?);
        if !status.is_success() {
            return Err(format!("the model's endpoint answered {status}: {text}").into());
        }
        let mut reply = reply(&serde_json::from_str(&text)?, self.dialect, given);
        // Ids tie results to calls, so they differ over all turns.
        for (place, call) in reply
            .calls
            .iter_mut()
            .enumerate()
            .filter(|(_, call)| call.id.is_empty())
        {
            call.id = format!("call_{}_{place}", given.said.len());
        }
        Ok(reply)
    }
}

impl Agent for Chat {
    fn name(&self) -> String {
        let name = Path::new(&self.model)
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        name.strip_suffix(".gguf").unwrap_or(&name).to_owned()
    }

    fn seed(&self) -> u64 {
        self.sampling.seed
    }

    fn system(&self, given: &Given) -> String {
        match self.dialect {
            Dialect::Native => given.system.clone(),
            Dialect::Prompted => prompted::system(given),
            Dialect::Constrained { .. } => constrained::system(given),
        }
    }

    fn turn<'a>(&'a self, _: &'a Task, given: &'a Given) -> BoxFuture<'a, Result<Reply, Failure>> {
        self.ask(given).boxed()
    }
}

fn set(body: &mut Value, key: &str, value: Value) {
    body.as_object_mut()
        .map(|body| body.insert(key.to_owned(), value));
}

fn definition(function: &Function) -> Value {
    json!({ "type": "function", "function": function })
}

fn message(said: &Said) -> Value {
    match said {
        Said::ByUser(text) => json!({ "role": "user", "content": text }),
        Said::ByAgent(Reply { text, calls, .. }) if calls.is_empty() => {
            json!({ "role": "assistant", "content": text })
        }
        Said::ByAgent(Reply { text, calls, .. }) => {
            let calls: Vec<Value> = calls.iter().map(outgoing).collect();
            json!({ "role": "assistant", "content": text, "tool_calls": calls })
        }
        Said::Result { call, text } => {
            json!({ "role": "tool", "tool_call_id": call.id, "content": text })
        }
    }
}

fn outgoing(call: &Call) -> Value {
    let arguments = Value::Object(call.arguments.clone()).to_string();
    json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": arguments } })
}

/// What a completion says. An endpoint that does not know how a model writes its calls leaves them
/// in the text.
pub(crate) fn reply(completion: &Value, dialect: Dialect, given: &Given) -> Reply {
    let message = completion
        .pointer("/choices/0/message")
        .unwrap_or(&Value::Null);
    let text = message
        .get("content")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let mut reply = match dialect {
        Dialect::Constrained { .. } => constrained::reply(text),
        Dialect::Native | Dialect::Prompted => call_reader::read(text, &|name| given.has(name)),
    };
    let native = message
        .get("tool_calls")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    native
        .iter()
        .for_each(|call| call_reader::read_native(call, &mut reply));
    if !matches!(dialect, Dialect::Constrained { .. }) && given.has(RUN_CODE) {
        program::read_block(&mut reply);
    }
    reply.usage = usage(completion);
    reply
}

fn usage(completion: &Value) -> Option<Usage> {
    let tokens = |key| completion.pointer(key)?.as_u64()?.try_into().ok();
    Some(Usage {
        prompt: tokens("/usage/prompt_tokens")?,
        completion: tokens("/usage/completion_tokens")?,
    })
}
