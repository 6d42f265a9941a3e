//! Keeps the meaning of an entry that moves to another file: what depends on the directory of the
//! file becomes absolute.

use crate::config::raw_entries::RawEntry;
use serde_json::{Map, Value};
use std::path::Path;

/// The keys of paths. Relative paths start from the workspace.
const PATH_KEYS: [&str; 3] = ["cwd", "envFile", "openapi"];

/// Returns an entry for a file with the workspace `to`. A program of a project gets `cwd`, because
/// its relative paths, and what it reads without a path, are in the directory of the project.
pub(super) fn relocated(entry: &RawEntry, to: &Path) -> Value {
    let from = entry.workspace.as_path();
    let Value::Object(mut members) = entry.value.clone() else {
        return entry.value.clone();
    };
    let is_program = members.get("command").is_some_and(Value::is_string);
    let has_directory = members.get("cwd").is_some_and(|cwd| !cwd.is_null());
    if is_program && !has_directory {
        let directory = entry
            .project
            .as_deref()
            .or_else(|| refers_to_file(&members, from).then_some(from));
        if let Some(directory) = directory {
            members.insert(
                "cwd".to_owned(),
                Value::String(directory.to_string_lossy().into_owned()),
            );
        }
    }
    // Relative paths and `${workspaceFolder}` mean the same there.
    if from == to {
        return Value::Object(members);
    }
    in_workspace(&Value::Object(members), from)
}

/// Returns an entry whose paths do not depend on the workspace of its file.
pub(super) fn in_workspace(entry: &Value, from: &Path) -> Value {
    let Value::Object(members) = replaced(entry, from) else {
        return entry.clone();
    };
    let members = members.into_iter().map(|(key, value)| {
        let value = match value {
            Value::String(path) if PATH_KEYS.contains(&key.as_str()) => {
                Value::String(absolute(path, from))
            }
            other => other,
        };
        (key, value)
    });
    Value::Object(members.collect::<Map<_, _>>())
}

/// Returns whether the program or an argument is a relative path of a file below a directory. Such
/// an entry works from there alone, although its file is not one that a client looks for in a
/// project.
fn refers_to_file(members: &Map<String, Value>, directory: &Path) -> bool {
    // A program without a slash is looked up in `PATH`, whatever the directory contains.
    let program = members
        .get("command")
        .and_then(Value::as_str)
        .filter(|program| program.contains('/'));
    let args = members
        .get("args")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let mut texts = program.into_iter().chain(args);
    texts.any(|text| {
        !text.is_empty() && Path::new(text).is_relative() && directory.join(text).is_file()
    })
}

fn absolute(path: String, from: &Path) -> String {
    // A path that begins with a variable or with `~` only looks relative.
    // So does the URL of a document.
    let is_relative = !path.is_empty()
        && !path.starts_with(['~', '$'])
        && !path.contains("://")
        && Path::new(&path).is_relative();
    if !is_relative {
        return path;
    }
    let below = if path == "." {
        ""
    } else {
        path.strip_prefix("./").unwrap_or(&path)
    };
    let path = if below.is_empty() {
        from.to_owned()
    } else {
        from.join(below)
    };
    path.to_string_lossy().into_owned()
}

/// Replaces `${workspaceFolder}` and `${workspaceFolderBasename}` in all texts.
fn replaced(value: &Value, from: &Path) -> Value {
    match value {
        Value::String(text) => {
            let name = from.file_name().unwrap_or_default().to_string_lossy();
            let text = text.replace("${workspaceFolder}", &from.to_string_lossy());
            Value::String(text.replace("${workspaceFolderBasename}", &name))
        }
        Value::Array(elements) => elements
            .iter()
            .map(|element| replaced(element, from))
            .collect(),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(key, member)| (key.clone(), replaced(member, from)))
                .collect(),
        ),
        other => other.clone(),
    }
}
