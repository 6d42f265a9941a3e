//! The shape of a JSON value in few tokens: its keys, the lengths of its arrays, and short values as
//! they are.

use crate::text::{thousands::thousands, token_estimate::estimate_tokens};
use serde_json::Value;
use std::fmt::Write as _;

/// The longest text that is shown, in characters. A longer one is described.
pub(super) const TEXT_MAX: usize = 80;
/// The levels and the keys of an object that are shown, from the most to the least.
const DETAILS: [(usize, usize); 6] = [(6, 24), (4, 16), (3, 12), (2, 8), (1, 8), (0, 0)];

/// Returns the most detailed shape of at most so many tokens.
pub(super) fn shape(value: &Value, tokens: usize) -> String {
    let mut last = String::new();
    for (levels, keys) in DETAILS {
        last.clear();
        write(value, levels, keys, &mut last);
        if estimate_tokens(&last) <= tokens {
            break;
        }
    }
    last
}

/// Returns a value as it is if it is short, or what it is.
pub(super) fn described(value: &Value) -> String {
    match value {
        Value::String(text) if text.chars().count() > TEXT_MAX => {
            format!("({} characters)", thousands(text.chars().count()))
        }
        Value::Object(_) | Value::Array(_) => shape(value, 40),
        other => other.to_string(),
    }
}

fn write(value: &Value, levels: usize, keys: usize, out: &mut String) {
    match value {
        Value::Object(object) if object.is_empty() => out.push_str("{}"),
        Value::Object(object) if levels == 0 => {
            let _ = write!(out, "{{{} keys}}", thousands(object.len()));
        }
        Value::Object(object) => {
            out.push('{');
            for (place, (key, member)) in object.iter().take(keys).enumerate() {
                if place > 0 {
                    out.push_str(", ");
                }
                let _ = write!(out, "{}: ", Value::from(key.as_str()));
                write(member, levels - 1, keys, out);
            }
            if object.len() > keys {
                let _ = write!(out, ", … {} more keys", thousands(object.len() - keys));
            }
            out.push('}');
        }
        Value::Array(items) => match items.first() {
            None => out.push_str("[]"),
            Some(_) if levels == 0 => {
                let _ = write!(out, "[{} items]", thousands(items.len()));
            }
            Some(first) => {
                let _ = write!(out, "[{} × ", thousands(items.len()));
                write(first, levels - 1, keys, out);
                out.push(']');
            }
        },
        Value::String(text) if text.chars().count() > TEXT_MAX => {
            let _ = write!(out, "({} characters)", thousands(text.chars().count()));
        }
        other => out.push_str(&other.to_string()),
    }
}
