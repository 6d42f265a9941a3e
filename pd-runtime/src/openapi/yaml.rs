//! Reads YAML 1.2 into JSON values, by the core schema.
//!
//! An alias copies the value of its anchor, and each copy counts. So a few lines of aliases cannot
//! grow into gigabytes.

use super::{
    budget::{LEVELS_MAX, ValueBudget},
    error::OpenApiError,
};
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Tag};
use serde_json::{Map, Number, Value};
use std::{borrow::Cow, collections::HashMap};

/// The key that merges the members of other mappings (YAML 1.1), which tools still write.
const MERGE: &str = "<<";

/// Reads the first document of a text.
///
/// # Errors
///
/// Returns an error if the text is not YAML, or is over a bound.
pub(super) fn read_yaml(text: &str, budget: &ValueBudget) -> Result<Value, OpenApiError> {
    let mut builder = ValueBuilder {
        budget,
        open: Vec::new(),
        anchors: HashMap::new(),
        root: None,
    };
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| syntax(&error))?;
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                builder.budget.take(1)?;
                let value = scalar(text, style, tag.as_deref());
                builder.add(value, 1, anchor)?;
            }
            Event::SequenceStart(anchor, _) => builder.open(Node::List(Vec::new()), anchor)?,
            Event::MappingStart(anchor, _) => {
                builder.open(Node::Members(Map::new(), None), anchor)?;
            }
            Event::SequenceEnd | Event::MappingEnd => builder.close()?,
            Event::Alias(anchor) => builder.alias(anchor)?,
            Event::DocumentEnd => break,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
        }
    }
    Ok(builder.root.unwrap_or_default())
}

fn syntax(error: &ScanError) -> OpenApiError {
    OpenApiError::Syntax {
        language: "YAML",
        why: error.to_string(),
    }
}

/// A collection that is not complete.
enum Node {
    List(Vec<Value>),
    /// The members, and the key whose value comes next.
    Members(Map<String, Value>, Option<String>),
}

struct OpenNode {
    node: Node,
    anchor: usize,
    /// The values in it so far.
    values: usize,
}

struct ValueBuilder<'b> {
    budget: &'b ValueBudget,
    open: Vec<OpenNode>,
    /// The values of anchors with the number of values in each.
    anchors: HashMap<usize, (Value, usize)>,
    root: Option<Value>,
}

impl ValueBuilder<'_> {
    fn open(&mut self, node: Node, anchor: usize) -> Result<(), OpenApiError> {
        self.budget.take(1)?;
        if self.open.len() >= LEVELS_MAX {
            return Err(OpenApiError::TooDeep { max: LEVELS_MAX });
        }
        self.open.push(OpenNode {
            node,
            anchor,
            values: 1,
        });
        Ok(())
    }

    fn close(&mut self) -> Result<(), OpenApiError> {
        let Some(OpenNode {
            node,
            anchor,
            values,
        }) = self.open.pop()
        else {
            return Ok(());
        };
        let value = match node {
            Node::List(values) => Value::Array(values),
            Node::Members(members, _) => Value::Object(members),
        };
        self.add(value, values, anchor)
    }

    fn alias(&mut self, anchor: usize) -> Result<(), OpenApiError> {
        // An alias inside of its own anchor has no value yet.
        let Some((value, values)) = self.anchors.get(&anchor) else {
            return Err(OpenApiError::Syntax {
                language: "YAML",
                why: "an alias is inside of its own anchor".to_owned(),
            });
        };
        self.budget.take(*values)?;
        if self.open.len() + levels(value) > LEVELS_MAX {
            return Err(OpenApiError::TooDeep { max: LEVELS_MAX });
        }
        let value = value.clone();
        let values = *values;
        self.add(value, values, 0)
    }

    /// Adds a complete value to the collection that is open.
    fn add(&mut self, value: Value, values: usize, anchor: usize) -> Result<(), OpenApiError> {
        if anchor != 0 {
            // The copy of an anchor counts, too.
            self.budget.take(values)?;
            self.anchors.insert(anchor, (value.clone(), values));
        }
        let Some(parent) = self.open.last_mut() else {
            self.root = Some(value);
            return Ok(());
        };
        parent.values = parent.values.saturating_add(values);
        match &mut parent.node {
            Node::List(list) => list.push(value),
            Node::Members(members, key) => match key.take() {
                None => *key = Some(key_text(value)?),
                Some(name) if name == MERGE => merge(members, value),
                Some(name) => drop(members.insert(name, value)),
            },
        }
        Ok(())
    }
}

