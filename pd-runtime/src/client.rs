//! The agent's side: servers' tools for a model, with descriptions fetched when they are needed, and once.
//!
//! ```
//! use pd_runtime::{client::{Client, Listener}, prelude::*, rmcp::ServiceExt};
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
//! # let shared = PdServer::builder(registry, ()).build()?;
//! # let (ours, theirs) = tokio::io::duplex(1 << 16);
//! # let handler = shared.handler();
//! # tokio::spawn(async move { handler.serve(theirs).await.unwrap().waiting().await });
//! let running = Listener::new().serve(ours).await?;
//! let tools = Client::new(&running).await?;
//!
//! assert!(tools.system_prompt().contains("forecast: Forecast the weather of a city"));
//! let described = tools.describe(["forecast"]).await?;
//! assert!(described.get("forecast").unwrap().input_schema()["properties"]["days"].is_object());
//!
//! // The model's next request has `forecast` in full, and its call is answered.
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
//! Give the model [`Client::system_prompt`] and [`Client::anthropic`] or [`Client::openai`], made anew for each request; answer
//! its calls with [`Client::answer_anthropic_message`], or each of them with [`Client::answer_anthropic`] or
//! [`Client::answer_openai`]. With another provider, use
//! [`Client::tools`] and [`Client::call`].
//!
//! # What servers offer
//!
//! | a server has | descriptions come by |
//! |---|---|
//! | the extension `dev.pd-runtime/disclosure` | `disclosure/describe`, with digests |
//! | the resource `tool_descriptions` (Progressive Disclosure v2.1) | reading it |
//! | manifests (SEP-2636), Delta-MCP | `tools/describe` |
//! | tools about tools (`describe_tools`, `describe_tool`, `get_tool_details`) | calling those |
//! | a search that tells schemas (FastMCP) | searching for the name |
//! | groups (draft extension), which your own handler declares | opening the group: describe it by its name |
//! | none of it | the list, which has them |
//!
//! The first that there is serves, several names a request where the route takes them. Descriptions are cached ([`Cache`])
//! until the server says that its tools changed; a tool that was described and has changed is shown to the model again before it
//! is called. What is listed in full is called as it is listed now. Tickets go in `_meta`, and no model sees them.
//!
//! # Time limits
//!
//! Every request has a limit: 60 seconds for lists and descriptions ([`ClientBuilder::request_timeout`]), and for a call 5 minutes
//! without a sign of life ([`ClientBuilder::call_timeout`]) and one hour in all ([`ClientBuilder::max_call_time`]). A progress
//! notification is a sign of life. [`Client::call_within`] sets one call's own limit. A request over its limit ends in
//! [`ClientError::Timeout`], and the client sends `notifications/cancelled`; so it does for a request whose future is dropped. A
//! model reads that its call took too long, and goes on.
//!
//! # What a reader does not see
//!
//! Summaries and the prose of descriptions reach a model without invisible characters: variation selectors, tags, fillers, marks of
//! writing direction and characters without width. Joiners (U+200C, U+200D) stay where they stand alone between two visible
//! characters beyond ASCII, so emoji families and Persian and Indic words are whole; an emoji loses only its selector. Schemas'
//! `enum`, `const` and `default`, examples' inputs, servers' [`instructions`](Client::instructions) and results pass as they are.
//!
//! # Rows that no model sees
//!
//! A selective tool (MCP-SD) that is called with `mode: "sync"` answers the columns that the model named as `abstract`, and the
//! rest of each row as `body`. This client keeps the body ([`Handles`]), and gives the result on with `resource_url: "ddi://…"`
//! in its place. Where a later call has that handle as its `resource_url`, and the rows it means as `abstract_data`, its server
//! gets those rows' rest as `body_data` instead. The servers need not reach each other.
//!
//! `NaN` and `Infinity`, which Python writes and JSON does not have, are `null` to who is handed the rows. Where a call named columns
//! in mode `sync` and its answer's body cannot be read, the result is an error, and no model sees the answer. All other results
//! pass as they are.
//!
//! ```
//! # use pd_runtime::{client::{Client, Listener}, prelude::*, rmcp::ServiceExt};
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
//! # let shared = PdServer::builder(registry, ()).build()?;
//! # let (ours, theirs) = tokio::io::duplex(1 << 16);
//! # let handler = shared.handler();
//! # tokio::spawn(async move { handler.serve(theirs).await.unwrap().waiting().await });
//! # let running = Listener::new().serve(ours).await?;
//! let tools = Client::new(&running).await?;
//! let result = tools.call("alerts", json!({})).await?;
//! let shown = &result.content[0].as_text().unwrap().text;
//! assert!(shown.contains("ddi://") && !shown.contains("Coast"));
//!
//! // What a model would do with it: choose a row, and hand it to another tool.
//! let shown: serde_json::Value = serde_json::from_str(shown)?;
//! let wind = json!([shown["abstract"][0]]).to_string();
//! let asked = json!({ "abstract_data": wind, "resource_url": shown["resource_url"] });
//! let drawn = tools.call("draw", asked).await?;
//! let drawn = &drawn.content[0].as_text().unwrap().text;
//! assert!(drawn.contains("Coast") && !drawn.contains("Valley"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! A handle is used up once its rows were handed over and the tool has answered. Where the call did not reach the tool, or its
//! arguments did not fit, the handle is still good. It is worth nothing to others ([`ClientBuilder::principal`]); a call with a
//! handle that is not known is not made. URLs of other schemes are the servers' own matter, and pass. Results that a task
//! delivers later do not come through this client, and are not looked at.

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
mod listener;
mod names;
mod parse_descriptions;
mod prompt;
mod provider_reply;
mod redact_rows;
mod refusal;
mod request;
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
pub use describe_result::{Described, Unknown};
pub use description::Description;
pub use error::ClientError;
pub use handles::Handles;
pub use listener::Listener;
pub use token_usage::Tokens;

