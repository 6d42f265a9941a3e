//! A host like any other: it shows its agent what the server lists, with a way to read resources beside it, and passes calls on.

use super::{
    Failure,
    agent::{Call, Function},
    servers::Site,
};
use rmcp::{
    RoleClient, ServiceExt,
    model::{CallToolRequestParams, JsonObject, ReadResourceRequestParams, object},
    service::RunningService,
};
use serde_json::{Value, json};

/// The function by which an agent reads a resource.
pub(crate) const READ_RESOURCE: &str = "read_resource";
/// The most of a result that an agent is shown, in characters: hosts cut long ones.
const RESULT_MAX: usize = 20_000;
/// What a pipe holds between the two sides, in bytes.
const PIPE: usize = 1 << 16;

/// A client of a server in this process.
pub(crate) struct Host {
    client: RunningService<RoleClient, ()>,
}

/// What a call came to.
pub(crate) struct Outcome {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

impl Host {
    /// Connects to a server.
    ///
    /// # Errors
    ///
    /// It does not answer.
    pub(crate) async fn connect(site: &Site) -> Result<Self, Failure> {
        let (ours, theirs) = tokio::io::duplex(PIPE);
        site.connect(theirs);
        Ok(Self {
            client: ().serve(ours).await?,
        })
    }

    /// What the server says of itself.
    pub(crate) fn instructions(&self) -> Option<String> {
        self.client.peer_info()?.instructions.clone()
    }

    /// What can be called now. Asked before each turn: a list may change.
    ///
    /// # Errors
    ///
    /// The server does not answer.
    pub(crate) async fn functions(&self) -> Result<Vec<Function>, Failure> {
        let tools = self.client.list_all_tools().await?;
        let mut functions: Vec<Function> = tools
            .into_iter()
            .map(|tool| Function {
                name: tool.name.into_owned(),
                description: tool.description.unwrap_or_default().into_owned(),
                parameters: (*tool.input_schema).clone(),
            })
            .collect();
        functions.extend(self.reading().await?);
        Ok(functions)
    }

    /// The way to read resources, where there are some.
    async fn reading(&self) -> Result<Option<Function>, Failure> {
        let resources = self.client.list_all_resources().await?;
        let told: Vec<String> = resources
            .into_iter()
            .map(|resource| {
                format!(
                    "{}: {}",
                    resource.uri,
                    resource.description.unwrap_or_default()
                )
            })
            .collect();
        let parameters = object(json!({
            "type": "object",
            "properties": { "uri": { "type": "string" } },
            "required": ["uri"],
        }));
        let description = format!(
            "Read a resource of the server. There are:\n{}",
            told.join("\n")
        );
        let function = Function {
            name: READ_RESOURCE.to_owned(),
            description,
            parameters,
        };
        Ok((!told.is_empty()).then_some(function))
    }

    /// Passes a call on. What fails is told to the agent: it may do better.
    pub(crate) async fn call(&self, call: &Call) -> Outcome {
        let outcome = match call.name.as_str() {
            READ_RESOURCE => self.read(&call.arguments).await,
            _ => self.call_tool(call).await,
        };
        let mut outcome = outcome.unwrap_or_else(|error| Outcome {
            text: error.to_string(),
            is_error: true,
        });
        if let Some((end, _)) = outcome.text.char_indices().nth(RESULT_MAX) {
            outcome.text.truncate(end);
        }
        outcome
    }

    async fn read(&self, arguments: &JsonObject) -> Result<Outcome, Failure> {
        let uri = arguments
            .get("uri")
            .and_then(Value::as_str)
            .ok_or("read_resource takes a `uri`")?;
        let read = self
            .client
            .read_resource(ReadResourceRequestParams::new(uri))
            .await?;
        let text = serde_json::to_value(&read)?
            .pointer("/contents/0/text")
            .and_then(Value::as_str)
            .map(str::to_owned);
        Ok(Outcome {
            text: text.unwrap_or_default(),
            is_error: false,
        })
    }

    async fn call_tool(&self, call: &Call) -> Result<Outcome, Failure> {
        let params =
            CallToolRequestParams::new(call.name.clone()).with_arguments(call.arguments.clone());
        let result = self.client.call_tool(params).await?;
        let texts: Vec<&str> = result
            .content
            .iter()
            .filter_map(|block| Some(block.as_text()?.text.as_str()))
            .collect();
        Ok(Outcome {
            text: texts.join("\n"),
            is_error: result.is_error == Some(true),
        })
    }
}
