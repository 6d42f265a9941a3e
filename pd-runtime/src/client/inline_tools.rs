//! Tools that a conversation gains, inserted into its messages: what the model described, what a
//! search found, and what a server lists later.

use super::{Client, conversation::ToolChange, describe_result::openai_tool, names::ServerToolId};
use crate::{
    protocol::keys::FOUND,
    provider::{anthropic, openai},
};
use rmcp::model::CallToolResult;
use serde_json::Value;

/// The most tools of one search that the model is given. Each costs as much as its description, and
/// those after the first are rarely right.
const INSERTED_MAX: usize = 5;

impl Client {
    /// Returns the message of Anthropic's Messages API with the tools that the conversation has
    /// gained, changed or lost since this was called last: a message of the role `system`, which
    /// follows the results of calls. Returns `None` if nothing has changed.
    ///
    /// Keep the message in the history, and send the beta
    /// [`INLINE_TOOLS`](anthropic::INLINE_TOOLS) with each request from then on. Only a client with
    /// [`ClientBuilder::inline_tools`](super::ClientBuilder::inline_tools) has such changes.
    ///
    /// ```
    /// use pd_runtime::{client::{Client, ListChangedHandler}, prelude::*, rmcp::ServiceExt};
    /// use serde_json::json;
    ///
    /// /// Highest temperature of each day.
    /// #[pd_tool(summary = "Forecast the weather of a city", read_only)]
    /// fn forecast(city: String) -> String {
    ///     format!("sun in {city}")
    /// }
    ///
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// # let registry: Registry<()> = pd_runtime::registry! {
    /// #     /// The weather.
    /// #     weather: forecast,
    /// # };
    /// # let shared = PdServer::builder(registry, ()).listing(Listing::Grouped).build()?;
    /// # let (ours, theirs) = tokio::io::duplex(1 << 16);
    /// # let handler = shared.handler();
    /// # tokio::spawn(async move { handler.serve(theirs).await.unwrap().waiting().await });
    /// # let running = ListChangedHandler::new().serve(ours).await?;
    /// let tools = Client::builder().server("sky", &running).inline_tools(true).build().await?;
    /// let request_tools = tools.anthropic();
    ///
    /// // The model searches, and is given the tool itself with the next message.
    /// let search = json!({
    ///     "type": "tool_use", "id": "1", "name": "sky__find_tools", "input": { "query": "weather" },
    /// });
    /// let results = tools.answer_anthropic_message(&[search]).await?;
    /// let mut messages = vec![json!({ "role": "user", "content": results })];
    /// messages.extend(tools.anthropic_changes());
    /// let added = &messages[1]["content"][0];
    /// assert_eq!(added["type"], "tool_addition");
    /// assert_eq!(added["tool"]["definition"]["name"], "sky__forecast");
    /// assert_eq!(tools.anthropic(), request_tools);
    ///
    /// let result = tools.call("sky__forecast", json!({ "city": "Oslo" })).await?;
    /// assert_eq!(result.content[0].as_text().unwrap().text, "sun in Oslo");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub fn anthropic_changes(&self) -> Option<Value> {
        let mut state = self.inlines.then(|| self.state())?;
        let blocks: Vec<_> = state
            .take_changes()
            .into_iter()
            .map(|change| match change {
                ToolChange::Added(tool) => anthropic::addition(&anthropic::tool(
                    &tool.name,
                    &tool.description.provider_text(),
                    tool.description.input_schema(),
                    false,
                )),
                ToolChange::Removed(tool) => anthropic::removal(&tool.name),
            })
            .collect();
        (!blocks.is_empty()).then(|| anthropic::changes(blocks))
    }

    /// Returns the item of OpenAI's Responses API with the tools that the conversation has gained
    /// or changed since this was called last: `additional_tools`, which follows the outputs of
    /// calls. Returns `None` if there are none.
    ///
    /// Keep the item in the input. The API has no item that takes a tool away: a call of a tool that
    /// its server no longer has is answered with an error for the model. Only a client with
    /// [`ClientBuilder::inline_tools`](super::ClientBuilder::inline_tools) has such changes.
    pub fn openai_changes(&self) -> Option<Value> {
        let mut state = self.inlines.then(|| self.state())?;
        let tools: Vec<_> = state
            .take_changes()
            .into_iter()
            .filter_map(|change| match change {
                ToolChange::Added(tool) => Some(openai_tool(&tool.name, &tool.description, false)),
                ToolChange::Removed(_) => None,
            })
            .collect();
        (!tools.is_empty()).then(|| openai::additional_tools(&tools))
    }

    /// Adds the tools that a search of a server shows to the conversation, if they are inserted
    /// into its messages.
    pub(super) async fn add_found(&self, search: &str, result: &CallToolResult) {
        if !self.inlines {
            return;
        }
        let Some((server, _)) = self.resolve(search) else {
            return;
        };
        let found: Vec<ServerToolId> = found_names(result)
            .map(|own| (server, own.to_owned()))
            .collect();
        match self.fetch_entries(found.iter()).await {
            Ok(entries) => {
                for name in &found {
                    if let Some(entry) = entries.get(name) {
                        self.record_shown(name, entry);
                    }
                }
            }
            // The result names the tools, so the model can describe them by itself.
            Err(error) => tracing::debug!(%error, "found tools could not be described"),
        }
    }
}

/// Returns the names of found tools, by which their server knows them.
fn found_names(result: &CallToolResult) -> impl Iterator<Item = &str> {
    let found = result.meta.as_ref().and_then(|meta| meta.get(FOUND));
    let names = found.and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).take(INSERTED_MAX)
}
