//! The gateway's settings of one server: the object `pd` of an entry, joined with what the keys of
//! other clients say about the same things. The module `read_settings` parses them.

use super::secret::SecretText;
use std::{collections::BTreeMap, num::NonZeroU32, time::Duration};

/// The settings of one server.
///
/// `None` and an empty list stand for the gateway's own default.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ServerSettings {
    /// `pd.prefix`: the text before the server's tool names. An empty text passes names through,
    /// and `None` stands for the server's name and `__`. Without it, `pd.alias` and `__`.
    pub prefix: Option<String>,
    /// `pd.summary`: one line about the server. Without it, the first line of the entry's
    /// `description`.
    pub summary: Option<String>,
    /// `pd.pin`: the tools that are always listed.
    pub pin: Vec<String>,
    /// `pd.confirm`: the tools that the user is asked about before each call.
    pub confirm: Vec<ToolPattern>,
    /// `pd.confirmDestructive`: whether the user is asked before calls through meta-tools and
    /// programs of tools that may destroy something.
    pub confirms_destructive: bool,
    /// `pd.include`: the tools that are offered. `None` offers all. Without it, `includeTools`
    /// (Gemini) or `enabled_tools` (Codex).
    pub include: Option<Vec<ToolPattern>>,
    /// `pd.exclude`: the tools that are not offered, even if `include` names them. The tools of
    /// `excludeTools` (Gemini), `disabledTools` (Cline) and `disabled_tools` (Codex) are among
    /// them.
    pub exclude: Vec<ToolPattern>,
    /// `pd.timeout`: the limit on the time of a call. Without it, `timeout` or `tool_timeout_sec`
    /// (Codex).
    pub timeout: Option<Duration>,
    /// `pd.startTimeout`: the limit on the time until the server is initialized. Without it,
    /// `startup_timeout_sec` or `startup_timeout_ms` (Codex).
    pub start_timeout: Option<Duration>,
    /// `pd.idle`: when an unused process is stopped.
    pub idle: Option<IdleStop>,
    /// `pd.concurrency`: the limit on calls in flight.
    pub concurrency: Option<NonZeroU32>,
    /// `pd.rate`: the limit on calls per unit of time.
    pub rate: Option<CallRate>,
    /// `pd.scopes`: the scopes that a caller needs for every tool of the server.
    pub scopes: Vec<String>,
    /// `pd.tools`: the settings of single tools, by the server's own name of the tool.
    pub tools: BTreeMap<String, ToolSettings>,
    /// `pd.inheritEnv`: the variables of the gateway's environment that the process gets. The
    /// variables of `env_vars` (Codex) are among them. Variables that are not set are skipped.
    /// Values in [`StdioServer::env`](super::StdioServer::env) take precedence.
    pub inherit_env: Vec<String>,
    /// `pd.eager`: whether the names of the server's tools are part of the first listing.
    pub is_eager: bool,
    /// `pd.share`: which clients share a connection. `None` stands for the clients of one principal
    /// if a person logs in at the server, and for all clients otherwise.
    pub share: Option<ConnectionSharing>,
    /// `pd.handshake`: the request that a connection begins with. `None` stands for the one that
    /// worked before, and for `server/discover` at first.
    pub handshake: Option<FirstRequest>,
    /// `pd.connections`: the most connections at once, where clients do not share one.
    pub connections: Option<NonZeroU32>,
    /// `pd.responseBytes`: the largest result, in bytes. `None` stands for 32 MiB.
    pub response_bytes: Option<usize>,
    /// `pd.resultTokens`: the largest result that a model is shown whole, in tokens. `None` stands
    /// for the setting of the gateway.
    pub result_tokens: Option<NonZeroU32>,
    /// `pd.trust`: which changes of the server's tools need no approval.
    pub trust: ServerTrust,
    /// `pd.selective`: which tools let callers choose the columns of their results.
    pub selective: SelectiveResults,
    /// `pd.groups`: whether the tools of a server with many are divided into groups, and their
    /// names and lines.
    pub groups: GroupChoice,
    /// `pd.oauth`: how the gateway gets access tokens of the server. Without it, the gateway
    /// registers itself at the authorization server.
    pub oauth: Option<OAuthSettings>,
}

/// Whether the tools of a server with more than 25 are divided into groups.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GroupChoice {
    /// Into groups that are made of the tools' names. These texts replace made ones, by the made
    /// name of a group without the server's.
    Made(BTreeMap<String, GroupTexts>),
    /// Into none (`"groups": false`).
    None,
}

impl Default for GroupChoice {
    fn default() -> Self {
        Self::Made(BTreeMap::new())
    }
}

impl GroupChoice {
    /// Returns the texts for the group of this made name.
    pub(crate) fn texts(&self, name: &str) -> Option<&GroupTexts> {
        match self {
            Self::Made(texts) => texts.get(name),
            Self::None => None,
        }
    }
}

/// The texts of a group that replace the made ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GroupTexts {
    /// The name after the server's. Other letters than `[a-z0-9]` become `-`.
    pub name: Option<String>,
    /// One line about the group.
    pub summary: Option<String>,
}

/// How the gateway gets access tokens of a server. `Debug` hides the client's secret.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OAuthSettings {
    /// `clientId`: the client that was registered beforehand. Without it, a login registers one.
    pub client_id: Option<String>,
    /// `clientSecret`: the secret of this client.
    pub client_secret: Option<SecretText>,
    /// `scopes`: the scopes that are requested. Without them, those that the server names.
    pub scopes: Vec<String>,
    /// `grant`: who the tokens are issued to.
    pub grant: OAuthGrant,
    /// `redirectPort`: the port on 127.0.0.1 that a login is redirected to. Without it, any free
    /// port.
    pub redirect_port: Option<u16>,
}

