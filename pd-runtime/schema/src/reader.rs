//! Reads a schema in place: its keywords, its subschemas, and the targets of its references.
//!
//! References are resolved by JSON pointer only.
//! [`ReferenceIndex`](super::references::ReferenceIndex) resolves `$id` and anchors, too.

pub mod schema_part;

use super::pointer;
use schema_part::{BranchKeyword, NamedSchemas, SchemaList, SchemaPart};
use serde_json::{Map, Value};

/// The maximum number of references that [`SchemaRef::resolved`] follows.
const HOPS_MAX: usize = 8;

/// A schema, and the document in which its references are resolved.
///
/// ```
/// use pd_schema::reader::SchemaRef;
/// use serde_json::json;
///
/// let schema = json!({
///     "properties": { "unit": { "$ref": "#/$defs/Unit" } },
///     "required": ["unit"],
///     "$defs": { "Unit": { "anyOf": [{ "const": "c" }, { "const": "f" }] } },
/// });
/// let root = SchemaRef::document(&schema);
/// assert!(root.required().eq(["unit"]));
/// let unit = root.property("unit").unwrap().resolved();
/// assert_eq!(unit.any_of().unwrap().len(), 2);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct SchemaRef<'a> {
    root: SchemaBody<'a>,
    schema: SchemaBody<'a>,
}

/// The JSON of a schema.
#[derive(Debug, Clone, Copy)]
pub enum SchemaBody<'a> {
    /// The keywords of a schema that is an object.
    Keywords(&'a Map<String, Value>),
    /// An object, a boolean schema, or a value that is not a schema and counts as `true`.
    Value(&'a Value),
}

impl<'a> From<&'a Map<String, Value>> for SchemaBody<'a> {
    fn from(keywords: &'a Map<String, Value>) -> Self {
        Self::Keywords(keywords)
    }
}

impl<'a> From<&'a Value> for SchemaBody<'a> {
    fn from(schema: &'a Value) -> Self {
        Self::Value(schema)
    }
}

impl<'a> SchemaRef<'a> {
    /// Creates the root of a document.
    pub fn document(root: impl Into<SchemaBody<'a>>) -> Self {
        let root = root.into();
        Self { root, schema: root }
    }

    /// Returns a subschema, or another schema of the same document.
    pub fn at(self, schema: &'a Value) -> Self {
        Self {
            schema: schema.into(),
            ..self
        }
    }

