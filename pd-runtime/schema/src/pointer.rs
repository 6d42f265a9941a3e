//! JSON pointers (RFC 6901): their escapes and their steps.

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
