//! Compares the columns of selective tools. The arguments that select columns are compared with the
//! other arguments.

use super::render;
use rmcp::model::JsonObject;
use serde_json::Value;

/// Returns the changes, each with `true` if it breaks callers.
pub(super) fn compare(old: Option<&Value>, new: Option<&Value>) -> Vec<(String, bool)> {
    match (old, new) {
        (Some(old), Some(new)) => selective(old, new),
        (None, Some(_)) => vec![(
            "selective now: callers may name the columns to show".to_owned(),
            false,
        )],
        (Some(_), None) => vec![(
            "no longer selective: callers named the columns to show".to_owned(),
            true,
        )],
        (None, None) => Vec::new(),
    }
}

fn has_others(columns: &Value) -> bool {
    columns.get("others") == Some(&Value::Bool(true))
}

fn selective(old: &Value, new: &Value) -> Vec<(String, bool)> {
    let none = JsonObject::new();
    let [before, now] = [old, new].map(|columns| {
        columns
            .get("known")
            .and_then(Value::as_object)
            .unwrap_or(&none)
    });
    // The server still accepts the removed name where rows may have other columns.
    let gone = before.keys().filter(|name| !now.contains_key(*name));
    let mut changes: Vec<_> = gone
        .map(|name| (format!("column removed: {name:?}"), !has_others(new)))
        .collect();
    changes.extend(
        before
            .iter()
            .filter_map(|(name, kind)| compare_types(name, kind, now.get(name)?)),
    );
    let more = now.keys().filter(|name| !before.contains_key(*name));
    changes.extend(more.map(|name| (format!("column added: {name:?}"), false)));
    match (has_others(old), has_others(new)) {
        (true, false) => changes.push((
            "rows have no other columns any more than those known".to_owned(),
            true,
        )),
        (false, true) => changes.push((
            "rows may have other columns now than those known".to_owned(),
            false,
        )),
        _ => {}
    }
    changes
}

/// Compares a column's types. Readers of a column are safe if it contains no type that it did not
/// contain before.
fn compare_types(name: &str, old: &Value, new: &Value) -> Option<(String, bool)> {
    let old = kind(old);
    let new = kind(new);
    let words = render::change(Some(old.clone()), Some(new.clone()))?;
    (old != new).then(|| (format!("column {name:?}: {words}"), !is_within(&new, &old)))
}

fn kind(kind: &Value) -> String {
    kind.as_str().unwrap_or("any").to_owned()
}

fn is_within(kinds: &str, wider: &str) -> bool {
    kinds
        .split(" | ")
        .all(|kind| wider.split(" | ").any(|known| takes(kind, known)))
}

fn takes(kind: &str, known: &str) -> bool {
    // In JSON Schema, every integer is also a number.
    known == kind || known == "any" || (known, kind) == ("number", "integer")
}
