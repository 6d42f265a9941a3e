//! Reads values of the expected types, and reports the ones of other types.

use super::{
    error::ConfigErrorKind,
    mistake_collector::MistakeCollector,
    spanned::{SpannedData, SpannedMember, SpannedValue},
};
use std::{num::NonZeroU32, time::Duration};

/// The limit on durations: 366 days.
pub(super) const SECONDS_MAX: u32 = 366 * 24 * 60 * 60;

/// A value, and its key within the entry, such as `pd.tools.search.rate`.
#[derive(Debug, Clone)]
pub(super) struct ConfigField<'v> {
    pub(super) key: String,
    pub(super) offset: usize,
    pub(super) value: &'v SpannedValue,
}

impl<'v> ConfigField<'v> {
    /// Returns the field of a whole entry. The keys in it have no prefix.
    pub(super) fn root(entry: &'v SpannedMember) -> Self {
        Self {
            key: String::new(),
            offset: entry.offset,
            value: &entry.value,
        }
    }

    /// Returns the member of a key that a loop names. The readers name declared keys, with `get`.
    pub(super) fn named(&self, key: &str) -> Option<Self> {
        self.value.get(key).map(|member| self.child(member))
    }

    pub(super) fn child(&self, member: &'v SpannedMember) -> Self {
        let separator = if self.key.is_empty() { "" } else { "." };
        let key = format!("{}{separator}{}", self.key, member.key);
        Self {
            key,
            offset: member.offset,
            value: &member.value,
        }
    }
}

/// Reads the fields of one entry.
#[derive(Debug)]
pub(super) struct FieldReader<'r, 't> {
    /// The name of the entry, or `None` for the settings of the whole file.
    pub(super) entry: Option<&'r str>,
    pub(super) mistakes: &'r mut MistakeCollector<'t>,
}

impl FieldReader<'_, '_> {
    pub(super) fn report(&mut self, field: &ConfigField<'_>, kind: ConfigErrorKind) {
        self.mistakes
            .report(field.offset, self.entry, &field.key, kind);
    }

    /// Reports a mistake that does not prevent the use of the entry.
    pub(super) fn warn(&mut self, field: &ConfigField<'_>, kind: ConfigErrorKind) {
        self.mistakes
            .warn(field.offset, self.entry, &field.key, kind);
    }

    pub(super) fn wrong_type<T>(
        &mut self,
        field: &ConfigField<'_>,
        wanted: &'static str,
    ) -> Option<T> {
        self.report(
            field,
            ConfigErrorKind::WrongType {
                wanted,
                found: field.value.type_name(),
            },
        );
        None
    }

