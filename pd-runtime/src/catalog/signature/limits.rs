//! Limits in short notation: `1..500` includes both ends, `>0` excludes its end.

use super::ast::{in_line, json};
use pd_schema::unread::UnreadKeywords;
use serde_json::Value;

/// Renders the limits of a string: `(uuid, 1..200, /^a/)` for format, length and pattern.
pub(super) fn string_limits(keywords: &mut UnreadKeywords<'_>) -> String {
    let mut limits = Vec::from_iter(keywords.take("format", format));
    limits.extend(range(keywords, "minLength", "maxLength"));
    limits.extend(keywords.take("pattern", |pattern| Some(expression(pattern.as_str()?))));
    in_parentheses(&limits)
}

/// Renders the limits of a number: `(0..10, multiple of 5)`.
pub(super) fn number_limits(keywords: &mut UnreadKeywords<'_>) -> String {
    let mut limits = Vec::from_iter(keywords.take("format", format));
    limits.extend(range(keywords, "minimum", "maximum"));
    for (key, sign) in [
        ("exclusiveMinimum", ">"),
        ("exclusiveMaximum", "<"),
        ("multipleOf", "multiple of "),
    ] {
        limits.extend(keywords.take(key, |limit| {
            limit.is_number().then(|| format!("{sign}{limit}"))
        }));
    }
    in_parentheses(&limits)
}

/// Renders the limits of an array: `1..5, unique`.
pub(super) fn list_limits(keywords: &mut UnreadKeywords<'_>) -> String {
    let mut limits = Vec::from_iter(range(keywords, "minItems", "maxItems"));
    limits.extend(uniqueness(keywords));
    limits.join(", ")
}

pub(super) fn uniqueness(keywords: &mut UnreadKeywords<'_>) -> Option<String> {
    // `false` is the default, so it is taken and not shown.
    let unique = keywords.take("uniqueItems", Value::as_bool)?;
    unique.then(|| "unique".to_owned())
}

pub(super) fn in_parentheses(limits: &[String]) -> String {
    if limits.is_empty() {
        String::new()
    } else {
        format!("({})", limits.join(", "))
    }
}

/// Renders a regular expression between slashes.
pub(super) fn expression(pattern: &str) -> String {
    let mut out = String::from("/");
    let mut is_escaped = false;
    for letter in in_line(pattern).chars() {
        // An unescaped slash would end the expression early for the reader.
        if letter == '/' && !is_escaped {
            out.push('\\');
        }
        is_escaped = letter == '\\' && !is_escaped;
        out.push(letter);
    }
    out + "/"
}

fn format(name: &Value) -> Option<String> {
    let is_plain = |name: &str| {
        name.chars()
            .all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
    };
    let text = name.as_str()?;
    Some(if is_plain(text) {
        text.to_owned()
    } else {
        format!("format {}", json(name))
    })
}

fn range(
    keywords: &mut UnreadKeywords<'_>,
    least: &'static str,
    most: &'static str,
) -> Option<String> {
    let number = |limit: &Value| limit.is_number().then(|| limit.clone());
    let from = keywords.take(least, number);
    let to = keywords.take(most, number);
    // Lengths and counts are at least 0 anyway, so only `minimum` may have a meaningful 0.
    let from = from.filter(|from| least == "minimum" || from.as_f64() != Some(0.0));
    match (from, to) {
        (Some(from), Some(to)) => Some(format!("{from}..{to}")),
        (Some(from), None) => Some(format!(">={from}")),
        (None, Some(to)) => Some(format!("<={to}")),
        (None, None) => None,
    }
}
