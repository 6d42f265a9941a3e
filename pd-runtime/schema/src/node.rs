//! A compiled schema: nodes in one list, which refer to each other by number.

use super::{format::StringFormat, pattern::SchemaPattern, references::ResourceId};
use serde_json::{Number, Value};
use std::collections::BTreeMap;

/// The number of a node. One place of a schema document has one node, however many references lead
/// to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct NodeId(pub(super) u32);

/// The keywords of one schema.
#[derive(Debug, Default)]
pub(super) struct SchemaNode {
    pub(super) keywords: Vec<SchemaKeyword>,
    pub(super) resource: ResourceId,
    /// `true` if several places lead here, so that one value may arrive more than once.
    pub(super) is_shared: bool,
}

/// A constraint, or a few keywords that only have a meaning together.
#[derive(Debug)]
pub(super) enum SchemaKeyword {
    /// The schema `false`.
    Never,
    Type(TypeSet),
    Const(Value),
    Enum(Vec<Value>),
    Bound(NumberBound, Number),
    MultipleOf(Number),
    Size(SizeLimit, u64),
    Unique,
    Pattern(SchemaPattern),
    Format(StringFormat),
    Required(Vec<Box<str>>),
    DependentRequired(Vec<(Box<str>, Vec<Box<str>>)>),
    DependentSchemas(Vec<(Box<str>, NodeId)>),
    Members(Box<MemberSchemas>),
    Names(NodeId),
    Items {
        prefix: Vec<NodeId>,
        rest: Option<NodeId>,
    },
    Contains {
        item: NodeId,
        least: u64,
        most: Option<u64>,
    },
    AllOf(Vec<NodeId>),
    AnyOf(Vec<NodeId>),
    OneOf(Vec<NodeId>),
    Not(NodeId),
    If {
        test: NodeId,
        then: Option<NodeId>,
        otherwise: Option<NodeId>,
    },
    Reference(NodeId),
    /// The outermost resource in scope that has the anchor decides.
    DynamicReference {
        targets: Vec<(ResourceId, NodeId)>,
        otherwise: NodeId,
    },
    UnevaluatedMembers(NodeId),
    UnevaluatedItems(NodeId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberBound {
    Minimum,
    Maximum,
    Above,
    Below,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SizeLimit {
    MinLength,
    MaxLength,
    MinItems,
    MaxItems,
    MinProperties,
    MaxProperties,
}

/// `properties`, `patternProperties` and `additionalProperties`.
#[derive(Debug, Default)]
pub(super) struct MemberSchemas {
    pub(super) named: BTreeMap<Box<str>, NodeId>,
    pub(super) by_pattern: Vec<(SchemaPattern, NodeId)>,
    pub(super) others: Option<NodeId>,
}

impl MemberSchemas {
    pub(super) fn is_named_only(&self) -> bool {
        self.by_pattern.is_empty() && self.others.is_none()
    }
}

/// The types that a schema allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TypeSet(u8);

const TYPES: [(&str, u8); 7] = [
    ("null", 1),
    ("boolean", 2),
    // Every integer is a number.
    ("number", 4 | 8),
    ("integer", 8),
    ("string", 16),
    ("array", 32),
    ("object", 64),
];

impl TypeSet {
    pub(super) fn parse<'a>(names: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        names.into_iter().try_fold(Self(0), |Self(bits), name| {
            let known = TYPES.iter().find(|(known, _)| *known == name);
            known
                .map(|(_, bit)| Self(bits | bit))
                .ok_or_else(|| format!("`{name}` is not a type"))
        })
    }

    pub(super) fn contains(self, value: &Value) -> bool {
        let bit = match value {
            Value::Null => 1,
            Value::Bool(_) => 2,
            // Deciding whether a number is an integer is only needed where floats are not allowed.
            Value::Number(number) if self.0 & 4 == 0 => {
                8 * u8::from(super::number::is_integer(number))
            }
            Value::Number(_) => 4,
            Value::String(_) => 16,
            Value::Array(_) => 32,
            Value::Object(_) => 64,
        };
        self.0 & bit != 0
    }

    /// Renders the names: `string or null`.
    pub(super) fn render(self) -> String {
        let is_in = |bit: u8| self.0 & bit == bit;
        // `number` has the bit of `integer`, too, so a set with both would name integers twice.
        let names = TYPES
            .iter()
            .filter(|(name, bit)| is_in(*bit) && !(*name == "integer" && is_in(12)));
        names
            .map(|(name, _)| *name)
            .collect::<Vec<_>>()
            .join(" or ")
    }
}
