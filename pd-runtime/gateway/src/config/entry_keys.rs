//! The keys of an entry that the gateway reads: those of most clients, and those of single ones.
//! Clients have further keys, which are not read.

use super::{
    error::ConfigErrorKind,
    field::SECONDS_MAX,
    in_ticks::in_ticks,
    pd_keys::{FILE_KEYS, SERVER_KEYS},
    setting::{
        SchemaOnly, Setting, ValueSchema, merge, nullable, object_schema, settings, with_pattern,
    },
    transport_kind::{NAMED_KINDS, kind_pattern},
    value_rule::{ListOf, Milliseconds, NonemptyText, PatternText, Seconds, Switch, VariableName},
};
use serde_json::{Value, json};

/// The limit on the number of arguments.
pub(super) const ARGS_MAX: usize = 1024;

/// The keys of a URL in most clients, in Gemini, and in Windsurf.
pub(super) const URL_KEYS: [Setting<SchemaOnly>; 3] = [URL, HTTP_URL, SERVER_URL];

/// The keys of the kind in most clients, in FastMCP, in Cline and in others.
pub(super) const TYPE_KEYS: [Setting<SchemaOnly>; 4] =
    [TYPE, TRANSPORT, TRANSPORT_TYPE, TRANSPORT_TYPE_SNAKE];

