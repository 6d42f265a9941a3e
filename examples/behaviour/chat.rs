//! A model behind an endpoint of OpenAI's chat completions, as local runtimes have it.

use super::{
    Failure,
    agent::{Agent, Call, Function, Given, Reply, Said},
    prompted,
    task::Task,
};
use futures::{FutureExt, future::BoxFuture};
use reqwest::Client;
use rmcp::model::JsonObject;
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
    /// Whether tools stand in the prompt.
    is_prompted: bool,
}

impl Chat {
    /// The model of this name at this endpoint; it is told of tools in its prompt, or by the endpoint.
    ///
    /// # Errors
    ///
    /// There can be no HTTP client.
    pub(crate) fn new(endpoint: &str, model: &str, is_prompted: bool) -> Result<Self, Failure> {
        let url = format!("{}/v1/chat/completions", endpoint.trim_end_matches('/'));
        Ok(Self { http: Client::builder().timeout(TURN).build()?, url, model: model.to_owned(), is_prompted })
    }

    /// The same again and again, as far as a model can: the likeliest word each time.
    fn body(&self, given: &Given) -> Value {
        let (system, message): (String, fn(&Said) -> Value) = if self.is_prompted {
            (prompted::system(given), prompted::message)
        } else {
            (given.system.clone(), message)
        };
        let system = json!({ "role": "system", "content": system });
        let messages: Vec<Value> = std::iter::once(system).chain(given.said.iter().map(message)).collect();
        let mut body =
            json!({ "model": self.model, "messages": messages, "temperature": 0, "seed": 7, "max_tokens": MOST });
        if !self.is_prompted {
            let function = |function: &Function| json!({ "type": "function", "function": function });
            let functions: Vec<Value> = given.functions.iter().map(function).collect();
            body.as_object_mut().map(|body| body.insert("tools".to_owned(), functions.into()));
        }
        body
    }

    async fn ask(&self, given: &Given) -> Result<Reply, Failure> {
        let response = self.http.post(&self.url).json(&self.body(given)).send().await?;
        let (status, text) = (response.status(), response.text().await?);
        if !status.is_success() {
            return Err(format!("the model's endpoint answered {status}: {text}").into());
        }
        let reply = reply(&serde_json::from_str(&text)?);
        Ok(if self.is_prompted { prompted::reply(&reply.text) } else { reply })
    }
}

impl Agent for Chat {
    fn name(&self) -> String {
        let name = Path::new(&self.model).file_stem().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    fn turn<'a>(&'a self, _: &'a Task, given: &'a Given) -> BoxFuture<'a, Result<Reply, Failure>> {
        self.ask(given).boxed()
    }
}

fn message(said: &Said) -> Value {
    match said {
        Said::ByUser(text) => json!({ "role": "user", "content": text }),
        Said::ByAgent(Reply { text, calls }) => {
            let calls: Vec<Value> = calls.iter().map(outgoing).collect();
            json!({ "role": "assistant", "content": text, "tool_calls": calls })
        }
        Said::Result { call, text } => json!({ "role": "tool", "tool_call_id": call.id, "content": text }),
    }
}

fn outgoing(call: &Call) -> Value {
    let arguments = Value::Object(call.arguments.clone()).to_string();
    json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": arguments } })
}

/// What a completion says. Arguments that are no JSON object become none: the server says what is wrong with that.
pub(crate) fn reply(completion: &Value) -> Reply {
    let message = completion.pointer("/choices/0/message").unwrap_or(&Value::Null);
    let text = message.get("content").and_then(Value::as_str).unwrap_or_default();
    let calls = message.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    Reply { text: text.to_owned(), calls: calls.iter().filter_map(incoming).collect() }
}

fn incoming(call: &Value) -> Option<Call> {
    let function = call.get("function")?;
    let arguments = match function.get("arguments") {
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        Some(Value::Object(arguments)) => arguments.clone(),
        _ => JsonObject::new(),
    };
    let id = call.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(Call { id, name: function.get("name")?.as_str()?.to_owned(), arguments })
}
