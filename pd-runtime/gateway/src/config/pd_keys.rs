//! The keys of the gateway's own settings: in `pd` of an entry, in `pd` beside the servers, and below.

use super::{
    setting::{SchemaOnly, settings},
    settings::{ConnectionSharing, FirstRequest, OAuthGrant, ServerTrust},
    value_rule::{
        Boolean, Choice, IdleSeconds, ListOf, NamePrefix, NonemptyText, OneLine, PatternText,
        RateText, Seconds, SelectiveChoice, VariableName, WholeNumber,
    },
};
use serde_json::json;

/// The limit on concurrent calls, and on connections.
const CONCURRENCY_MAX: u32 = 1_000_000;

/// The largest `responseBytes`: 1 GiB.
const RESPONSE_BYTES_MAX: u32 = 1 << 30;
/// The largest `resultTokens`. No model reads more.
const RESULT_TOKENS_MAX: u32 = 100_000_000;

const TRUST_CHOICES: &[(&str, ServerTrust)] =
    &[("new", ServerTrust::New), ("all", ServerTrust::All)];

const SHARE_CHOICES: &[(&str, ConnectionSharing)] = &[
    ("process", ConnectionSharing::Process),
    ("session", ConnectionSharing::Session),
    ("principal", ConnectionSharing::Principal),
];

const HANDSHAKE_CHOICES: &[(&str, FirstRequest)] = &[
    ("discover", FirstRequest::Discover),
    ("initialize", FirstRequest::Initialize),
];

const GRANT_CHOICES: &[(&str, OAuthGrant)] = &[
    ("authorization_code", OAuthGrant::AuthorizationCode),
    ("client_credentials", OAuthGrant::ClientCredentials),
];

