//! The JSON Schema of the gateway's file, for editors. It is made of the declarations that the parser
//! reads, see `setting`.
//!
//! The schema refuses no file of the gateway that the parser accepts. It accepts these, which the
//! parser refuses, because JSON Schema cannot express them or an error of an editor would mislead:
//!
//! - a key that occurs twice, a header that occurs twice in another case, and two servers of the same
//!   name in the characters of tool names;
//! - the name of a server that is empty or too long, and kinds in several keys that contradict each
//!   other;
//! - texts with variables: references that no client has in common, such as `${file:PATH}`, and control
//!   characters, which a default can contain that is not used;
//! - what depends on the machine: an `envFile` that is not there, and a `command` with its arguments;
//! - a URL with a valid beginning and no valid host or port;
//! - a duration below a nanosecond, a `timeout` of Cline that is longer than 366 days in seconds, and
//!   a `rate` of more than 4,294,967,295 calls;
//! - a header `Authorization` beside `pd.oauth` or `bearer_token_env_var`;
//! - an object in `command` or `transport`, as older versions of Zed have it: its keys and the keys
//!   of the transport beside it are not checked. Neither is anything in `mcp`, which opencode and VS
//!   Code write in different forms. A file can have `mcp` and other servers.

use super::{
    GatewayConfig,
    entry_keys::{
        COMMAND, DISABLED, ENABLED, ENTRY_KEYS, HTTP_KEYS, OPENAPI, OPENAPI_KEYS, PD, PROGRAM_KEYS,
        ROOT_KEYS, TRANSPORT, TYPE_KEYS, URL, URL_KEYS,
    },
    error::ConfigErrorKind,
    found_entries::ENTRIES_MAX,
    pd_keys::{CLIENT_ID, CLIENT_SECRET, GRANT, GROUP_KEYS, OAUTH, OAUTH_KEYS, TOOL_KEYS},
    server_objects::{MCP, SERVER_KEYS},
    setting::{DeclaredKey, described, merge, object_schema, properties, with_pattern},
    transport_kind::{TransportType, kind_pattern},
    transport_type::SPELLED_KEYS,
};
use serde_json::{Map, Value, json};

/// The place of the schema in the repository.
const PATH: &str = "pd-runtime/gateway/schemas/servers.schema.json";

impl GatewayConfig {
    /// Returns the JSON Schema (draft-07) of the gateway's file: `mcpServers` and the other keys of
    /// servers, and all keys of `pd`. The command `pd-gateway schema` prints it.
    pub fn json_schema() -> Value {
        let mut schema = json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "$id": schema_url(),
            "title": "Servers of pd-gateway",
            "description": "The MCP servers behind pd-gateway, with the gateway's settings.",
            "type": "object",
        });
        merge(
            &mut schema,
            json!({
                "properties": root_properties(),
                "oneOf": server_objects(),
                "definitions": {
                    "servers": servers(),
                    "server": server(),
                    "enabledServer": enabled_server(),
                    "tool": object_schema(TOOL_KEYS),
                    "group": object_schema(GROUP_KEYS),
                    "oauth": oauth(),
                },
            }),
        );
        schema
    }
}

/// Returns the URL of the schema of this version, which `import` writes as `$schema`.
pub(crate) fn schema_url() -> String {
    let repository = env!("CARGO_PKG_REPOSITORY");
    let repository = repository
        .strip_prefix("https://github.com/")
        .unwrap_or(repository);
    let version = env!("CARGO_PKG_VERSION");
    format!("https://raw.githubusercontent.com/{repository}/v{version}/{PATH}")
}