use crate::{provider::anthropic, text::suggest};
use cache_scope::Owner;
use conversation::{Conversation, Note};
use description::Description as Told;
use rmcp::model::Tool;
use serde_json::Value;
use server::Server;
use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use toolset::Style;

/// How many names an error suggests.
const NEAREST_MAX: usize = 5;
/// For how many unknown names of one request.
const COMPARED_MAX: usize = 10;

/// The tools of one or several servers, for one conversation.
///
/// What it was shown and what that cost is the conversation's own; [`Client::conversation`] makes another over the same
/// servers, cache and handles. See [the module](self) for how it is used.
pub struct Client {
    servers: Arc<[Server]>,
    cache: Cache,
    handles: Handles,
    owner: Owner,
    defers: bool,
    conversation: Mutex<Conversation>,
}

impl Client {
    /// The tools of one server, under their own names.
    ///
    /// # Errors
    ///
    /// The server does not list its tools.
    pub async fn new(server: impl Into<Connection>) -> Result<Self, ClientError> {
        Self::builder().only(server).build().await
    }

    /// Several servers, a principal, a shared cache.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// The same servers, cache and handles for another conversation, which nothing was shown yet.
    pub fn conversation(&self) -> Self {
        Self {
            servers: self.servers.clone(),
            cache: self.cache.clone(),
            handles: self.handles.clone(),
            owner: self.owner.clone(),
            defers: self.defers,
            conversation: Mutex::default(),
        }
    }

    /// What a model has to know to use these tools: summaries of those that are to be described, and the workflow in the
    /// implementation guide's words. Empty where all tools are listed in full.
    ///
    /// It changes with the servers' lists alone, not with what is described. It holds up to 200,000 bytes of summaries, shared
    /// equally by the servers, and says how many were left out.
    pub fn system_prompt(&self) -> String {
        let mut state = self.state();
        let prompt = prompt::prompt(&self.servers, &state.names);
        state.counts_prompt(&prompt);
        prompt
    }

    /// The tools that the model can call now, in the order in which they joined, under the names it knows them by.
    ///
    /// The tool by which it asks for descriptions is not among them: it is this client's own, `describe_tools {names}`, and
    /// [`Client::call`] answers it.
    pub fn tools(&self) -> Vec<Tool> {
        let shown = self.state();
        let tool = |shown: &conversation::Shown| {
            let told = &shown.description;
            Tool::new(shown.name.clone(), told.words(), told.input_schema().clone())
        };
        shown.shown.iter().filter(|shown| !shown.withdrawn).map(tool).collect()
    }

    /// `tools` of a request to Anthropic's Messages API.
    ///
    /// Tools that are described later join at the end, and the bytes of those before stay. They are deferred: a
    /// `tool_reference` brings one in, which [`Client::answer_anthropic`] sends. Tools that are listed in full are deferred
    /// where they cost more than 2,000 tokens, with the provider's search beside them.
    /// [`ClientBuilder::defer`] turns that off. A tool that its server has no more stays in, for the history refers to it.
    pub fn anthropic(&self) -> Vec<Value> {
        let style = self.style();
        toolset::for_anthropic(&self.state(), style)
    }

    /// `tools` of a request to OpenAI's Responses API.
    ///
    /// The model asks for descriptions by a `tool_search` that this client answers: what it finds stands in the input from
    /// then on ([`Client::answer_openai`]), and `tools` stays as it is. [`ClientBuilder::defer`] turns that off, for models
    /// without tool search: `describe_tools` is then a function, and tools join at the end.
    pub fn openai(&self) -> Vec<Value> {
        let style = self.style();
        toolset::for_openai(&self.state(), style)
    }