settings! {
    /// The keys of `pd` in an entry.
    SERVER_KEYS;

    /// The beginning of the names of the server's tools. An empty text passes the names through.
    /// Without it, the server's name and `__`. At most 64 letters, digits, `_` and `-`.
    PREFIX: NamePrefix = "prefix", NamePrefix { can_be_empty: true }, examples &[r#""git__""#, r#""""#];

    /// A short form of the server's name: `"gh"` is the same as the prefix `gh__`.
    ALIAS: NamePrefix = "alias", NamePrefix { can_be_empty: false }, examples &[r#""gh""#];

    /// One line about the server, in the instructions and in its group. Without it, the server's
    /// own description, or what its tools do.
    SUMMARY: OneLine = "summary", OneLine, examples &[r#""Read and write a Git repository""#];

    /// The tools that every list shows, at least in outline, by the server's own names.
    PIN: ListOf<NonemptyText> = "pin", ListOf(NonemptyText), default "[]", examples &[r#"["git_status"]"#];

    /// The tools that the user is asked about before each call, where the client can ask: names, or
    /// beginnings of names with `*` at the end.
    CONFIRM: ListOf<PatternText> = "confirm", ListOf(PatternText), default "[]", examples &[r#"["delete_*"]"#];

    /// Whether the user is asked before calls through `call_tool` and before programs, if a tool may
    /// delete or overwrite data: it is not read-only, and does not declare that it destroys nothing.
    CONFIRM_DESTRUCTIVE: Boolean = "confirmDestructive", Boolean, default "false", examples &["true"];

    /// The tools that the gateway offers: names, or beginnings of names with `*` at the end. Without
    /// it, all.
    INCLUDE: ListOf<PatternText> = "include", ListOf(PatternText), examples &[r#"["git_log", "git_diff*"]"#];

    /// The tools that the gateway leaves out, even if `include` names them: names, or beginnings of
    /// names with `*` at the end.
    EXCLUDE: ListOf<PatternText> = "exclude", ListOf(PatternText), default "[]", examples &[r#"["git_reset"]"#];

    /// The longest call, in seconds. At most 366 days.
    TIMEOUT: Seconds = "timeout", Seconds, default "600", examples &["30"];

    /// The longest start, in seconds: until the server is initialized.
    START_TIMEOUT: Seconds = "startTimeout", Seconds, default "60", examples &["120"];

    /// The seconds without a call after which the server's process ends. 0 stands for never.
    IDLE: IdleSeconds = "idle", IdleSeconds, default "600", examples &["0", "3600"];

    /// The most calls of each tool at once. Without it, there is no limit.
    CONCURRENCY: WholeNumber = "concurrency", WholeNumber { max: CONCURRENCY_MAX }, examples &["4"];

    /// The most calls of all the server's tools in a second (`s`), minute (`min`) or hour (`h`).
    /// Without it, there is no limit.
    RATE: RateText = "rate", RateText, examples &[r#""10/s""#, r#""60/min""#, r#""1000/h""#];

    /// The scopes that a caller needs for each of the server's tools.
    SCOPES: ListOf<NonemptyText> = "scopes", ListOf(NonemptyText), default "[]", examples &[r#"["git:write"]"#];

    /// The settings of single tools, by the server's own name of the tool.
    TOOLS: SchemaOnly = "tools", SchemaOnly(|| json!({
        "type": "object",
        "additionalProperties": { "$ref": "#/definitions/tool" },
    })), examples &[r#"{"git_push": {"timeout": 120}}"#];

    /// The variables that the server's process gets from the gateway's environment. Variables that
    /// are not set are skipped.
    SERVER_INHERIT_ENV: ListOf<VariableName> = "inheritEnv", ListOf(VariableName), default "[]", examples &[r#"["PGPASSWORD"]"#];

    /// Whether every list shows all of the server's tools, at least in outline.
    EAGER: Boolean = "eager", Boolean, default "false", examples &["true"];

    /// Which changes of the server's tools need no approval: `new` takes new tools, and `all` takes
    /// every change. Without it, neither.
    TRUST: Choice<ServerTrust> = "trust", Choice(TRUST_CHOICES), examples &[r#""new""#];

    /// Which clients share a connection to the server: all (`process`), none (`session`), or the
    /// clients of one principal (`principal`). Without it, `process`, and `principal` after a login.
    SHARE: Choice<ConnectionSharing> = "share", Choice(SHARE_CHOICES), examples &[r#""session""#];

    /// The request that a connection begins with: `initialize` for the versions before 2026-07-28, in
    /// which a server sends requests of its own, or `discover`. The other one follows if the server
    /// does not take the first. Without it, `discover`, or the one that worked before.
    HANDSHAKE: Choice<FirstRequest> = "handshake", Choice(HANDSHAKE_CHOICES), examples &[r#""initialize""#];

    /// The most connections at once, where clients do not share one.
    CONNECTIONS: WholeNumber = "connections", WholeNumber { max: CONCURRENCY_MAX }, default "32", examples &["8"];

    /// The largest result, in bytes. A larger one is the error `RESPONSE_TOO_LARGE`. The default is
    /// 32 MiB, and the most 1 GiB.
    RESPONSE_BYTES: WholeNumber = "responseBytes", WholeNumber { max: RESPONSE_BYTES_MAX }, default "33554432", examples &["1048576"];

    /// The largest result that a model is shown whole, in tokens. A larger one becomes a preview,
    /// and the model reads on with `read_more`. Without it, `--max-result-tokens`, or no limit.
    RESULT_TOKENS: WholeNumber = "resultTokens", WholeNumber { max: RESULT_TOKENS_MAX }, examples &["10000"];

    /// Which tools let callers choose the columns of their results: all (`true`), those with rows
    /// (`"auto"`), or none (`false`).
    SELECTIVE: SelectiveChoice = "selective", SelectiveChoice, default "false", examples &[r#""auto""#];

    /// Whether the tools of a server with more than 25 are divided into groups by their names
    /// (`false` for none), or other names and lines for these groups, by their names without the
    /// server's.
    GROUPS: SchemaOnly = "groups", SchemaOnly(|| json!({ "anyOf": [
        { "type": "boolean" },
        { "type": "object", "additionalProperties": { "$ref": "#/definitions/group" } },
    ] })), default "true", examples &["false", r#"{"pull-requests": {"name": "reviews", "summary": "Review pull requests"}}"#];

    /// How the gateway gets access tokens of a server over HTTP. Without it, a login registers the
    /// gateway at the authorization server.
    OAUTH: SchemaOnly = "oauth", SchemaOnly(|| json!({ "$ref": "#/definitions/oauth" })), examples &[
        r#"{"clientId": "Iv1.example"}"#,
    ];
}

settings! {
    /// The keys of `pd` beside the servers, for all of them.
    FILE_KEYS;

    /// The variables that the processes of all servers get from the gateway's environment. Variables
    /// that are not set are skipped.
    FILE_INHERIT_ENV: ListOf<VariableName> = "inheritEnv", ListOf(VariableName), default "[]", examples &[
        r#"["HTTPS_PROXY", "NODE_EXTRA_CA_CERTS", "DOCKER_HOST"]"#,
    ];
}

settings! {
    /// The keys of a tool in `pd.tools`.
    TOOL_KEYS;

    /// The longest call of the tool, in seconds. At most 366 days.
    TOOL_TIMEOUT: Seconds = "timeout", Seconds, examples &["120"];

    /// The most calls of the tool at once.
    TOOL_CONCURRENCY: WholeNumber = "concurrency", WholeNumber { max: CONCURRENCY_MAX }, examples &["1"];

    /// The most calls of the tool in a second (`s`), minute (`min`) or hour (`h`).
    TOOL_RATE: RateText = "rate", RateText, examples &[r#""10/s""#, r#""60/min""#, r#""1000/h""#];

    /// The scopes that a caller needs for the tool, in addition to those of the server.
    TOOL_SCOPES: ListOf<NonemptyText> = "scopes", ListOf(NonemptyText), default "[]", examples &[r#"["git:write"]"#];

    /// One line about the tool. It replaces the summary that is made of the tool's description.
    TOOL_SUMMARY: OneLine = "summary", OneLine, examples &[r#""Push commits to a remote""#];

    /// The largest result of the tool that a model is shown whole, in tokens. Without it, as the
    /// server's `resultTokens`.
    TOOL_RESULT_TOKENS: WholeNumber = "resultTokens", WholeNumber { max: RESULT_TOKENS_MAX }, examples &["2000"];

    /// Whether callers can choose the columns of the tool's results: always (`true`), if it has rows
    /// (`"auto"`), or never (`false`). Without it, as the server's `selective`.
    TOOL_SELECTIVE: SelectiveChoice = "selective", SelectiveChoice, examples &[r#""auto""#];
}

settings! {
    /// The keys of a group in `pd.groups`.
    GROUP_KEYS;

    /// The name of the group after the server's. Other letters than `[a-z0-9]` become `-`.
    GROUP_NAME: OneLine = "name", OneLine, examples &[r#""reviews""#];

    /// One line about the group. Without it, one that is made of its tools.
    GROUP_SUMMARY: OneLine = "summary", OneLine, examples &[r#""Review pull requests""#];
}

settings! {
    /// The keys of `pd.oauth`.
    OAUTH_KEYS;

    /// The client that was registered beforehand. Without it, the login registers one. Variables such
    /// as `${CLIENT_ID}` are expanded.
    CLIENT_ID: NonemptyText = "clientId", NonemptyText, examples &[r#""Iv1.example""#];

    /// The secret of the client. Write a variable such as `${CLIENT_SECRET}`, so that the file has no
    /// secret.
    CLIENT_SECRET: NonemptyText = "clientSecret", NonemptyText, examples &[r#""${CLIENT_SECRET}""#];

    /// The scopes to request. Without them, those that the server names.
    OAUTH_SCOPES: ListOf<NonemptyText> = "scopes", ListOf(NonemptyText), default "[]", examples &[r#"["issues:read"]"#];

    /// Who the tokens are issued to: a person, who logs in with a browser (`authorization_code`), or
    /// the client itself, which needs no login (`client_credentials`).
    GRANT: Choice<OAuthGrant> = "grant", Choice(GRANT_CHOICES), default r#""authorization_code""#, examples &[
        r#""client_credentials""#,
    ];

    /// The port of `http://127.0.0.1:PORT/callback`, to which a login is redirected. Without it, any
    /// free port.
    REDIRECT_PORT: WholeNumber = "redirectPort", WholeNumber { max: u16::MAX as u32 }, examples &["8400"];
}
