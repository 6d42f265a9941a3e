//! What a task expects of an argument, and whether a call meets it. Texts are compared as a person
//! would compare them, because a model's spelling is not what a task measures.

use rmcp::model::JsonObject;
use serde_json::Value;

/// Any of several values; `null` is an argument that was left out.
const ANY: &str = "$any";
/// A text with all of several parts.
const CONTAINS: &str = "$contains";
/// The length of a date such as `2026-03-02`.
const DATE: usize = 10;

/// Returns whether an argument, or its absence, is what was expected. Members of objects that
/// nothing is expected of are the caller's business.
pub(crate) fn is_met(expected: &Value, given: Option<&Value>) -> bool {
    let given = given.filter(|given| !given.is_null());
    match (expected, given) {
        (Value::Object(form), _) if form.contains_key(ANY) => {
            choices(form, ANY).any(|choice| is_met(choice, given))
        }
        (Value::Object(form), Some(given)) if form.contains_key(CONTAINS) => {
            let given = text(given).to_lowercase();
            choices(form, CONTAINS).all(|part| given.contains(&text(part).to_lowercase()))
        }
        (Value::Null, None) => true,
        (Value::Object(members), Some(given)) => members
            .iter()
            .all(|(name, member)| is_met(member, given.get(name))),
        (Value::Array(items), Some(Value::Array(given))) => is_same_set(items, given),
        (Value::Array(_), _) | (_, None) => false,
        (expected, Some(given)) => is_same_text(&text(expected), &text(given)),
    }
}

/// Returns a value that is as expected, for agents that are scripted.
pub(crate) fn sample(expected: &Value) -> Option<Value> {
    match expected {
        Value::Null => None,
        Value::Object(form) if form.contains_key(ANY) => choices(form, ANY).next().and_then(sample),
        Value::Object(form) if form.contains_key(CONTAINS) => Some(Value::String(
            choices(form, CONTAINS)
                .map(text)
                .collect::<Vec<_>>()
                .join(" "),
        )),
        Value::Object(members) => Some(Value::Object(sample_members(members))),
        Value::Array(items) => Some(items.iter().filter_map(sample).collect()),
        other => Some(other.clone()),
    }
}

/// Returns arguments that are as expected.
pub(crate) fn sample_members(expected: &JsonObject) -> JsonObject {
    expected
        .iter()
        .filter_map(|(name, expected)| Some((name.clone(), sample(expected)?)))
        .collect()
}

fn choices<'a>(form: &'a JsonObject, key: &str) -> impl Iterator<Item = &'a Value> {
    form.get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn is_same_set(expected: &[Value], given: &[Value]) -> bool {
    expected.len() == given.len()
        && expected
            .iter()
            .all(|expected| given.iter().any(|given| is_met(expected, Some(given))))
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Ignores case, the mark at the end of a sentence, and whatever follows an expected date or time.
fn is_same_text(expected: &str, given: &str) -> bool {
    let bare = |text: &str| {
        text.trim()
            .trim_end_matches(['.', '!'])
            .trim_start_matches("./")
            .to_lowercase()
    };
    let (expected, given) = (bare(expected), bare(given));
    given == expected || (is_dated(&expected) && given.starts_with(&expected))
}

fn is_dated(text: &str) -> bool {
    let is_of_date = |(place, byte): (usize, u8)| {
        if matches!(place, 4 | 7) {
            byte == b'-'
        } else {
            byte.is_ascii_digit()
        }
    };
    text.len() >= DATE && text.bytes().take(DATE).enumerate().all(is_of_date)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_is_met_however_it_is_spelled() {
        for (expected, given) in [
            (json!("Crash on start"), json!("crash on start.")),
            (json!(3), json!("3")),
            (json!("README.md"), json!("./README.md")),
            (json!("2026-02-01"), json!("2026-02-01T00:00:00Z")),
            (
                json!({ "$contains": ["ships", "Friday"] }),
                json!("The fix ships on Friday!"),
            ),
            (
                json!({ "$any": ["next", "refs/heads/next"] }),
                json!("refs/heads/next"),
            ),
            (json!(["ana", "bo"]), json!(["bo", "ana"])),
            (
                json!({ "start": "2026-03-02T10:00" }),
                json!({ "start": "2026-03-02T10:00:00", "minutes": 60 }),
            ),
        ] {
            assert!(is_met(&expected, Some(&given)), "{expected}: {given}");
            assert!(is_met(&expected, sample(&expected).as_ref()), "{expected}");
        }
    }

    #[test]
    fn another_value_is_not() {
        for (expected, given) in [
            (json!("main"), json!("mainline")),
            (json!(3), json!(30)),
            (json!("2026-02-01"), json!("2026-02-11")),
            (
                json!({ "$contains": ["ships", "Friday"] }),
                json!("It ships"),
            ),
            (json!({ "$any": ["next"] }), json!("main")),
            (json!(["ana", "bo"]), json!(["ana"])),
            (json!(["ana"]), json!("ana")),
            (
                json!({ "start": "2026-03-02T10:00" }),
                json!({ "begin": "2026-03-02T10:00" }),
            ),
            (json!(null), json!("main")),
        ] {
            assert!(!is_met(&expected, Some(&given)), "{expected}: {given}");
        }
        assert!(!is_met(&json!("main"), None));
        assert!(
            is_met(&json!({ "$any": ["all", null] }), None)
                && is_met(&json!({ "$any": [null] }), Some(&json!(null)))
        );
    }
}
