//! The agent's side: gives a model the tools of MCP servers, and fetches each description once,
//! when the model needs it.
//!
//! ```
//! use pd_runtime::{client::{Client, ListChangedHandler}, prelude::*, rmcp::ServiceExt};
//! use serde_json::json;
//!
//! /// Highest temperature of each day.
//! #[pd_tool(summary = "Forecast the weather of a city", read_only)]
//! fn forecast(city: String, #[arg(default = 3)] days: u8) -> String {
//!     format!("{days} days of sun in {city}")
//! }
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! # let registry: Registry<()> = pd_runtime::registry! { forecast };
//! # let shared = PdServer::builder(registry, ()).listing(Listing::Minimal).build()?;
//! # let (ours, theirs) = tokio::io::duplex(1 << 16);
//! # let handler = shared.handler();
//! # tokio::spawn(async move { handler.serve(theirs).await.unwrap().waiting().await });
//! let running = ListChangedHandler::new().serve(ours).await?;
//! let tools = Client::new(&running).await?;
//!
//! assert!(tools.system_prompt().contains("forecast: Forecast the weather of a city"));
//! let described = tools.describe(["forecast"]).await?;
//! assert!(described.get("forecast").unwrap().input_schema()["properties"]["days"].is_object());
//!
//! // The model's next request contains `forecast` in full, and the model calls it.
//! let request = json!({ "system": tools.system_prompt(), "tools": tools.anthropic() });
//! # assert_eq!(request["tools"][1]["name"], "forecast");
//! let result = tools.call("forecast", json!({ "city": "Oslo" })).await?;
//! assert_eq!(result.content[0].as_text().unwrap().text, "3 days of sun in Oslo");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! # An agent's loop
//!
//! Give the model [`Client::system_prompt`] and [`Client::anthropic`] or [`Client::openai`], built
//! again for each request. Answer its calls with [`Client::answer_anthropic_message`], or one by
//! one with [`Client::answer_anthropic`] or [`Client::answer_openai`]. With another provider, use
//! [`Client::tools`] and [`Client::call`].
//!
//! # Tools that were found
//!
//! With [`ClientBuilder::inline_tools`], the tools that a model describes, that a search of the
//! server shows, or that the server lists later are inserted into the conversation. The model calls
//! them by their own names and schemas, and the provider's cache of the request stays valid.
//! [`Client::anthropic_changes`] has an example.
//!
//! # Sources of descriptions
//!
//! | a server has | the client fetches descriptions by |
//! |---|---|
//! | the extension `dev.pd-runtime/disclosure` | `disclosure/describe`, with digests |
//! | the resource `tool_descriptions` (Progressive Disclosure v2.1) | reading it |
//! | manifests (SEP-2636), Delta-MCP | `tools/describe` |
//! | meta-tools (`describe_tools`, `describe_tool`, `get_tool_details`) | calling them |
//! | a search that returns schemas (FastMCP) | searching for the name |
//! | groups (draft extension), if your handler declares them | opening the group, by its name |
//! | none of these | listing the tools, with their descriptions |
//!
//! The client uses the first source in this table that the server has, but prefers a meta-tool to a
//! declared manifest. It requests several names at once if the source allows it. It caches
//! descriptions ([`Cache`]) until the server reports a change of its tools. If a described tool has
//! changed, the client shows it to the model again before it calls it. A tool that is listed in
//! full is called as the current list describes it. Tickets travel in `_meta`, and no model sees
//! them.
//!
//! # Time limits
//!
//! Every request has a time limit. Lists and descriptions have 60 seconds
//! ([`ClientBuilder::request_timeout`]). A call has 5 minutes without a progress notification
//! ([`ClientBuilder::call_timeout`]) and one hour in total ([`ClientBuilder::max_call_time`]).
//! [`Client::call_within`] sets the limit of one call. A request over its limit returns
//! [`ClientError::Timeout`], and the client sends `notifications/cancelled`. The client also sends
//! it if the future of a request is dropped. The `answer_…` methods turn the timeout of a call into
//! a result, so the model reads it and goes on.
//!
//! # Invisible characters
//!
//! The client removes invisible characters from summaries and from the prose of descriptions:
//! variation selectors, tags, fillers, direction marks and zero-width characters. Joiners (U+200C,
//! U+200D) stay if they are alone between two visible characters beyond ASCII. Emoji families and
//! Persian and Indic words therefore stay whole; an emoji loses only its selector. The `enum`,
//! `const` and `default` of schemas, the inputs of examples, servers'
//! [`instructions`](Client::instructions) and results are not changed.
//!
//! # Rows that no model sees
//!
//! A selective tool (MCP-SD) that is called with `mode: "sync"` returns the columns that the model
//! named as `abstract`, and the rest of each row as `body`. This client stores the body
//! ([`RowHandles`]) and puts `resource_url: "ddi://…"` in its place. If a later call has that
//! handle as its `resource_url`, and the chosen rows as `abstract_data`, the client sends the rest
//! of those rows as `body_data` instead. The servers need not reach each other.
//!
//! In stored rows, `NaN` and `Infinity`, which Python writes but JSON does not have, become `null`.
//! If a call names columns in mode `sync` and the client cannot parse the body of the answer, the
//! result is an error, and no model sees the answer. All other results are not changed.
//!
//! ```
//! # use pd_runtime::{client::{Client, ListChangedHandler}, prelude::*, rmcp::ServiceExt};
//! # use serde_json::json;
//! # /// All alerts, as a selective tool answers them in mode `sync`.
//! # #[pd_tool(summary = "List weather alerts", read_only)]
//! # fn alerts() -> String {
//! #     json!({
//! #         "abstract": [{ "_row_id": 0, "event": "Wind" }, { "_row_id": 1, "event": "Flood" }],
//! #         "body": [{ "_row_id": 0, "area": "Coast" }, { "_row_id": 1, "area": "Valley" }],
//! #     })
//! #     .to_string()
//! # }
//! # /// Draws alerts.
//! # #[pd_tool(summary = "Draw a chart of alerts", read_only)]
//! # fn draw(abstract_data: String, #[arg(default = "")] body_data: String) -> String {
//! #     format!("{abstract_data} with {body_data}")
//! # }
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! # let registry: Registry<()> = pd_runtime::registry! { alerts, draw };
//! # let shared = PdServer::builder(registry, ()).listing(Listing::Minimal).build()?;
//! # let (ours, theirs) = tokio::io::duplex(1 << 16);
//! # let handler = shared.handler();
//! # tokio::spawn(async move { handler.serve(theirs).await.unwrap().waiting().await });
//! # let running = ListChangedHandler::new().serve(ours).await?;
//! let tools = Client::new(&running).await?;
//! let result = tools.call("alerts", json!({})).await?;
//! let shown = &result.content[0].as_text().unwrap().text;
//! assert!(shown.contains("ddi://") && !shown.contains("Coast"));
//!
//! // The model chooses a row, and passes it to another tool.
//! let shown: serde_json::Value = serde_json::from_str(shown)?;
//! let wind = json!([shown["abstract"][0]]).to_string();
//! let arguments = json!({ "abstract_data": wind, "resource_url": shown["resource_url"] });
//! let drawn = tools.call("draw", arguments).await?;
//! let drawn = &drawn.content[0].as_text().unwrap().text;
//! assert!(drawn.contains("Coast") && !drawn.contains("Valley"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! A handle is used up when its rows were sent and the tool has answered. If the call did not reach
//! the tool, or its arguments did not fit, the handle stays valid. A handle is of no use to other
//! principals ([`ClientBuilder::principal`]). A call with an unknown handle returns an error and is
//! not sent. URLs of other schemes belong to the servers, and the client passes them on. Results
//! that a task delivers later do not pass through this client, so their rows are not removed.