    pub(super) fn text<'v>(&mut self, field: &ConfigField<'v>) -> Option<&'v str> {
        match field.value.as_text() {
            Some(text) => Some(text),
            None => self.wrong_type(field, "a string"),
        }
    }

    pub(super) fn nonempty_text<'v>(&mut self, field: &ConfigField<'v>) -> Option<&'v str> {
        let text = self.text(field)?;
        if text.is_empty() {
            self.report(field, ConfigErrorKind::EmptyText);
            return None;
        }
        Some(text)
    }

    pub(super) fn one_line<'v>(&mut self, field: &ConfigField<'v>) -> Option<&'v str> {
        let text = self.nonempty_text(field)?;
        if text.contains(['\n', '\r']) {
            self.report(field, ConfigErrorKind::SeveralLines);
            return None;
        }
        Some(text)
    }

    pub(super) fn boolean(&mut self, field: &ConfigField<'_>) -> Option<bool> {
        match field.value.data {
            SpannedData::Boolean(value) => Some(value),
            _ => self.wrong_type(field, "true or false"),
        }
    }

    /// Reads a switch. Some programs write it as a text.
    pub(super) fn switch(&mut self, field: &ConfigField<'_>) -> Option<bool> {
        match field
            .value
            .as_text()
            .map(str::to_ascii_lowercase)
            .as_deref()
        {
            Some("true") => Some(true),
            Some("false") => Some(false),
            _ => self.boolean(field),
        }
    }

    /// Returns the elements of an array. Their keys are `key[0]`, `key[1]` and so on.
    pub(super) fn elements<'v>(&mut self, field: &ConfigField<'v>) -> Option<Vec<ConfigField<'v>>> {
        let SpannedData::Array(values) = &field.value.data else {
            return self.wrong_type(field, "an array");
        };
        let elements = values.iter().enumerate().map(|(index, value)| ConfigField {
            key: format!("{}[{index}]", field.key),
            offset: value.offset,
            value,
        });
        Some(elements.collect())
    }

    /// Returns the members of an object, and reports keys that occur twice.
    pub(super) fn members<'v>(
        &mut self,
        field: &ConfigField<'v>,
    ) -> Option<Vec<(&'v str, ConfigField<'v>)>> {
        let Some(members) = field.value.as_object() else {
            return self.wrong_type(field, "an object");
        };
        let mut fields: Vec<(&'v str, ConfigField<'v>)> = Vec::with_capacity(members.len());
        // A set, because a search of `fields` would take quadratic time in a file of 32 MiB.
        let mut keys = std::collections::BTreeSet::new();
        for member in members {
            let child = field.child(member);
            if !keys.insert(member.key.as_str()) {
                self.report(
                    &child,
                    ConfigErrorKind::DuplicateKey {
                        key: member.key.clone(),
                    },
                );
            }
            fields.push((&member.key, child));
        }
        Some(fields)
    }

    pub(super) fn number(&mut self, field: &ConfigField<'_>) -> Option<f64> {
        match field.value.data {
            SpannedData::Number(number, _) => Some(number),
            _ => self.wrong_type(field, "a number"),
        }
    }

    /// Returns a duration above zero, given in seconds.
    pub(super) fn seconds(&mut self, field: &ConfigField<'_>) -> Option<Duration> {
        self.duration(field, 1.0, "above 0")
            .filter(|duration| !duration.is_zero())
    }

    /// Returns a duration, given in seconds. Zero is a valid value.
    pub(super) fn seconds_or_zero(&mut self, field: &ConfigField<'_>) -> Option<Duration> {
        self.duration(field, 1.0, "from 0")
    }

    /// Returns a duration above zero, given in milliseconds.
    pub(super) fn milliseconds(&mut self, field: &ConfigField<'_>) -> Option<Duration> {
        self.duration(field, 1000.0, "above 0")
            .filter(|duration| !duration.is_zero())
    }

    /// Returns a duration above zero in the unit that its size suggests: values from `least` are
    /// milliseconds, and smaller ones are seconds.
    pub(super) fn guessed_unit(&mut self, field: &ConfigField<'_>, least: f64) -> Option<Duration> {
        let number = self.number(field)?;
        if number >= least {
            self.milliseconds(field)
        } else {
            self.seconds(field)
        }
    }

    fn duration(
        &mut self,
        field: &ConfigField<'_>,
        per_second: f64,
        above: &'static str,
    ) -> Option<Duration> {
        let seconds = self.number(field)? / per_second;
        let is_above = seconds > 0.0 || (above == "from 0" && seconds == 0.0);
        // An error for `1e300`, for negative numbers, and for NaN, which stands for a number that
        // `f64` cannot parse.
        let duration = Duration::try_from_secs_f64(seconds).ok();
        // A positive number below a nanosecond rounds to zero, which means something else.
        let duration = duration.filter(|duration| {
            is_above && seconds <= f64::from(SECONDS_MAX) && (seconds == 0.0 || !duration.is_zero())
        });
        if duration.is_none() {
            let (unit, factor) = if per_second > 1.0 {
                ("milliseconds", 1000)
            } else {
                ("seconds", 1)
            };
            let max = u64::from(SECONDS_MAX) * factor;
            self.report(field, ConfigErrorKind::BadDuration { unit, above, max });
        }
        duration
    }

    /// Returns a whole number from 1 to a limit.
    pub(super) fn whole_number(&mut self, field: &ConfigField<'_>, max: u32) -> Option<NonZeroU32> {
        let number = self.number(field)?;
        let is_count = number.fract() == 0.0 && (1.0..=f64::from(max)).contains(&number);
        // The range is checked, so the conversion is exact.
        let count = if is_count {
            NonZeroU32::new(number as u32)
        } else {
            None
        };
        if count.is_none() {
            self.report(field, ConfigErrorKind::BadCount { max });
        }
        count
    }
}