    /// Returns the JSON of the schema, or `None` for a root that was created from its keywords.
    pub fn value(self) -> Option<&'a Value> {
        match self.schema {
            SchemaBody::Keywords(_) => None,
            SchemaBody::Value(schema) => Some(schema),
        }
    }

    /// Returns the keywords. A boolean schema has none.
    pub fn keywords(self) -> Option<&'a Map<String, Value>> {
        match self.schema {
            SchemaBody::Keywords(keywords) => Some(keywords),
            SchemaBody::Value(schema) => schema.as_object(),
        }
    }

    /// Returns the value of a keyword.
    pub fn get(self, keyword: &str) -> Option<&'a Value> {
        self.keywords()?.get(keyword)
    }

    /// Returns whether this is the schema `true`, which accepts every value.
    pub fn is_true(self) -> bool {
        self.value() == Some(&Value::Bool(true))
    }

    /// Returns whether this is the schema `false`, which accepts nothing.
    pub fn is_false(self) -> bool {
        self.value() == Some(&Value::Bool(false))
    }

    /// Returns the text of `$ref`.
    pub fn reference(self) -> Option<&'a str> {
        self.get("$ref")?.as_str()
    }

    /// Returns whether the schema has `$ref`, with any value.
    pub fn has_reference(self) -> bool {
        self.get("$ref").is_some()
    }

    /// Returns the schema that a reference leads to by its JSON pointer (RFC 6901, section 6).
    pub fn resolve(self, reference: &str) -> Option<Self> {
        let mut steps = pointer::steps(reference.strip_prefix('#')?)?;
        let root = Self {
            schema: self.root,
            ..self
        };
        // `#` alone is the root.
        let Some(first) = steps.next() else {
            return Some(root);
        };
        let place = steps.try_fold(root.get(&first?)?, |place, step| {
            pointer::part(place, &step?)
        })?;
        Some(self.at(place))
    }

    /// Returns the schema that `$ref` leads to.
    pub fn target(self) -> Option<Self> {
        self.resolve(self.reference()?)
    }

    /// Returns the schema at the end of a chain of references, without the keywords beside them. A
    /// circular chain ends after `HOPS_MAX` references.
    pub fn resolved(self) -> Self {
        let chain = std::iter::successors(Some(self), |schema| schema.target());
        // One more than the references, because the chain begins with the schema itself.
        chain.take(HOPS_MAX + 1).last().unwrap_or(self)
    }

    /// Returns each keyword, in the document's order, with its value as it is read.
    pub fn parts(self) -> impl Iterator<Item = (&'a str, SchemaPart<'a>)> + use<'a> {
        let keywords = self.keywords().into_iter().flatten();
        keywords
            .map(move |(keyword, value)| (keyword.as_str(), SchemaPart::read(self, keyword, value)))
    }

    /// Returns each direct subschema, in the document's order, with the keyword that contains it.
    pub fn children(self) -> impl Iterator<Item = (&'a str, Self)> + use<'a> {
        let parts = self.parts();
        parts.flat_map(|(keyword, part)| part.schemas().map(move |schema| (keyword, schema)))
    }

    /// Returns the schemas in `allOf`, or `None` if it is not an array.
    pub fn all_of(self) -> Option<SchemaList<'a>> {
        self.branches_of(BranchKeyword::AllOf)
    }

    /// Returns the schemas in `anyOf`, or `None` if it is not an array.
    pub fn any_of(self) -> Option<SchemaList<'a>> {
        self.branches_of(BranchKeyword::AnyOf)
    }

    /// Returns the schemas in `oneOf`, or `None` if it is not an array.
    pub fn one_of(self) -> Option<SchemaList<'a>> {
        self.branches_of(BranchKeyword::OneOf)
    }

    /// Returns the schemas in `allOf`, `anyOf` or `oneOf`, or `None` if it is not an array.
    pub fn branches_of(self, keyword: BranchKeyword) -> Option<SchemaList<'a>> {
        self.list(keyword.as_str())
    }

    /// Returns the schemas of which a value fits one: `anyOf`, then `oneOf`.
    pub fn alternatives(self) -> impl Iterator<Item = Self> + use<'a> {
        self.lists([BranchKeyword::AnyOf, BranchKeyword::OneOf])
    }

    /// Returns all schemas that may apply to the same value: `allOf`, then `anyOf`, then `oneOf`.
    pub fn branches(self) -> impl Iterator<Item = Self> + use<'a> {
        use BranchKeyword::{AllOf, AnyOf, OneOf};
        self.lists([AllOf, AnyOf, OneOf])
    }

    /// Returns whether the schema has `anyOf` or `oneOf`, with any value.
    pub fn has_alternatives(self) -> bool {
        self.get("anyOf").is_some() || self.get("oneOf").is_some()
    }

    /// Returns whether the schema has `allOf`, `anyOf` or `oneOf`, with any value.
    pub fn has_branches(self) -> bool {
        self.get("allOf").is_some() || self.has_alternatives()
    }

    /// Returns the names and schemas of `properties`.
    pub fn properties(self) -> NamedSchemas<'a> {
        self.named("properties")
    }

    /// Returns the schema of one property.
    pub fn property(self, name: &str) -> Option<Self> {
        Some(self.at(self.get("properties")?.as_object()?.get(name)?))
    }

    /// Returns whether the schema has `properties`, with any value.
    pub fn has_properties(self) -> bool {
        self.get("properties").is_some()
    }

    /// Returns the patterns and schemas of `patternProperties`.
    pub fn pattern_properties(self) -> NamedSchemas<'a> {
        self.named("patternProperties")
    }

    /// Returns whether the schema has `patternProperties`, with any value.
    pub fn has_pattern_properties(self) -> bool {
        self.get("patternProperties").is_some()
    }

    /// Returns `additionalProperties`: the schema of properties that the schema does not name.
    pub fn additional_properties(self) -> Option<Self> {
        Some(self.at(self.get("additionalProperties")?))
    }

    /// Returns whether only the properties in `properties` are allowed.
    pub fn is_closed(self) -> bool {
        // A pattern may allow names that `properties` does not list.
        self.additional_properties().is_some_and(Self::is_false) && !self.has_pattern_properties()
    }

    /// Returns whether the schema itself allows properties that it does not name, instead of
    /// allowing them only by default.
    pub fn describes_others(self) -> bool {
        self.has_pattern_properties()
            || self
                .additional_properties()
                .is_some_and(|others| !others.is_false())
    }

    /// Returns the names in `required`.
    pub fn required(self) -> impl Iterator<Item = &'a str> {
        self.get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
    }

    /// Returns the schema of the items. A list in `items`, which drafts before 2020-12 allow, is not
    /// one.
    pub fn items(self) -> Option<Self> {
        let items = self.get("items").filter(|items| !items.is_array())?;
        Some(self.at(items))
    }

    /// Returns the schemas of the first items, or `None` if `prefixItems` is not an array.
    pub fn prefix_items(self) -> Option<SchemaList<'a>> {
        self.list("prefixItems")
    }

    /// Returns whether the schema has `prefixItems`, with any value.
    pub fn has_prefix_items(self) -> bool {
        self.get("prefixItems").is_some()
    }

    fn list(self, keyword: &str) -> Option<SchemaList<'a>> {
        Some(SchemaList::new(self, self.get(keyword)?.as_array()?))
    }

    /// Returns the schemas of these keywords, one keyword after the other.
    fn lists<const COUNT: usize>(
        self,
        keywords: [BranchKeyword; COUNT],
    ) -> impl Iterator<Item = Self> + use<'a, COUNT> {
        keywords
            .into_iter()
            .filter_map(move |keyword| self.branches_of(keyword))
            .flatten()
    }

    fn named(self, keyword: &str) -> NamedSchemas<'a> {
        NamedSchemas::new(self, self.get(keyword).and_then(Value::as_object))
    }
}

