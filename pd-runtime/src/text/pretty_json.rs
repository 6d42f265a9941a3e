//! Formats JSON for reviewers. A value that fits is on one line, so that a change of one argument
//! is a change of one line.

use serde_json::Value;

/// The maximum length of a line, in characters.
const WIDTH: usize = 120;

/// Formats a value. Each member of the outermost `open` levels is on a separate line, even if all
/// fit on one.
pub(crate) fn pretty(value: &Value, open: usize) -> String {
    let mut out = String::new();
    write(&mut out, value, 0, 0, open);
    out.push('\n');
    out
}

/// Writes a value that begins at column `column` of a line with an indentation of `depth` steps.
fn write(out: &mut String, value: &Value, depth: usize, column: usize, open: usize) {
    let line = one_line(value);
    let (brackets, members) = match value {
        Value::Object(members) => (
            "{}",
            members
                .iter()
                .map(|(key, value)| (Some(key), value))
                .collect(),
        ),
        Value::Array(items) => ("[]", items.iter().map(|value| (None, value)).collect()),
        _ => ("", Vec::new()),
    };
    // `<` instead of `<=` leaves room for a comma.
    if members.is_empty() || (depth >= open && column + line.chars().count() < WIDTH) {
        return out.push_str(&line);
    }
    out.push_str(brackets.get(..1).unwrap_or_default());
    let last = members.len() - 1;
    for (index, (key, member)) in members.into_iter().enumerate() {
        let key = key
            .map(|key| format!("{}: ", quoted(key)))
            .unwrap_or_default();
        let indent = "  ".repeat(depth + 1);
        out.extend(["\n", &indent, &key]);
        write(
            out,
            member,
            depth + 1,
            indent.len() + key.chars().count(),
            open,
        );
        out.push_str(if index < last { "," } else { "" });
    }
    out.extend([
        "\n",
        &"  ".repeat(depth),
        brackets.get(1..).unwrap_or_default(),
    ]);
}

fn one_line(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(key, value)| format!("{}: {}", quoted(key), one_line(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(one_line).collect::<Vec<_>>().join(", ")
        ),
        other => other.to_string(),
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_fits_stands_on_one_line() {
        let value = json!({ "a": { "b": [1, "x\n"], "c": {} }, "long": ["y".repeat(70), "z".repeat(70)], "none": [] });
        let y = "y".repeat(70);
        let z = "z".repeat(70);
        let text = format!(
            "{{\n  \"a\": {{\"b\": [1, \"x\\n\"], \"c\": {{}}}},\n  \"long\": [\n    \"{y}\",\n    \"{z}\"\n  ],\n  \"none\": []\n}}\n"
        );
        assert_eq!(pretty(&value, 1), text);
        assert_eq!(pretty(&json!({ "a": 1 }), 0), "{\"a\": 1}\n");
        assert_eq!(pretty(&json!({ "a": 1 }), 1), "{\n  \"a\": 1\n}\n");
    }

    #[test]
    fn the_text_means_the_value() {
        let value = json!({ "ä\"": [[{ "x": [1.5, null, true, "\\"] }], "w".repeat(130)] });
        assert_eq!(
            serde_json::from_str::<Value>(&pretty(&value, 3)).ok(),
            Some(value)
        );
    }
}