mod builder;
mod cache;
mod cache_scope;
mod call;
mod connection;
mod conversation;
mod describe;
mod describe_result;
mod description;
mod dispatch;
mod error;
mod groups;
mod handles;
mod inline_tools;
mod listener;
mod names;
mod parse_descriptions;
mod prompt;
mod provider_reply;
mod redact_rows;
mod refusal;
mod request;
mod resolve;
mod route;
mod rows;
mod server;
mod server_capabilities;
mod subscription;
mod timeouts;
mod token_usage;
mod tool_list;
mod toolset;
mod turn;

pub use builder::ClientBuilder;
pub use cache::Cache;
pub use connection::Connection;
pub use describe_result::{Descriptions, UnknownTool};
pub use description::Description;
pub use error::ClientError;
pub use handles::RowHandles;
pub use listener::ListChangedHandler;
pub use token_usage::TokenUsage;

use crate::provider::anthropic;
use cache_scope::CacheScope;
use conversation::{ConversationState, DescriptionStatus};
use parking_lot::{Mutex, MutexGuard};
use rmcp::model::Tool;
use serde_json::Value;
use server::ConnectedServer;
use std::{fmt, sync::Arc};
use toolset::ToolsetStyle;

/// The tools of one or several servers, for one conversation.
///
/// A conversation has its own state: the tools that the model was shown, and their cost in tokens.
/// [`Client::conversation`] creates another conversation over the same servers, cache and handles.
/// See the [module documentation](self) for an example.
pub struct Client {
    servers: Arc<[ConnectedServer]>,
    cache: Cache,
    handles: RowHandles,
    owner: CacheScope,
    defers: bool,
    inlines: bool,
    conversation: Mutex<ConversationState>,
}

