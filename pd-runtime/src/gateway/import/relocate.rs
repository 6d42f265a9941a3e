//! Keeps the meaning of an entry whose file changes: what depends on the directory of the file
//! becomes absolute.

use serde_json::{Map, Value};
use std::path::Path;

/// The keys whose relative paths start from the workspace.
const PATH_KEYS: [&str; 2] = ["cwd", "envFile"];

/// Returns an entry for a file whose workspace is `to`.
pub(super) fn relocated(entry: &Value, from: &Path, to: &Path) -> Value {
    if from == to {
        return entry.clone();
    }
    let Value::Object(members) = replaced(entry, from) else { return entry.clone() };
    let absolute = |(key, value): (String, Value)| {
        let value = match value {
            Value::String(path) if PATH_KEYS.contains(&key.as_str()) => Value::String(absolute(path, from)),
            other => other,
        };
        (key, value)
    };
    Value::Object(members.into_iter().map(absolute).collect::<Map<_, _>>())
}

fn absolute(path: String, from: &Path) -> String {
    let is_relative = !path.is_empty() && !path.starts_with(['~', '$']) && Path::new(&path).is_relative();
    if is_relative { from.join(path).to_string_lossy().into_owned() } else { path }
}

/// Replaces `${workspaceFolder}` and `${workspaceFolderBasename}` in all texts.
fn replaced(value: &Value, from: &Path) -> Value {
    match value {
        Value::String(text) => {
            let name = from.file_name().unwrap_or_default().to_string_lossy();
            let text = text.replace("${workspaceFolder}", &from.to_string_lossy());
            Value::String(text.replace("${workspaceFolderBasename}", &name))
        }
        Value::Array(elements) => elements.iter().map(|element| replaced(element, from)).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(key, member)| (key.clone(), replaced(member, from))).collect())
        }
        other => other.clone(),
    }
}
