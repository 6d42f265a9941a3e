//! What an entry runs or connects to, for the person who decides about it. Values of variables and
//! headers are hidden, apart from the names of variables that they refer to, and from the values of
//! variables that decide what a program loads (`loading_variables`).

use super::{
    hidden_values::{references, with_references, without_secrets},
    loading_variables::{is_loading, variable},
};
use crate::config::{entry_context::EntryContext, entry_source::EntrySource};
use serde::Serialize;
use serde_json::Value;

/// The keys of a program, in the words of all clients.
const COMMAND_KEYS: [&str; 2] = ["command", "cmd"];
/// The key of the program's arguments.
const ARGS_KEY: &str = "args";
const URL_KEYS: [&str; 4] = ["url", "httpUrl", "serverUrl", "uri"];
/// The key of an API's document.
const DOCUMENT_KEY: &str = "openapi";
const DIRECTORY_KEYS: [&str; 2] = ["cwd", "envFile"];
const VARIABLE_KEYS: [&str; 3] = ["env", "environment", "envs"];
/// The keys of what requests carry.
const HEADER_KEYS: [&str; 3] = ["headers", "http_headers", "auth"];
/// The key of headers whose values are names of variables.
const VARIABLE_HEADERS_KEY: &str = "env_http_headers";
/// The key of the variable that has the token for a header.
const TOKEN_KEY: &str = "bearer_token_env_var";
/// The key that has names of variables as values. The server gets these variables.
const NAMES_KEY: &str = "env_vars";

/// What an entry runs or connects to. The texts come from the file: escape them before you show
/// them on a terminal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct EntryOutline {
    /// The program and its arguments, before variables are expanded.
    pub(crate) command: Vec<String>,
    /// The URL without user information, fragment and values of its query.
    pub(crate) url: Option<String>,
    /// The file or the URL of an API's document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) document: Option<String>,
    /// The working directory and the file of variables.
    pub(crate) cwd: Option<String>,
    pub(crate) env_file: Option<String>,
    /// The variables of this file. Those that decide what is loaded come first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) env_file_variables: Vec<String>,
    /// The variables that the entry sets, and those that it passes on.
    pub(crate) variables: Vec<String>,
    pub(crate) headers: Vec<String>,
    /// The other places of the entry that refer to variables, such as a client's secret.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) references: Vec<String>,
    /// The defaults of the file's inputs that the command or another shown text refers to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) input_defaults: Vec<String>,
}

impl EntryOutline {
    /// Reads an entry as its file has it, with what is not in the entry itself.
    pub(crate) fn of_source(source: &EntrySource) -> Self {
        Self::new(source.value(), source.context())
    }

    /// Reads an entry as its file has it. `context` is what the entry has from elsewhere.
    pub(crate) fn new(entry: &Value, context: &EntryContext) -> Self {
        let [cwd, env_file] =
            DIRECTORY_KEYS.map(|key| entry.get(key).and_then(Value::as_str).map(str::to_owned));
        let mut command = first_of(entry, &COMMAND_KEYS)
            .map(words)
            .unwrap_or_default();
        command.extend(entry.get(ARGS_KEY).map(words).unwrap_or_default());
        let inherited = entry
            .pointer("/pd/inheritEnv")
            .into_iter()
            .chain(entry.get(NAMES_KEY));
        let mut variables: Vec<_> = members(entry, &VARIABLE_KEYS)
            .map(|(name, value)| variable(name, value))
            .collect();
        let mut inherited: Vec<_> = inherited.flat_map(words).collect();
        for name in &context.inherited {
            if !inherited.contains(name) {
                inherited.push(name.clone());
            }
        }
        variables.extend(inherited);
        let mut outline = Self {
            command,
            url: first_of(entry, &URL_KEYS)
                .and_then(Value::as_str)
                .map(without_secrets),
            document: entry
                .get(DOCUMENT_KEY)
                .and_then(Value::as_str)
                .map(without_secrets),
            cwd,
            env_file,
            env_file_variables: variables_of_file(context),
            variables,
            headers: headers(entry),
            references: other_references(entry),
            input_defaults: Vec::new(),
        };
        outline.input_defaults = outline.shown_defaults(entry, context);
        outline
    }

