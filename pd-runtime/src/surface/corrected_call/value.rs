//! The arguments of a corrected call, some of which are yet to be filled in.

use super::{OPTIONAL_MAX, is_repeatable};
use crate::catalog::signature::{
    argument::{ShownType, ValueSchema},
    variants::VariantTag,
};
use pd_schema::{accepted_types::json_type, json_text::begins_as_json};
use serde_json::Value;

/// The most items of an array that are repeated.
const ITEMS_MAX: usize = 10;
/// The deepest value that is repeated.
const DEPTH_MAX: usize = 16;
/// The most levels of objects that are shown member by member.
const OBJECTS_MAX: usize = 2;

/// The most required members that are shown one by one. It bounds the work of hostile schemas.
const MEMBERS_MAX: usize = 8;

/// A value of the corrected call.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CorrectedValue {
    /// A number, a word, or a short text.
    Kept(Value),
    /// A value of this JSON type that is too long to be repeated.
    Omitted(&'static str),
    /// A text that is too long to be repeated, and that begins as JSON does.
    OmittedJson,
    /// The type of a value that is yet to be chosen.
    Wanted(ShownType),
    /// The type of a value that may be left out.
    Offered(ShownType),
    Object(Vec<CorrectedMember>),
    Array(Vec<CorrectedValue>),
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CorrectedMember {
    pub(super) name: String,
    pub(super) value: CorrectedValue,
}

impl CorrectedMember {
    pub(super) fn new(name: &str, value: CorrectedValue) -> Self {
        Self {
            name: name.to_owned(),
            value,
        }
    }

    fn write(&self, out: &mut String, has_comments: bool) {
        out.push_str(&Value::from(self.name.as_str()).to_string());
        out.push_str(": ");
        self.value.write(out, has_comments);
    }
}

impl CorrectedValue {
    /// Repeats a value. What is long or cannot be seen is omitted.
    pub(super) fn repeat(value: &Value) -> Self {
        Self::repeat_at(value, 0)
    }

    fn repeat_at(value: &Value, depth: usize) -> Self {
        match value {
            Value::String(text) if !is_repeatable(text) && begins_as_json(text) => {
                Self::OmittedJson
            }
            Value::String(text) if !is_repeatable(text) => Self::Omitted(json_type(value)),
            Value::Array(items) if items.len() <= ITEMS_MAX && depth < DEPTH_MAX => Self::Array(
                items
                    .iter()
                    .map(|item| Self::repeat_at(item, depth + 1))
                    .collect(),
            ),
            // The call is text for a model, and names of members are as untrusted as values.
            Value::Object(members)
                if depth < DEPTH_MAX && members.keys().all(|name| is_repeatable(name)) =>
            {
                let members = members.iter();
                let repeated = members.map(|(name, value)| {
                    CorrectedMember::new(name, Self::repeat_at(value, depth + 1))
                });
                Self::Object(repeated.collect())
            }
            Value::Array(_) | Value::Object(_) => Self::Omitted(json_type(value)),
            scalar => Self::Kept(scalar.clone()),
        }
    }

    /// Describes a value that no schema describes.
    pub(super) fn unknown() -> Self {
        Self::Wanted(ShownType {
            form: "another value".to_owned(),
            about: String::new(),
        })
    }

    /// Describes a value that is missing or wrong. An object is described by its required members.
    pub(super) fn wanted(schema: ValueSchema<'_>) -> Self {
        Self::wanted_at(schema, OBJECTS_MAX)
    }

    fn wanted_at(schema: ValueSchema<'_>, objects: usize) -> Self {
        let required = schema
            .known_names()
            .map(|_| schema.required_names())
            .unwrap_or_default();
        // Without required members, an empty object would say less than the type.
        let is_shown = (1..=MEMBERS_MAX).contains(&required.len())
            && required.iter().all(|name| is_repeatable(name));
        let Some(rest) = objects.checked_sub(1).filter(|_| is_shown) else {
            return Self::Wanted(schema.show());
        };
        Self::Object(
            required
                .into_iter()
                .filter_map(|name| {
                    Some(CorrectedMember::new(
                        name,
                        Self::wanted_at(schema.inner(name)?, rest),
                    ))
                })
                .collect(),
        )
    }

    /// Returns the value as a schema accepts it, or `None` if the schema does not accept the value.
    pub(super) fn convert(&self, schema: ValueSchema<'_>) -> Option<Self> {
        let kind = match self {
            Self::Kept(value) => return schema.convert(value).map(|value| Self::repeat(&value)),
            Self::Omitted(kind) => kind,
            Self::OmittedJson => "string",
            Self::Wanted(_) | Self::Offered(_) => return None,
            // Only the type counts here: violations inside are corrected at their paths.
            Self::Object(_) => "object",
            Self::Array(_) => "array",
        };
        schema.accepts_type(kind).then(|| self.clone())
    }

    /// Returns the only number in a text, such as 45 in "45 minutes before", or the date of a time,
    /// if a schema accepts it. The rest of the text is lost.
    pub(super) fn part(&self, schema: ValueSchema<'_>) -> Option<Self> {
        let Self::Kept(Value::String(text)) = self else {
            return None;
        };
        if let Some((date, _)) = text
            .split_once(['T', ' '])
            .filter(|(date, _)| schema.accepts_date(date))
        {
            return Some(Self::Kept(date.into()));
        }
        let mut words = text
            .split_whitespace()
            .filter(|word| word.bytes().any(|byte| byte.is_ascii_digit()));
        let number = serde_json::from_str(words.next()?)
            .ok()
            .filter(Value::is_number)?;
        // Two numbers in a text would make the choice a guess.
        if words.next().is_some() || !schema.accepts_type(json_type(&number)) {
            return None;
        }
        Some(Self::Kept(number))
    }

    /// Returns whether this is one of these texts.
    pub(super) fn is_one_of(&self, texts: &[String]) -> bool {
        matches!(self, Self::Kept(Value::String(text)) if texts.contains(text))
    }

    /// Returns the object that is wanted instead of this value, with the value in the only member
    /// that can have it. A text with JSON would become data without notice.
    pub(super) fn wrap(&self, schema: ValueSchema<'_>) -> Option<Self> {
        if self.begins_as_json() {
            return None;
        }
        let Self::Object(mut members) = Self::wanted(schema) else {
            return None;
        };
        let converted: Vec<_> = members
            .iter()
            .map(|member| {
                let schema = schema
                    .inner(&member.name)
                    .filter(|schema| schema.options().is_empty())?;
                self.convert(schema)
            })
            .collect();
        let mut fitting = members
            .iter_mut()
            .zip(converted)
            .filter_map(|(member, value)| Some((member, value?)));
        let (member, value) = fitting.next()?;
        // Two members that can have the value would make the choice a guess.
        if fitting.next().is_some() {
            return None;
        }
        member.value = value;
        Some(Self::Object(members))
    }

    /// Returns whether the value is a text that begins as JSON does.
    pub(super) fn begins_as_json(&self) -> bool {
        match self {
            Self::Kept(value) => value.as_str().is_some_and(begins_as_json),
            Self::OmittedJson => true,
            _ => false,
        }
    }

    /// Returns the object of an enum that has no tag with the tag that is yet to be chosen.
    pub(super) fn with_tag(&self, schema: ValueSchema<'_>) -> Option<Self> {
        let Self::Object(members) = self else {
            return None;
        };
        let tag = schema
            .variants()
            .into_iter()
            .find_map(|variant| variant.tag.member())?;
        if members.iter().any(|member| member.name == tag) || !is_repeatable(tag) {
            return None;
        }
        let wanted = Self::Wanted(ValueSchema::show_words(&schema.tag_words(tag)));
        // The tag comes first, because it decides which members belong in the object.
        let members =
            std::iter::once(CorrectedMember::new(tag, wanted)).chain(members.iter().cloned());
        Some(Self::Object(members.collect()))
    }

    /// Returns whether an object has a member that is not yet to be chosen.
    pub(super) fn has(&self, name: &str) -> bool {
        let Self::Object(members) = self else {
            return false;
        };
        members.iter().any(|member| {
            member.name == name && !matches!(member.value, Self::Wanted(_) | Self::Offered(_))
        })
    }

    /// Sets a member of an object.
    pub(super) fn set(&mut self, name: &str, value: Self) {
        let Self::Object(members) = self else { return };
        match members.iter_mut().find(|member| member.name == name) {
            Some(member) => member.value = value,
            None => members.push(CorrectedMember::new(name, value)),
        }
    }

    /// Returns the object with the members that may be added, also to its objects that are yet to
    /// be filled in. Returns `None` if there are no such members, or too many.
    pub(super) fn with_offers(&self, schema: ValueSchema<'_>) -> Option<Self> {
        let Self::Object(members) = self else {
            return None;
        };
        let mut members = members.clone();
        let mut is_changed = false;
        for member in members
            .iter_mut()
            // A complete member needs no offers: the caller has chosen its content.
            .filter(|member| !member.value.is_complete())
        {
            let inner = schema
                .inner(&member.name)
                .and_then(|schema| member.value.with_offers(schema));
            if let Some(value) = inner {
                member.value = value;
                is_changed = true;
            }
        }
        let new = schema
            .known_names()
            .unwrap_or_default()
            .into_iter()
            .filter(|name| {
                is_repeatable(name) && members.iter().all(|member| member.name != *name)
            });
        // One more than are shown, so that hostile schemas with many names cost no more.
        let names: Vec<&str> = new.take(OPTIONAL_MAX + 1).collect();
        if (1..=OPTIONAL_MAX).contains(&names.len()) {
            members.extend(names.iter().filter_map(|name| {
                Some(CorrectedMember::new(
                    name,
                    Self::Offered(schema.inner(name)?.show()),
                ))
            }));
            is_changed = true;
        }
        is_changed.then_some(Self::Object(members))
    }

    /// Adds the members that a schema requires.
    pub(super) fn add_required(&mut self, schema: ValueSchema<'_>) {
        let (Self::Object(members), Self::Object(required)) = (self, Self::wanted(schema)) else {
            return;
        };
        for member in required {
            if members.iter().all(|own| own.name != member.name) {
                members.push(member);
            }
        }
    }

    /// Returns the variant of an enum that the value's tag chooses, or else the schema itself.
    pub(super) fn variant_in<'s>(&self, schema: ValueSchema<'s>) -> ValueSchema<'s> {
        let chosen = schema
            .variants()
            .into_iter()
            .find(|variant| self.has_tag(variant.tag));
        chosen.map_or(schema, |variant| variant.schema)
    }

    fn has_tag(&self, tag: VariantTag<'_>) -> bool {
        let is_word = |value: &Self, word: &str| matches!(value, Self::Kept(Value::String(text)) if text == word);
        match tag {
            VariantTag::Word(word) => is_word(self, word),
            VariantTag::Key(key) => self.get(key).is_some(),
            VariantTag::Member { name, word } => {
                self.get(name).is_some_and(|value| is_word(value, word))
            }
        }
    }

    /// Returns the member or the item at one step.
    pub(super) fn get(&self, step: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members
                .iter()
                .find(|member| member.name == step)
                .map(|member| &member.value),
            Self::Array(items) => items.get(step.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// Returns the value that these steps lead to.
    pub(super) fn get_mut(&mut self, path: &[String]) -> Option<&mut Self> {
        path.iter().try_fold(self, |value, step| match value {
            Self::Object(members) => members
                .iter_mut()
                .find(|member| member.name == *step)
                .map(|member| &mut member.value),
            Self::Array(items) => items.get_mut(step.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// Returns the value as far as it is chosen. Items keep their places.
    pub(super) fn chosen(&self) -> Option<Value> {
        match self {
            Self::Kept(value) => Some(value.clone()),
            Self::Omitted(_) | Self::OmittedJson | Self::Wanted(_) | Self::Offered(_) => None,
            Self::Object(members) => Some(Value::Object(
                members
                    .iter()
                    .filter_map(|member| Some((member.name.clone(), member.value.chosen()?)))
                    .collect(),
            )),
            Self::Array(items) => Some(
                items
                    .iter()
                    // A gap becomes `null`, so that the items after it keep their indexes.
                    .map(|item| item.chosen().unwrap_or_default())
                    .collect(),
            ),
        }
    }

    /// Returns whether there is nothing to fill in.
    pub(super) fn is_complete(&self) -> bool {
        match self {
            // An offer may be left out, so the call is complete without it.
            Self::Kept(_) | Self::Offered(_) => true,
            // The caller must repeat an omitted value.
            Self::Omitted(_) | Self::OmittedJson | Self::Wanted(_) => false,
            Self::Object(members) => members.iter().all(|member| member.value.is_complete()),
            Self::Array(items) => items.iter().all(Self::is_complete),
        }
    }

    /// Writes the value. Gaps are in angle brackets, which are not valid JSON, so that no model
    /// sends the text unchanged.
    pub(super) fn write(&self, out: &mut String, has_comments: bool) {
        match self {
            Self::Kept(value) => out.push_str(&value.to_string()),
            Self::Omitted(_) | Self::OmittedJson => out.push_str("<as before>"),
            Self::Wanted(shown) => write_placeholder(out, "<", shown, has_comments),
            Self::Offered(shown) => write_placeholder(out, "<optional ", shown, has_comments),
            Self::Object(members) => {
                write_list(out, "{", "}", members, |member, out| {
                    member.write(out, has_comments)
                });
            }
            Self::Array(items) => write_list(out, "[", "]", items, |item, out| {
                item.write(out, has_comments)
            }),
        }
    }
}

fn write_placeholder(out: &mut String, open: &str, shown: &ShownType, has_comments: bool) {
    let about = Some(&shown.about).filter(|about| has_comments && !about.is_empty());
    let about = about.map(|about| format!(": {about}")).unwrap_or_default();
    out.extend([open, &shown.form, &about, ">"]);
}

fn write_list<T>(
    out: &mut String,
    open: &str,
    close: &str,
    items: &[T],
    write: impl Fn(&T, &mut String),
) {
    out.push_str(open);
    for (place, item) in items.iter().enumerate() {
        out.push_str(if place == 0 { "" } else { ", " });
        write(item, out);
    }
    out.push_str(close);
}