impl Client {
    /// Creates a client for one server. The tools keep their own names.
    ///
    /// # Errors
    ///
    /// Returns an error if the server does not list its tools.
    pub async fn new(server: impl Into<Connection>) -> Result<Self, ClientError> {
        Self::builder().unnamed_server(server).build().await
    }

    /// Returns a builder for several servers, a principal or a shared cache.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// Creates a client for another conversation with the same servers, cache and handles. Its
    /// model has been shown no tool yet.
    pub fn conversation(&self) -> Self {
        Self {
            servers: self.servers.clone(),
            cache: self.cache.clone(),
            handles: self.handles.clone(),
            owner: self.owner.clone(),
            defers: self.defers,
            inlines: self.inlines,
            conversation: Mutex::default(),
        }
    }

    /// Returns the system prompt: the summaries of the tools that the model must describe before it
    /// calls them, and the workflow in the wording of the implementation guide. It is empty if all
    /// tools are listed in full.
    ///
    /// The prompt changes only with the servers' lists, not with the tools that the model
    /// describes. It contains up to 200,000 bytes of summaries, shared equally by the servers, and
    /// the number of summaries that were left out.
    pub fn system_prompt(&self) -> String {
        let mut state = self.state();
        let prompt = prompt::render(&self.servers, &state.names);
        state.record_prompt(&prompt);
        prompt
    }

    /// Returns the tools that the model can call now, in the order in which they were added, under
    /// the names that the model sees.
    ///
    /// The tool `describe_tools {names}`, by which the model requests descriptions, is not
    /// included. It belongs to this client, and [`Client::call`] answers it.
    pub fn tools(&self) -> Vec<Tool> {
        let state = self.state();
        let tool = |tool: &conversation::ShownTool| {
            let description = &tool.description;
            Tool::new(
                tool.name.clone(),
                description.provider_text(),
                description.input_schema().clone(),
            )
        };
        state
            .tools
            .iter()
            // The providers' arrays keep such tools for the history. A call of one would fail.
            .filter(|tool| !tool.withdrawn)
            .map(tool)
            .collect()
    }

