//! The names and values of a definition that a model may follow as instructions, compared with the
//! approved ones.
//!
//! Each name and each string is a text, because the name of an argument or a value of an `enum` can
//! contain instructions, too. [`definition_place`](super::definition_place) has the exceptions: the
//! words of MCP and JSON Schema. Numbers and booleans are not texts, unless they are long or in a
//! list, where many of them can encode a text. What is removed or in another order is not new.

use super::definition_place::DefinitionPlace;
use pd_runtime::upstream::text::truncate::first_chars;
use rmcp::model::JsonObject;
use serde_json::Value;
use std::collections::HashMap;

/// The keywords of texts that are held if they are removed, too. Without the text, a caller may do
/// what it forbade.
const KEYWORDS: &[&str] = &["$comment", "description", "title"];
/// The longest number, in characters. The largest safe integer and its sign have 17.
const NUMBER_MAX: usize = 17;
/// The most changes of one tool that are reported.
const CHANGES_MAX: usize = 200;
/// The characters of a member's name that a place shows.
const NAME_SHOWN: usize = 60;

/// A text of a tool that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextChange {
    /// Where the text is in the definition, such as `inputSchema/properties/path/description`.
    pub place: String,
    /// The approved text. `None` if the text is new.
    pub old: Option<String>,
    /// The text now. `None` if it was removed.
    pub new: Option<String>,
}

/// Returns the texts that are new or changed, at most 200.
pub(crate) fn compare(old: &JsonObject, new: &JsonObject) -> Vec<TextChange> {
    let mut comparison = TextComparison {
        path: Vec::new(),
        changes: Vec::new(),
    };
    comparison.members(DefinitionPlace::Definition, Some(old), new);
    comparison.changes
}

/// The comparison of two definitions, and the path that it has reached.
struct TextComparison<'a> {
    path: Vec<&'a str>,
    changes: Vec<TextChange>,
}

impl<'a> TextComparison<'a> {
    fn members(
        &mut self,
        place: DefinitionPlace,
        old: Option<&'a JsonObject>,
        new: &'a JsonObject,
    ) {
        for (key, value) in old.into_iter().flatten() {
            if let (true, Some(text)) = (KEYWORDS.contains(&key.as_str()), value.as_str())
                && !new.get(key).is_some_and(Value::is_string)
            {
                self.report(key, Some(text), None);
            }
        }
        for (key, value) in new {
            let former = old.and_then(|old| old.get(key));
            let (inner, is_known_name) = place.member(key);
            let before = self.changes.len();
            self.value(key, inner, former, value);
            // The place of a text shows the name before it, unless the name is cut there.
            let is_shown = self.changes.len() > before && key.chars().count() <= NAME_SHOWN;
            if former.is_none() && !is_known_name && !is_shown {
                self.report(key, None, Some(key));
            }
        }
    }

    fn value(
        &mut self,
        key: &'a str,
        place: DefinitionPlace,
        old: Option<&'a Value>,
        new: &'a Value,
    ) {
        if old == Some(new) || self.changes.len() >= CHANGES_MAX {
            return;
        }
        match new {
            Value::String(text) if place.is_known_word(text) => {}
            Value::String(text) => self.report(key, old.and_then(Value::as_str), Some(text)),
            Value::Number(number) => {
                let text = number.to_string();
                // The digits of a long number can encode a text.
                if text.len() > NUMBER_MAX {
                    self.report(key, None, Some(&text));
                }
            }
            Value::Object(members) => {
                self.path.push(key);
                self.members(place, old.and_then(Value::as_object), members);
                self.path.pop();
            }
            Value::Array(items) => {
                self.path.push(key);
                self.items(
                    place,
                    old.and_then(Value::as_array).map_or(&[], Vec::as_slice),
                    items,
                );
                self.path.pop();
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Compares lists. Equal items belong together wherever they are, and the others in their
    /// order. An item that is there more often than before is new.
    fn items(&mut self, place: DefinitionPlace, old: &'a [Value], new: &'a [Value]) {
        let mut unused: HashMap<String, usize> = HashMap::new();
        for item in old {
            *unused.entry(item.to_string()).or_default() += 1;
        }
        let mut take = |item: &&Value| match unused.get_mut(&item.to_string()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        };
        let changed: Vec<&Value> = new.iter().filter(|item| !take(item)).collect();
        // The counts that are left belong to the old items without an equal new one.
        let mut former = old.iter().filter(|item| take(item));
        for item in changed {
            let former = former.next();
            match item {
                Value::String(text) if place.is_known_word(text) => {}
                Value::String(_) | Value::Array(_) | Value::Object(_) => {
                    self.value("[]", place, former, item)
                }
                // Several numbers or booleans in a list can encode a text.
                item => self.report("[]", None, Some(&item.to_string())),
            }
        }
    }

    fn report(&mut self, key: &str, old: Option<&str>, new: Option<&str>) {
        if self.changes.len() < CHANGES_MAX {
            let path = self.path.iter().copied().chain([key]);
            let place = path.map(|key| first_chars(key, NAME_SHOWN).to_owned());
            let place = place.collect::<Vec<_>>().join("/");
            self.changes.push(TextChange {
                place,
                old: old.map(str::to_owned),
                new: new.map(str::to_owned),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    fn places(old: Value, new: Value) -> Vec<String> {
        let old = json!({ "inputSchema": old });
        let new = json!({ "inputSchema": new });
        let changes = compare(old.as_object().unwrap(), new.as_object().unwrap());
        changes
            .into_iter()
            .map(|change| format!("{} {:?}", change.place, change.new))
            .collect()
    }

    #[test]
    fn each_new_name_and_value_is_shown_once() {
        let old = json!({ "properties": { "a": { "description": "A" } } });
        let new = json!({ "properties": { "a": {}, "b": {}, "c": { "description": "C" } }, "x-note": [{ "y": 1 }] });
        assert_eq!(
            places(old, new),
            [
                "inputSchema/properties/a/description None",
                "inputSchema/properties/b Some(\"b\")",
                "inputSchema/properties/c/description Some(\"C\")",
                "inputSchema/x-note/[]/y Some(\"y\")",
            ]
        );
    }

    #[test]
    fn what_moved_is_new_and_what_was_reordered_is_not() {
        let described = |text: &str| json!({ "description": text, "properties": { "a": {} } });
        assert_eq!(places(described("read it"), described("it read")).len(), 1);
        assert_eq!(
            places(
                described("a"),
                json!({ "properties": { "a": { "title": "a" } } })
            )
            .len(),
            2
        );
        let branches = |names: &[&str]| json!({ "anyOf": names.iter().map(|name| json!({ "const": name })).collect::<Vec<_>>() });
        assert!(places(branches(&["a", "b", "c"]), branches(&["c", "a"])).is_empty());
        assert_eq!(
            places(branches(&["a", "b"]), branches(&["b", "d", "a"])),
            ["inputSchema/anyOf/[]/const Some(\"d\")"]
        );
    }
}
