//! The variants of a tagged enum, as the branches of a union tell them apart.

use super::argument::ValueSchema;
use pd_schema::{pointer, reader::SchemaRef};
use serde_json::Value;

/// The most branches of a union that are examined, with unions inside of it.
const BRANCHES_MAX: usize = 64;

/// One variant of an enum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variant<'s> {
    pub(crate) tag: VariantTag<'s>,
    pub(crate) schema: ValueSchema<'s>,
}

/// What tells a variant from others, in the forms of serde.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VariantTag<'s> {
    /// The value is this word: a unit variant.
    Word(&'s str),
    /// The only member of the object has this name: an external tag.
    Key(&'s str),
    /// A member of the object is this word: an internal or adjacent tag.
    Member { name: &'s str, word: &'s str },
}

impl<'s> VariantTag<'s> {
    /// Returns the variant's name.
    pub(crate) fn word(self) -> &'s str {
        match self {
            Self::Word(word) | Self::Key(word) | Self::Member { word, .. } => word,
        }
    }

    /// Returns the name of the member that contains the tag.
    pub(crate) fn member(self) -> Option<&'s str> {
        match self {
            Self::Member { name, .. } => Some(name),
            Self::Word(_) | Self::Key(_) => None,
        }
    }

    /// Returns whether a value has this tag.
    pub(crate) fn is_in(self, value: &Value) -> bool {
        match self {
            Self::Word(word) => value == word,
            Self::Key(key) => value.get(key).is_some(),
            Self::Member { name, word } => value.get(name).is_some_and(|value| value == word),
        }
    }
}

impl<'s> Variant<'s> {
    /// Returns the variants of a schema. Other members beside a union belong to no variant, so such
    /// a schema has none.
    pub(super) fn all(schema: ValueSchema<'s>) -> Vec<Self> {
        let mut variants = Vec::new();
        if !schema.schema.resolved().has_properties() {
            collect(
                schema,
                schema.schema.resolved(),
                &mut BRANCHES_MAX.clone(),
                &mut variants,
            );
        }
        variants
    }
}

impl<'s> ValueSchema<'s> {
    /// Returns the schema of the value at these steps, which are names of properties and indices. A tag
    /// that the arguments contain chooses its variant of a union.
    pub(crate) fn at_in<S: AsRef<str>>(self, steps: &[S], arguments: &Value) -> Option<Self> {
        let mut schema = self;
        let mut value = Some(arguments);
        for step in steps {
            let chosen = value.map_or(schema, |value| schema.chosen_by(value));
            schema = chosen.inner(step.as_ref())?;
            value = value.and_then(|value| pointer::part(value, step.as_ref()));
        }
        Some(schema)
    }

    /// Returns the variant of a union that the tag in a value chooses, or else the schema itself.
    pub(crate) fn chosen_by(self, value: &Value) -> Self {
        let chosen = self
            .variants()
            .into_iter()
            .find(|variant| variant.tag.is_in(value));
        chosen.map_or(self, |variant| variant.schema)
    }

    /// Returns the variants of a tagged enum. Returns none for other schemas.
    pub(crate) fn variants(self) -> Vec<Variant<'s>> {
        Variant::all(self)
    }

    /// Returns the words that the tag in this member may be. Returns none for other members.
    pub(crate) fn tag_words(self, member: &str) -> Vec<&'s str> {
        let variants = self
            .variants()
            .into_iter()
            .filter(|variant| variant.tag.member() == Some(member));
        variants.map(|variant| variant.tag.word()).collect()
    }
}

fn collect<'s>(
    of: ValueSchema<'s>,
    schema: SchemaRef<'s>,
    left: &mut usize,
    variants: &mut Vec<Variant<'s>>,
) {
    for branch in schema.one_of().into_iter().chain(schema.any_of()).flatten() {
        let Some(rest) = left.checked_sub(1) else {
            return;
        };
        // The budget counts all branches together, because a union may contain itself.
        *left = rest;
        let branch = branch.resolved();
        if branch.has_alternatives() && !branch.has_properties() {
            collect(of, branch, left, variants);
        } else {
            let words = listed(branch);
            let tags = words
                .into_iter()
                .map(VariantTag::Word)
                .chain(object_tag(branch));
            variants.extend(tags.map(|tag| Variant {
                tag,
                schema: of.with(branch),
            }));
        }
    }
}

/// Returns the words to which `const` or `enum` restricts a value.
fn listed(schema: SchemaRef<'_>) -> Vec<&str> {
    let only = schema.get("const").and_then(Value::as_str).into_iter();
    let listed = schema
        .get("enum")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    only.chain(listed.filter_map(Value::as_str)).collect()
}

fn object_tag<'s>(schema: SchemaRef<'s>) -> Option<VariantTag<'s>> {
    let required: Vec<&str> = schema.required().collect();
    schema
        .properties()
        .find_map(
            |(name, schema)| match listed(schema.resolved()).as_slice() {
                // An optional member may be absent, so it does not identify a variant.
                [word] if required.contains(&name) => Some(VariantTag::Member { name, word }),
                _ => None,
            },
        )
        .or_else(|| {
            let mut properties = schema.properties();
            match (properties.next(), properties.next()) {
                (Some((name, _)), None) if required == [name] => Some(VariantTag::Key(name)),
                _ => None,
            }
        })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    fn tags(schema: &Value) -> Vec<String> {
        let variants = ValueSchema::from_root(schema).variants();
        variants
            .iter()
            .map(|variant| format!("{:?}", variant.tag))
            .collect()
    }

    #[test]
    fn the_tags_of_all_forms_of_serde_are_found() {
        let object = |members: Value| {
            let required: Vec<String> = members.as_object().unwrap().keys().cloned().collect();
            json!({ "type": "object", "properties": members, "required": required })
        };
        let external = json!({ "oneOf": [
            { "type": "string", "enum": ["all", "none"] },
            object(json!({ "between": { "type": "array" } })),
        ] });
        assert_eq!(
            tags(&external),
            ["Word(\"all\")", "Word(\"none\")", "Key(\"between\")"]
        );
        let adjacent = json!({ "anyOf": [{ "type": "null" }, { "oneOf": [
            object(json!({ "kind": { "const": "all" } })),
            { "$ref": "#/$defs/Between" },
        ] }], "$defs": { "Between": object(json!({ "kind": { "enum": ["between"] }, "value": {} })) } });
        assert_eq!(
            tags(&adjacent),
            [
                "Member { name: \"kind\", word: \"all\" }",
                "Member { name: \"kind\", word: \"between\" }"
            ]
        );
        assert_eq!(
            tags(&json!({ "type": "object", "properties": { "a": {} } })),
            [""; 0]
        );
    }

    #[test]
    fn unions_without_end_are_examined_up_to_a_limit() {
        let schema = json!({ "anyOf": [{ "const": "a" }, { "$ref": "#" }] });
        assert!((1..=BRANCHES_MAX).contains(&tags(&schema).len()));
    }
}