settings! {
    /// The keys of every entry.
    ENTRY_KEYS;

    /// The gateway's own settings of the server.
    PD: SchemaOnly = "pd", SchemaOnly(|| object_schema(SERVER_KEYS)), examples &[
        r#"{"summary": "Read and write a Git repository"}"#,
    ];

    /// The kind of the server: `stdio` for a program, and `http` or `sse` for a URL. Without it, the
    /// other keys decide.
    TYPE: SchemaOnly = "type", SchemaOnly(kind), examples &[r#""stdio""#, r#""http""#, r#""sse""#];

    /// The kind of the server, as FastMCP writes it. An object has the keys of the connection.
    TRANSPORT: SchemaOnly = "transport", SchemaOnly(|| json!({ "anyOf": [kind(), { "type": "object" }] }));

    /// The kind of the server, as Cline writes it.
    TRANSPORT_TYPE: SchemaOnly = "transportType", SchemaOnly(kind);

    /// The kind of the server, as some clients write it.
    TRANSPORT_TYPE_SNAKE: SchemaOnly = "transport_type", SchemaOnly(kind);

    /// Whether the server is switched off. Its other keys are not read then.
    DISABLED: Switch = "disabled", Switch, default "false";

    /// Whether the server is switched on, as Codex, Zed and opencode write it.
    ENABLED: Switch = "enabled", Switch, default "true";

    /// A description. Its first line is the summary of a server without `pd.summary`.
    DESCRIPTION: SchemaOnly = "description", SchemaOnly(anything);

    /// The tools to offer, as Gemini writes them. `pd.include` replaces them.
    INCLUDE_TOOLS: ListOf<PatternText> = "includeTools", ListOf(PatternText);

    /// The tools to offer, as Codex writes them. `pd.include` replaces them.
    ENABLED_TOOLS: ListOf<PatternText> = "enabled_tools", ListOf(PatternText);

    /// The tools to leave out, as Gemini writes them, in addition to `pd.exclude`.
    EXCLUDE_TOOLS: ListOf<PatternText> = "excludeTools", ListOf(PatternText);

    /// The tools to leave out, as Cline writes them, in addition to `pd.exclude`.
    DISABLED_TOOLS: ListOf<PatternText> = "disabledTools", ListOf(PatternText);

    /// The tools to leave out, as Codex writes them, in addition to `pd.exclude`.
    DISABLED_TOOLS_SNAKE: ListOf<PatternText> = "disabled_tools", ListOf(PatternText);

    /// The longest call: in milliseconds from 1,000, and in seconds below. In an entry of Cline, in
    /// seconds. `pd.timeout` replaces it, and is always in seconds.
    CLIENT_TIMEOUT: SchemaOnly = "timeout", SchemaOnly(client_timeout);

    /// The longest call in seconds, as Codex writes it. `pd.timeout` replaces it.
    TOOL_TIMEOUT_SEC: Seconds = "tool_timeout_sec", Seconds;

    /// The longest start in seconds, as Codex writes it. `pd.startTimeout` replaces it.
    STARTUP_TIMEOUT_SEC: Seconds = "startup_timeout_sec", Seconds;

    /// The longest start in milliseconds, as Codex writes it. `pd.startTimeout` replaces it.
    STARTUP_TIMEOUT_MS: Milliseconds = "startup_timeout_ms", Milliseconds;

    /// The tools that Cline runs without a question. The gateway reads from it that `timeout` is in
    /// seconds.
    AUTO_APPROVE: SchemaOnly = "autoApprove", SchemaOnly(anything);

    /// The tools that Roo Code runs without a question. The gateway reads from it that `timeout` is
    /// in seconds.
    ALWAYS_ALLOW: SchemaOnly = "alwaysAllow", SchemaOnly(anything);

    /// The variables that the process gets from the gateway's environment, as Codex writes them, in
    /// addition to `pd.inheritEnv`.
    ENV_VARS: SchemaOnly = "env_vars", SchemaOnly(codex_variables);

    /// The kind of the entry in Zed. The gateway cannot start a server of an extension.
    SOURCE: SchemaOnly = "source", SchemaOnly(anything);
}

settings! {
    /// The keys of a program.
    PROGRAM_KEYS;

    /// The program that the gateway starts: a name, or a path without its arguments. A relative path
    /// begins in `cwd`, and `~/` in your home directory. Variables such as `${HOME}` are expanded.
    COMMAND: SchemaOnly = "command", SchemaOnly(nonempty), examples &[r#""npx""#, r#""uvx""#, r#""docker""#];

    /// The arguments of the program, each as an element. Variables such as `${TOKEN}` are expanded.
    ARGS: SchemaOnly = "args", SchemaOnly(arguments), examples &[r#"["-y", "PACKAGE"]"#];

    /// The environment variables of the process. Variables such as `${TOKEN}` are expanded. `null`
    /// leaves one out.
    ENV: SchemaOnly = "env", SchemaOnly(variables), examples &[r#"{"TOKEN": "${TOKEN}"}"#];

    /// A file with lines `NAME=VALUE`. `env` has precedence over it.
    ENV_FILE: SchemaOnly = "envFile", SchemaOnly(nonempty), examples &[r#""${workspaceFolder}/.env""#];

    /// The working directory of the process. A relative path begins in the directory of the file's
    /// project.
    CWD: SchemaOnly = "cwd", SchemaOnly(nonempty), examples &[r#""${workspaceFolder}""#];
}

settings! {
    /// The keys of a server over HTTP.
    HTTP_KEYS;

    /// The URL of a server over streamable HTTP or HTTP+SSE. Variables such as `${HOST}` are expanded.
    URL: SchemaOnly = "url", SchemaOnly(url), examples &[r#""https://mcp.example.com/mcp""#];

    /// The URL of a server over streamable HTTP, as Gemini writes it.
    HTTP_URL: SchemaOnly = "httpUrl", SchemaOnly(url);

    /// The URL of a server, as Windsurf writes it.
    SERVER_URL: SchemaOnly = "serverUrl", SchemaOnly(url);

    /// The headers of every request. Variables such as `${TOKEN}` are expanded. `null` leaves one out.
    HEADERS: SchemaOnly = "headers", SchemaOnly(headers), examples &[r#"{"Authorization": "Bearer ${TOKEN}"}"#];

    /// The headers of every request, as Codex writes them.
    HTTP_HEADERS: SchemaOnly = "http_headers", SchemaOnly(headers);

    /// The headers of every request, as Codex writes them. Each value is the name of the environment
    /// variable that has the value of the header.
    ENV_HTTP_HEADERS: SchemaOnly = "env_http_headers", SchemaOnly(variable_headers);

    /// The environment variable that has the token for the header `Authorization`, as Codex writes it.
    BEARER_TOKEN_ENV_VAR: VariableName = "bearer_token_env_var", VariableName;
}

settings! {
    /// The keys of an API with an OpenAPI document. `url` and `headers` are its keys, too.
    OPENAPI_KEYS;

    /// The OpenAPI document of an HTTP API that has no MCP server: a file, or a URL. Its operations
    /// become tools. `url` replaces the server that the document names. Variables such as
    /// `${HOST}` are expanded.
    OPENAPI: SchemaOnly = "openapi", SchemaOnly(document), examples &[
        r#""openapi.yaml""#, r#""https://api.example.com/openapi.json""#,
    ];

    /// The credentials of the API, each under the name of a security scheme in the document: an API
    /// key, a token, or `NAME:PASSWORD`. Variables such as `${TOKEN}` are expanded. `null` leaves one
    /// out.
    AUTH: SchemaOnly = "auth", SchemaOnly(credentials), examples &[r#"{"bearerAuth": "${TOKEN}"}"#];
}

settings! {
    /// The keys of the file as a whole.
    ROOT_KEYS;

    /// The gateway's settings for all servers.
    FILE_PD: SchemaOnly = "pd", SchemaOnly(|| object_schema(FILE_KEYS)), examples &[
        r#"{"inheritEnv": ["HTTPS_PROXY", "NODE_EXTRA_CA_CERTS"]}"#,
    ];
}

fn anything() -> Value {
    json!({})
}

fn nonempty() -> Value {
    NonemptyText.schema()
}

fn kind() -> Value {
    let kinds = in_ticks(NAMED_KINDS.into_iter());
    let mut kind = json!({ "type": "string" });
    merge(
        &mut kind,
        with_pattern(
            &kind_pattern(|_| true),
            &format_args!("write one of {kinds}"),
        ),
    );
    kind
}

/// The schema of `timeout`, which is in milliseconds if it is large.
fn client_timeout() -> Value {
    json!({ "type": "number", "exclusiveMinimum": 0, "maximum": u64::from(SECONDS_MAX) * 1000 })
}

fn codex_variables() -> Value {
    let name = VariableName.schema();
    let named =
        json!({ "type": "object", "properties": { "name": name.clone() }, "required": ["name"] });
    json!({ "type": "array", "items": { "anyOf": [name, named] } })
}

fn arguments() -> Value {
    let types = ["string", "number", "boolean"];
    json!({ "type": "array", "maxItems": ARGS_MAX, "items": { "type": types } })
}

fn variables() -> Value {
    json!({
        "type": "object",
        "propertyNames": VariableName.schema(),
        "additionalProperties": { "type": ["string", "number", "boolean", "null"] },
    })
}

fn headers() -> Value {
    header_object(json!({ "type": ["string", "number", "boolean", "null"] }))
}

fn credentials() -> Value {
    json!({ "type": "object", "additionalProperties": { "type": ["string", "number", "null"] } })
}

fn variable_headers() -> Value {
    header_object(nullable(VariableName.schema()))
}

/// The names are those of RFC 9110 (`tchar`).
fn header_object(value: Value) -> Value {
    json!({
        "type": "object",
        "propertyNames": with_pattern("^[-!#$%&'*+.^_`|~A-Za-z0-9]+$", &ConfigErrorKind::BadHeaderName),
        "additionalProperties": value,
    })
}

/// A document is a file, unless it begins as a URL does.
fn document() -> Value {
    let mut document = nonempty();
    let as_url = json!({ "if": { "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://" }, "then": url() });
    merge(&mut document, as_url);
    document
}

/// A URL with a variable is not known before the variable is expanded.
fn url() -> Value {
    let pattern = "^[Hh][Tt][Tt][Pp][Ss]?://[^ \\t\\r\\n\\\\/?#][^ \\t\\r\\n\\\\]*$|\\$\\{[^}]*\\}";
    let message = "the URL must begin with `http://` or `https://` and a host, and have no spaces";
    let mut url = json!({ "type": "string" });
    merge(&mut url, with_pattern(pattern, &message));
    url
}
