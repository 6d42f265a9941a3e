//! The schemas of arguments and of the values inside them, for errors about arguments.

use super::{ast::SchemaForm, lower::SchemaReader, render::SignatureWriter};
use crate::text::invisible::is_invisible;
use pd_schema::{
    accepted_types::{json_type, may_take},
    json_text,
    reader::SchemaRef,
};
use serde_json::{Number, Value};

/// The longest type that is shown, in characters.
const TYPE_MAX: usize = 120;
/// The longest description that is shown, in characters.
const ABOUT_MAX: usize = 100;
/// The number of branches that are followed for one step.
const BRANCHES_MAX: usize = 8;

/// The schema of an argument, or of a value inside of one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ValueSchema<'s> {
    pub(super) schema: SchemaRef<'s>,
    /// The schema of all arguments.
    root: &'s Value,
}

/// A type as an error shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShownType {
    /// The type in the notation of signatures.
    pub(crate) form: String,
    /// The beginning of its description, on one line.
    pub(crate) about: String,
}

impl<'s> ValueSchema<'s> {
    /// Returns the schema of all arguments.
    pub(crate) fn from_root(root: &'s Value) -> Self {
        Self {
            schema: SchemaRef::document(root),
            root,
        }
    }

    pub(super) fn with(self, schema: SchemaRef<'s>) -> Self {
        Self { schema, ..self }
    }

    /// Renders words of which one is wanted.
    pub(crate) fn show_words(words: &[&str]) -> ShownType {
        let words: Vec<String> = words
            .iter()
            .map(|word| Value::from(*word).to_string())
            .collect();
        ShownType {
            form: shortened(&words.join("|"), TYPE_MAX),
            about: String::new(),
        }
    }

    /// Returns the schema of a property or an item. In a union, the first branch with such a part
    /// counts.
    pub(crate) fn inner(self, step: &str) -> Option<Self> {
        inner(self.schema, step, BRANCHES_MAX).map(|schema| self.with(schema))
    }

