//! The values of keys: how each is read, and the same as JSON Schema. A bound stands in one place,
//! which both use.

use super::{
    error::ConfigErrorKind,
    field::{ConfigField, FieldReader, SECONDS_MAX},
    in_ticks::in_ticks,
    setting::{ReadValue, ValueSchema, merge, with_pattern},
    settings::{CallRate, IdleStop, SelectiveResults, ToolPattern},
    spanned::SpannedData,
};
use pd_runtime::provider::NAME_MAX;
use serde_json::{Value, json};
use std::{num::NonZeroU32, time::Duration};

/// `true` or `false`.
#[derive(Clone, Copy)]
pub(super) struct Boolean;

/// `true` or `false`, also as a text.
#[derive(Clone, Copy)]
pub(super) struct Switch;

/// A text of one line.
#[derive(Clone, Copy)]
pub(super) struct OneLine;

/// A text that is not empty.
#[derive(Clone, Copy)]
pub(super) struct NonemptyText;

/// The name of an environment variable.
#[derive(Clone, Copy)]
pub(super) struct VariableName;

/// The beginning of the names of tools.
#[derive(Clone, Copy)]
pub(super) struct NamePrefix {
    /// An empty `prefix` passes names through. An empty `alias` would be the prefix `__`.
    pub(super) can_be_empty: bool,
}

/// The name of a tool, or its beginning and `*`.
#[derive(Clone, Copy)]
pub(super) struct PatternText;

/// A list.
#[derive(Clone, Copy)]
pub(super) struct ListOf<R>(pub(super) R);

