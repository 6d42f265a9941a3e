//! Reads the keywords of one schema, and keeps a record of the keywords that were read.

use super::{
    reader::SchemaRef,
    reader::schema_part::{BranchKeyword, NamedSchemas, SchemaList},
};
use crate::JsonObject;
use serde_json::Value;

/// The keywords of one schema that a translation has not read yet. After the translation has read
/// all keywords that it understands, [`rest`](Self::rest) has the constraints that would be lost.
#[derive(Debug)]
pub struct UnreadKeywords<'a> {
    schema: SchemaRef<'a>,
    read: Vec<&'static str>,
}

impl<'a> UnreadKeywords<'a> {
    /// Creates the record of a schema. No keyword is read.
    pub fn new(schema: SchemaRef<'a>) -> Self {
        Self {
            schema,
            read: Vec::new(),
        }
    }

    /// Returns the schema, with the keywords that were read.
    pub fn schema(&self) -> SchemaRef<'a> {
        self.schema
    }

    /// Reads a keyword without subschemas. A keyword that `read` does not understand stays unread.
    pub fn take<T>(
        &mut self,
        keyword: &'static str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let value = read(self.schema.get(keyword)?)?;
        self.read.push(keyword);
        Some(value)
    }

    /// Reads `$ref`.
    pub fn take_reference(&mut self) -> Option<&'a str> {
        self.take("$ref", Value::as_str)
    }

    /// Reads `allOf`, `anyOf` or `oneOf`.
    pub fn take_branches(&mut self, keyword: BranchKeyword) -> Option<SchemaList<'a>> {
        let branches = self.schema.branches_of(keyword)?;
        self.read.push(keyword.as_str());
        Some(branches)
    }

    /// Reads the names in `required`, if all of them are strings.
    pub fn take_required(&mut self) -> Option<Vec<&'a str>> {
        self.take("required", |names| {
            names.as_array()?.iter().map(Value::as_str).collect()
        })
    }

    /// Reads `properties`.
    pub fn take_properties(&mut self) -> Option<NamedSchemas<'a>> {
        self.take_named("properties")
    }

    /// Reads `patternProperties`.
    pub fn take_pattern_properties(&mut self) -> Option<NamedSchemas<'a>> {
        self.take_named("patternProperties")
    }

    /// Reads `additionalProperties`.
    pub fn take_additional_properties(&mut self) -> Option<SchemaRef<'a>> {
        let schema = self.schema;
        self.take("additionalProperties", |others| Some(schema.at(others)))
    }

    /// Reads `items` with one schema.
    pub fn take_items(&mut self) -> Option<SchemaRef<'a>> {
        let items = self.schema.items()?;
        self.read.push("items");
        Some(items)
    }

    /// Reads `prefixItems`.
    pub fn take_prefix_items(&mut self) -> Option<SchemaList<'a>> {
        let items = self.schema.prefix_items()?;
        self.read.push("prefixItems");
        Some(items)
    }

    fn take_named(&mut self, keyword: &'static str) -> Option<NamedSchemas<'a>> {
        let schema = self.schema;
        self.take(keyword, |named| {
            Some(NamedSchemas::new(schema, Some(named.as_object()?)))
        })
    }

    /// Returns a schema with the keywords that were not read, or `None` if it would be empty.
    /// Definitions constrain nothing themselves, and are left out with the keywords that
    /// `is_ignored` accepts.
    pub fn rest(&self, is_ignored: impl Fn(&str) -> bool) -> Option<Value> {
        let is_read = |keyword: &str| {
            self.read.contains(&keyword)
                || matches!(keyword, "$defs" | "definitions")
                || is_ignored(keyword)
        };
        let keywords = self.schema.keywords().into_iter().flatten();
        let rest: JsonObject = keywords
            .filter(|(keyword, _)| !is_read(keyword))
            .map(|(keyword, value)| (keyword.clone(), value.clone()))
            .collect();
        (!rest.is_empty()).then_some(Value::Object(rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keywords_that_were_not_read_remain() {
        let schema = json!({
            "$ref": "#/$defs/A", "anyOf": [{}], "oneOf": {}, "required": ["a"], "properties": { "a": {} },
            "patternProperties": 1, "additionalProperties": false, "items": [], "prefixItems": [true],
            "minLength": 1, "title": "A", "$defs": { "A": {} },
        });
        let mut unread = UnreadKeywords::new(SchemaRef::document(&schema));
        assert_eq!(unread.take_reference(), Some("#/$defs/A"));
        assert!(unread.take_branches(BranchKeyword::AnyOf).is_some());
        assert!(unread.take_branches(BranchKeyword::OneOf).is_none());
        assert_eq!(unread.take_required(), Some(vec!["a"]));
        assert_eq!(unread.take_properties().map(Iterator::count), Some(1));
        assert!(unread.take_pattern_properties().is_none());
        assert!(
            unread
                .take_additional_properties()
                .is_some_and(SchemaRef::is_false)
        );
        assert!(unread.take_items().is_none());
        assert_eq!(unread.take_prefix_items().map(Iterator::count), Some(1));
        assert_eq!(unread.take("minLength", Value::as_str), None);
        let rest = json!({ "oneOf": {}, "patternProperties": 1, "items": [], "minLength": 1 });
        assert_eq!(unread.rest(|keyword| keyword == "title"), Some(rest));
    }

    #[test]
    fn nothing_remains_of_a_boolean_schema() {
        let unread = UnreadKeywords::new(SchemaRef::document(&Value::Bool(true)));
        assert_eq!(unread.rest(|_| false), None);
    }
}
