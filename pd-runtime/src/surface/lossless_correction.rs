//! Corrections of invalid arguments with which a read-only tool may run at once, because they lose
//! nothing and guess nothing. `corrected_call` makes the calls that a model decides about.

use super::{
    argument_names::is_same,
    call_forms, coerce_arguments,
    corrected_call::{CHANGE, is_repeatable, names_itself, own_arguments},
    one_text,
};
use crate::{
    protocol::keys::TICKET_ARGUMENT,
    registry::{schema::InputSchema, tool_spec::ToolSpec, validate::InvalidArguments},
};
use pd_schema::{
    accepted_types::{json_type, may_take},
    json_text::{begins_as_json, may_be_several},
    reader::SchemaRef,
};
use rmcp::model::{CallToolResponse, JsonObject};
use serde_json::Value;

/// The most names that an object may have. It bounds the work of hostile schemas.
const KNOWN_MAX: usize = 256;
/// The most arguments with unknown names.
const UNKNOWN_MAX: usize = 8;
/// The shortest name that may differ by one letter.
const NAME_MIN: usize = 4;
/// The most changes that are named.
const CHANGES_MAX: usize = 5;

/// Arguments that were corrected.
#[derive(Debug)]
pub(crate) struct LosslessCorrection {
    pub(crate) arguments: JsonObject,
    /// What differs from the arguments that were sent, in words.
    changes: Vec<String>,
}

impl LosslessCorrection {
    /// Corrects arguments without losing any of their values: arguments that were wrapped once
    /// more, names with one possible meaning, and values that another type has as well. Returns
    /// `None` if nothing can be corrected so. The result has yet to be validated.
    pub(crate) fn new(about: &ToolSpec, invalid: &InvalidArguments) -> Option<Self> {
        match own_arguments(about, &invalid.arguments) {
            Some(own) => Some(Self::from_own(about, own)),
            None if names_itself(about, &invalid.arguments) => None,
            None => Self::from_arguments(&about.input, &invalid.arguments),
        }
    }

    /// Corrects arguments that were a call of their tool.
    fn from_own(about: &ToolSpec, own: JsonObject) -> Self {
        let uncorrected = || Self {
            arguments: own.clone(),
            changes: Vec::new(),
        };
        let mut correction = Self::from_arguments(&about.input, &own).unwrap_or_else(uncorrected);
        correction.changes.insert(0, CHANGE.to_owned());
        correction
    }

    fn from_arguments(input: &InputSchema, sent: &JsonObject) -> Option<Self> {
        let schema = SchemaRef::document(&*input.schema);
        let known: Vec<&str> = schema
            .properties()
            .map(|(name, _)| name)
            // One more than allowed shows that there are too many, at no further cost.
            .take(KNOWN_MAX + 1)
            .collect();
        if known.is_empty() || known.len() > KNOWN_MAX {
            return None;
        }
        // A default that the server added would occupy the name of a renamed argument. Defaults are
        // added again when the result is validated.
        let sent = sent
            .iter()
            .filter(|(name, value)| !input.is_default(name, value));
        let arguments = sent
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let mut correction = Self {
            arguments,
            changes: Vec::new(),
        };
        // In this order: the names are inside the wrapper, and types are known by name.
        correction.unwrap(&known);
        correction.rename(&known)?;
        correction.coerce(schema);
        (!correction.changes.is_empty()).then_some(correction)
    }

    /// Unwraps arguments in a single member that is not an argument: `{"arguments": {"limit": 3}}`.
    fn unwrap(&mut self, known: &[&str]) {
        let mut members = self.arguments.iter();
        let (Some((name, value)), None) = (members.next(), members.next()) else {
            return;
        };
        if known.contains(&name.as_str()) || !call_forms::is_wrapper(name) {
            return;
        }
        if let Some(inner) =
            coerce_arguments::object(value.clone()).filter(|inner| !inner.is_empty())
        {
            self.changes.push(format!("without `{name}` around them"));
            self.arguments = inner;
        }
    }

