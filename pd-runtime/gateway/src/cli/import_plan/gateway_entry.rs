//! The entry for the gateway in a client's file.

use super::{
    PlannedEntry,
    start_command::{PROGRAM, start_command},
};
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

/// Returns whether an entry starts a gateway: this program, a program of its name, or a launcher
/// such as `uvx` or `cargo run` with its name as an argument.
pub(super) fn is_gateway(entry: &Value) -> bool {
    let command = entry
        .get("command")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let args = entry
        .get("args")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    is_gateway_command(command, &args.collect::<Vec<_>>())
}

pub(super) fn is_gateway_command<T: AsRef<str>>(command: &str, args: &[T]) -> bool {
    let args: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
    let is_example = args.windows(2).any(|pair| pair == ["--example", "gateway"]);
    is_program(command)
        || is_this_program(command)
        || args.iter().any(|arg| is_program(arg))
        || is_example
}

/// Returns whether a path, a package with a version (`pd-gateway@latest`, `pd-gateway==0.1.0`) or an
/// image (`ghcr.io/OWNER/pd-gateway:0.1.0`) is named after the program.
fn is_program(text: &str) -> bool {
    let stem = Path::new(text).file_stem().and_then(|stem| stem.to_str());
    let end = |character: char| !(character.is_ascii_alphanumeric() || "._-".contains(character));
    stem.and_then(|stem| stem.split(end).next())
        .is_some_and(|name| name.eq_ignore_ascii_case(PROGRAM))
}

fn is_this_program(command: &str) -> bool {
    /// Found once: each part of a path is a system call, for each entry of a file.
    static OWN: LazyLock<Option<PathBuf>> =
        LazyLock::new(|| env::current_exe().ok().and_then(real));
    // Compared without links, so that a link with another name counts, too.
    !command.is_empty()
        && OWN
            .as_ref()
            .is_some_and(|own| real(command.into()).as_ref() == Some(own))
}

fn real(path: PathBuf) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// The keys of an entry in a client's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryDialect {
    /// The keys of most clients.
    Plain,
    /// The keys of VS Code, with `type`.
    Typed,
    /// The keys of Codex, in TOML.
    Codex,
    /// The keys of opencode.
    OpenCode,
}

/// Builds the entry. The environment of the entry passes on what the moved entries refer to, in the
/// words of their file, because many clients give a server only the variables that its entry names.
pub(super) fn gateway_entry<'e>(
    program: &str,
    config: &str,
    entries: impl Iterator<Item = &'e PlannedEntry>,
    dialect: EntryDialect,
) -> Value {
    let mut entry = Map::new();
    let (program, mut args) = start_command(program);
    args.extend(["--config", config, "serve"]);
    match dialect {
        EntryDialect::Typed => drop(entry.insert("type".to_owned(), json!("stdio"))),
        EntryDialect::OpenCode => drop(entry.insert("type".to_owned(), json!("local"))),
        EntryDialect::Plain | EntryDialect::Codex => {}
    }
    if dialect == EntryDialect::OpenCode {
        // opencode has the program and its arguments in one list.
        args.insert(0, &program);
        entry.insert("command".to_owned(), json!(args));
    } else {
        entry.insert("command".to_owned(), json!(program));
        entry.insert("args".to_owned(), json!(args));
    }
    let mut variables = BTreeMap::new();
    entries.for_each(|entry| collect_variables(&entry.value, &mut variables));
    if dialect == EntryDialect::OpenCode && !variables.is_empty() {
        let variables = variables.into_keys().map(|name| {
            let reference = format!("{{env:{name}}}");
            (name, json!(reference))
        });
        entry.insert("environment".to_owned(), variables.collect());
    } else if dialect == EntryDialect::Codex && !variables.is_empty() {
        // Codex gives a server only the variables that this key names.
        entry.insert(
            "env_vars".to_owned(),
            variables.keys().map(|name| json!(name)).collect(),
        );
    } else if !variables.is_empty() {
        entry.insert(
            "env".to_owned(),
            variables
                .into_iter()
                .map(|(name, text)| (name, json!(text)))
                .collect(),
        );
    }
    Value::Object(entry)
}

/// The keys of Codex that have names of variables as values.
const VARIABLE_KEYS: [&str; 3] = ["bearer_token_env_var", "env_http_headers", "env_vars"];

/// Collects the variables that a value refers to, each with the text that refers to it.
fn collect_variables(value: &Value, variables: &mut BTreeMap<String, String>) {
    match value {
        Value::String(text) => references(text).for_each(|(name, text)| {
            // A text with a default has a value even if the variable is not set.
            let known = variables.entry(name).or_insert_with(|| text.to_owned());
            if text.contains(":-") {
                text.clone_into(known);
            }
        }),
        Value::Array(elements) => elements
            .iter()
            .for_each(|element| collect_variables(element, variables)),
        Value::Object(members) => members.iter().for_each(|(key, member)| {
            if VARIABLE_KEYS.contains(&key.as_str()) {
                names_in(member)
                    .into_iter()
                    .for_each(|name| drop(variables.insert(name.clone(), format!("${{{name}}}"))));
            }
            collect_variables(member, variables);
        }),
        _ => {}
    }
}

/// Returns the names of variables in a value of Codex: a name, names, or names by header.
fn names_in(value: &Value) -> Vec<String> {
    match value {
        Value::String(name) => vec![name.clone()],
        Value::Array(elements) => elements
            .iter()
            .flat_map(|element| names_in(element.get("name").unwrap_or(element)))
            .collect(),
        Value::Object(members) => members.values().flat_map(names_in).collect(),
        _ => Vec::new(),
    }
}

/// Returns the variables of a text, each with its reference: `TOKEN` with `${env:TOKEN}`. The value
/// of an input of VS Code is in a variable of the gateway.
fn references(text: &str) -> impl Iterator<Item = (String, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find("${")?;
        let end = start + rest.get(start..)?.find('}')? + 1;
        let reference = rest.get(start..end)?;
        rest = rest.get(end..)?;
        Some(reference)
    })
    .filter_map(|reference| {
        let inner = reference.get(2..reference.len() - 1)?;
        let name = inner.split_once(":-").map_or(inner, |(name, _)| name);
        if let Some(id) = name.strip_prefix("input:") {
            return Some((crate::config::input_variable(id), reference));
        }
        // Clients and the gateway know their values, and no environment has them.
        let predefined = [
            "workspaceFolder",
            "workspaceFolderBasename",
            "userHome",
            "pathSeparator",
        ];
        let name = name.strip_prefix("env:").unwrap_or(name);
        let is_variable =
            !name.is_empty() && name.chars().all(is_name_character) && !predefined.contains(&name);
        is_variable.then(|| (name.to_owned(), reference))
    })
}

fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}
