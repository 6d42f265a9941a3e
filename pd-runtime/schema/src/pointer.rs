//! JSON pointers (RFC 6901): their escapes, their steps, and the pointer to a value.

use super::references::address_of;
use crate::percent;
use serde_json::Value;
use std::borrow::Cow;

/// Escapes a name for a JSON pointer (section 3).
pub fn escaped(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) {
        return Cow::Owned(name.replace('~', "~0").replace('/', "~1"));
    }
    Cow::Borrowed(name)
}

/// Decodes the escapes in one step of a JSON pointer (section 4).
pub fn unescaped(step: Cow<'_, str>) -> Cow<'_, str> {
    if step.contains('~') {
        // `~1` first, so that `~01` becomes `~1` and not `/`.
        return Cow::Owned(step.replace("~1", "/").replace("~0", "~"));
    }
    step
}

/// Appends a member to a JSON pointer.
pub fn child(parent: &str, name: &str) -> String {
    [parent, "/", &escaped(name)].concat()
}

/// Returns the steps of a JSON pointer in the fragment of a URI (section 6), or `None` for an
/// anchor. A step is `None` if its bytes are not UTF-8.
pub(super) fn steps(fragment: &str) -> Option<impl Iterator<Item = Option<Cow<'_, str>>>> {
    let is_pointer = fragment.is_empty() || fragment.starts_with('/');
    // Each step is decoded on its own, so `%2F` is part of a name.
    let steps = fragment
        .split('/')
        .skip(1)
        .map(|step| percent::decode(step).map(unescaped));
    is_pointer.then_some(steps)
}

/// Returns the member or item that one step of a JSON pointer leads to.
pub fn part<'a>(value: &'a Value, step: &str) -> Option<&'a Value> {
    match value {
        Value::Object(members) => members.get(step),
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        _ => None,
    }
}

/// Returns the JSON pointer to the value at an address. Property names have no address here.
pub(super) fn locate(address: usize, document: &Value) -> Option<String> {
    if address_of(document) == address {
        return Some(String::new());
    }
    let inside = |step: &str, inner: &Value| Some(format!("/{step}{}", locate(address, inner)?));
    match document {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(place, item)| inside(&place.to_string(), item)),
        Value::Object(members) => members
            .iter()
            .find_map(|(name, inner)| inside(&escaped(name), inner)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    #[test]
    fn escapes_are_written_and_read() {
        for (name, step) in [
            ("", ""),
            ("plain", "plain"),
            ("a/b", "a~1b"),
            ("~", "~0"),
            ("~1", "~01"),
        ] {
            assert_eq!(
                (escaped(name).as_ref(), unescaped(step.into()).as_ref()),
                (step, name)
            );
        }
        assert_eq!(child(&child("", "a/b"), "c"), "/a~1b/c");
    }

    #[test]
    fn values_are_located_by_address() {
        let document = json!({ "a": [null, { "b/c": 1 }], "d": 1 });
        let inner = &document["a"][1]["b/c"];
        assert_eq!(
            locate(address_of(inner), &document).as_deref(),
            Some("/a/1/b~1c")
        );
        assert_eq!(
            locate(address_of(&document), &document).as_deref(),
            Some("")
        );
        assert_eq!(locate(address_of(&json!(1)), &document), None);
    }
}