    /// Gives arguments with unknown names the only name that differs in capitals and marks, or by
    /// one letter. Returns `None` if a name stays unknown.
    fn rename(&mut self, known: &[&str]) -> Option<()> {
        let sent = self
            .arguments
            .keys()
            .filter(|name| *name != TICKET_ARGUMENT);
        let unknown: Vec<String> = sent
            .filter(|name| !known.contains(&name.as_str()))
            .cloned()
            .collect();
        if unknown.len() > UNKNOWN_MAX {
            return None;
        }
        let missing: Vec<&str> = known
            .iter()
            .copied()
            .filter(|name| !self.arguments.contains_key(*name))
            .collect();
        let only = |name: &str, is_meant: fn(&str, &str) -> bool| {
            // Two possible names would make the choice a guess.
            let mut meant = missing.iter().copied().filter(|one| is_meant(one, name));
            meant.next().filter(|_| meant.next().is_none())
        };
        // Capitals and marks first, because they are the surer sign.
        let meant = |name: &String| only(name, is_same).or_else(|| only(name, is_one_letter_off));
        let names: Vec<(String, &str)> = unknown
            .into_iter()
            .map(|name| meant(&name).map(|meant| (name, meant)))
            .collect::<Option<_>>()?;
        // If two arguments mean the same name, one of their values would be lost.
        let is_twice = |(place, (_, name)): (usize, &(String, &str))| {
            names.iter().take(place).any(|(_, earlier)| earlier == name)
        };
        if names.iter().enumerate().any(is_twice) {
            return None;
        }
        for (old, name) in &names {
            let value = self.arguments.shift_remove(old)?;
            self.arguments.insert((*name).to_owned(), value);
            self.note(
                name,
                &format!(
                    "instead of `{}`",
                    if is_repeatable(old) { old } else { "…" }
                ),
            );
        }
        Some(())
    }

    /// Gives values the only type that the schema accepts, if the value says the same in it.
    fn coerce(&mut self, schema: SchemaRef<'_>) {
        let mut coerced = self.arguments.clone();
        coerce_arguments::repair_document(&mut coerced, schema);
        for (name, value) in &mut coerced {
            if let Some(other) = schema
                .property(name)
                .and_then(|schema| in_other_type(value, schema))
            {
                *value = other;
            }
        }
        let changed: Vec<(String, String)> = coerced
            .iter()
            .filter_map(|(name, value)| {
                let sent = self.arguments.get(name).filter(|sent| *sent != value)?;
                let kind = json_type(value);
                let change = if json_type(sent) == kind {
                    "with other types inside".to_owned()
                } else {
                    format!("as {kind}")
                };
                Some((name.clone(), change))
            })
            .collect();
        self.arguments = coerced;
        changed
            .iter()
            .for_each(|(name, change)| self.note(name, change));
    }

    fn note(&mut self, name: &str, change: &str) {
        let name = if is_repeatable(name) { name } else { "…" };
        self.changes.push(format!("`{name}` {change}"));
    }

    /// Adds one line that says what was changed. The line follows the text of the result, so
    /// readers of JSON still find that text at the beginning.
    pub(crate) fn add_to(self, response: CallToolResponse) -> CallToolResponse {
        match response {
            CallToolResponse::Complete(mut result) if result.is_error != Some(true) => {
                let shown = self.changes.get(..CHANGES_MAX).unwrap_or(&self.changes);
                let line = format!("(It ran with corrected arguments: {}.)", shown.join(", "));
                one_text::append(&mut result, line);
                result.into()
            }
            response => response,
        }
    }
}

/// Returns a value as the only other type that a schema accepts and that says the same: an integer
/// as text, or one value as a list of it.
fn in_other_type(value: &Value, schema: SchemaRef<'_>) -> Option<Value> {
    if may_take(schema, json_type(value)) {
        return None;
    }
    match value {
        // A float has several texts, so a text of it could differ from the one that was meant.
        Value::Number(number) if !number.is_f64() && may_take(schema, "string") => {
            Some(number.to_string().into())
        }
        // As an item, a text with JSON would become data without notice, and a text with several
        // items would be one of them.
        Value::String(text) if begins_as_json(text) || may_be_several(text) => None,
        Value::String(_) | Value::Number(_) if may_take(schema, "array") => {
            let resolved = schema.resolved();
            let items = resolved.at(resolved.get("items")?);
            may_take(items, json_type(value)).then(|| Value::Array(vec![value.clone()]))
        }
        _ => None,
    }
}