    /// Returns the defaults of inputs that the shown texts refer to. The text with its default is
    /// what runs. Defaults in hidden values are hidden, too.
    fn shown_defaults(&self, entry: &Value, context: &EntryContext) -> Vec<String> {
        let places = [&self.url, &self.document, &self.cwd, &self.env_file];
        let places = places.into_iter().flatten().map(String::as_str);
        let values = members(entry, &VARIABLE_KEYS)
            .filter(|(name, _)| is_loading(name))
            .filter_map(|(_, value)| value.as_str());
        let texts: Vec<&str> = self
            .command
            .iter()
            .map(String::as_str)
            .chain(places)
            .chain(values)
            .collect();
        let defaults = context.inputs.iter().filter(|(id, _)| {
            let beginning = format!("${{input:{id}");
            let mut rests = texts
                .iter()
                .flat_map(|text| text.split(beginning.as_str()).skip(1));
            // The id can be the beginning of another one.
            rests.any(|rest| rest.starts_with(['}', ':']))
        });
        defaults
            .map(|(id, default)| format!("{id}={default}"))
            .collect()
    }

    /// Returns one line with the command or the URL. Arguments are quoted as a shell reads them.
    pub(crate) fn target(&self) -> String {
        let command: Vec<_> = self.command.iter().map(|word| quoted(word)).collect();
        match (&self.url, &self.document) {
            (Some(url), Some(document)) => format!("{url} by the document {document}"),
            (None, Some(document)) => format!("the API of {document}"),
            (Some(url), None) if command.is_empty() => url.clone(),
            _ => command.join(" "),
        }
    }

    /// Returns the other facts, each with its name.
    pub(crate) fn details(&self) -> Vec<(&'static str, String)> {
        let joined = |texts: &[String]| Some(texts.join(", ")).filter(|text| !text.is_empty());
        // One line, because a file without names is shown all the same.
        let env_file = self.env_file.as_ref().map(|path| {
            joined(&self.env_file_variables)
                .map_or_else(|| path.clone(), |variables| format!("{path}: {variables}"))
        });
        let facts = [
            ("directory", self.cwd.clone()),
            ("variables of the file", env_file),
            ("variables", joined(&self.variables)),
            ("headers", joined(&self.headers)),
            ("variables in other keys", joined(&self.references)),
            ("defaults of inputs", joined(&self.input_defaults)),
        ];
        facts
            .into_iter()
            .filter_map(|(name, fact)| Some((name, fact?)))
            .collect()
    }
}

fn first_of<'e>(entry: &'e Value, keys: &[&str]) -> Option<&'e Value> {
    keys.iter().find_map(|key| entry.get(key))
}

/// Returns the members of all objects of an entry under these keys.
fn members<'e>(
    entry: &'e Value,
    keys: &'e [&str],
) -> impl Iterator<Item = (&'e String, &'e Value)> {
    keys.iter()
        .filter_map(|key| entry.get(key)?.as_object())
        .flatten()
}

/// Returns the headers and credentials, each with the variables that its value has.
fn headers(entry: &Value) -> Vec<String> {
    let written = members(entry, &HEADER_KEYS)
        .map(|(name, value)| with_references(name, value.as_str().unwrap_or_default()));
    let named = members(entry, &[VARIABLE_HEADERS_KEY])
        .filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)));
    let token = entry.get(TOKEN_KEY).and_then(Value::as_str);
    let named = named.chain(token.map(|variable| ("Authorization", variable)));
    written
        .chain(named.map(|(name, variable)| format!("{name} (${{{variable}}})")))
        .collect()
}

/// Returns the variables of the entry's file. The file is not under the person's eyes, and can
/// belong to the project.
fn variables_of_file(context: &EntryContext) -> Vec<String> {
    // The loading ones come first, so that no line of many names is cut before them.
    let (loading, others): (Vec<_>, Vec<_>) = context
        .file_variables
        .iter()
        .partition(|(name, _)| is_loading(name));
    let loading = loading
        .into_iter()
        .map(|(name, value)| variable(name, &Value::from(value.expose())));
    // Values of the file are not expanded, so a `$` in one of these is no reference.
    loading
        .chain(others.into_iter().map(|(name, _)| name.clone()))
        .collect()
}

/// Returns the places with references to variables that no other part of the outline shows, such as
/// `pd.oauth.clientSecret (${SECRET})`.
fn other_references(entry: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (key, value) in entry.as_object().into_iter().flatten() {
        if !is_shown(entry, key, value) {
            add_references(key, value, &mut found);
        }
    }
    found
}

