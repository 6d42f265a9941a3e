//! Limits in short: `1..500` holds both ends, `>0` not its own.

use super::{
    ast::{in_line, json},
    keywords::Keywords,
};
use serde_json::Value;

/// `(uuid, 1..200, /^a/)`: format, length and pattern.
pub(super) fn of_string(keywords: &mut Keywords<'_>) -> String {
    let mut limits = Vec::from_iter(keywords.tell("format", format));
    limits.extend(range(keywords, "minLength", "maxLength"));
    limits.extend(keywords.tell("pattern", |pattern| Some(expression(pattern.as_str()?))));
    in_parentheses(&limits)
}

/// `(0..10, multiple of 5)`
pub(super) fn of_number(keywords: &mut Keywords<'_>) -> String {
    let mut limits = Vec::from_iter(keywords.tell("format", format));
    limits.extend(range(keywords, "minimum", "maximum"));
    for (key, sign) in [("exclusiveMinimum", ">"), ("exclusiveMaximum", "<"), ("multipleOf", "multiple of ")] {
        limits.extend(keywords.tell(key, |limit| limit.is_number().then(|| format!("{sign}{limit}"))));
    }
    in_parentheses(&limits)
}

/// `1..5, unique`
pub(super) fn of_list(keywords: &mut Keywords<'_>) -> String {
    let mut limits = Vec::from_iter(range(keywords, "minItems", "maxItems"));
    limits.extend(uniqueness(keywords));
    limits.join(", ")
}

pub(super) fn uniqueness(keywords: &mut Keywords<'_>) -> Option<String> {
    let unique = keywords.tell("uniqueItems", Value::as_bool)?;
    unique.then(|| "unique".to_owned())
}

pub(super) fn in_parentheses(limits: &[String]) -> String {
    if limits.is_empty() { String::new() } else { format!("({})", limits.join(", ")) }
}

/// A regular expression between slashes.
pub(super) fn expression(pattern: &str) -> String {
    let mut out = String::from("/");
    let mut is_escaped = false;
    for letter in in_line(pattern).chars() {
        if letter == '/' && !is_escaped {
            out.push('\\');
        }
        is_escaped = letter == '\\' && !is_escaped;
        out.push(letter);
    }
    out + "/"
}

fn format(name: &Value) -> Option<String> {
    let is_plain = |name: &str| name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter));
    let text = name.as_str()?;
    Some(if is_plain(text) { text.to_owned() } else { format!("format {}", json(name)) })
}

fn range(keywords: &mut Keywords<'_>, least: &'static str, most: &'static str) -> Option<String> {
    let number = |limit: &Value| limit.is_number().then(|| limit.clone());
    let (from, to) = (keywords.tell(least, number), keywords.tell(most, number));
    // Every length is at least 0.
    let from = from.filter(|from| least == "minimum" || from.as_f64() != Some(0.0));
    match (from, to) {
        (Some(from), Some(to)) => Some(format!("{from}..{to}")),
        (Some(from), None) => Some(format!(">={from}")),
        (None, Some(to)) => Some(format!("<={to}")),
        (None, None) => None,
    }
}
