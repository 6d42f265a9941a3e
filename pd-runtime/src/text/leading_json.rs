//! The JSON value at the beginning of a text. Errors of this crate begin with one, and advice for
//! the model follows it in the same text, because some clients show their model the first text
//! only.

use serde_json::{Deserializer, Value};

/// Returns the JSON value at the beginning of a text, and the rest of the text. The rest is empty,
/// or a blank line separates it from the value.
pub fn leading_json(text: &str) -> Option<(Value, &str)> {
    // A stream stops after the first value, and `from_str` would refuse the text after it.
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let rest = text.get(values.byte_offset()..)?;
    if rest.trim().is_empty() {
        return Some((value, ""));
    }
    rest.strip_prefix("\n\n").map(|rest| (value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_value_and_the_rest_are_told_apart_by_a_blank_line() {
        assert_eq!(leading_json("{\"a\":1}"), Some((json!({ "a": 1 }), "")));
        assert_eq!(leading_json(" [1]\n"), Some((json!([1]), "")));
        assert_eq!(
            leading_json("{\"a\":1}\n\nlog()\n\nmore"),
            Some((json!({ "a": 1 }), "log()\n\nmore"))
        );
        for other in [
            "",
            "log()",
            "{\"a\":1",
            "{\"a\":1} more",
            "{}\nmore",
            "{}{}",
            "1 commit",
        ] {
            assert_eq!(leading_json(other), None, "{other}");
        }
    }
}