fn root_properties() -> Value {
    let mut all = json!({
        // Without a type: the parser does not read these keys, or skips what it cannot use.
        "$schema": described("The JSON Schema of this file, for editors."),
    });
    for key in SERVER_KEYS {
        merge(
            &mut all,
            json!({ *key: { "$ref": "#/definitions/servers" } }),
        );
    }
    let inputs = "The inputs of VS Code. `${input:ID}` stands for the variable `PD_INPUT_ID`, and \
                  without it for the `default` here.";
    let mut input = described(inputs);
    merge(
        &mut input,
        json!({ "items": { "properties": {
            "id": described("The name in `${input:ID}`."),
            "default": described("The value, if the variable `PD_INPUT_ID` is not set."),
        } } }),
    );
    merge(&mut all, json!({ "inputs": input }));
    let mcp = "The servers of opencode, or `mcp.servers` of VS Code. They are read, and not checked \
               in this schema.";
    merge(&mut all, json!({ MCP: described(mcp) }));
    merge(&mut all, properties(ROOT_KEYS));
    all
}

/// Returns the alternatives of the key that contains the servers. A file has one of them. `projects`
/// of Claude Code, and `mcp`, can be something else beside it.
fn server_objects() -> Vec<Value> {
    let required = |key: &str| json!({ "required": [key] });
    let mut all: Vec<_> = SERVER_KEYS.iter().map(|key| required(key)).collect();
    for key in [MCP, "projects"] {
        let other = json!({ "required": [key], "not": { "anyOf": all } });
        all.push(other);
    }
    all
}

fn servers() -> Value {
    let mut servers = described("The servers, each under its name.");
    let server = json!({ "$ref": "#/definitions/server" });
    merge(
        &mut servers,
        json!({ "type": "object", "maxProperties": ENTRIES_MAX, "additionalProperties": server }),
    );
    servers
}

fn server() -> Value {
    let mut server = described(
        "A server: a program with `command`, a `url`, or an API with an `openapi` document.",
    );
    let is_off = |key: &str, value: bool| {
        let letters: String = value.to_string().chars().map(in_any_case).collect();
        let values =
            json!([{ "const": value }, { "type": "string", "pattern": format!("^{letters}$") }]);
        json!({ "required": [key], "properties": { key: { "anyOf": values } } })
    };
    merge(
        &mut server,
        json!({
            "type": "object",
            "defaultSnippets": [
                { "label": "program", "body": { "command": "$1", "args": ["$2"], "pd": { "summary": "$3" } } },
                { "label": "URL", "body": { "url": "https://$1", "pd": { "summary": "$2" } } },
                { "label": "API", "body": { "openapi": "$1", "pd": { "summary": "$2" } } },
            ],
            // Nothing else of a server that is switched off is read.
            "if": { "anyOf": [is_off(DISABLED.key, true), is_off(ENABLED.key, false)] },
            "then": { "properties": descriptions(&[&DISABLED, &ENABLED]) },
            "else": { "$ref": "#/definitions/enabledServer" },
        }),
    );
    server
}

fn enabled_server() -> Value {
    // The keys of programs and URLs have no values here: those of the other kind are not read. They
    // are described, so that an editor offers them.
    let mut all = descriptions(PROGRAM_KEYS);
    merge(&mut all, descriptions(HTTP_KEYS));
    merge(&mut all, descriptions(OPENAPI_KEYS));
    merge(&mut all, properties(ENTRY_KEYS));
    let urls: Vec<_> = URL_KEYS.iter().map(|url| present(url.key)).collect();
    let api = present(OPENAPI.key);
    let mut targets = vec![present(COMMAND.key), api.clone()];
    // Beside `openapi`, `url` is the URL of the API.
    targets.extend(URL_KEYS.iter().map(|url| match url.key == URL.key {
        true => json!({ "allOf": [present(url.key), { "not": api }] }),
        false => present(url.key),
    }));
    let mut rules = vec![
        json!({ "if": present(COMMAND.key), "then": { "properties": program() } }),
        json!({
            "if": { "not": api, "anyOf": urls },
            "then": { "properties": http() },
        }),
        json!({ "if": api, "then": { "properties": openapi() } }),
    ];
    rules.extend(spelling_rules());
    let has_object =
        |key: &str| json!({ "required": [key], "properties": { key: { "type": "object" } } });
    json!({
        "properties": all,
        "if": { "anyOf": [has_object(COMMAND.key), has_object(TRANSPORT.key)] },
        "else": {
            "oneOf": targets,
            "allOf": rules,
        },
    })
}

