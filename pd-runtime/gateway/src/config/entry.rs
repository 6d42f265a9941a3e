//! The servers that a file configures. `Debug` output and fingerprints contain no secrets.

#[cfg(feature = "cli")]
use super::entry_source::EntrySource;
use super::{http_url::HttpUrl, secret::SecretText, settings::ServerSettings};
use crate::config::names::visible_label;
use pd_runtime::store::Digest;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::PathBuf,
};

/// One server of a configuration file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ServerEntry {
    /// The server's name: 1 to 64 of the characters `a-z`, `A-Z`, `0-9`, `_` and `-`. Other ASCII
    /// characters of the label became `_`. The name of a label that is not ASCII ends in a hash.
    pub name: String,
    /// The name as the file has it.
    pub label: String,
    /// The line of the entry in the file, counted from 1.
    pub line: usize,
    /// The program or the URL. The texts of a disabled entry contain variables that are not
    /// expanded, and no file of variables is read for it. One without a valid program or URL has an
    /// empty command.
    pub transport: ServerTransport,
    /// Whether the entry is switched off: by `disabled: true` (Cline, Windsurf), by
    /// `enabled: false` (Codex, Zed, opencode), or by a switch that its client keeps elsewhere
    /// (Claude Code, Gemini).
    pub is_disabled: bool,
    /// The gateway's settings.
    pub settings: ServerSettings,
    /// The entry as its file has it, which a person approves.
    #[cfg(feature = "cli")]
    pub(crate) source: EntrySource,
}

/// How the gateway reaches a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerTransport {
    /// A child process that reads requests from its standard input.
    Stdio(StdioServer),
    /// Streamable HTTP.
    Http(HttpServer),
    /// The HTTP+SSE transport of protocol version 2024-11-05. An entry has it by `"type": "sse"`,
    /// or without `type` by a URL with a path that ends in `/sse`.
    Sse(HttpServer),
    /// An HTTP API without MCP. Its OpenAPI document describes the tools, and the gateway sends the
    /// requests. An entry has it by `openapi`.
    OpenApi(OpenApiServer),
}

/// A program that the gateway starts.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StdioServer {
    /// The program's path or name. A relative path of an entry with a working directory is joined
    /// with this directory.
    pub command: String,
    /// The arguments. They can contain secrets, so `Debug` hides them.
    pub args: Vec<String>,
    /// The environment variables of `env`, and of the file that `envFile` names.
    pub env: BTreeMap<String, SecretText>,
    /// The working directory, as an absolute path. An entry of a project's file without `cwd` has
    /// the directory of the project. `None` for other entries without `cwd`.
    pub cwd: Option<PathBuf>,
}

/// A server that the gateway connects to.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpServer {
    /// The URL. It can contain secrets, so `Debug` shows its origin only.
    pub url: String,
    /// The headers of every request.
    pub headers: BTreeMap<String, SecretText>,
    /// The token for the header `Authorization`, from `bearer_token_env_var` (Codex).
    pub bearer_token: Option<SecretText>,
}

/// An HTTP API that an OpenAPI document describes.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenApiServer {
    /// The document.
    pub document: OpenApiSource,
    /// The URL of the API, in place of the one that the document names. `Debug` shows its origin
    /// only.
    pub url: Option<String>,
    /// The headers of every request.
    pub headers: BTreeMap<String, SecretText>,
    /// The credentials, by the names of security schemes in the document.
    pub auth: BTreeMap<String, SecretText>,
}

/// Where the document of an API is.
#[derive(Clone, PartialEq, Eq)]
pub enum OpenApiSource {
    /// A file.
    File(PathBuf),
    /// An HTTP URL. It can contain secrets, so `Debug` shows its origin only.
    Url(String),
}

impl ServerEntry {
    /// Returns the label as texts show it, or the name if the label has no visible character.
    pub(crate) fn visible_label(&self) -> String {
        let label = visible_label(&self.label);
        if label.is_empty() {
            self.name.clone()
        } else {
            label
        }
    }