/// Returns whether one letter is missing, too much, or changed places with its neighbor. Other
/// letters make other words, as in `height` and `weight`.
fn is_one_letter_off(one: &str, other: &str) -> bool {
    let one: Vec<char> = one.chars().collect();
    let other: Vec<char> = other.chars().collect();
    let (short, long) = if one.len() <= other.len() {
        (&one, &other)
    } else {
        (&other, &one)
    };
    if short.len() < NAME_MIN || long.len() - short.len() > 1 {
        return false;
    }
    // After the equal beginning, one letter is too much or two letters are swapped. The rest must
    // be equal, so one comparison decides.
    let equal = short
        .iter()
        .zip(long.iter())
        .take_while(|(one, other)| one == other)
        .count();
    let short = short.get(equal..).unwrap_or_default();
    let long = long.get(equal..).unwrap_or_default();
    match (short, long) {
        _ if short.len() < long.len() => long.get(1..) == Some(short),
        ([first, second, rest @ ..], [other_first, other_second, other_rest @ ..]) => {
            first == other_second && second == other_first && rest == other_rest
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    fn correct(sent: &Value) -> Option<LosslessCorrection> {
        let schema = json!({ "type": "object", "properties": {
            "colour": { "type": "string" }, "limit": { "type": "integer" }, "maxSize": { "type": "number" },
            "tags": { "type": "array", "items": { "type": "string" } }, "range": { "type": "object" },
            "sizes": { "type": "array", "items": { "type": "integer" } },
            "height": { "type": "integer" }, "either": { "type": ["string", "integer"] },
        }});
        let input = InputSchema::from_schema(schema.as_object().cloned().unwrap());
        let arguments = sent.as_object().cloned().unwrap();
        LosslessCorrection::from_arguments(&input, &arguments)
    }

    #[test]
    fn what_says_the_same_is_corrected() {
        for (sent, corrected, change) in [
            (
                json!({ "limit": "3" }),
                json!({ "limit": 3 }),
                "`limit` as integer",
            ),
            (
                json!({ "colour": 7 }),
                json!({ "colour": "7" }),
                "`colour` as string",
            ),
            (
                json!({ "tags": "a" }),
                json!({ "tags": ["a"] }),
                "`tags` as array",
            ),
            (
                json!({ "tags": "[\"a\"]" }),
                json!({ "tags": ["a"] }),
                "`tags` as array",
            ),
            (
                json!({ "sizes": [1, "2"] }),
                json!({ "sizes": [1, 2] }),
                "`sizes` with other types inside",
            ),
            (
                json!({ "range": "{\"from\": 1}" }),
                json!({ "range": { "from": 1 } }),
                "`range` as object",
            ),
            (
                json!({ "colur": "red" }),
                json!({ "colour": "red" }),
                "`colour` instead of `colur`",
            ),
            (
                json!({ "max_size": 1 }),
                json!({ "maxSize": 1 }),
                "`maxSize` instead of `max_size`",
            ),
            (
                json!({ "arguments": { "limit": 3 } }),
                json!({ "limit": 3 }),
                "without `arguments` around them",
            ),
            (
                json!({ "input": "{\"limit\": 3}" }),
                json!({ "limit": 3 }),
                "without `input` around them",
            ),
        ] {
            let correction = correct(&sent).unwrap();
            assert_eq!(
                (Value::Object(correction.arguments), &*correction.changes),
                (corrected, &[change.to_owned()][..])
            );
        }
    }

    #[test]
    fn what_would_be_lost_or_guessed_stays() {
        for sent in [
            json!({ "weight": 3 }),
            json!({ "count": 3 }),
            json!({ "limit": "three" }),
            json!({ "limit": "3.5" }),
            json!({ "limit": null }),
            json!({ "either": "3" }),
            json!({ "colour": 1.5 }),
            json!({ "colour": true }),
            json!({ "tags": 7 }),
            json!({ "tags": "{\"a\": 1}" }),
            json!({ "tags": "['a', 'b']" }),
            json!({ "tags": "a, b" }),
            json!({ "tags": "a;b" }),
            json!({ "tags": "a\nb" }),
            json!({ "tags": "[\"a\", \"b" }),
            json!({ "tags": ["a"], "more": 1 }),
            json!({ "colur": "red", "colouer": "blue" }),
            json!({ "colour": "red", "colur": "blue" }),
            json!({ "arguments": { "limit": 3 }, "colour": "red" }),
            json!({ "arguments": {} }),
            json!({ "lim": 3 }),
        ] {
            let correction = correct(&sent);
            assert!(correction.is_none(), "{sent}: {correction:?}");
        }
    }

    #[test]
    fn one_letter_off_is_no_other_word() {
        for (one, other) in [
            ("colour", "colur"),
            ("pages", "page"),
            ("limit", "limti"),
            ("path", "paths"),
        ] {
            assert!(
                is_one_letter_off(one, other) && is_one_letter_off(other, one),
                "{one} {other}"
            );
        }
        for (one, other) in [
            ("height", "weight"),
            ("min", "main"),
            ("path", "path"),
            ("abcd", "abdce"),
            ("from", "to"),
        ] {
            assert!(
                !is_one_letter_off(one, other) && !is_one_letter_off(other, one),
                "{one} {other}"
            );
        }
    }
}