    /// Returns `tools` for a request to Anthropic's Messages API.
    ///
    /// Tools that the model describes later are added at the end, so the bytes before them stay the
    /// same and the provider's prompt cache stays valid. These tools are deferred:
    /// [`Client::answer_anthropic`] sends a `tool_reference` that loads them. Tools that are listed
    /// in full are deferred if they cost more than 2,000 tokens; the provider's search tool is then
    /// added. [`ClientBuilder::defer`] turns deferring off. A tool that its server no longer has
    /// stays in the array, because the history may refer to it.
    pub fn anthropic(&self) -> Vec<Value> {
        let style = self.style();
        toolset::for_anthropic(&mut self.state(), style)
    }

    /// Returns `tools` for a request to OpenAI's Responses API.
    ///
    /// The model requests descriptions by a `tool_search` that this client answers. The tools in
    /// the answer ([`Client::answer_openai`]) are part of the input from then on, and `tools` stays
    /// the same. [`ClientBuilder::defer`] turns this off for models without tool search:
    /// `describe_tools` is then a function, and described tools are added at the end.
    pub fn openai(&self) -> Vec<Value> {
        let style = self.style();
        toolset::for_openai(&mut self.state(), style)
    }

    /// Returns the tokens that tools have cost this conversation so far.
    pub fn tokens(&self) -> TokenUsage {
        self.state().tokens
    }

    /// Returns each server's name in this client and its `instructions`, for the servers that have
    /// instructions.
    ///
    /// [`Client::system_prompt`] does not contain them, because the instructions of servers with
    /// progressive disclosure describe the workflow in terms of the protocol.
    pub fn instructions(&self) -> Vec<(Option<&str>, String)> {
        let instructions =
            |server: &ConnectedServer| server.requests.peer.peer_info()?.instructions.clone();
        self.servers
            .iter()
            .filter_map(|server| Some((server.name.as_deref(), instructions(server)?)))
            .collect()
    }

    /// Marks the tools of all servers as changed, for connections without a [`ListChangedHandler`].
    /// The client fetches lists and descriptions again when it next needs them.
    pub fn changed(&self) {
        self.servers
            .iter()
            .for_each(|server| server.changes.record());
    }

    /// Fetches the lists of the servers that reported a change. [`Client::describe`] and
    /// [`Client::call`] do this themselves. Call it before a request to the provider to include new
    /// tools in that request.
    ///
    /// # Errors
    ///
    /// Returns an error if a server does not list its tools.
    pub async fn refresh(&self) -> Result<(), ClientError> {
        for server in self.servers.iter() {
            server.current_list(&self.cache).await?;
        }
        Ok(())
    }

    fn style(&self) -> ToolsetStyle {
        ToolsetStyle {
            discloses: self.discloses(),
            defers: self.defers,
            inlines: self.inlines,
        }
    }

    fn discloses(&self) -> bool {
        self.servers
            .iter()
            .any(|server| server.tool_list().discloses())
    }

    /// Locks the conversation and updates it to the lists that are known.
    fn state(&self) -> MutexGuard<'_, ConversationState> {
        // A panic while the lock is held leaves at most one tool out, and nothing half written.
        let mut state = self.conversation.lock();
        state.sync(&self.servers);
        state
    }

    fn record_description(
        &self,
        server_index: usize,
        server: &ConnectedServer,
        description: &Arc<Description>,
    ) -> DescriptionStatus {
        self.state()
            .record_description(server_index, server, description)
    }

    /// Restores the argument names of the tool's own schema in a call from Anthropic's API.
    fn restore_arguments(&self, name: &str, arguments: Value) -> Value {
        let state = self.state();
        let tool = state
            .names
            .resolve(name)
            .and_then(|(server_index, own)| state.shown_tool(*server_index, own));
        match (tool, arguments) {
            (Some(tool), Value::Object(sent)) => {
                Value::Object(anthropic::arguments(tool.description.input_schema(), sent))
            }
            (_, arguments) => arguments,
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers: Vec<_> = self
            .servers
            .iter()
            .map(|server| server.name.as_deref().unwrap_or_default())
            .collect();
        f.debug_struct("Client")
            .field("servers", &servers)
            .field("cache", &self.cache)
            .finish_non_exhaustive()
    }
}
