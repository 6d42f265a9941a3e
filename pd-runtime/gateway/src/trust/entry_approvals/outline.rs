//! What an entry runs or connects to, for the person who decides about it. Values of variables and
//! headers are hidden, apart from the names of variables that they refer to.

use serde::Serialize;
use serde_json::Value;

/// The keys of a program, in the words of all clients.
const COMMAND_KEYS: [&str; 2] = ["command", "cmd"];
const URL_KEYS: [&str; 4] = ["url", "httpUrl", "serverUrl", "uri"];
/// The key of an API's document.
const DOCUMENT_KEY: &str = "openapi";
const DIRECTORY_KEYS: [&str; 2] = ["cwd", "envFile"];
const VARIABLE_KEYS: [&str; 3] = ["env", "environment", "envs"];
/// The keys of what requests carry.
const HEADER_KEYS: [&str; 4] = ["headers", "http_headers", "env_http_headers", "auth"];
/// The keys that have names of variables as values. The server gets these variables.
const NAME_KEYS: [&str; 2] = ["env_vars", "bearer_token_env_var"];
/// The beginnings of variables that decide what a program loads. Their values are not secret, and a
/// person cannot judge the entry without them.
const LOADING: [&str; 14] = [
    "LD_",
    "DYLD_",
    "NODE_",
    "PYTHON",
    "RUBY",
    "PERL5",
    "JAVA_TOOL",
    "JDK_JAVA",
    "BASH_ENV",
    "ENV",
    "PATH",
    "GIT_",
    "NPM_CONFIG_",
    "UV_",
];

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
    /// The variables that the entry sets, and those that it passes on.
    pub(crate) variables: Vec<String>,
    pub(crate) headers: Vec<String>,
}

impl EntryOutline {
    /// Reads an entry as its file has it.
    pub(crate) fn new(entry: &Value) -> Self {
        let [cwd, env_file] =
            DIRECTORY_KEYS.map(|key| entry.get(key).and_then(Value::as_str).map(str::to_owned));
        let mut command = first_of(entry, &COMMAND_KEYS)
            .map(words)
            .unwrap_or_default();
        command.extend(entry.get("args").map(words).unwrap_or_default());
        let inherited = entry
            .pointer("/pd/inheritEnv")
            .into_iter()
            .chain(NAME_KEYS.iter().filter_map(|key| entry.get(key)));
        let mut variables: Vec<_> = members(entry, &VARIABLE_KEYS)
            .map(|(name, value)| variable(name, value))
            .collect();
        variables.extend(inherited.flat_map(words));
        Self {
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
            variables,
            headers: members(entry, &HEADER_KEYS)
                .map(|(name, value)| with_references(name, value))
                .collect(),
        }
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
        let facts = [
            ("directory", self.cwd.clone()),
            ("variables of the file", self.env_file.clone()),
            (
                "variables",
                Some(self.variables.join(", ")).filter(|names| !names.is_empty()),
            ),
            (
                "headers",
                Some(self.headers.join(", ")).filter(|names| !names.is_empty()),
            ),
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

fn variable(name: &str, value: &Value) -> String {
    match value {
        Value::String(text)
            // Compared without case, because the names of Windows have none.
            if LOADING
                .iter()
                .any(|beginning| name.to_ascii_uppercase().starts_with(beginning)) =>
        {
            format!("{name}={text}")
        }
        value => with_references(name, value),
    }
}

/// Returns a name with the variables that its value refers to: `TOKEN (${GITHUB_TOKEN})`.
fn with_references(name: &str, value: &Value) -> String {
    let text = value.as_str().unwrap_or_default();
    let references: Vec<_> = references(text).collect();
    if references.is_empty() {
        name.to_owned()
    } else {
        format!("{name} ({})", references.join(" "))
    }
}

/// Returns the references to variables in a text, without their defaults.
fn references(text: &str) -> impl Iterator<Item = String> {
    text.split('$').skip(1).filter_map(|rest| {
        let name = match rest.strip_prefix('{') {
            // Without the default, which can be a secret.
            Some(rest) => rest.split('}').next()?.split(":-").next()?,
            None => rest
                .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
                .next()?,
        };
        (!name.is_empty()).then(|| format!("${{{name}}}"))
    })
}

/// Returns a URL that may contain references, without user information, fragment and values of its
/// query. References to variables are shown, because they send the variable to the server.
fn without_secrets(url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default();
    let (place, query) = url
        .split_once('?')
        .map_or((url, None), |(place, query)| (place, Some(query)));
    let (scheme, rest) = place
        .split_once("://")
        .map_or(("", place), |(scheme, rest)| (scheme, rest));
    // Parsers of URLs take a backslash for a slash.
    let end = rest.find(['/', '\\']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    // The host begins after the last `@`: `github.com@evil.example` is a user at `evil.example`.
    let authority = match authority.rsplit_once('@') {
        Some((user, host)) => format!("{}@{host}", shown(user)),
        None => authority.to_owned(),
    };
    let query = query.map(|query| {
        format!(
            "?{}",
            query
                .split('&')
                .map(shown_pair)
                .collect::<Vec<_>>()
                .join("&")
        )
    });
    let scheme = if scheme.is_empty() {
        String::new()
    } else {
        format!("{scheme}://")
    };
    format!("{scheme}{authority}{path}{}", query.unwrap_or_default())
}

fn shown_pair(pair: &str) -> String {
    match pair.split_once('=') {
        Some((name, value)) => format!("{name}={}", shown(value)),
        None => pair.to_owned(),
    }
}

/// Returns the references of a hidden value, or `…`.
fn shown(value: &str) -> String {
    let references: String = references(value).collect();
    if references.is_empty() {
        "…".to_owned()
    } else {
        references
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
    use super::*;
    use serde_json::json;

    #[test]
    fn an_outline_shows_what_runs_and_hides_values() {
        let entry = json!({
            "command": "sh", "args": ["-c", "id > pwned", "it's"], "cwd": "sub", "envFile": ".env",
            "env": { "TOKEN": "s3cret ${GITHUB_TOKEN:-x}", "KEY": "s3cret", "LD_PRELOAD": "./x.so" },
            "pd": { "inheritEnv": ["AWS_SECRET"] },
        });
        let outline = EntryOutline::new(&entry);
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
            assert_eq!(EntryOutline::new(&command).target(), "a b");
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
            let outline = EntryOutline::new(&entry);
            assert_eq!(outline.target(), shown);
            assert_eq!(outline.headers, ["Authorization (${T})", "X"]);
        }
    }
}