#[cfg(test)]
mod tests {
    #![allow(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use super::*;
    use serde_json::json;

    fn document() -> Value {
        json!({
            "type": "object",
            "properties": { "a/b": { "type": "string" }, "list": { "prefixItems": [{ "type": "null" }] } },
            "$defs": {
                "Node of": { "type": "integer" },
                "~": { "type": "number" },
                "never": false,
                "chain": { "$ref": "#/$defs/link" },
                "link": { "$ref": "#/$defs/Node%20of" },
                "circle": { "$ref": "#/$defs/circle" },
            },
        })
    }

    #[test]
    fn both_kinds_of_root_resolve_the_same_references() {
        let root = document();
        for (reference, kind) in [
            ("#", Some("object")),
            ("#/properties/a~1b", Some("string")),
            ("#/properties/a%2Fb", Some("string")),
            ("#/properties/list/prefixItems/0", Some("null")),
            ("#/$defs/Node of", Some("integer")),
            ("#/%24defs/Node%20of", Some("integer")),
            ("#/$defs/~0", Some("number")),
            ("#/$defs/%7E0", Some("number")),
            ("#/properties/list/prefixItems/1", None),
            ("#/$defs/other", None),
            ("#/$defs/%ff", None),
            ("#anchor", None),
            ("/$defs/Node of", None),
            ("https://example.org/schema", None),
        ] {
            let schema = json!({ "$ref": reference });
            for document in [
                SchemaRef::document(&root),
                SchemaRef::document(root.as_object().unwrap()),
            ] {
                let target = document.at(&schema).target();
                let found = target.and_then(|target| target.get("type")?.as_str());
                assert_eq!(found, kind, "{reference}");
            }
        }
    }