    /// Returns whether a person means this entry: by its name, or by its label.
    #[cfg(feature = "oauth")]
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.name == name || self.label == name
    }

    /// Returns the hash of [`fingerprint_source`](Self::fingerprint_source).
    pub(crate) fn fingerprint(&self) -> String {
        Digest::from_bytes(self.fingerprint_source().to_string().as_bytes()).to_string()
    }

    /// Returns the facts that identify the server, for the key of a cache on disk.
    ///
    /// The value never contains a secret. It contains the program, the working directory, the
    /// origin of the URL, the names of query parameters, of headers (in lower case) and of
    /// environment variables, and SHA-256 digests. Arguments are hashed as a JSON array, because
    /// they can be `--token=…`. The URL without user information and query values is hashed,
    /// because some services put a key into the path. The value of a variable, a header or a query
    /// parameter does not change the result. The keys are in alphabetical order.
    pub fn fingerprint_source(&self) -> Value {
        match &self.transport {
            ServerTransport::Stdio(server) => {
                let inherited = self.settings.inherit_env.iter().map(String::as_str);
                let env: BTreeSet<&str> = server.env_names().chain(inherited).collect();
                json!({
                    "argsDigest": sha256(&json!(server.args).to_string()),
                    "command": server.command,
                    "cwd": server.cwd.as_ref().map(|cwd| cwd.to_string_lossy()),
                    "env": env,
                    "transport": "stdio",
                })
            }
            ServerTransport::Http(server) => server.fingerprint_source("http"),
            ServerTransport::Sse(server) => server.fingerprint_source("sse"),
            ServerTransport::OpenApi(server) => server.fingerprint_source(),
        }
    }
}

impl ServerTransport {
    /// The transport of a disabled entry that has none.
    pub(super) fn empty() -> Self {
        Self::Stdio(StdioServer {
            command: String::new(),
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
        })
    }
}

impl StdioServer {
    /// Returns the names of the environment variables, sorted.
    pub fn env_names(&self) -> impl Iterator<Item = &str> {
        self.env.keys().map(String::as_str)
    }
}

impl HttpServer {
    /// Returns the names of the headers, sorted.
    pub fn header_names(&self) -> impl Iterator<Item = &str> {
        self.headers.keys().map(String::as_str)
    }

    /// Returns whether the entry has its own token, so that OAuth is not used.
    pub(crate) fn has_authorization(&self) -> bool {
        self.bearer_token.is_some()
            || self
                .header_names()
                .any(|name| name.eq_ignore_ascii_case("authorization"))
    }

    /// Returns what the entry sends that can be a credential, without the values.
    pub(crate) fn credential_names(&self) -> Vec<String> {
        let headers = self.header_names().map(|name| format!("header `{name}`"));
        let token = self
            .bearer_token
            .iter()
            .map(|_| "`bearer_token_env_var`".to_owned());
        let url = HttpUrl::parse(&self.url).ok();
        let query = url
            .iter()
            .filter(|url| !url.query_names().is_empty())
            .map(|_| "the query of `url`".to_owned());
        let user = url
            .iter()
            .filter(|url| url.has_user())
            .map(|_| "the user information of `url`".to_owned());
        headers.chain(token).chain(query).chain(user).collect()
    }

    /// Returns whether a header or a parameter of the entry is a credential, by its name.
    #[cfg(feature = "oauth")]
    pub(crate) fn has_own_credentials(&self) -> bool {
        let url = HttpUrl::parse(&self.url).ok();
        let mut query = url.iter().flat_map(HttpUrl::query_names);
        let has_user = url.as_ref().is_some_and(HttpUrl::has_user);
        has_user
            || self.has_authorization()
            || query.any(is_credential)
            || self.header_names().any(is_credential)
    }