    /// Returns the names that an object may have. Returns `None` if the schema allows others
    /// explicitly.
    pub(crate) fn known_names(self) -> Option<Vec<&'s str>> {
        let schema = self.schema.resolved();
        let may_have_others = schema.describes_others()
            || schema.has_branches()
            || schema.get("if").is_some()
            || schema.get("$dynamicRef").is_some();
        (schema.has_properties() && !may_have_others)
            .then(|| schema.properties().map(|(name, _)| name).collect())
    }

    /// Returns the names that an object must have.
    pub(crate) fn required_names(self) -> Vec<&'s str> {
        self.schema.resolved().required().collect()
    }

    /// Returns the single values that the schema accepts. Returns none if it accepts others, too.
    pub(crate) fn options(self) -> Vec<&'s Value> {
        let schema = self.schema.resolved();
        if let Some(listed) = schema.get("enum").and_then(Value::as_array) {
            return listed.iter().collect();
        }
        let branches = schema.one_of().or_else(|| schema.any_of());
        let constants =
            branches.and_then(|branches| branches.map(|branch| branch.get("const")).collect());
        schema
            .get("const")
            .map(|only| vec![only])
            .or(constants)
            .unwrap_or_default()
    }

    /// Returns the value as this schema accepts it: a number or a word that was written in another
    /// way, a text that holds its JSON, or one item without its array. Returns `None` if the schema
    /// accepts no such value.
    pub(crate) fn convert(self, value: &Value) -> Option<Value> {
        self.convert_value(value).or_else(|| {
            let item = self.inner("0").filter(|_| self.accepts_type("array"))?;
            // As an item, a text with JSON would become data without notice, and a text with several
            // items would be one of them.
            let is_other =
                |text: &str| json_text::begins_as_json(text) || json_text::may_be_several(text);
            let item = item
                .convert_value(value)
                .filter(|item| !item.as_str().is_some_and(is_other))?;
            Some(Value::Array(vec![item]))
        })
    }

    fn convert_value(self, value: &Value) -> Option<Value> {
        // Single values come before types: a word in another case has the type already, and is not
        // accepted.
        let options = self.options();
        if !options.is_empty() {
            return options
                .into_iter()
                .find(|option| is_same_word(option, value))
                .cloned();
        }
        let accepts = |value: &Value| self.accepts_type(json_type(value));
        if accepts(value) {
            return Some(value.clone());
        }
        let other = match value {
            Value::String(text) => parsed_scalar(text).or_else(|| json_text::parse(text)),
            Value::Number(number) => Some(Value::String(number.to_string())),
            _ => None,
        };
        other.filter(accepts)
    }

    /// Returns whether the schema accepts some value of a JSON type.
    pub(crate) fn accepts_type(self, kind: &str) -> bool {
        may_take(self.schema, kind)
    }

    /// Returns whether the schema asks for a date (RFC 3339, `full-date`) and the text looks like one.
    pub(crate) fn accepts_date(self, text: &str) -> bool {
        let is_date =
            |schema: SchemaRef<'_>| schema.get("format").and_then(Value::as_str) == Some("date");
        let schema = self.schema.resolved();
        let mut branches = schema.any_of().into_iter().chain(schema.one_of()).flatten();
        (is_date(schema) || branches.any(|branch| is_date(branch.resolved())))
            && text.len() == 10
            && text.bytes().enumerate().all(|(place, byte)| match place {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            })
    }

    /// Renders the type, without what is inside of objects that have a name.
    pub(crate) fn show(self) -> ShownType {
        let form = match SchemaReader::new(self.root) {
            Some(reader) if self.schema.keywords().is_some() => {
                reader.read_object(self.schema, "", 0)
            }
            _ => SchemaForm::word(
                self.schema
                    .get("type")
                    .and_then(Value::as_str)
                    .unwrap_or("value"),
            ),
        };
        let (form, about) = match form {
            SchemaForm::Commented(form, about) => (*form, shortened(&about, ABOUT_MAX)),
            form => (form, String::new()),
        };
        ShownType {
            form: shortened(&SignatureWriter::line(&form), TYPE_MAX),
            about,
        }
    }
}

fn inner<'s>(schema: SchemaRef<'s>, step: &str, branches: usize) -> Option<SchemaRef<'s>> {
    let schema = schema.resolved();
    let item = || {
        let index: usize = step.parse().ok()?;
        let listed = schema.prefix_items().and_then(|mut items| items.nth(index));
        listed.or_else(|| schema.items().filter(|items| items.keywords().is_some()))
    };
    schema
        // A named property comes before an item: a step such as `0` may be the name of a property.
        .property(step)
        .or_else(item)
        .or_else(|| {
            let branches = branches.checked_sub(1)?;
            schema
                .branches()
                .find_map(|branch| inner(branch, step, branches))
        })
        .or_else(|| {
            schema
                .additional_properties()
                .filter(|others| others.keywords().is_some())
        })
}

