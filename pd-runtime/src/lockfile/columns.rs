//! Compares the columns of selective tools. The arguments that select columns are compared with the
//! other arguments.

use super::render;
use rmcp::model::JsonObject;
use serde_json::Value;

/// Returns the changes, each with `true` if it breaks callers.
pub(super) fn compare(old: Option<&Value>, new: Option<&Value>) -> Vec<(String, bool)> {
    match (old, new) {
        (Some(old), Some(new)) => selective(old, new),
        (None, Some(_)) => vec![("selective now: callers may name the columns to show".to_owned(), false)],
        (Some(_), None) => vec![("no longer selective: callers named the columns to show".to_owned(), true)],
        (None, None) => Vec::new(),
    }
}

fn selective(old: &Value, new: &Value) -> Vec<(String, bool)> {
    let none = JsonObject::new();
    let [before, now] = [old, new].map(|columns| columns.get("known").and_then(Value::as_object).unwrap_or(&none));
    let has_others = |columns: &Value| columns.get("others") == Some(&Value::Bool(true));
    // The server still accepts the removed name where rows may have other columns.
    let gone = before.keys().filter(|name| !now.contains_key(*name));
    let mut changes: Vec<_> = gone.map(|name| (format!("column removed: {name:?}"), !has_others(new))).collect();
    changes.extend(before.iter().filter_map(|(name, kind)| compare_types(name, kind, now.get(name)?)));
    let more = now.keys().filter(|name| !before.contains_key(*name));
    changes.extend(more.map(|name| (format!("column added: {name:?}"), false)));
    match (has_others(old), has_others(new)) {
        (true, false) => changes.push(("rows have no other columns any more than those known".to_owned(), true)),
        (false, true) => changes.push(("rows may have other columns now than those known".to_owned(), false)),
        _ => {}
    }
    changes
}

/// Compares a column's types. Readers of a column are safe if it contains no type that it did not
/// contain before.
fn compare_types(name: &str, old: &Value, new: &Value) -> Option<(String, bool)> {
    let kind = |kind: &Value| kind.as_str().unwrap_or("any").to_owned();
    let (old, new) = (kind(old), kind(new));
    let words = render::change(Some(old.clone()), Some(new.clone()))?;
    (old != new).then(|| (format!("column {name:?}: {words}"), !is_within(&new, &old)))
}

fn is_within(kinds: &str, wider: &str) -> bool {
    let takes = |kind: &str, known: &str| known == kind || known == "any" || (known, kind) == ("number", "integer");
    kinds.split(" | ").all(|kind| wider.split(" | ").any(|known| takes(kind, known)))
}
