//! Evaluates a value against a compiled schema.
//!
//! A schema may lead to one value on exponentially many paths. The results of nodes that several
//! places lead to are therefore kept for each array and object, so that the time is linear in the
//! value and in the schema.

mod unevaluated;

use super::{
    CompiledSchema, format,
    index::ResourceId,
    node::{MemberSchemas, NodeId, NumberBound, SchemaKeyword, SizeLimit},
    number,
    pattern::{MatchDeadline, SchemaPattern},
};
use serde_json::{Map, Number, Value};
use std::collections::HashMap;

/// The evaluation of one value.
pub(super) struct Evaluation<'s> {
    pub(super) schema: &'s CompiledSchema,
    /// Results by node, address of the value, and scope.
    known: HashMap<(NodeId, usize, Vec<ResourceId>), bool>,
    /// The resources entered on the way to the current node, each once. `$dynamicRef` depends on
    /// them. Empty if the schema has no such reference.
    scope: Vec<ResourceId>,
    deadline: MatchDeadline,
    /// The address of the first text whose match was given up.
    pub(super) undecided: Option<usize>,
    /// `true` to keep the results of all nodes.
    pub(super) keeps_all: bool,
}

impl<'s> Evaluation<'s> {
    pub(super) fn new(schema: &'s CompiledSchema) -> Self {
        let (known, scope, deadline) = Default::default();
        Self { schema, known, scope, deadline, undecided: None, keeps_all: false }
    }

    /// Returns whether a value is valid. If a match was given up, the result is meaningless.
    pub(super) fn is_valid(&mut self, id: NodeId, value: &Value) -> bool {
        let node = self.schema.node(id);
        if node.keywords.is_empty() {
            return true;
        }
        let entered = self.enter(node.resource);
        // The address identifies an array or object during the evaluation. Scalars are cheap, and
        // property names exist only while they are evaluated.
        let is_kept = (node.is_shared || self.keeps_all) && (value.is_array() || value.is_object());
        let is_valid = if is_kept { self.recall(id, value) } else { self.fits_all(&node.keywords, value) };
        self.leave(entered);
        is_valid
    }

    fn recall(&mut self, id: NodeId, value: &Value) -> bool {
        let key = (id, std::ptr::from_ref(value).addr(), self.scope.clone());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let is_valid = self.fits_all(&self.schema.node(id).keywords, value);
        self.known.insert(key, is_valid);
        is_valid
    }

    fn fits_all(&mut self, keywords: &'s [SchemaKeyword], value: &Value) -> bool {
        keywords.iter().all(|keyword| self.fits(keyword, keywords, value))
    }

    /// Notes that the evaluation enters a resource. Returns whether it was new to the scope.
    pub(super) fn enter(&mut self, resource: ResourceId) -> bool {
        let is_new = self.schema.is_dynamic && !self.scope.contains(&resource);
        if is_new {
            self.scope.push(resource);
        }
        is_new
    }

    pub(super) fn leave(&mut self, entered: bool) {
        if entered {
            self.scope.pop();
        }
    }

    /// Returns whether a value satisfies one keyword of a node. Keywords for other types than the
    /// value's are satisfied.
    pub(super) fn fits(&mut self, keyword: &'s SchemaKeyword, siblings: &'s [SchemaKeyword], value: &Value) -> bool {
        match keyword {
            SchemaKeyword::Never => false,
            SchemaKeyword::Type(types) => types.contains(value),
            SchemaKeyword::Const(only) => number::are_equal(only, value),
            SchemaKeyword::Enum(values) => values.iter().any(|one| number::are_equal(one, value)),
            SchemaKeyword::Reference(target) => self.is_valid(*target, value),
            SchemaKeyword::DynamicReference { targets, otherwise } => {
                let target = self.dynamic_target(targets, *otherwise);
                self.is_valid(target, value)
            }
            SchemaKeyword::AllOf(branches) => branches.iter().all(|branch| self.is_valid(*branch, value)),
            SchemaKeyword::AnyOf(branches) => branches.iter().any(|branch| self.is_valid(*branch, value)),
            SchemaKeyword::OneOf(branches) => self.valid_branches(branches, value, 2) == 1,
            SchemaKeyword::Not(branch) => !self.is_valid(*branch, value),
            SchemaKeyword::If { test, then, otherwise } => {
                let next = if self.is_valid(*test, value) { then } else { otherwise };
                next.is_none_or(|next| self.is_valid(next, value))
            }
            SchemaKeyword::UnevaluatedItems(rest) => {
                let left = self.unevaluated_items(siblings, value);
                left.into_iter().all(|(_, item)| self.is_valid(*rest, item))
            }
            SchemaKeyword::UnevaluatedMembers(rest) => {
                let left = self.unevaluated_members(siblings, value);
                left.into_iter().all(|(_, inner)| self.is_valid(*rest, inner))
            }
            other => match value {
                Value::Number(number) => fits_number(other, number),
                Value::String(text) => self.fits_text(other, text, value),
                Value::Array(items) => self.fits_items(other, items),
                Value::Object(object) => self.fits_members(other, object, value),
                Value::Null | Value::Bool(_) => true,
            },
        }
    }