/// Returns whether both are the same word, whatever its case.
fn is_same_word(one: &Value, other: &Value) -> bool {
    match (one.as_str(), other.as_str()) {
        (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
        _ => one == other,
    }
}

fn parsed_scalar(text: &str) -> Option<Value> {
    let number: Option<Number> = text.trim().parse().ok();
    number
        .map(Value::Number)
        .or_else(|| text.trim().parse().ok().map(Value::Bool))
}

/// Cuts a text, without characters that a reader does not see.
fn shortened(text: &str, max: usize) -> String {
    let mut seen = text
        .chars()
        .filter(|letter| !is_invisible(*letter) && !letter.is_control());
    let mut short: String = seen.by_ref().take(max).collect();
    if seen.next().is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn find(schema: &Value, steps: &[&str]) -> Option<(String, String)> {
        ValueSchema::from_root(schema)
            .at_in(steps, &Value::Null)
            .map(|found| (found.show().form, found.show().about))
    }

    #[test]
    fn types_are_found_by_their_steps() {
        let schema = json!({
            "type": "object",
            "properties": {
                "owner": { "type": "string", "description": "The account.\nNot case sensitive." },
                "state": { "enum": ["open", "closed"] },
                "labels": { "type": "array", "items": { "$ref": "#/$defs/Label" } },
                "target": { "anyOf": [{ "type": "null" }, { "type": "object", "properties": { "x": { "type": "integer" } } }] },
                "by_name": { "type": "object", "additionalProperties": { "type": "boolean" } },
            },
            "$defs": { "Label": { "type": "object", "properties": { "name": { "type": "string", "maxLength": 50 } }, "required": ["name"] } },
        });
        let some = |form: &str, about: &str| Some((form.to_owned(), about.to_owned()));
        let at = |steps: &[&str]| ValueSchema::from_root(&schema).at_in(steps, &Value::Null);
        assert_eq!(
            find(&schema, &["owner"]),
            some("string", "The account. Not case sensitive")
        );
        assert_eq!(find(&schema, &["state"]), some("\"open\"|\"closed\"", ""));
        assert_eq!(
            find(&schema, &["labels", "3", "name"]),
            some("string(<=50)", "")
        );
        assert_eq!(find(&schema, &["target", "x"]), some("int", ""));
        assert_eq!(find(&schema, &["by_name", "any"]), some("boolean", ""));
        assert_eq!(find(&schema, &["other"]), None);
        let label = at(&["labels", "0"]);
        assert_eq!(label.map(ValueSchema::required_names), Some(vec!["name"]));
        assert_eq!(label.and_then(ValueSchema::known_names), Some(vec!["name"]));
        assert_eq!(at(&["by_name"]).and_then(ValueSchema::known_names), None);
    }

    #[test]
    fn circular_references_end() {
        let schema = json!({
            "properties": { "a": { "$ref": "#/$defs/A" }, "b": { "anyOf": [{ "$ref": "#/properties/b" }] } },
            "$defs": { "A": { "$ref": "#/$defs/A" } },
        });
        assert_eq!(find(&schema, &["a", "x"]), None);
        assert_eq!(find(&schema, &["b", "x"]), None);
    }

    #[test]
    fn long_texts_are_cut() {
        let schema = json!({ "properties": { "a": { "enum": (0..1_000).collect::<Vec<_>>(), "description": "long ".repeat(100) } } });
        let (form, about) = find(&schema, &["a"]).unwrap_or_default();
        assert_eq!(
            (form.chars().count(), about.chars().count()),
            (TYPE_MAX + 1, ABOUT_MAX + 1)
        );
    }

    #[test]
    fn values_are_converted_to_the_accepted_type() {
        let schema = json!({ "properties": {
            "number": { "type": "number" },
            "text": { "type": "string" },
            "labels": { "type": "array", "items": { "type": "string" } },
            "state": { "enum": ["OPEN", "CLOSED"] },
            "access": { "oneOf": [{ "const": "read" }, { "const": "write" }] },
            "is_draft": { "type": ["boolean", "null"] },
        } });
        for (name, sent, accepted) in [
            ("number", json!("12"), Some(json!(12))),
            ("number", json!(12), Some(json!(12))),
            ("number", json!("twelve"), None),
            ("text", json!(12), Some(json!("12"))),
            ("text", json!({}), None),
            ("labels", json!("bug"), Some(json!(["bug"]))),
            ("labels", json!(["bug"]), Some(json!(["bug"]))),
            ("labels", json!({}), None),
            ("state", json!("open"), Some(json!("OPEN"))),
            ("state", json!("all"), None),
            ("access", json!("Write"), Some(json!("write"))),
            ("is_draft", json!("true"), Some(json!(true))),
            ("is_draft", json!("yes"), None),
        ] {
            let converted = ValueSchema::from_root(&schema)
                .inner(name)
                .and_then(|schema| schema.convert(&sent));
            assert_eq!(converted, accepted, "{name} {sent}");
        }
    }
}
