//! Parses one file: the full description of a tool as JSON (specification v2.1, section 7.1). The
//! module `apply` checks the texts against the tool.

use super::error::{OverlayErrorKind, kind};
use crate::tool::error::ErrorHelp;
use pd_schema::{pointer, suggest::nearest};

use rmcp::model::JsonObject;
use serde_json::Value;
use std::borrow::Cow;

/// A text of a description.
pub(super) type DescriptionText = Cow<'static, str>;

/// The texts that a file contains. `None` keeps the compiled text.
#[derive(Debug, Default)]
pub(super) struct OverlayTexts {
    pub(super) name: Option<String>,
    pub(super) title: Option<DescriptionText>,
    pub(super) summary: Option<DescriptionText>,
    pub(super) description: Option<DescriptionText>,
    pub(super) deprecated: Option<DescriptionText>,
    pub(super) input: Option<JsonObject>,
    pub(super) output: Option<JsonObject>,
    pub(super) examples: Option<Vec<OverlayExample>>,
    pub(super) usage: Option<UsageGuidance>,
    pub(super) errors: Option<Vec<ErrorHelp>>,
    pub(super) related: Option<Vec<DescriptionText>>,
    pub(super) aliases: Option<Vec<DescriptionText>>,
}

/// An example as a file contains it.
#[derive(Debug, Default)]
pub(super) struct OverlayExample {
    pub(super) description: DescriptionText,
    pub(super) input: Value,
    pub(super) explanation: DescriptionText,
}

/// The member `usage_guidance`.
#[derive(Debug, Default)]
pub(super) struct UsageGuidance {
    pub(super) patterns: Vec<DescriptionText>,
    pub(super) notes: Vec<DescriptionText>,
}

/// The valid keys of a file.
const KEYS: &[&str] = &[
    "name",
    "title",
    "summary",
    "description",
    "deprecated",
    "inputSchema",
    "outputSchema",
    "examples",
    "usage_guidance",
    "error_guidance",
    "related",
    "aliases",
];

/// Reads values and collects the mistakes in them.
#[derive(Debug, Default)]
pub(super) struct OverlayReader {
    /// The mistakes, each with its JSON pointer.
    pub(super) mistakes: Vec<(String, OverlayErrorKind)>,
}

impl OverlayReader {
    pub(super) fn texts(&mut self, file: Value) -> OverlayTexts {
        let Some(mut file) = self.object("", file, KEYS) else {
            return OverlayTexts::default();
        };
        let mut take = |key| (pointer::child("", key), file.shift_remove(key));
        OverlayTexts {
            name: self.text(take("name")).map(Cow::into_owned),
            title: self.text(take("title")),
            summary: self.text(take("summary")),
            description: self.text(take("description")),
            deprecated: self.text(take("deprecated")),
            input: self.schema(take("inputSchema")),
            output: self.schema(take("outputSchema")),
            examples: self.list(take("examples"), Self::example),
            usage: self.usage(take("usage_guidance")),
            errors: self.errors(take("error_guidance")),
            related: self.list(take("related"), Self::item),
            aliases: self.list(take("aliases"), Self::item),
        }
    }

    fn example(&mut self, at: &str, value: Value) -> Option<OverlayExample> {
        let mut example = self.object(at, value, &["description", "input", "explanation"])?;
        let mut take = |key| (pointer::child(at, key), example.shift_remove(key));
        let description = self.text(take("description")).unwrap_or_default();
        let explanation = self.text(take("explanation")).unwrap_or_default();
        let input = self.require(at, "input", take("input").1)?;
        Some(OverlayExample {
            description,
            input,
            explanation,
        })
    }

    fn usage(&mut self, (at, value): (String, Option<Value>)) -> Option<UsageGuidance> {
        let mut usage = self.object(&at, value?, &["common_patterns", "important_notes"])?;
        let mut take = |key| (pointer::child(&at, key), usage.shift_remove(key));
        let patterns = self
            .list(take("common_patterns"), Self::item)
            .unwrap_or_default();
        Some(UsageGuidance {
            patterns,
            notes: self
                .list(take("important_notes"), Self::item)
                .unwrap_or_default(),
        })
    }

    fn errors(&mut self, (at, value): (String, Option<Value>)) -> Option<Vec<ErrorHelp>> {
        let mut guidance = self.object(&at, value?, &["common_errors"])?;
        let errors = guidance.shift_remove("common_errors");
        Some(
            self.list((pointer::child(&at, "common_errors"), errors), Self::error)
                .unwrap_or_default(),
        )
    }

    fn error(&mut self, at: &str, value: Value) -> Option<ErrorHelp> {
        let mut error = self.object(at, value, &["error", "cause", "solution"])?;
        let mut take = |key| (pointer::child(at, key), error.shift_remove(key));
        let cause = self.text(take("cause")).unwrap_or_default();
        let solution = self.text(take("solution")).unwrap_or_default();
        let (place, code) = take("error");
        // A missing member has no position, so the mistake points at the object.
        let code = self.require(at, "error", code)?;
        Some(ErrorHelp::new(
            self.text((place, Some(code)))?,
            cause,
            solution,
        ))
    }

    fn item(&mut self, at: &str, value: Value) -> Option<DescriptionText> {
        self.text((at.to_owned(), Some(value)))
    }

    fn text(&mut self, (at, value): (String, Option<Value>)) -> Option<DescriptionText> {
        match value? {
            Value::String(text) => Some(Cow::Owned(text)),
            other => self.wrong_type(at, "a text", &other),
        }
    }

    fn schema(&mut self, (at, value): (String, Option<Value>)) -> Option<JsonObject> {
        match value? {
            Value::Object(schema) => Some(schema),
            other => self.wrong_type(at, "an object", &other),
        }
    }

    fn list<T>(
        &mut self,
        (at, value): (String, Option<Value>),
        mut read: impl FnMut(&mut Self, &str, Value) -> Option<T>,
    ) -> Option<Vec<T>> {
        match value? {
            Value::Array(items) => {
                let items = items.into_iter().enumerate();
                Some(
                    items
                        .filter_map(|(index, item)| read(self, &format!("{at}/{index}"), item))
                        .collect(),
                )
            }
            other => self.wrong_type(at, "an array", &other),
        }
    }

    fn require(&mut self, at: &str, key: &'static str, value: Option<Value>) -> Option<Value> {
        if value.is_none() {
            self.mistakes
                .push((at.to_owned(), OverlayErrorKind::MissingKey { key }));
        }
        value
    }

    /// Reads an object and reports keys other than `keys`.
    fn object(&mut self, at: &str, value: Value, keys: &[&str]) -> Option<JsonObject> {
        let object = match value {
            Value::Object(object) => object,
            other => return self.wrong_type(at.to_owned(), "an object", &other),
        };
        // A typo must not be ignored silently: the text would stay unchanged without a message.
        for key in object.keys().filter(|key| !keys.contains(&key.as_str())) {
            let hint = match nearest(key, keys) {
                Some(near) => format!("; did you mean `{near}`?"),
                None => format!("; available: {}", keys.join(", ")),
            };
            self.mistakes.push((
                pointer::child(at, key),
                OverlayErrorKind::UnknownKey {
                    key: key.clone(),
                    hint,
                },
            ));
        }
        Some(object)
    }

    fn wrong_type<T>(&mut self, at: String, wanted: &'static str, value: &Value) -> Option<T> {
        self.mistakes.push((
            at,
            OverlayErrorKind::WrongType {
                wanted,
                found: kind(value),
            },
        ));
        None
    }
}
