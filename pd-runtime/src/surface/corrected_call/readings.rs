//! The corrections that come before the corrections of members: texts that contain JSON, and the
//! tags of enums. Only then does the schema say which members belong in an object.

use super::{is_repeatable, steps};
use crate::{
    catalog::signature::{
        argument::ValueSchema,
        variants::{Variant, VariantTag},
    },
    registry::{tool_spec::ToolSpec, validate::InvalidArguments},
    surface::argument_names::is_same,
};
use pd_schema::{accepted_types::json_type, json_text, pointer, suggest::nearest};
use rmcp::model::JsonObject;
use serde_json::Value;

/// The most rounds: a text may hold texts, and an enum may hold enums.
const ROUNDS_MAX: usize = 4;

/// Arguments with their texts read and their tags corrected.
#[derive(Debug)]
pub(super) enum ReadArguments {
    Valid(JsonObject),
    /// They still do not fit.
    Invalid(InvalidArguments),
    /// There is nothing to read or to correct in this way.
    Unchanged,
}

/// Reads the texts, and corrects the tags. Adds what was changed, in words.
pub(super) fn read(
    about: &ToolSpec,
    schema: ValueSchema<'_>,
    invalid: &InvalidArguments,
    changes: &mut Vec<String>,
) -> ReadArguments {
    // Without a validator nothing shows whether a change helped.
    let Ok(validator) = about.input.validator() else {
        return ReadArguments::Unchanged;
    };
    let mut outcome = ReadArguments::Unchanged;
    // Each round validates again, because a text that was read shows the violations inside it.
    for _ in 0..ROUNDS_MAX {
        let current = match &outcome {
            ReadArguments::Invalid(next) => next,
            _ => invalid,
        };
        let Some(arguments) = changed(schema, current, changes) else {
            break;
        };
        outcome = match validator.validate(about.input.completed(arguments)) {
            Ok(arguments) => return ReadArguments::Valid(arguments),
            Err(next) => ReadArguments::Invalid(next),
        };
    }
    outcome
}

/// Returns the arguments after one round, or `None` if nothing has changed.
fn changed(
    schema: ValueSchema<'_>,
    invalid: &InvalidArguments,
    changes: &mut Vec<String>,
) -> Option<JsonObject> {
    // Texts before tags: an enum inside a text has no tag that could be corrected.
    if let Some(arguments) = invalid.with_texts_read() {
        for text in &invalid.violations.texts.0 {
            let kind = json_type(&text.value);
            change(&text.path, changes, |name| format!("{name} as {kind}"));
        }
        return Some(arguments);
    }
    let mut sent = Value::Object(invalid.arguments.clone());
    let mut is_changed = false;
    for path in invalid
        .violations
        .first
        .iter()
        .filter_map(|one| steps(&one.pointer))
    {
        // The violation is at the enum's value, or at its tag or another member.
        for path in [
            Some(path.as_slice()),
            path.split_last().map(|(_, parent)| parent),
        ]
        .into_iter()
        .flatten()
        {
            let place = path
                .iter()
                .try_fold(&sent, |value, step| pointer::part(value, step));
            let tagged = schema
                .at_in(path, &sent)
                .zip(place)
                .and_then(|(schema, value)| with_tag(schema, value));
            if let Some((tagged, value)) = tagged.zip(json_text::get_mut(&mut sent, path)) {
                *value = tagged;
                is_changed = true;
                change(path, changes, |name| format!("another variant of {name}"));
            }
        }
    }
    match sent {
        Value::Object(arguments) if is_changed => Some(arguments),
        _ => None,
    }
}

fn change(path: &[String], changes: &mut Vec<String>, render: impl Fn(&str) -> String) {
    let path = path.join("/");
    changes.push(if is_repeatable(&path) {
        render(&format!("`{path}`"))
    } else {
        render("argument")
    });
}