/// One of several words, each with what it stands for.
#[derive(Clone, Copy)]
pub(super) struct Choice<T: 'static>(pub(super) &'static [(&'static str, T)]);

/// Which tools let callers choose columns.
#[derive(Clone, Copy)]
pub(super) struct SelectiveChoice;

/// A duration above zero, in seconds.
#[derive(Clone, Copy)]
pub(super) struct Seconds;

/// A duration above zero, in milliseconds.
#[derive(Clone, Copy)]
pub(super) struct Milliseconds;

/// Seconds without a call, or zero for never.
#[derive(Clone, Copy)]
pub(super) struct IdleSeconds;

/// A whole number from 1.
#[derive(Clone, Copy)]
pub(super) struct WholeNumber {
    pub(super) max: u32,
}

/// A limit on calls per unit of time.
#[derive(Clone, Copy)]
pub(super) struct RateText;

impl ValueSchema for Boolean {
    fn schema(&self) -> Value {
        json!({ "type": "boolean" })
    }
}

impl ReadValue for Boolean {
    type Value = bool;

    fn read(&self, fields: &mut FieldReader<'_, '_>, field: &ConfigField<'_>) -> Option<bool> {
        fields.boolean(field)
    }
}

impl ValueSchema for Switch {
    fn schema(&self) -> Value {
        let pattern = "^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$";
        let mut schema = json!({ "type": ["boolean", "string"] });
        merge(&mut schema, with_pattern(pattern, &"write true or false"));
        schema
    }
}

impl ReadValue for Switch {
    type Value = bool;

    fn read(&self, fields: &mut FieldReader<'_, '_>, field: &ConfigField<'_>) -> Option<bool> {
        fields.switch(field)
    }
}

impl ValueSchema for OneLine {
    fn schema(&self) -> Value {
        let mut schema = NonemptyText.schema();
        merge(
            &mut schema,
            with_pattern("^[^\\r\\n]*$", &ConfigErrorKind::SeveralLines),
        );
        schema
    }
}

impl ReadValue for OneLine {
    type Value = String;

    fn read(&self, fields: &mut FieldReader<'_, '_>, field: &ConfigField<'_>) -> Option<String> {
        fields.one_line(field).map(str::to_owned)
    }
}

impl ValueSchema for NonemptyText {
    fn schema(&self) -> Value {
        json!({ "type": "string", "minLength": 1 })
    }
}

impl ReadValue for NonemptyText {
    type Value = String;

    fn read(&self, fields: &mut FieldReader<'_, '_>, field: &ConfigField<'_>) -> Option<String> {
        fields.nonempty_text(field).map(str::to_owned)
    }
}

impl ValueSchema for VariableName {
    fn schema(&self) -> Value {
        let mut schema = NonemptyText.schema();
        merge(
            &mut schema,
            with_pattern("^[^=\\u0000]*$", &ConfigErrorKind::BadVariableName),
        );
        schema
    }
}

impl ReadValue for VariableName {
    type Value = String;

    fn read(&self, fields: &mut FieldReader<'_, '_>, field: &ConfigField<'_>) -> Option<String> {
        let name = fields.nonempty_text(field)?;
        if name.contains(['=', '\0']) {
            fields.report(field, ConfigErrorKind::BadVariableName);
            return None;
        }
        Some(name.to_owned())
    }
}

impl ValueSchema for NamePrefix {
    fn schema(&self) -> Value {
        let min = if self.can_be_empty { 0 } else { 1 };
        let pattern = format!("^[A-Za-z0-9_-]{{{min},{NAME_MAX}}}$");
        let mut schema = json!({ "type": "string" });
        merge(
            &mut schema,
            with_pattern(&pattern, &ConfigErrorKind::BadPrefix { max: NAME_MAX }),
        );
        schema
    }
}

impl ReadValue for NamePrefix {
    type Value = String;

    fn read(&self, fields: &mut FieldReader<'_, '_>, field: &ConfigField<'_>) -> Option<String> {
        if !self.can_be_empty {
            fields.nonempty_text(field)?;
        }
        let prefix = fields.text(field)?;
        // The prefix begins the names of tools, and clients accept no other characters there.
        if prefix.len() > NAME_MAX || !prefix.chars().all(is_prefix_character) {
            fields.report(field, ConfigErrorKind::BadPrefix { max: NAME_MAX });
            return None;
        }
        Some(prefix.to_owned())
    }
}

fn is_prefix_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

impl ValueSchema for PatternText {
    fn schema(&self) -> Value {
        let mut schema = NonemptyText.schema();
        merge(
            &mut schema,
            with_pattern("^[^*]*\\*?$", &ConfigErrorKind::BadPattern),
        );
        schema
    }
}

impl ReadValue for PatternText {
    type Value = ToolPattern;

    fn read(
        &self,
        fields: &mut FieldReader<'_, '_>,
        field: &ConfigField<'_>,
    ) -> Option<ToolPattern> {
        let pattern = ToolPattern::parse(fields.nonempty_text(field)?);
        if pattern.is_none() {
            fields.report(field, ConfigErrorKind::BadPattern);
        }
        pattern
    }
}

impl<R: ValueSchema> ValueSchema for ListOf<R> {
    fn schema(&self) -> Value {
        json!({ "type": "array", "items": self.0.schema() })
    }
}

impl<R: ReadValue> ReadValue for ListOf<R> {
    type Value = Vec<R::Value>;

    fn read(
        &self,
        fields: &mut FieldReader<'_, '_>,
        field: &ConfigField<'_>,
    ) -> Option<Self::Value> {
        let elements = fields.elements(field)?;
        let values = elements.iter().filter_map(|one| self.0.read(fields, one));
        Some(values.collect())
    }
}

impl<T: Sync> ValueSchema for Choice<T> {
    fn schema(&self) -> Value {
        let words: Vec<_> = self.0.iter().map(|(word, _)| *word).collect();
        json!({ "enum": words })
    }
}

impl<T: Copy + Sync> ReadValue for Choice<T> {
    type Value = T;

    fn read(&self, fields: &mut FieldReader<'_, '_>, field: &ConfigField<'_>) -> Option<T> {
        let value = fields.text(field)?;
        let chosen = self.0.iter().find(|(name, _)| *name == value);
        if chosen.is_none() {
            let value = value.to_owned();
            let choices = in_ticks(self.0.iter().map(|(name, _)| *name));
            fields.report(field, ConfigErrorKind::UnknownChoice { value, choices });
        }
        chosen.map(|(_, choice)| *choice)
    }
}

impl ValueSchema for SelectiveChoice {
    fn schema(&self) -> Value {
        json!({ "enum": [true, false, "auto"] })
    }
}

impl ReadValue for SelectiveChoice {
    type Value = SelectiveResults;

    fn read(
        &self,
        fields: &mut FieldReader<'_, '_>,
        field: &ConfigField<'_>,
    ) -> Option<SelectiveResults> {
        match (&field.value.data, field.value.as_text()) {
            (SpannedData::Boolean(true), _) => Some(SelectiveResults::Always),
            (SpannedData::Boolean(false), _) => Some(SelectiveResults::Never),
            (_, Some("auto")) => Some(SelectiveResults::Auto),
            (_, Some(value)) => {
                let choices = in_ticks(["true", "false", "\"auto\""].into_iter());
                fields.report(
                    field,
                    ConfigErrorKind::UnknownChoice {
                        value: value.to_owned(),
                        choices,
                    },
                );
                None
            }
            _ => fields.wrong_type(field, "true, false or \"auto\""),
        }
    }
}

impl ValueSchema for Seconds {
    fn schema(&self) -> Value {
        json!({ "type": "number", "exclusiveMinimum": 0, "maximum": SECONDS_MAX })
    }
}

impl ReadValue for Seconds {
    type Value = Duration;

    fn read(&self, fields: &mut FieldReader<'_, '_>, field: &ConfigField<'_>) -> Option<Duration> {
        fields.seconds(field)
    }
}

impl ValueSchema for Milliseconds {
    fn schema(&self) -> Value {
        let max = u64::from(SECONDS_MAX) * 1000;
        json!({ "type": "number", "exclusiveMinimum": 0, "maximum": max })
    }
}

impl ReadValue for Milliseconds {
    type Value = Duration;

    fn read(&self, fields: &mut FieldReader<'_, '_>, field: &ConfigField<'_>) -> Option<Duration> {
        fields.milliseconds(field)
    }
}

impl ValueSchema for IdleSeconds {
    fn schema(&self) -> Value {
        json!({ "type": "number", "minimum": 0, "maximum": SECONDS_MAX })
    }
}

impl ReadValue for IdleSeconds {
    type Value = IdleStop;

    fn read(&self, fields: &mut FieldReader<'_, '_>, field: &ConfigField<'_>) -> Option<IdleStop> {
        let duration = fields.seconds_or_zero(field)?;
        Some(if duration.is_zero() {
            IdleStop::Never
        } else {
            IdleStop::After(duration)
        })
    }
}

impl ValueSchema for WholeNumber {
    fn schema(&self) -> Value {
        json!({ "type": "integer", "minimum": 1, "maximum": self.max })
    }
}

impl ReadValue for WholeNumber {
    type Value = NonZeroU32;

    fn read(
        &self,
        fields: &mut FieldReader<'_, '_>,
        field: &ConfigField<'_>,
    ) -> Option<NonZeroU32> {
        fields.whole_number(field, self.max)
    }
}

impl ValueSchema for RateText {
    fn schema(&self) -> Value {
        let pattern = "^\\s*\\+?0*[1-9][0-9]{0,9}\\s*/\\s*(s|min|h)\\s*$";
        let mut schema = json!({ "type": "string" });
        merge(
            &mut schema,
            with_pattern(pattern, &ConfigErrorKind::BadRate),
        );
        schema
    }
}

impl ReadValue for RateText {
    type Value = CallRate;

    fn read(&self, fields: &mut FieldReader<'_, '_>, field: &ConfigField<'_>) -> Option<CallRate> {
        let rate = CallRate::parse(fields.text(field)?);
        if rate.is_none() {
            fields.report(field, ConfigErrorKind::BadRate);
        }
        rate
    }
}
