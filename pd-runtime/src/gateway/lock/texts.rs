//! The texts of a definition that a model may follow as instructions, compared with those that were
//! approved.
//!
//! Descriptions and titles are texts wherever they occur. Other strings and the names of members
//! are texts unless they are short ASCII words, because instructions can be in the value of an
//! `enum` or in the name of an argument, too.

use rmcp::model::JsonObject;
use serde_json::Value;

/// The keywords whose value is a text for readers.
const KEYWORDS: &[&str] = &["$comment", "description", "title"];
/// The longest word, in bytes. An identifier has room, and an instruction has not.
const WORD_MAX: usize = 24;
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

/// Returns the texts that differ, at most 200.
pub(super) fn compare(old: &JsonObject, new: &JsonObject) -> Vec<TextChange> {
    let mut comparison = TextComparison { path: Vec::new(), changes: Vec::new() };
    comparison.members(Some(old), Some(new));
    comparison.changes
}

/// The comparison of two definitions, and the place that it has reached.
struct TextComparison<'a> {
    path: Vec<&'a str>,
    changes: Vec<TextChange>,
}

impl<'a> TextComparison<'a> {
    fn value(&mut self, key: &'a str, old: Option<&'a Value>, new: Option<&'a Value>) {
        if old == new || self.changes.len() >= CHANGES_MAX {
            return;
        }
        self.path.push(key);
        let text = |value: Option<&'a Value>| value?.as_str().filter(|text| is_text(key, text));
        self.report(text(old), text(new));
        let object = |value: Option<&'a Value>| value?.as_object();
        self.members(object(old), object(new));
        let items = |value: Option<&'a Value>| value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let (old, new) = (items(old), items(new));
        for place in 0..old.len().max(new.len()) {
            self.value("[]", old.get(place), new.get(place));
        }
        self.path.pop();
    }

    fn members(&mut self, old: Option<&'a JsonObject>, new: Option<&'a JsonObject>) {
        for (key, value) in old.into_iter().flatten() {
            let now = new.and_then(|new| new.get(key));
            if now.is_none() {
                self.name(key, Some(key), None);
            }
            self.value(key, Some(value), now);
        }
        for (key, value) in new.into_iter().flatten() {
            if old.is_none_or(|old| !old.contains_key(key)) {
                self.name(key, None, Some(key));
                self.value(key, None, Some(value));
            }
        }
    }

    fn name(&mut self, key: &'a str, old: Option<&'a str>, new: Option<&'a str>) {
        let text = |name: Option<&'a str>| name.filter(|name| is_text("", name));
        self.path.push(key);
        self.report(text(old), text(new));
        self.path.pop();
    }

    fn report(&mut self, old: Option<&str>, new: Option<&str>) {
        if old != new && self.changes.len() < CHANGES_MAX {
            let place = self.path.iter().map(|key| key.chars().take(NAME_SHOWN).collect::<String>());
            let place = place.collect::<Vec<_>>().join("/");
            self.changes.push(TextChange { place, old: old.map(str::to_owned), new: new.map(str::to_owned) });
        }
    }
}

fn is_text(key: &str, text: &str) -> bool {
    KEYWORDS.contains(&key) || text.len() > WORD_MAX || !text.bytes().all(|byte| byte.is_ascii_graphic())
}
