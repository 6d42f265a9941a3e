//! Checks of a literal value, from a default or an example, against the argument's type and
//! keywords.

use crate::{nearest::suggestion, parameter::Argument, std_types::ValueMismatch};
use serde_json::Value;

/// The maximum length of a value that an error message quotes, in characters.
const QUOTED_MAX: usize = 40;

/// Describes every way in which the value does not fit: "`limit` is 0, below its `minimum` of 1".
pub(super) fn faults(argument: &Argument, value: &Value) -> Vec<String> {
    if value.is_null() && argument.may_lack() {
        return Vec::new();
    }
    let mut misfits = Vec::new();
    // A type that is only partly known is left to the compiler, which knows all of it.
    if argument.known.is_complete() {
        argument.known.judge(value, &argument.name, &mut misfits);
    }
    // After a wrong type, the keywords would only repeat the error. None applies to `null`.
    if misfits.is_empty() && !value.is_null() {
        let choices = argument
            .constraints
            .keywords
            .get("enum")
            .and_then(|choices| is_none_of(choices, value));
        let broken = broken(argument, value).chain(choices);
        misfits.extend(broken.map(|what| ValueMismatch {
            path: argument.name.clone(),
            value: value.to_string(),
            what,
        }));
    }
    let describe = |ValueMismatch { path, value, what }: ValueMismatch| {
        format!("`{path}` is {}, {what}", quoted(&value))
    };
    misfits.into_iter().map(describe).collect()
}

/// Returns a message for each keyword that the value breaks, except `one_of`.
pub(super) fn broken<'a>(
    argument: &'a Argument,
    value: &'a Value,
) -> impl Iterator<Item = String> + 'a {
    argument
        .constraints
        .entries()
        .filter_map(|(keyword, limit, _)| breaks(keyword.word, limit, value))
}

fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED_MAX) {
        Some((end, _)) => format!("{}…", text.split_at(end).0),
        None => text.to_owned(),
    }
}

/// Returns a message if the value breaks this keyword.
#[allow(
    clippy::cast_precision_loss,
    reason = "no literal in a source file is that long"
)]
fn breaks(keyword: &str, limit: &Value, value: &Value) -> Option<String> {
    let number = || value.as_f64().zip(limit.as_f64());
    let count = |count: Option<usize>| count.map(|count| count as f64).zip(limit.as_f64());
    let characters = || count(value.as_str().map(|text| text.chars().count()));
    let items = || count(value.as_array().map(Vec::len));
    let entries = || count(value.as_object().map(serde_json::Map::len));
    let (sizes, fits, how): (_, fn(f64, f64) -> bool, _) = match keyword {
        "minimum" => (number(), |size, limit| size >= limit, "below"),
        "maximum" => (number(), |size, limit| size <= limit, "above"),
        "exclusive_minimum" => (number(), |size, limit| size > limit, "not above"),
        "exclusive_maximum" => (number(), |size, limit| size < limit, "not below"),
        "multiple_of" => (number(), is_multiple, "no multiple of"),
        "min_length" => (characters(), |size, limit| size >= limit, "shorter than"),
        "max_length" => (characters(), |size, limit| size <= limit, "longer than"),
        "min_items" => (items(), |size, limit| size >= limit, "shorter than"),
        "max_items" => (items(), |size, limit| size <= limit, "longer than"),
        "min_properties" => (entries(), |size, limit| size >= limit, "smaller than"),
        "max_properties" => (entries(), |size, limit| size <= limit, "larger than"),
        "unique_items" => return repeats(limit, value),
        _ => return None,
    };
    let (size, most) = sizes?;
    let fits = match (value.as_u64(), limit.as_u64()) {
        // `f64` is exact up to 2^53 only. For integers the sign of the exact difference decides
        // instead.
        (Some(size), Some(most)) if keyword != "multiple_of" => fits(difference(size, most), 0.0),
        _ => fits(size, most),
    };
    (!fits).then(|| format!("{how} its `{keyword}` of {limit}"))
}

#[allow(clippy::cast_precision_loss, reason = "only its sign matters")]
fn difference(size: u64, limit: u64) -> f64 {
    (i128::from(size) - i128::from(limit)) as f64
}

/// Returns whether one number is a multiple of another within a relative error of 1e-9, so that 0.3
/// is a multiple of 0.1.
fn is_multiple(size: f64, of: f64) -> bool {
    let times = size / of;
    of == 0.0 || (times - times.round()).abs() <= times.abs().max(1.0) * 1e-9
}

fn repeats(unique: &Value, value: &Value) -> Option<String> {
    let items = value.as_array().filter(|_| *unique == Value::Bool(true))?;
    let repeated = items
        .iter()
        .enumerate()
        .find(|(index, item)| items.iter().take(*index).any(|other| other == *item));
    repeated.map(|(_, item)| format!("where {item} occurs twice, and `unique_items` is set"))
}

fn is_none_of(allowed: &Value, value: &Value) -> Option<String> {
    let allowed = allowed
        .as_array()
        .filter(|allowed| !allowed.contains(value))?;
    let meant = suggestion(
        value.as_str().unwrap_or_default(),
        allowed.iter().filter_map(Value::as_str),
    );
    let all: Vec<_> = allowed.iter().map(Value::to_string).collect();
    Some(format!("none of its `one_of`: {}{meant}", all.join(", ")))
}
