//! Reads a schema in place: its keywords, its subschemas, and the targets of its references.
//!
//! References are resolved by JSON pointer only.
//! [`ReferenceIndex`](super::references::ReferenceIndex) resolves `$id` and anchors, too.

use super::pointer;
use serde_json::{Map, Value};

/// The maximum number of references that [`SchemaRef::resolved`] follows.
const HOPS_MAX: usize = 8;

/// Returns the `$ref` of a schema.
pub fn reference(keywords: &Map<String, Value>) -> Option<&str> {
    keywords.get("$ref")?.as_str()
}

/// Returns the schema that a reference leads to by its JSON pointer (RFC 6901, section 6).
pub fn target<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    pointer::steps(reference.strip_prefix('#')?)?
        .try_fold(root, |place, step| pointer::part(place, &step?))
}

/// A schema, and the document in which its references are resolved.
#[derive(Debug, Clone, Copy)]
pub struct SchemaRef<'a> {
    root: SchemaBody<'a>,
    schema: SchemaBody<'a>,
}

/// The two forms of a schema. Other values are not schemas, and count as `true`.
#[derive(Debug, Clone, Copy)]
pub enum SchemaBody<'a> {
    /// A schema with keywords.
    Keywords(&'a Map<String, Value>),
    /// A boolean schema: `true` accepts every value, `false` none.
    Boolean(bool),
}

impl<'a> From<&'a Map<String, Value>> for SchemaBody<'a> {
    fn from(keywords: &'a Map<String, Value>) -> Self {
        Self::Keywords(keywords)
    }
}

impl<'a> From<&'a Value> for SchemaBody<'a> {
    fn from(schema: &'a Value) -> Self {
        match schema {
            Value::Object(keywords) => Self::Keywords(keywords),
            other => Self::Boolean(*other != Value::Bool(false)),
        }
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

    /// Returns the keywords. A boolean schema has none.
    pub fn keywords(self) -> Option<&'a Map<String, Value>> {
        match self.schema {
            SchemaBody::Keywords(keywords) => Some(keywords),
            SchemaBody::Boolean(_) => None,
        }
    }

    /// Returns the value of a keyword.
    pub fn get(self, keyword: &str) -> Option<&'a Value> {
        self.keywords()?.get(keyword)
    }

    /// Returns whether this is the schema `false`, which accepts nothing.
    pub fn is_false(self) -> bool {
        matches!(self.schema, SchemaBody::Boolean(false))
    }

    /// Returns the text of `$ref`.
    pub fn reference(self) -> Option<&'a str> {
        reference(self.keywords()?)
    }

    /// Returns the schema that `$ref` leads to.
    pub fn target(self) -> Option<Self> {
        let mut steps = pointer::steps(self.reference()?.strip_prefix('#')?)?;
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

    /// Returns the schema at the end of a chain of references, without the keywords beside them. A
    /// circular chain ends after `HOPS_MAX` references.
    pub fn resolved(self) -> Self {
        let chain = std::iter::successors(Some(self), |schema| schema.target());
        // One more than the references, because the chain begins with the schema itself.
        chain.take(HOPS_MAX + 1).last().unwrap_or(self)
    }

    /// Returns the schemas in the array of a keyword such as `anyOf`.
    pub fn branches(self, keyword: &str) -> Option<impl ExactSizeIterator<Item = Self> + use<'a>> {
        let branches = self.get(keyword)?.as_array()?;
        Some(branches.iter().map(move |branch| self.at(branch)))
    }

    /// Returns the names and schemas of `properties`.
    pub fn properties(self) -> impl Iterator<Item = (&'a str, Self)> {
        let properties = self
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        properties.map(move |(name, schema)| (name.as_str(), self.at(schema)))
    }

    /// Returns the schema of one property.
    pub fn property(self, name: &str) -> Option<Self> {
        Some(self.at(self.get("properties")?.as_object()?.get(name)?))
    }

    /// Returns whether only the properties in `properties` are allowed.
    pub fn is_closed(self) -> bool {
        // A pattern may allow names that `properties` does not list.
        self.get("additionalProperties") == Some(&Value::Bool(false))
            && self.get("patternProperties").is_none()
    }

    /// Returns the names in `required`.
    pub fn required(self) -> impl Iterator<Item = &'a str> {
        self.get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
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
            let by_text = target(&root, reference).map(|target| target["type"].as_str().unwrap());
            let by_schema = SchemaRef::document(root.as_object().unwrap())
                .at(&schema)
                .target();
            assert_eq!(
                (
                    by_text,
                    by_schema.and_then(|target| target.get("type")?.as_str())
                ),
                (kind, kind),
                "{reference}"
            );
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
}