/// Who access tokens are issued to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OAuthGrant {
    /// A person, who logs in with a browser (`authorization_code`).
    #[default]
    AuthorizationCode,
    /// The client itself, with its secret (`client_credentials`). No login is needed.
    ClientCredentials,
}

impl ServerSettings {
    /// Returns whether the gateway offers a tool, given the server's own name of it.
    pub fn offers(&self, tool: &str) -> bool {
        let is_included = self
            .include
            .as_ref()
            .is_none_or(|patterns| matches_any(patterns, tool));
        is_included && !matches_any(&self.exclude, tool)
    }

    /// Returns whether the user is asked before each call of a tool, given the server's own name of
    /// it.
    pub fn asks_before(&self, tool: &str) -> bool {
        matches_any(&self.confirm, tool)
    }

    /// Returns whether callers may choose the columns of a tool's results, given the server's own
    /// name of the tool.
    pub fn selective_of(&self, tool: &str) -> SelectiveResults {
        self.tools
            .get(tool)
            .and_then(|tool| tool.selective)
            .unwrap_or(self.selective)
    }

    /// Returns whether any tool may be selective.
    pub(crate) fn has_selective_tools(&self) -> bool {
        let of_tools = self.tools.values().filter_map(|tool| tool.selective);
        of_tools
            .chain([self.selective])
            .any(|selective| selective != SelectiveResults::Never)
    }
}

fn matches_any(patterns: &[ToolPattern], tool: &str) -> bool {
    patterns.iter().any(|pattern| pattern.matches(tool))
}

/// The settings of one tool. They replace the settings of the server, except for `scopes`, which a
/// caller needs in addition.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolSettings {
    /// The limit on the time of a call.
    pub timeout: Option<Duration>,
    /// The limit on calls in flight.
    pub concurrency: Option<NonZeroU32>,
    /// The limit on calls per unit of time.
    pub rate: Option<CallRate>,
    /// The scopes that a caller needs.
    pub scopes: Vec<String>,
    /// One line about the tool. It replaces the summary that is made of the tool's description.
    pub summary: Option<String>,
    /// The largest result that a model is shown whole, in tokens.
    pub result_tokens: Option<NonZeroU32>,
    /// Whether callers may choose the columns of its results.
    pub selective: Option<SelectiveResults>,
}

/// The name of a tool, or the beginning of a name and `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolPattern {
    text: String,
}

impl ToolPattern {
    /// Parses a pattern. Returns `None` if it is empty or has `*` before its end.
    pub fn parse(text: &str) -> Option<Self> {
        let name = text.strip_suffix('*').unwrap_or(text);
        (!text.is_empty() && !name.contains('*')).then(|| Self {
            text: text.to_owned(),
        })
    }

    /// Returns the pattern's text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether the pattern matches the name of a tool.
    pub fn matches(&self, tool: &str) -> bool {
        match self.text.strip_suffix('*') {
            Some(beginning) => tool.starts_with(beginning),
            None => tool == self.text,
        }
    }
}

/// A limit on calls per unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallRate {
    /// The number of calls.
    pub count: NonZeroU32,
    /// The unit of time.
    pub period: Duration,
}

impl CallRate {
    /// Parses `10/s`, `60/min` or `1000/h`. Returns `None` for other texts.
    pub fn parse(text: &str) -> Option<Self> {
        let (count, unit) = text.split_once('/')?;
        let seconds = match unit.trim() {
            "s" => 1,
            "min" => 60,
            "h" => 3600,
            _ => return None,
        };
        Some(Self {
            count: count.trim().parse().ok()?,
            period: Duration::from_secs(seconds),
        })
    }
}

/// Which changes of a server's tools the gateway takes without a person's approval. It always takes
/// changes that break no caller and bring no new text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ServerTrust {
    /// No others.
    #[default]
    Approved,
    /// New tools (`"trust": "new"`).
    New,
    /// All changes (`"trust": "all"`).
    All,
}

/// Which clients share a connection to a server, and so its process or session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionSharing {
    /// All clients (`"share": "process"`).
    Process,
    /// None: each session has its own connection (`"share": "session"`). Clients of 2026-07-28 have
    /// no sessions, so the clients of one principal share a connection.
    Session,
    /// The clients of one principal (`"share": "principal"`).
    Principal,
}

/// The request that a connection begins with. If the server does not take it, the other one follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstRequest {
    /// `server/discover`, of MCP 2026-07-28 (`"handshake": "discover"`).
    Discover,
    /// `initialize`, of the versions before (`"handshake": "initialize"`). In these, a server sends
    /// requests of its own, such as for sampling.
    Initialize,
}

/// Which tools let callers choose the columns of their results. A result is changed for a caller
/// that chose columns only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SelectiveResults {
    /// None (`"selective": false`). Definitions are as the server sent them.
    #[default]
    Never,
    /// Tools that have rows in their output schema, or had rows in a result
    /// (`"selective": "auto"`).
    Auto,
    /// Tools of which no result is known yet, too (`"selective": true`).
    Always,
}

/// When an unused process is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdleStop {
    /// After this time without calls.
    After(Duration),
    /// Not before the gateway ends (`"idle": 0`).
    Never,
}