    /// Counts the branches that accept a value, up to a limit.
    pub(super) fn valid_branches(&mut self, branches: &[NodeId], value: &Value, limit: usize) -> usize {
        branches.iter().filter(|branch| self.is_valid(**branch, value)).take(limit).count()
    }

    pub(super) fn dynamic_target(&self, targets: &[(ResourceId, NodeId)], otherwise: NodeId) -> NodeId {
        let target = |scope: &ResourceId| targets.iter().find(|(home, _)| home == scope);
        self.scope.iter().find_map(target).map_or(otherwise, |(_, target)| *target)
    }

    fn fits_text(&mut self, keyword: &SchemaKeyword, text: &str, value: &Value) -> bool {
        // JSON Schema counts characters.
        let is_longer = |than: u64| text.len() as u64 > than && text.chars().count() as u64 > than;
        match keyword {
            SchemaKeyword::Size(SizeLimit::MinLength, least) => least.checked_sub(1).is_none_or(is_longer),
            SchemaKeyword::Size(SizeLimit::MaxLength, most) => !is_longer(*most),
            SchemaKeyword::Pattern(pattern) => self.matches(pattern, text, Some(value)),
            SchemaKeyword::Format(format) => format::matches(*format, text),
            _ => true,
        }
    }

    /// Matches a text. `value` is the value in the arguments to report if the match is given up;
    /// a property name has none.
    pub(super) fn matches(&mut self, pattern: &SchemaPattern, text: &str, value: Option<&Value>) -> bool {
        pattern.is_match(text, &mut self.deadline).unwrap_or_else(|_| {
            self.undecided.get_or_insert(value.map_or(0, |value| std::ptr::from_ref(value).addr()));
            false
        })
    }

    fn fits_items(&mut self, keyword: &'s SchemaKeyword, items: &[Value]) -> bool {
        let count = items.len() as u64;
        match keyword {
            SchemaKeyword::Size(SizeLimit::MinItems, least) => count >= *least,
            SchemaKeyword::Size(SizeLimit::MaxItems, most) => count <= *most,
            SchemaKeyword::Unique => number::are_unique(items),
            SchemaKeyword::Items { prefix, rest } => {
                let mut schemas = prefix.iter().map(|node| Some(*node)).chain(std::iter::repeat(*rest));
                items.iter().all(|item| schemas.next().flatten().is_none_or(|schema| self.is_valid(schema, item)))
            }
            SchemaKeyword::Contains { item: schema, least, most } => {
                let fitting = items.iter().filter(|item| self.is_valid(*schema, item)).count() as u64;
                fitting >= *least && most.is_none_or(|most| fitting <= most)
            }
            _ => true,
        }
    }

    fn fits_members(&mut self, keyword: &'s SchemaKeyword, object: &Map<String, Value>, value: &Value) -> bool {
        let count = object.len() as u64;
        let has = |name: &str| object.contains_key(name);
        match keyword {
            SchemaKeyword::Size(SizeLimit::MinProperties, least) => count >= *least,
            SchemaKeyword::Size(SizeLimit::MaxProperties, most) => count <= *most,
            SchemaKeyword::Required(names) => names.iter().all(|name| has(name)),
            SchemaKeyword::DependentRequired(by_name) => {
                by_name.iter().all(|(name, needed)| !has(name) || needed.iter().all(|name| has(name)))
            }
            SchemaKeyword::DependentSchemas(by_name) => {
                by_name.iter().all(|(name, schema)| !has(name) || self.is_valid(*schema, value))
            }
            SchemaKeyword::Names(schema) => {
                object.keys().all(|name| self.is_valid(*schema, &Value::String(name.clone())))
            }
            SchemaKeyword::Members(members) => {
                object.iter().all(|(name, inner)| self.fits_member(members, name, inner))
            }
            _ => true,
        }
    }

    fn fits_member(&mut self, members: &MemberSchemas, name: &str, value: &Value) -> bool {
        let mut is_described = false;
        if let Some(schema) = members.named.get(name) {
            is_described = true;
            if !self.is_valid(*schema, value) {
                return false;
            }
        }
        for (pattern, schema) in &members.by_pattern {
            if self.matches(pattern, name, None) {
                is_described = true;
                if !self.is_valid(*schema, value) {
                    return false;
                }
            }
        }
        is_described || members.others.is_none_or(|others| self.is_valid(others, value))
    }
}

fn fits_number(keyword: &SchemaKeyword, value: &Number) -> bool {
    match keyword {
        SchemaKeyword::Bound(bound, limit) => {
            let order = number::compare(value, limit);
            match bound {
                NumberBound::Minimum => order.is_ge(),
                NumberBound::Maximum => order.is_le(),
                NumberBound::Above => order.is_gt(),
                NumberBound::Below => order.is_lt(),
            }
        }
        SchemaKeyword::MultipleOf(divisor) => number::is_multiple(value, divisor),
        _ => true,
    }
}
