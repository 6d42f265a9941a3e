//! The arguments of a meta-tool, read leniently: names that a model wraps, joins or leaves out are
//! understood.

use crate::{disclosure::view::CallerView, surface::normalized, text::truncate::first_chars};
use rmcp::model::JsonObject;
use serde_json::Value;

/// The most characters of a text that are read, because errors repeat it.
const TEXT_MAX: usize = 500;

/// The arguments that models take for the query of a search, the declared one first.
const QUERIES: [&str; 6] = ["query", "q", "search", "text", "keywords", "task"];
/// The arguments that models take for the names of tools, the declared one first.
const TOOL_NAMES: [&str; 6] = ["names", "name", "tools", "tool", "tool_names", "tool_name"];

/// A meta-tool's arguments.
#[derive(Debug, Default, Clone)]
pub(crate) struct MetaToolArguments(JsonObject);

/// The level of detail about each tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DetailLevel {
    Names,
    Summary,
    Signature,
    Full,
}

impl MetaToolArguments {
    pub(super) fn new(arguments: Option<JsonObject>) -> Self {
        Self(arguments.unwrap_or_default())
    }

    /// Returns the beginning of a text, trimmed; empty if the argument is absent.
    pub(crate) fn text(&self, key: &str) -> &str {
        self.beginning(key, TEXT_MAX)
    }

    /// Returns a whole text, as it was sent.
    pub(crate) fn whole_text(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(Value::as_str)
    }

    /// Returns all of them.
    pub(super) fn members(&self) -> &JsonObject {
        &self.0
    }

    /// Returns a search query, cut to the server's limit.
    #[cfg(feature = "presets")]
    pub(crate) fn query(&self, key: &str, view: &CallerView<'_>) -> &str {
        self.beginning(key, view.policy.limits.query_chars)
    }

    fn beginning(&self, key: &str, longest: usize) -> &str {
        let text = self
            .0
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .trim();
        first_chars(text, longest)
    }

    /// Returns a search query under any of the names that models give to it, cut to the server's
    /// limit. A list is its words.
    pub(super) fn words_of_query(&self, view: &CallerView<'_>) -> String {
        let words = |key: &&str| match self.0.get(*key)? {
            Value::String(text) => Some(text.trim().to_owned()),
            Value::Array(texts) => {
                let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
                Some(texts.join(" ").trim().to_owned())
            }
            _ => None,
        };
        let query = QUERIES
            .iter()
            .filter_map(words)
            .find(|words| !words.is_empty());
        let longest = view.policy.limits.query_chars;
        first_chars(query.as_deref().unwrap_or_default(), longest).to_owned()
    }

    /// Returns names of tools under any of the names that models give to the argument.
    pub(super) fn tool_names(&self) -> Vec<String> {
        let names = TOOL_NAMES.iter().map(|key| self.names(key));
        names
            .into_iter()
            .find(|names| !names.is_empty())
            .unwrap_or_default()
    }

    /// Returns a count, which models also write as a string.
    pub(crate) fn count(&self, key: &str) -> Option<usize> {
        match self.0.get(key)? {
            Value::Number(number) => number.as_u64()?.try_into().ok(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// Returns an array of names. Models also send one name, names with commas, or the array as a
    /// string.
    pub(crate) fn names(&self, key: &str) -> Vec<String> {
        match self.0.get(key) {
            // A value of another type is left out, so that the other names still work.
            Some(Value::Array(names)) => normalized(names.iter().filter_map(name_in)),
            Some(object @ Value::Object(_)) => normalized(name_in(object).into_iter()),
            Some(Value::String(text)) => match serde_json::from_str::<Vec<String>>(text) {
                Ok(names) => normalized(names.iter().map(String::as_str)),
                // Names of tools contain no commas.
                Err(_) => normalized(text.split(',')),
            },
            _ => Vec::new(),
        }
    }

    /// Returns the requested level of detail, or the default.
    ///
    /// # Errors
    ///
    /// Returns an error with the available levels.
    pub(super) fn detail(
        &self,
        choices: &[DetailLevel],
        default: DetailLevel,
    ) -> Result<DetailLevel, String> {
        let requested = self.text("detail");
        // An absent argument is an empty text here.
        if requested.is_empty() {
            return Ok(default);
        }
        let chosen = choices.iter().find(|choice| choice.as_str() == requested);
        chosen.copied().ok_or_else(|| {
            let words: Vec<_> = choices.iter().map(|choice| choice.as_str()).collect();
            format!("`detail` must be one of {}", words.join(", "))
        })
    }

    pub(crate) fn into_inner(self) -> JsonObject {
        self.0
    }
}

/// Returns the name that a value is, or that an object has.
fn name_in(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("name")?.as_str())
}

impl DetailLevel {
    fn as_str(self) -> &'static str {
        match self {
            Self::Names => "names",
            Self::Summary => "summary",
            Self::Signature => "signature",
            Self::Full => "full",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(arguments: Value) -> MetaToolArguments {
        MetaToolArguments::new(arguments.as_object().cloned())
    }

    #[test]
    fn names_are_understood_however_a_model_writes_them() {
        for sent in [
            json!(["log", "show"]),
            json!("log,show"),
            json!("log, show"),
            json!("[\"log\",\"show\"]"),
            json!([{ "name": "log" }, "show"]),
        ] {
            assert_eq!(
                parse(json!({ "names": sent })).names("names"),
                ["log", "show"],
                "{sent}"
            );
        }
        for sent in [
            json!([]),
            json!(""),
            json!(7),
            json!([1, null]),
            json!({ "a": 1 }),
        ] {
            assert_eq!(
                parse(json!({ "names": sent })).names("names"),
                Vec::<String>::new(),
                "{sent}"
            );
        }
        assert_eq!(parse(json!({})).names("names"), Vec::<String>::new());
    }

    #[test]
    fn names_are_found_under_the_words_of_models() {
        for sent in [
            json!({ "name": "log" }),
            json!({ "tools": ["log"] }),
            json!({ "names": [{ "name": "log" }] }),
            json!({ "names": { "name": "log" } }),
            json!({ "names": [], "tool": "log" }),
        ] {
            assert_eq!(parse(sent.clone()).tool_names(), ["log"], "{sent}");
        }
        let both = json!({ "name": "show", "names": ["log"] });
        assert_eq!(parse(both).tool_names(), ["log"]);
    }

    #[test]
    fn counts_and_details_are_understood_or_told() {
        assert_eq!(parse(json!({ "depth": 2 })).count("depth"), Some(2));
        assert_eq!(parse(json!({ "depth": " 3 " })).count("depth"), Some(3));
        assert_eq!(parse(json!({ "depth": -1 })).count("depth"), None);
        let choices = [DetailLevel::Summary, DetailLevel::Full];
        assert_eq!(
            parse(json!({})).detail(&choices, DetailLevel::Full),
            Ok(DetailLevel::Full)
        );
        assert_eq!(
            parse(json!({ "detail": "summary" })).detail(&choices, DetailLevel::Full),
            Ok(DetailLevel::Summary)
        );
        let refused = parse(json!({ "detail": "names" })).detail(&choices, DetailLevel::Full);
        assert_eq!(
            refused,
            Err("`detail` must be one of summary, full".to_owned())
        );
    }
}
