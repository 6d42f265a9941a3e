//! Lists the values that a schema allows, for a model to choose from.

use crate::suggest::nearest;
use serde_json::Value;

/// The maximum number of choices in a list.
const CHOICES_MAX: usize = 20;
/// The maximum length of a choice, in characters.
const CHOICE_MAX: usize = 60;

/// Renders the allowed values: "is none of "red", "green"; did you mean "green"?".
pub(super) fn none_of(choices: &[&Value], value: Option<&Value>) -> String {
    let meant = value.and_then(Value::as_str).and_then(|word| {
        let known: Vec<&str> = choices
            .iter()
            .filter_map(|choice| choice.as_str())
            .collect();
        nearest(word, &known)
    });
    let meant = meant
        .map(|meant| format!("; did you mean {}?", Value::from(meant)))
        .unwrap_or_default();
    format!("is none of {}{meant}", listed(choices))
}

/// Renders the first choices, and the number of further ones.
pub(super) fn listed(choices: &[&Value]) -> String {
    let rendered: Vec<_> = choices
        .iter()
        .take(CHOICES_MAX)
        .map(|value| choice(value))
        .collect();
    match choices.len().saturating_sub(CHOICES_MAX) {
        0 => rendered.join(", "),
        more => format!("{} and {more} more", rendered.join(", ")),
    }
}

fn choice(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(CHOICE_MAX) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