    #[test]
    fn chains_of_references_end() {
        let root = document();
        let resolved = |name: &str| {
            SchemaRef::document(&root)
                .at(&root["$defs"][name])
                .resolved()
        };
        assert_eq!(resolved("chain").get("type"), Some(&json!("integer")));
        assert_eq!(resolved("circle").reference(), Some("#/$defs/circle"));
        assert!(resolved("never").is_false() && resolved("never").keywords().is_none());
        assert!(!SchemaRef::document(&json!(true)).is_false());
    }

    /// Returns the numbers by which assertions identify schemas.
    fn numbers<'a>(schemas: impl IntoIterator<Item = SchemaRef<'a>>) -> Vec<u64> {
        let number = |schema: SchemaRef<'_>| schema.get("n")?.as_u64();
        schemas.into_iter().filter_map(number).collect()
    }

    #[test]
    fn each_method_reads_its_keyword() {
        let schema = json!({
            "properties": { "a": { "n": 1 }, "b": { "n": 2 } },
            "patternProperties": { "^x-": { "n": 3 } },
            "additionalProperties": { "n": 4 },
            "required": ["b", 1, "c"],
            "prefixItems": [{ "n": 5 }, true],
            "items": { "n": 6 },
            "oneOf": [{ "n": 7 }],
            "anyOf": [{ "n": 8 }, { "n": 9 }],
            "allOf": [{ "n": 10 }],
        });
        let root = SchemaRef::document(&schema);
        assert!(root.properties().map(|(name, _)| name).eq(["a", "b"]));
        assert_eq!(numbers(root.property("b")), [2]);
        assert_eq!(numbers(root.pattern_properties().map(|(_, one)| one)), [3]);
        assert_eq!(numbers(root.additional_properties()), [4]);
        assert!(root.required().eq(["b", "c"]));
        let first = root.prefix_items().unwrap();
        assert_eq!((first.len(), numbers(first)), (2, vec![5]));
        assert_eq!(numbers(root.items()), [6]);
        assert_eq!(numbers(root.alternatives()), [8, 9, 7]);
        assert_eq!(numbers(root.branches()), [10, 8, 9, 7]);
        let children: Vec<_> = root.children().map(|(keyword, _)| keyword).collect();
        assert_eq!(children.len(), 11);
        assert_eq!(children.first(), Some(&"properties"));
        assert_eq!(children.last(), Some(&"allOf"));
        assert!(root.has_branches() && root.describes_others() && !root.is_closed());
    }

    #[test]
    fn malformed_keywords_are_present_and_have_no_schemas() {
        let schema = json!({
            "$ref": 1, "allOf": {}, "anyOf": {}, "oneOf": 1, "prefixItems": null, "items": [{}],
            "properties": [], "patternProperties": 1, "required": "a", "additionalProperties": 1,
        });
        let root = SchemaRef::document(&schema);
        assert!(root.has_reference() && root.has_branches() && root.has_alternatives());
        assert!(root.has_properties() && root.has_pattern_properties() && root.has_prefix_items());
        assert!(root.reference().is_none() && root.target().is_none());
        assert!(root.all_of().is_none() && root.prefix_items().is_none() && root.items().is_none());
        assert_eq!(root.branches().count() + root.alternatives().count(), 0);
        assert_eq!(
            root.properties().count() + root.pattern_properties().count(),
            0
        );
        assert_eq!(root.required().count(), 0);
        // The list in `items` is the form of drafts before 2020-12.
        assert!(root.children().map(|(keyword, _)| keyword).eq(["items"]));
    }

    #[test]
    fn objects_are_open_closed_or_open_by_default() {
        for (schema, is_closed, describes_others) in [
            (json!({}), false, false),
            (json!({ "additionalProperties": false }), true, false),
            (json!({ "additionalProperties": true }), false, true),
            (json!({ "additionalProperties": {} }), false, true),
            (
                json!({ "additionalProperties": false, "patternProperties": {} }),
                false,
                true,
            ),
        ] {
            let schema = SchemaRef::document(&schema);
            assert_eq!(schema.is_closed(), is_closed, "{schema:?}");
            assert_eq!(schema.describes_others(), describes_others, "{schema:?}");
        }
    }
}