/// Returns a rule for each key of which another spelling is refused, such as `Args`. Beside the key
/// itself, another spelling changes nothing.
fn spelling_rules() -> impl Iterator<Item = Value> {
    SPELLED_KEYS.iter().map(|key| {
        let letters: String = key.chars().map(in_any_case).collect();
        let pattern = format!("^[ \\t]*{letters}[ \\t]*$");
        let message = format!("this is not read; did you mean `{key}`?");
        let absent = json!({ "type": "null", "errorMessage": message });
        json!({
            "if": { "not": present(key) },
            "then": { "patternProperties": { pattern: absent } },
        })
    })
}

fn in_any_case(letter: char) -> String {
    format!(
        "[{}{}]",
        letter.to_ascii_uppercase(),
        letter.to_ascii_lowercase()
    )
}

fn program() -> Value {
    let mut all = properties(PROGRAM_KEYS);
    merge(
        &mut all,
        kinds(URL.key, |kind| kind == TransportType::Stdio),
    );
    // A process gets credentials from its environment.
    let needs_url = ConfigErrorKind::MissingKey { needed: URL.key }.to_string();
    let absent = json!({ "type": "null", "errorMessage": needs_url });
    let without_oauth = json!({ "properties": { OAUTH.key: absent } });
    merge(&mut all, json!({ PD.key: without_oauth }));
    all
}

fn http() -> Value {
    let mut all = properties(HTTP_KEYS);
    merge(
        &mut all,
        kinds(COMMAND.key, |kind| kind != TransportType::Stdio),
    );
    all
}

fn openapi() -> Value {
    let mut all = properties(OPENAPI_KEYS);
    merge(&mut all, properties(HTTP_KEYS));
    // The document names the schemes of its server, which are no MCP authorization.
    let excludes = ConfigErrorKind::ExclusiveKeys {
        one: OPENAPI.key,
        other: "pd.oauth",
    };
    let absent = json!({ "type": "null", "errorMessage": excludes.to_string() });
    let without_oauth = json!({ "properties": { OAUTH.key: absent } });
    merge(&mut all, json!({ PD.key: without_oauth }));
    all
}

/// Returns the properties of an entry with one of these kinds. The others need the key `missing`.
fn kinds(missing: &str, is_kind: fn(TransportType) -> bool) -> Value {
    let message = format!("this kind needs `{missing}`; add `{missing}`, or correct the kind");
    let pattern = with_pattern(&kind_pattern(is_kind), &message);
    let kinds: Map<_, _> = TYPE_KEYS
        .iter()
        .map(|declared| (declared.key.to_owned(), pattern.clone()))
        .collect();
    Value::Object(kinds)
}

fn oauth() -> Value {
    let mut oauth = object_schema(OAUTH_KEYS);
    let id = CLIENT_ID.key;
    let secret = CLIENT_SECRET.key;
    let grant = GRANT.key;
    let is_client =
        json!({ "required": [grant], "properties": { grant: { "const": "client_credentials" } } });
    merge(
        &mut oauth,
        json!({
            "allOf": [
                { "if": present(CLIENT_SECRET.key), "then": { "required": [id], "properties": { id: { "type": "string" } } } },
                { "if": is_client, "then": { "required": [secret], "properties": { secret: { "type": "string" } } } },
            ],
        }),
    );
    oauth
}

/// Returns the schema of an object with a key that is not `null`.
fn present(key: &str) -> Value {
    json!({ "required": [key], "properties": { key: { "not": { "type": "null" } } } })
}

/// Returns the descriptions of keys, with any values.
fn descriptions(keys: &[&dyn DeclaredKey]) -> Value {
    keys.iter()
        .map(|declared| (declared.key().to_owned(), declared.description()))
        .collect()
}
