//! A conversation between an agent and a server over MCP, and the tokens that its model reads and
//! writes. A model reads the whole history again in each turn.

use super::{Failure, arm::Arm, workflow::NeededTool};
use futures::future::join_all;
use pd_runtime::PdServer;
use rmcp::{
    RoleClient, ServiceExt,
    model::{CallToolRequestParams, CallToolResult, ContentBlock, JsonObject, Role, object},
    service::RunningService,
};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The capacity of each pipe between client and server, in bytes.
const PIPE: usize = 1 << 16;

/// The cost of a conversation, in o200k tokens.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Cost {
    /// The tokens of the tool list.
    pub(crate) list: usize,
    /// The tokens that the model reads, with the history counted again at each turn.
    pub(crate) input: usize,
    /// The tokens that the model writes: calls, and the final answer.
    pub(crate) output: usize,
    /// The turns with calls. The turn of the final answer is one more.
    pub(crate) round_trips: usize,
    /// The time in which the agent waited for the server.
    #[serde(rename = "waited_ms", serialize_with = "as_millis")]
    pub(crate) waited: Duration,
}

/// A conversation.
#[derive(Debug)]
pub(crate) struct Conversation {
    client: RunningService<RoleClient, ()>,
    pub(crate) arm: Arm,
    /// The tokens of the conversation so far.
    history: usize,
    cost: Cost,
    /// The images that the user sees, in Base64.
    pub(crate) images: Vec<String>,
}

/// One call, as a model writes it.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Call {
    name: String,
    arguments: JsonObject,
}

/// One tool, as a model reads it.
#[derive(Debug, Serialize)]
struct Function {
    name: String,
    description: String,
    parameters: JsonObject,
}

impl Call {
    pub(crate) fn new(name: &str, arguments: Value) -> Self {
        Self {
            name: name.to_owned(),
            arguments: object(arguments),
        }
    }
}