/// Returns a value of an enum with the tag that was meant, or `None` if it has one already, or none
/// is near.
fn with_tag(schema: ValueSchema<'_>, value: &Value) -> Option<Value> {
    let variants = schema.variants();
    if variants.iter().any(|variant| variant.tag.is_in(value)) {
        return None;
    }
    match value {
        Value::String(word) => {
            let variant = meant(word, variants.iter())?;
            match variant.tag {
                VariantTag::Word(word) => Some(word.into()),
                VariantTag::Member { name, word } => Some(object(name, word.into())),
                // The next validation says what belongs there, unless `null` does.
                VariantTag::Key(key) => {
                    let takes_null = variant
                        .schema
                        .inner(key)
                        .is_none_or(|inner| inner.accepts_type("null"));
                    (!takes_null).then(|| object(key, Value::Null))
                }
            }
        }
        Value::Object(members) => {
            let mut tags = variants.iter().filter_map(|variant| variant.tag.member());
            match tags.find(|name| members.contains_key(*name)) {
                Some(name) => {
                    let of_name = variants
                        .iter()
                        .filter(|variant| variant.tag.member() == Some(name));
                    let variant = meant(members.get(name)?.as_str()?, of_name)?;
                    let mut members = members.clone();
                    members.insert(name.to_owned(), variant.tag.word().into());
                    Some(Value::Object(members))
                }
                None => with_key(members, &variants).or_else(|| with_member(members, &variants)),
            }
        }
        _ => None,
    }
}

/// Returns an object with one member, which has the name that was meant. If the variant is a word
/// alone, the member must be empty, because its value would be lost.
fn with_key(members: &JsonObject, variants: &[Variant<'_>]) -> Option<Value> {
    let mut members = members.iter();
    let (Some((key, value)), None) = (members.next(), members.next()) else {
        return None;
    };
    // A tag in a member is not the name of the only member.
    let outer = variants
        .iter()
        .filter(|variant| variant.tag.member().is_none());
    match meant(key, outer)?.tag {
        VariantTag::Key(key) => Some(object(key, value.clone())),
        VariantTag::Word(word) => {
            let is_empty = value.is_null() || value.as_object().is_some_and(JsonObject::is_empty);
            is_empty.then(|| word.into())
        }
        VariantTag::Member { .. } => None,
    }
}

/// Returns an object whose tag is a member, from one whose only member has the variant's name. What
/// is inside goes beside the tag, or into the only other member of the variant.
fn with_member(members: &JsonObject, variants: &[Variant<'_>]) -> Option<Value> {
    let mut members = members.iter();
    let (Some((key, value)), None) = (members.next(), members.next()) else {
        return None;
    };
    let tagged = variants
        .iter()
        .filter(|variant| variant.tag.member().is_some());
    let variant = meant(key, tagged)?;
    let VariantTag::Member { name, word } = variant.tag else {
        return None;
    };
    let mut others = variant.schema.known_names()?;
    others.retain(|other| *other != name);
    let mut tagged = JsonObject::new();
    tagged.insert(name.to_owned(), word.into());
    match (value, others.as_slice()) {
        (Value::Null, []) => {}
        (Value::Object(inside), _)
            if inside.keys().all(|inner| others.contains(&inner.as_str())) =>
        {
            tagged.extend(inside.clone());
        }
        (value, [only]) => _ = tagged.insert((*only).to_owned(), value.clone()),
        _ => return None,
    }
    Some(Value::Object(tagged))
}

fn object(name: &str, value: Value) -> Value {
    let mut members = JsonObject::new();
    members.insert(name.to_owned(), value);
    Value::Object(members)
}

/// Returns the variant that a word means: the only one that differs in capitals and marks, or else
/// the nearest one.
fn meant<'v, 's: 'v>(
    word: &str,
    variants: impl Iterator<Item = &'v Variant<'s>>,
) -> Option<Variant<'s>> {
    let variants: Vec<&Variant<'_>> = variants.collect();
    let mut same = variants
        .iter()
        .filter(|variant| is_same(variant.tag.word(), word));
    // Two variants that differ in capitals alone would make the choice a guess.
    if let (Some(only), None) = (same.next(), same.next()) {
        return Some(**only);
    }
    let words: Vec<&str> = variants.iter().map(|variant| variant.tag.word()).collect();
    let near = nearest(word, &words)?;
    variants
        .into_iter()
        .find(|variant| variant.tag.word() == near)
        .copied()
}