    /// Returns the scheme, host and port of the URL, for logs and errors.
    pub fn origin(&self) -> String {
        origin_of(&self.url)
    }

    /// Returns the URL without user information, values of query parameters and fragment.
    #[cfg(feature = "oauth")]
    pub(crate) fn without_secrets(&self) -> String {
        HttpUrl::parse(&self.url)
            .map(|url| url.without_secrets())
            .unwrap_or_default()
    }

    fn fingerprint_source(&self, transport: &str) -> Value {
        let url = HttpUrl::parse(&self.url).ok();
        // The token is sent in this header. Names of headers have no case (RFC 9110, section 5.1),
        // so their spelling must not separate two caches.
        let token = self
            .bearer_token
            .as_ref()
            .map(|_| "authorization".to_owned());
        let headers: BTreeSet<String> = self
            .header_names()
            .map(str::to_ascii_lowercase)
            .chain(token)
            .collect();
        json!({
            "headers": headers,
            "origin": self.origin(),
            "query": url.as_ref().map(HttpUrl::query_names).unwrap_or_default(),
            "transport": transport,
            "urlDigest": sha256(&url.as_ref().map(HttpUrl::without_secrets).unwrap_or_default()),
        })
    }
}

impl OpenApiServer {
    /// Returns whether requests carry something that can be a credential.
    pub(crate) fn has_credentials(&self) -> bool {
        !self.headers.is_empty() || !self.auth.is_empty()
    }

    fn fingerprint_source(&self) -> Value {
        let url = |text: &String| HttpUrl::parse(text).ok();
        let document = match &self.document {
            OpenApiSource::File(path) => path.to_string_lossy().into_owned(),
            OpenApiSource::Url(text) => url(text)
                .map(|url| url.without_secrets())
                .unwrap_or_default(),
        };
        let headers: BTreeSet<String> = self
            .headers
            .keys()
            .map(|name| name.to_ascii_lowercase())
            .collect();
        let own = self.url.as_ref().and_then(url);
        json!({
            "auth": self.auth.keys().collect::<Vec<_>>(),
            "documentDigest": sha256(&document),
            "headers": headers,
            "transport": "openapi",
            "urlDigest": own.map(|url| sha256(&url.without_secrets())),
        })
    }
}

/// Returns whether a header or a parameter of this name is a credential. A parameter without a name
/// can be a bare key.
#[cfg(feature = "oauth")]
fn is_credential(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let words = [
        "auth",
        "cookie",
        "credential",
        "key",
        "pass",
        "secret",
        "session",
        "signature",
        "token",
    ];
    name.is_empty() || words.iter().any(|word| name.contains(word))
}

fn sha256(text: &str) -> String {
    Digest::from_bytes(text.as_bytes()).to_string()
}

// The number of arguments is shown instead of the arguments, which can be `--token=…`.
impl fmt::Debug for StdioServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StdioServer")
            .field("command", &self.command)
            .field("args", &format_args!("{} hidden", self.args.len()))
            .field("env", &self.env)
            .field("cwd", &self.cwd)
            .finish()
    }
}

// Services put keys into user information, path and query, so only the origin is shown.
impl fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpServer")
            .field("origin", &self.origin())
            .field("headers", &self.headers)
            .field("bearer_token", &self.bearer_token)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for OpenApiServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenApiServer")
            .field("document", &self.document)
            .field("origin", &self.url.as_deref().map(origin_of))
            .field("headers", &self.headers)
            .field("auth", &self.auth)
            .finish()
    }
}

impl fmt::Debug for OpenApiSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            Self::Url(url) => f.debug_tuple("Url").field(&origin_of(url)).finish(),
        }
    }
}

fn origin_of(url: &str) -> String {
    // Only a URL of a disabled entry can be invalid: its variables are not expanded.
    HttpUrl::parse(url).map_or_else(|_| "(not expanded)".to_owned(), |url| url.origin())
}
