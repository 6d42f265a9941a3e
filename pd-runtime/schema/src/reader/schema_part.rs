//! The keywords of a schema with their values as they are read: references, subschemas, and others.

use super::SchemaRef;
use crate::keyword_kinds::{SEVERAL, SINGLE, holds_named_schemas};
use serde_json::{Map, Value};
use std::slice;

/// A keyword with an array of schemas that apply to the same value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchKeyword {
    /// A value fits all schemas.
    AllOf,
    /// A value fits one schema or more.
    AnyOf,
    /// A value fits exactly one schema.
    OneOf,
}

impl BranchKeyword {
    /// Returns the keyword.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AllOf => "allOf",
            Self::AnyOf => "anyOf",
            Self::OneOf => "oneOf",
        }
    }
}

/// A keyword's value as it is read. A keyword with a value of a wrong type is a [`Value`](Self::Value).
#[derive(Debug, Clone)]
pub enum SchemaPart<'a> {
    /// The text of `$ref`.
    Reference(&'a str),
    /// `$defs`, or `definitions` of drafts before 2019-09. They apply only where a reference leads
    /// to them.
    Definitions(NamedSchemas<'a>),
    /// `properties`.
    Properties(NamedSchemas<'a>),
    /// `patternProperties`, by pattern.
    PatternProperties(NamedSchemas<'a>),
    /// `additionalProperties`.
    AdditionalProperties(SchemaRef<'a>),
    /// `items` with one schema.
    Items(SchemaRef<'a>),
    /// `prefixItems`.
    PrefixItems(SchemaList<'a>),
    /// `allOf`, `anyOf` or `oneOf`.
    Branches(BranchKeyword, SchemaList<'a>),
    /// Another keyword with one schema, such as `not`.
    Schema(SchemaRef<'a>),
    /// Another keyword with an array of schemas: `items` of drafts before 2020-12.
    Schemas(SchemaList<'a>),
    /// Another keyword with schemas by name, such as `dependentSchemas`.
    Named(NamedSchemas<'a>),
    /// A keyword without subschemas.
    Value(&'a Value),
}

impl<'a> SchemaPart<'a> {
    pub(crate) fn read(schema: SchemaRef<'a>, keyword: &str, value: &'a Value) -> Self {
        match value {
            Value::String(reference) if keyword == "$ref" => Self::Reference(reference),
            Value::Object(_) | Value::Bool(_) if SINGLE.contains(&keyword) => {
                let inner = schema.at(value);
                match keyword {
                    "items" => Self::Items(inner),
                    "additionalProperties" => Self::AdditionalProperties(inner),
                    _ => Self::Schema(inner),
                }
            }
            Value::Array(schemas) if SEVERAL.contains(&keyword) => {
                let list = SchemaList::new(schema, schemas);
                match keyword {
                    "prefixItems" => Self::PrefixItems(list),
                    "allOf" => Self::Branches(BranchKeyword::AllOf, list),
                    "anyOf" => Self::Branches(BranchKeyword::AnyOf, list),
                    "oneOf" => Self::Branches(BranchKeyword::OneOf, list),
                    _ => Self::Schemas(list),
                }
            }
            Value::Object(named) if holds_named_schemas(keyword) => {
                let named = NamedSchemas::new(schema, Some(named));
                match keyword {
                    "$defs" | "definitions" => Self::Definitions(named),
                    "properties" => Self::Properties(named),
                    "patternProperties" => Self::PatternProperties(named),
                    _ => Self::Named(named),
                }
            }
            value => Self::Value(value),
        }
    }

    /// Returns the subschemas.
    pub fn schemas(self) -> impl Iterator<Item = SchemaRef<'a>> + use<'a> {
        let mut one = None;
        let mut list = None;
        let mut named = None;
        match self {
            Self::Reference(_) | Self::Value(_) => {}
            Self::AdditionalProperties(schema) | Self::Items(schema) | Self::Schema(schema) => {
                one = Some(schema)
            }
            Self::PrefixItems(schemas) | Self::Branches(_, schemas) | Self::Schemas(schemas) => {
                list = Some(schemas)
            }
            Self::Definitions(schemas)
            | Self::Properties(schemas)
            | Self::PatternProperties(schemas)
            | Self::Named(schemas) => named = Some(schemas),
        }
        let named = named.into_iter().flatten().map(|(_, schema)| schema);
        one.into_iter()
            .chain(list.into_iter().flatten())
            .chain(named)
    }
}

/// The schemas in an array.
#[derive(Debug, Clone)]
pub struct SchemaList<'a> {
    document: SchemaRef<'a>,
    schemas: slice::Iter<'a, Value>,
}

impl<'a> SchemaList<'a> {
    pub(crate) fn new(document: SchemaRef<'a>, schemas: &'a [Value]) -> Self {
        Self {
            document,
            schemas: schemas.iter(),
        }
    }

    /// Returns the JSON of the schemas that the iterator has not returned yet.
    pub fn as_values(&self) -> &'a [Value] {
        self.schemas.as_slice()
    }
}

impl<'a> Iterator for SchemaList<'a> {
    type Item = SchemaRef<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let schema = self.schemas.next()?;
        Some(self.document.at(schema))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.schemas.size_hint()
    }

    fn nth(&mut self, index: usize) -> Option<Self::Item> {
        let schema = self.schemas.nth(index)?;
        Some(self.document.at(schema))
    }
}

impl ExactSizeIterator for SchemaList<'_> {}

/// The schemas in an object, by name or by pattern.
#[derive(Debug, Clone)]
pub struct NamedSchemas<'a> {
    document: SchemaRef<'a>,
    /// `None` if the keyword is absent or not an object.
    schemas: Option<serde_json::map::Iter<'a>>,
}

impl<'a> NamedSchemas<'a> {
    pub(crate) fn new(document: SchemaRef<'a>, schemas: Option<&'a Map<String, Value>>) -> Self {
        Self {
            document,
            schemas: schemas.map(Map::iter),
        }
    }
}

impl<'a> Iterator for NamedSchemas<'a> {
    type Item = (&'a str, SchemaRef<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, schema) = self.schemas.as_mut()?.next()?;
        Some((name, self.document.at(schema)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.schemas
            .as_ref()
            .map_or((0, Some(0)), Iterator::size_hint)
    }
}

impl ExactSizeIterator for NamedSchemas<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_keyword_is_read_by_the_type_of_its_value() {
        let schema = json!({
            "$ref": "#", "$defs": {}, "definitions": {}, "properties": {}, "patternProperties": {},
            "additionalProperties": false, "items": true, "prefixItems": [], "allOf": [],
            "not": {}, "dependentSchemas": {}, "const": {}, "oneOf": {},
        });
        let parts = SchemaRef::document(&schema).parts();
        let names: Vec<String> = parts
            .map(|(_, part)| {
                format!("{part:?}")
                    .chars()
                    .take_while(|c| *c != '(')
                    .collect()
            })
            .collect();
        assert_eq!(
            names,
            [
                "Reference",
                "Definitions",
                "Definitions",
                "Properties",
                "PatternProperties",
                "AdditionalProperties",
                "Items",
                "PrefixItems",
                "Branches",
                "Schema",
                "Named",
                "Value",
                "Value",
            ]
        );
        let old = json!({ "items": [{}, {}] });
        let part = SchemaRef::document(&old).parts().next();
        assert!(matches!(part, Some((_, SchemaPart::Schemas(list))) if list.len() == 2));
    }
}