/// Returns whether the other parts show the references of a member.
fn is_shown(entry: &Value, key: &str, value: &Value) -> bool {
    let is_flat = |value: &Value| !value.is_array() && !value.is_object();
    let has_flat_members = |value: &Value| {
        value
            .as_object()
            .is_some_and(|all| all.values().all(is_flat))
    };
    let is_first_of =
        |keys: &[&str]| keys.iter().find(|key| entry.get(**key).is_some()) == Some(&key);
    if key == ARGS_KEY || is_first_of(&COMMAND_KEYS) {
        return value.is_string()
            || value
                .as_array()
                .is_some_and(|words| words.iter().all(is_flat));
    }
    if key == DOCUMENT_KEY || DIRECTORY_KEYS.contains(&key) || is_first_of(&URL_KEYS) {
        return value.is_string();
    }
    (VARIABLE_KEYS.contains(&key) || HEADER_KEYS.contains(&key)) && has_flat_members(value)
}

/// Adds each text below a value that refers to variables, with its keys.
fn add_references(place: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            if !references(text).is_empty() {
                found.push(with_references(place, text));
            }
        }
        Value::Array(elements) => elements
            .iter()
            .for_each(|element| add_references(place, element, found)),
        Value::Object(members) => members
            .iter()
            .for_each(|(key, member)| add_references(&format!("{place}.{key}"), member, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the words of a text, a list, or an object with a program and its arguments.
fn words(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(elements) => elements.iter().flat_map(words).collect(),
        // `command` of older versions of Zed, and `env_vars` of Codex.
        Value::Object(members) => ["path", "command", "args", "name"]
            .iter()
            .filter_map(|key| members.get(*key))
            .flat_map(words)
            .collect(),
        other => vec![other.to_string()],
    }
}

/// Returns a word as a shell reads it.
pub(super) fn quoted(word: &str) -> String {
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    // Within single quotes, a shell knows no escapes. So the quote ends, and begins once more.
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_-.:/@%+,=".contains(letter)
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;
    use crate::config::own_environment::config_from_text;
    use serde_json::json;

    #[test]
    fn an_outline_shows_what_runs_and_hides_values() {
        let entry = json!({
            "command": "sh", "args": ["-c", "id > pwned", "it's"], "cwd": "sub", "envFile": ".env",
            "env": { "TOKEN": "s3cret ${GITHUB_TOKEN:-x}", "KEY": "s3cret", "LD_PRELOAD": "./x.so" },
            "pd": { "inheritEnv": ["AWS_SECRET"] },
        });
        let outline = EntryOutline::new(&entry, &EntryContext::default());
        assert_eq!(outline.target(), r"sh -c 'id > pwned' 'it'\''s'");
        let details = [
            ("directory", "sub"),
            ("variables of the file", ".env"),
            (
                "variables",
                "TOKEN (${GITHUB_TOKEN}), KEY, LD_PRELOAD=./x.so, AWS_SECRET",
            ),
        ];
        assert_eq!(
            outline.details(),
            details.map(|(name, fact)| (name, fact.to_owned()))
        );
        for command in [
            json!({ "command": { "path": "a", "args": ["b"] } }),
            json!({ "command": ["a", "b"] }),
        ] {
            assert_eq!(
                EntryOutline::new(&command, &EntryContext::default()).target(),
                "a b"
            );
        }
    }

    #[test]
    fn a_url_keeps_its_host_and_loses_its_secrets() {
        for (url, shown) in [
            (
                "https://u:p@x.example/mcp?key=s&plain#f",
                "https://…@x.example/mcp?key=…&plain",
            ),
            (
                "https://x.example/?t=${AWS_SECRET:-d}",
                "https://x.example/?t=${AWS_SECRET}",
            ),
            (
                "https://github.com@evil.example/a@b",
                "https://…@evil.example/a@b",
            ),
            (
                "https://good.example\\@evil.example",
                "https://good.example\\@evil.example",
            ),
            ("${URL}", "${URL}"),
        ] {
            let entry =
                json!({ "url": url, "headers": { "Authorization": "Bearer ${T}", "X": "s3cret" } });
            let outline = EntryOutline::new(&entry, &EntryContext::default());
            assert_eq!(outline.target(), shown);
            assert_eq!(outline.headers, ["Authorization (${T})", "X"]);
        }
    }

    /// Returns the details of the first server of a project's file, which has a file `.env`.
    fn details_of(name: &str, env_file: &str, text: &str) -> Vec<(&'static str, String)> {
        let directory =
            std::env::temp_dir().join(format!("pd-outline-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join(".env"), env_file).unwrap();
        let config = config_from_text(&directory.join(".mcp.json"), text).unwrap();
        assert!(config.mistakes.is_empty(), "{:?}", config.mistakes);
        std::fs::remove_dir_all(directory).unwrap();
        EntryOutline::of_source(&config.servers[0].source).details()
    }

    #[test]
    fn the_file_of_variables_is_shown() {
        let details = details_of(
            "file",
            "A_KEY=s3cret\nexport OWN=s3cret\nNULLED=x\nLD_PRELOAD='./x so'\nhttp_proxy=http://u:s3cret@evil\n",
            r#"{"mcpServers":{"a":{"command":"a","envFile":".env","env":{"OWN":"s3cret","NULLED":null}}}}"#,
        );
        let file = ".env: LD_PRELOAD=./x so, http_proxy=http://…@evil, A_KEY, NULLED";
        assert_eq!(details[0], ("variables of the file", file.to_owned()));
        assert_eq!(details[1], ("variables", "OWN, NULLED".to_owned()));
    }

    #[test]
    fn variables_for_all_servers_are_shown() {
        let text = |server: &str| {
            format!(r#"{{"pd":{{"inheritEnv":["AWS_KEY","B"]}},"mcpServers":{{"b":{server}}}}}"#)
        };
        let program =
            text(r#"{"command":"a","cwd":"/d","pd":{"inheritEnv":["B"]},"env_vars":["C"]}"#);
        assert_eq!(
            details_of("program", "", &program)[1],
            ("variables", "B, C, AWS_KEY".to_owned())
        );
        let remote = text(r#"{"url":"https://x.example"}"#);
        assert_eq!(details_of("remote", "", &remote), [], "nothing gets them");
    }

    #[test]
    fn each_reference_is_shown_with_its_place() {
        let entry = json!({
            "url": "https://x.example/#a${FRAGMENT}b",
            "httpUrl": "https://y.example/${OTHER}",
            "http_headers": { "X": ["${LIST}"] },
            "env_http_headers": { "X-Key": "HEADER_KEY" },
            "bearer_token_env_var": "BEARER",
            "pd": { "oauth": {
                "clientId": "x", "clientSecret": "s3cret${AWS_SECRET:-s3cret}", "scopes": ["${A}", "$B"],
            } },
        });
        let outline = EntryOutline::new(&entry, &EntryContext::default());
        assert_eq!(outline.target(), "https://x.example/#${FRAGMENT}");
        let references = "httpUrl (${OTHER}), http_headers.X (${LIST}), \
            pd.oauth.clientSecret (${AWS_SECRET}), pd.oauth.scopes (${A}), pd.oauth.scopes (${B})";
        let mut details = outline.details();
        details.sort();
        assert_eq!(details[0].0, "headers");
        assert!(
            details[0]
                .1
                .contains("X-Key (${HEADER_KEY}), Authorization (${BEARER})")
        );
        assert_eq!(
            details[1],
            ("variables in other keys", references.to_owned())
        );
        let unclosed = json!({ "command": "a", "env": { "KEY": "${s3cret" } });
        assert_eq!(
            EntryOutline::new(&unclosed, &EntryContext::default()).variables,
            ["KEY"]
        );
    }

    #[test]
    fn a_default_of_what_runs_is_shown() {
        let details = details_of(
            "inputs",
            "",
            r#"{"inputs":[{"id":"cmd","default":"./evil"},{"id":"key","default":"s3cret"},{"id":"k","default":"x"},{"id":"so","default":"./x.so"}],
                "servers":{"a":{"command":"sh","args":["-c","$(${input:cmd})"],"env":{"KEY":"${input:key}","LD_AUDIT":"${input:so}"}}}}"#,
        );
        let defaults = "cmd=./evil, so=./x.so";
        assert_eq!(
            details.last(),
            Some(&("defaults of inputs", defaults.to_owned()))
        );
    }
}