impl Conversation {
    /// Connects to a server and lists its tools. The conversation begins with the list, the server's
    /// instructions, and what the user asks for.
    ///
    /// # Errors
    ///
    /// The server does not answer.
    pub(crate) async fn begin<S: Send + Sync + 'static>(
        server: &PdServer<S>,
        arm: Arm,
        request: &str,
    ) -> Result<Self, Failure> {
        let (ours, theirs) = tokio::io::duplex(PIPE);
        let handler = server.handler();
        // The task ends with the client.
        tokio::spawn(async move {
            handler
                .serve(theirs)
                .await?
                .waiting()
                .await
                .map_err(Failure::from)
        });
        let begun = Instant::now();
        let client = ().serve(ours).await?;
        let tools = client.list_all_tools().await?;
        let waited = begun.elapsed();
        let functions = tools.into_iter().map(|tool| Function {
            name: tool.name.into_owned(),
            description: tool.description.unwrap_or_default().into_owned(),
            parameters: (*tool.input_schema).clone(),
        });
        let list = tokens(&serde_json::to_string(&functions.collect::<Vec<_>>())?);
        let instructions = client
            .peer_info()
            .and_then(|info| info.instructions.clone())
            .unwrap_or_default();
        let history = list + tokens(&instructions) + tokens(request);
        Ok(Self {
            client,
            arm,
            history,
            cost: Cost {
                list,
                waited,
                ..Cost::default()
            },
            images: Vec::new(),
        })
    }

    /// Finds tools by words, and reads the descriptions of those that were found without a
    /// signature: one round trip, or two.
    ///
    /// # Errors
    ///
    /// A tool is not found.
    pub(crate) async fn disclose(&mut self, tools: &[NeededTool]) -> Result<(), Failure> {
        let searches = tools
            .iter()
            .map(|tool| Call::new("find_tools", json!({ "query": tool.words })))
            .collect();
        let found = self
            .turn(searches)
            .await?
            .iter()
            .map(Value::to_string)
            .collect::<String>();
        if let Some(missing) = tools.iter().find(|tool| !found.contains(tool.name)) {
            return Err(format!(
                "`{}` does not find `{}`; choose other words",
                missing.words, missing.name
            )
            .into());
        }
        let is_unread = |tool: &&NeededTool| !found.contains(&format!("{}(", tool.name));
        let names: Vec<&str> = tools
            .iter()
            .filter(is_unread)
            .map(|tool| tool.name)
            .collect();
        if !names.is_empty() {
            self.turn(vec![Call::new("describe_tools", json!({ "names": names }))])
                .await?;
        }
        Ok(())
    }

    /// Calls one tool of the server in a turn of its own.
    ///
    /// # Errors
    ///
    /// The call fails.
    pub(crate) async fn call(&mut self, name: &str, arguments: Value) -> Result<Value, Failure> {
        Ok(self
            .call_all(vec![Call::new(name, arguments)])
            .await?
            .pop()
            .unwrap_or_default())
    }

    /// Calls tools of the server in one turn, by their names or through `call_tool`.
    ///
    /// # Errors
    ///
    /// A call fails.
    pub(crate) async fn call_all(&mut self, calls: Vec<Call>) -> Result<Vec<Value>, Failure> {
        // As the list declares the arguments: JSON in a text.
        let text = |call: &Call| Value::Object(call.arguments.clone()).to_string();
        let through = |call: Call| {
            Call::new(
                "call_tool",
                json!({ "name": call.name, "arguments": text(&call) }),
            )
        };
        let calls = if self.arm.discloses() {
            calls.into_iter().map(through).collect()
        } else {
            calls
        };
        self.turn(calls).await
    }

    /// Runs a program.
    ///
    /// # Errors
    ///
    /// The program fails.
    pub(crate) async fn run_code(&mut self, code: &str) -> Result<Value, Failure> {
        Ok(self
            .turn(vec![Call::new("run_code", json!({ "code": code }))])
            .await?
            .pop()
            .unwrap_or_default())
    }

    /// Makes the calls of one turn at once, and returns their values.
    async fn turn(&mut self, calls: Vec<Call>) -> Result<Vec<Value>, Failure> {
        self.cost.round_trips += 1;
        self.write(&serde_json::to_string(&calls)?);
        let begun = Instant::now();
        let results = join_all(calls.into_iter().map(|call| self.send(call))).await;
        self.cost.waited += begun.elapsed();
        results
            .into_iter()
            .map(|result| self.read(&result?))
            .collect()
    }

    async fn send(&self, call: Call) -> Result<CallToolResult, Failure> {
        Ok(self
            .client
            .call_tool(CallToolRequestParams::new(call.name).with_arguments(call.arguments))
            .await?)
    }

    /// Counts a turn: the model reads the history, and what it writes joins the history.
    fn write(&mut self, text: &str) {
        self.cost.input += self.history;
        self.cost.output += tokens(text);
        self.history += tokens(text);
    }

    /// Adds a result to the history and returns its value: the JSON in its text, or the text.
    fn read(&mut self, result: &CallToolResult) -> Result<Value, Failure> {
        let images = result
            .content
            .iter()
            .filter_map(|block| Some(block.as_image()?.data.clone()));
        self.images.extend(images);
        let texts = result.content.iter().filter(|block| is_for_model(block));
        let texts: Vec<&str> = texts
            .filter_map(|block| Some(block.as_text()?.text.as_str()))
            .collect();
        let text = texts.join("\n");
        if result.is_error == Some(true) {
            return Err(text.into());
        }
        self.history += tokens(&text);
        Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// Counts the final answer, and ends the conversation.
    pub(crate) async fn end(mut self, answer: &Value) -> Cost {
        self.write(&answer.to_string());
        // A connection that is closed already is closed.
        let _ = self.client.cancel().await;
        self.cost
    }
}

/// Whether a model reads a block: one without an audience, or for the assistant.
fn is_for_model(block: &ContentBlock) -> bool {
    let annotations = match block {
        ContentBlock::Text(text) => text.annotations.as_ref(),
        _ => None,
    };
    let audience = annotations.and_then(|annotations| annotations.audience.as_ref());
    audience.is_none_or(|audience| audience.contains(&Role::Assistant))
}

fn as_millis<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64() * 1e3)
}

fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(text)
        .len()
}