    /// What tools have cost this conversation so far.
    pub fn tokens(&self) -> Tokens {
        self.state().tokens
    }

    /// What the servers say of themselves: their names within this client, and their `instructions`.
    ///
    /// They are no part of [`Client::system_prompt`]: instructions of servers with progressive disclosure tell the workflow
    /// in terms of the wire.
    pub fn instructions(&self) -> Vec<(Option<&str>, String)> {
        let told = |server: &Server| server.wire.peer.peer_info()?.instructions.clone();
        self.servers.iter().filter_map(|server| Some((server.name.as_deref(), told(server)?))).collect()
    }

    /// Says that the servers' tools changed, where no [`Listener`] hears it: descriptions are fetched anew when they are next
    /// needed.
    pub fn changed(&self) {
        self.servers.iter().for_each(|server| server.changes.heard());
    }

    /// Fetches the lists of servers that said that theirs changed. [`Client::describe`] and [`Client::call`] do so by
    /// themselves; call it before a request to the provider, so that the request has what is new.
    ///
    /// # Errors
    ///
    /// A server does not list its tools.
    pub async fn refresh(&self) -> Result<(), ClientError> {
        for server in self.servers.iter() {
            server.refreshed(&self.cache).await?;
        }
        Ok(())
    }

    fn style(&self) -> Style {
        Style { discloses: self.discloses(), defers: self.defers }
    }

    fn discloses(&self) -> bool {
        self.servers.iter().any(|server| server.listed().discloses())
    }

    /// The conversation, as of the lists that are known.
    fn state(&self) -> MutexGuard<'_, Conversation> {
        // A panic in here leaves at most a tool out, and nothing half written.
        let mut state = self.conversation.lock().unwrap_or_else(PoisonError::into_inner);
        state.sync(&self.servers);
        state
    }

    fn note(&self, place: usize, server: &Server, told: &Arc<Told>) -> Note {
        self.state().note(place, server, told)
    }

    /// Which server's tool a name means, and its own name there.
    fn resolve(&self, name: &str) -> Option<(usize, String)> {
        let state = self.state();
        let places = || self.servers.iter().enumerate();
        let named = state.names.own(name).cloned();
        let prefixed =
            || places().find_map(|(place, server)| Some((place, names::own(server.name.as_deref(), name)?.to_owned())));
        let meant = named.or_else(prefixed).or_else(|| self.bare(name))?;
        Some(meant).filter(|meant| !state.is_withdrawn(meant))
    }

    /// The one listed tool of that name. Where a server has tools that no list tells of, the name may be one of those, and its
    /// arguments are not for another server.
    fn bare(&self, name: &str) -> Option<(usize, String)> {
        let is_told = self.servers.len() == 1 || !self.servers.iter().any(|server| server.listed().has_unlisted());
        let mut having = self.servers.iter().enumerate().filter(|(_, server)| is_told && server.listed().has(name));
        having.next().filter(|_| having.next().is_none()).map(|(place, _)| (place, name.to_owned()))
    }

    /// The arguments of a call of Anthropic's under the names that the tool's server knows.
    fn own_arguments(&self, name: &str, arguments: Value) -> Value {
        let state = self.state();
        let shown = state.names.own(name).and_then(|(place, own)| state.shown_of(*place, own));
        match (shown, arguments) {
            (Some(shown), Value::Object(sent)) => {
                Value::Object(anthropic::arguments(shown.description.input_schema(), sent))
            }
            (_, arguments) => arguments,
        }
    }

    /// The name that a model knows a server's tool by.
    fn shown_name(&self, place: usize, own: &str) -> String {
        self.state().names.of(place, own).unwrap_or(own).to_owned()
    }

    /// An unknown name after so many others, of which only some are compared with all that there is.
    fn unknown_after(&self, others: usize, name: &str) -> Unknown {
        if others < COMPARED_MAX {
            return self.unknown(name);
        }
        Unknown { name: name.to_owned(), nearest: Vec::new(), left_out: self.state().is_full() }
    }

    fn unknown(&self, name: &str) -> Unknown {
        let state = self.state();
        let known = state.names.all().filter(|(_, place)| !state.is_withdrawn(place));
        let mut known: Vec<&str> = known.map(|(name, _)| name).collect();
        known.sort_unstable();
        let nearest = suggest::ranked(name, known.into_iter(), NEAREST_MAX);
        Unknown {
            name: name.to_owned(),
            nearest: nearest.into_iter().map(str::to_owned).collect(),
            left_out: state.is_full(),
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers: Vec<_> = self.servers.iter().map(|server| server.name.as_deref().unwrap_or_default()).collect();
        f.debug_struct("Client").field("servers", &servers).field("cache", &self.cache).finish_non_exhaustive()
    }
}
