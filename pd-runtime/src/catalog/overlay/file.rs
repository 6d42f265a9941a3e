//! One file: a tool's full description as JSON (specification v2.1, section 7.1), read into texts. Whether they fit the tool is
//! judged in `lay`.

use super::{
    error::{OverlayFault, kind},
    schema::below,
};
use crate::{text::suggest::nearest, tool::error::ErrorHelp};

use rmcp::model::JsonObject;
use serde_json::Value;
use std::borrow::Cow;

/// A text of a description.
pub(super) type Text = Cow<'static, str>;

/// What a file says of a tool. What it leaves out stays as it is compiled.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pub(super) name: Option<String>,
    pub(super) title: Option<Text>,
    pub(super) summary: Option<Text>,
    pub(super) description: Option<Text>,
    pub(super) deprecated: Option<Text>,
    pub(super) input: Option<JsonObject>,
    pub(super) output: Option<JsonObject>,
    pub(super) examples: Option<Vec<ToldExample>>,
    pub(super) usage: Option<Usage>,
    pub(super) errors: Option<Vec<ErrorHelp>>,
    pub(super) related: Option<Vec<Text>>,
}

/// A worked example, as a file tells it.
#[derive(Debug, Default)]
pub(super) struct ToldExample {
    pub(super) description: Text,
    pub(super) input: Value,
    pub(super) explanation: Text,
}

/// `usage_guidance`.
#[derive(Debug, Default)]
pub(super) struct Usage {
    pub(super) patterns: Vec<Text>,
    pub(super) notes: Vec<Text>,
}

/// The keys of a file.
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
];

/// Reads values, and remembers what is wrong with them.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// By JSON pointer.
    pub(super) mistakes: Vec<(String, OverlayFault)>,
}

impl Reader {
    pub(super) fn texts(&mut self, file: Value) -> Texts {
        let Some(mut file) = self.object("", file, KEYS) else { return Texts::default() };
        let mut take = |key| (below("", key), file.shift_remove(key));
        Texts {
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
        }
    }

    fn example(&mut self, at: &str, value: Value) -> Option<ToldExample> {
        let mut example = self.object(at, value, &["description", "input", "explanation"])?;
        let mut take = |key| (below(at, key), example.shift_remove(key));
        let description = self.text(take("description")).unwrap_or_default();
        let explanation = self.text(take("explanation")).unwrap_or_default();
        let input = self.needed(at, "input", take("input").1)?;
        Some(ToldExample { description, input, explanation })
    }

    fn usage(&mut self, (at, value): (String, Option<Value>)) -> Option<Usage> {
        let mut usage = self.object(&at, value?, &["common_patterns", "important_notes"])?;
        let mut take = |key| (below(&at, key), usage.shift_remove(key));
        let patterns = self.list(take("common_patterns"), Self::item).unwrap_or_default();
        Some(Usage { patterns, notes: self.list(take("important_notes"), Self::item).unwrap_or_default() })
    }

    fn errors(&mut self, (at, value): (String, Option<Value>)) -> Option<Vec<ErrorHelp>> {
        let mut guidance = self.object(&at, value?, &["common_errors"])?;
        let errors = guidance.shift_remove("common_errors");
        Some(self.list((below(&at, "common_errors"), errors), Self::error).unwrap_or_default())
    }

    fn error(&mut self, at: &str, value: Value) -> Option<ErrorHelp> {
        let mut error = self.object(at, value, &["error", "cause", "solution"])?;
        let mut take = |key| (below(at, key), error.shift_remove(key));
        let cause = self.text(take("cause")).unwrap_or_default();
        let solution = self.text(take("solution")).unwrap_or_default();
        let (place, code) = take("error");
        let code = self.needed(at, "error", code)?;
        Some(ErrorHelp::new(self.text((place, Some(code)))?, cause, solution))
    }

    fn item(&mut self, at: &str, value: Value) -> Option<Text> {
        self.text((at.to_owned(), Some(value)))
    }

    fn text(&mut self, (at, value): (String, Option<Value>)) -> Option<Text> {
        match value? {
            Value::String(text) => Some(Cow::Owned(text)),
            other => self.wrong(at, "a text", &other),
        }
    }

    fn schema(&mut self, (at, value): (String, Option<Value>)) -> Option<JsonObject> {
        match value? {
            Value::Object(schema) => Some(schema),
            other => self.wrong(at, "an object", &other),
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
                Some(items.filter_map(|(index, item)| read(self, &format!("{at}/{index}"), item)).collect())
            }
            other => self.wrong(at, "an array", &other),
        }
    }

    fn needed(&mut self, at: &str, key: &'static str, value: Option<Value>) -> Option<Value> {
        if value.is_none() {
            self.mistakes.push((at.to_owned(), OverlayFault::MissingKey { key }));
        }
        value
    }

    /// An object that may have these keys.
    fn object(&mut self, at: &str, value: Value, keys: &[&str]) -> Option<JsonObject> {
        let object = match value {
            Value::Object(object) => object,
            other => return self.wrong(at.to_owned(), "an object", &other),
        };
        for key in object.keys().filter(|key| !keys.contains(&key.as_str())) {
            let hint = match nearest(key, keys) {
                Some(near) => format!("; did you mean `{near}`?"),
                None => format!("; there are {}", keys.join(", ")),
            };
            self.mistakes.push((below(at, key), OverlayFault::UnknownKey { key: key.clone(), hint }));
        }
        Some(object)
    }

    fn wrong<T>(&mut self, at: String, wanted: &'static str, value: &Value) -> Option<T> {
        self.mistakes.push((at, OverlayFault::WrongType { wanted, found: kind(value) }));
        None
    }
}