/// Adds the members of one mapping, or of each mapping in a list. A member that is there stays.
fn merge(members: &mut Map<String, Value>, value: Value) {
    match value {
        Value::Object(others) => {
            for (name, value) in others {
                members.entry(name).or_insert(value);
            }
        }
        Value::Array(list) => list.into_iter().for_each(|value| {
            if value.is_object() {
                merge(members, value);
            }
        }),
        _ => {}
    }
}

/// Returns a key as JSON has it: the status code `200` is a number in YAML.
fn key_text(value: Value) -> Result<String, OpenApiError> {
    match value {
        Value::String(text) => Ok(text),
        Value::Null => Ok("null".to_owned()),
        Value::Bool(_) | Value::Number(_) => Ok(value.to_string()),
        Value::Array(_) | Value::Object(_) => Err(OpenApiError::Syntax {
            language: "YAML",
            why: "a key is a list or a mapping".to_owned(),
        }),
    }
}

fn levels(value: &Value) -> usize {
    // The depth of a value is bounded while it is built.
    match value {
        Value::Array(values) => 1 + values.iter().map(levels).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(levels).max().unwrap_or_default(),
        _ => 0,
    }
}

fn scalar(text: Cow<'_, str>, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    let is_text = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
    if style != ScalarStyle::Plain || is_text {
        return Value::String(text.into_owned());
    }
    match &*text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        plain => number(plain).map_or_else(|| Value::String(text.into_owned()), Value::Number),
    }
}

/// Reads a number of the core schema. `1_000`, `0b1`, dates and infinities are texts here.
fn number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    if let Some(hexadecimal) = digits.strip_prefix("0x") {
        return u64::from_str_radix(hexadecimal, 16).ok().map(Number::from);
    }
    if let Some(octal) = digits.strip_prefix("0o") {
        return u64::from_str_radix(octal, 8).ok().map(Number::from);
    }
    if digits.bytes().all(|digit| digit.is_ascii_digit()) {
        let unsigned = text.strip_prefix('+').unwrap_or(text);
        let whole = unsigned.parse::<i64>().map(Number::from);
        if let Ok(whole) = whole.or_else(|_| unsigned.parse::<u64>().map(Number::from)) {
            return Some(whole);
        }
    }
    let is_float = digits
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
    is_float
        .then(|| text.parse::<f64>().ok())
        .flatten()
        .and_then(Number::from_f64)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> Result<Value, OpenApiError> {
        read_yaml(text, &ValueBudget::default())
    }

    #[test]
    fn scalars_follow_the_core_schema() {
        let text = "a: yes\nb: 0o17\nc: 0x1F\nd: 1e3\ne: ~\nf: '1'\ng: !!str 1\nh: 1.2.3\ni: 2024-01-01\nj: -\nk: |\n  x\n  y\n";
        let expected = json!({
            "a": "yes", "b": 15, "c": 31, "d": 1000.0, "e": null, "f": "1", "g": "1",
            "h": "1.2.3", "i": "2024-01-01", "j": [null], "k": "x\ny\n",
        });
        // `j: -` on one line is not a list in YAML, so the parser refuses the whole text.
        assert!(read(text).is_err());
        let text = text.replace("j: -\n", "");
        let mut expected = expected;
        expected.as_object_mut().unwrap().shift_remove("j");
        assert_eq!(read(&text).unwrap(), expected);
    }

    #[test]
    fn anchors_and_merge_keys_are_copied() {
        let text = "base: &base {a: 1, b: 2}\nother:\n  <<: *base\n  b: 3\nsame: *base\n";
        let expected = json!({
            "base": { "a": 1, "b": 2 }, "other": { "a": 1, "b": 3 }, "same": { "a": 1, "b": 2 },
        });
        assert_eq!(read(text).unwrap(), expected);
    }

    #[test]
    fn aliases_of_aliases_are_refused_before_they_grow() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let before = level - 1;
            let aliases = vec![format!("*a{before}"); 10].join(", ");
            text.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
        }
        assert!(matches!(
            read(&text).unwrap_err(),
            OpenApiError::TooManyValues { .. }
        ));
        assert!(read("a: &a [*a]").is_err());
    }

    #[test]
    fn aliases_do_not_nest_beyond_the_limit() {
        let mut text = "a0: &a0 [x]\n".to_owned();
        for level in 1..200 {
            text.push_str(&format!("a{level}: &a{level} [*a{}]\n", level - 1));
        }
        assert!(matches!(
            read(&text).unwrap_err(),
            OpenApiError::TooDeep { .. }
        ));
    }
}
