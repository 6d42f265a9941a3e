//! Comparison of JSON texts by their meaning, independent of formatting.

use crate::selective::table::ObjectEntries;
use serde_json::value::RawValue;
use std::{borrow::Cow, collections::HashMap};

/// Returns whether both texts have the same meaning. Returns false below `depth` levels.
pub(super) fn same_json(one: &RawValue, other: &RawValue, depth: usize) -> bool {
    let text = one.get();
    let others = other.get();
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    // The usual case first. The text is copied by the server, so it is mostly identical.
    text == others
        || match text.as_bytes().first() {
            Some(b'{') => both_parse(object(text), object(others), |one, other| {
                same_entries(one, other, depth)
            }),
            Some(b'[') => both_parse(array(text), array(others), |one, other| {
                one.len() == other.len()
                    && one
                        .iter()
                        .zip(other)
                        .all(|(one, other)| same_json(one, other, depth))
            }),
            Some(b'"') => both_parse(string(text), string(others), |one, other| one == other),
            _ => both_parse(fraction(text), fraction(others), |one, other| one == other),
        }
}

/// Compares two parsed values. A value that does not parse equals nothing.
fn both_parse<T>(one: Option<T>, other: Option<T>, equal: impl FnOnce(&T, &T) -> bool) -> bool {
    one.zip(other)
        .is_some_and(|(one, other)| equal(&one, &other))
}

fn same_entries(
    one: &HashMap<Cow<'_, str>, &RawValue>,
    other: &HashMap<Cow<'_, str>, &RawValue>,
    depth: usize,
) -> bool {
    let has = |key: &str, value| {
        other
            .get(key)
            .is_some_and(|other| same_json(value, other, depth))
    };
    one.len() == other.len() && one.iter().all(|(key, value)| has(key, value))
}

fn object(text: &str) -> Option<HashMap<Cow<'_, str>, &RawValue>> {
    serde_json::from_str(text)
        .ok()
        .map(|ObjectEntries(entries)| entries.into_iter().collect())
}

fn array(text: &str) -> Option<Vec<&RawValue>> {
    serde_json::from_str(text).ok()
}

fn string(text: &str) -> Option<String> {
    serde_json::from_str(text).ok()
}

/// Parses a number with a fraction or exponent, which every parser reads as a float. Whole numbers
/// may have more digits than an `f64` holds, so they are compared as text.
fn fraction(text: &str) -> Option<f64> {
    let number: f64 = text
        .contains(['.', 'e', 'E'])
        .then(|| text.parse().ok())??;
    // `1e400` and `1e500` both parse as infinity, but are not equal.
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn are(one: &str, other: &str) -> bool {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        same_json(&raw(one), &raw(other), 128)
    }

    #[test]
    fn what_is_written_otherwise_is_the_same() {
        for (one, other) in [
            (
                r#"{"a":"é","b":[1,{}]}"#,
                r#"{ "b" : [ 1, { } ], "a": "\u00e9" }"#,
            ),
            ("1e-05", "0.00001"),
            ("12345678901234567890123", "12345678901234567890123"),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
        ] {
            assert!(are(one, other) && are(other, one), "{one} {other}");
        }
    }

    #[test]
    fn what_differs_in_anything_does() {
        let deep = |inner: &str| format!("{}{inner}{}", "[".repeat(2_000), "]".repeat(2_000));
        for (one, other) in [
            ("12345678901234567890123", "12345678901234567890124"),
            (
                r#"{"n":[9007199254740993.0,18446744073709551616]}"#,
                r#"{"n":[9007199254740993.0,18446744073709551617]}"#,
            ),
            ("1e400", "1e500"),
            ("true", "false"),
            ("null", "\"null\""),
            ("[1]", "[1,1]"),
            (r#"{"a":1}"#, r#"{"a":1,"b":1}"#),
            (r#""\ud800""#, r#""\udbff""#),
            (&*deep("1"), &*deep("2")),
        ] {
            assert!(!are(one, other) && !are(other, one));
        }
    }
}
