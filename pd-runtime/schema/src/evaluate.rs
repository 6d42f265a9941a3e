//! Evaluates a value against a compiled schema.
//!
//! A schema may lead to one value on exponentially many paths. The results of nodes that several
//! places lead to are therefore kept for each array and object, so that the time is linear in the
//! value and in the schema. A limit on the number of steps bounds what is left.

mod assertions;
mod unevaluated;

use super::{
    CompiledSchema, member,
    node::{MemberSchemas, NodeId, SchemaKeyword},
    pattern::MatchDeadline,
    references::{ResourceId, address_of},
};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The maximum number of steps of one evaluation: schemas that meet values, members, and bytes that
/// meet patterns. A step takes 10 to 100 ns.
const STEPS_MAX: u64 = 20_000_000;
/// The maximum number of steps of an explanation. They take longer, because every result is kept.
const EXPLANATION_STEPS_MAX: u64 = 5_000_000;
/// The number of bytes of a text that count as one step.
const BYTES_EACH: u64 = 64;
/// The number of comparisons or look-ups that count as one step.
const COMPARISONS_EACH: u64 = 16;
/// The maximum number of results to keep, of 24 bytes each. Without room, a result is computed
/// again.
pub(super) const KNOWN_MAX: usize = 1 << 18;

/// A sequence of resources in the table of an evaluation. The empty one is 0.
type ScopeId = u32;

/// The evaluation of one value.
pub(super) struct Evaluation<'s> {
    pub(super) schema: &'s CompiledSchema,
    /// Results by node, scope, and address of the value.
    known: HashMap<(NodeId, ScopeId, usize), bool>,
    /// The resources entered on the way to the current node, each once, and the sequence up to
    /// each. `$dynamicRef` depends on them. Empty if the schema has no such reference.
    scope: Vec<(ResourceId, ScopeId)>,
    /// The sequences, by the sequence before and the resource that follows.
    scopes: HashMap<(ScopeId, ResourceId), ScopeId>,
    steps_left: u64,
    deadline: MatchDeadline,
    /// Why the evaluation was given up. Every result from then on is meaningless.
    pub(super) given_up: Option<GivenUp>,
    keeps_all: bool,
}

/// Why an evaluation was given up.
#[derive(Debug, Clone, Copy)]
pub(super) enum GivenUp {
    /// A pattern takes too long to match. The address of the text; 0 for a property name.
    Match(usize),
    /// The limit on steps is exceeded.
    Steps,
}

impl<'s> Evaluation<'s> {
    pub(super) fn new(schema: &'s CompiledSchema) -> Self {
        let (known, scope, scopes, deadline) = Default::default();
        // The keywords `unevaluated…` ask again which branches accept a value.
        let keeps_all = schema.has_unevaluated;
        Self {
            schema,
            known,
            scope,
            scopes,
            steps_left: STEPS_MAX,
            deadline,
            given_up: None,
            keeps_all,
        }
    }

    /// Prepares for an explanation, which asks for the results of the same nodes again.
    pub(super) fn keep_all(&mut self) {
        self.keeps_all = true;
        self.steps_left = EXPLANATION_STEPS_MAX;
    }

    /// Returns the number of steps so far.
    #[cfg(test)]
    pub(super) fn steps(&self) -> u64 {
        STEPS_MAX - self.steps_left
    }

    /// Returns the number of kept results.
    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        self.known.len()
    }

    /// Counts steps. Returns `false` if the evaluation is given up.
    pub(super) fn advance(&mut self, steps: u64) -> bool {
        match self.steps_left.checked_sub(steps) {
            Some(left) => self.steps_left = left,
            None => self.give_up(GivenUp::Steps),
        }
        self.given_up.is_none()
    }

    fn give_up(&mut self, why: GivenUp) {
        self.given_up.get_or_insert(why);
    }

    /// Returns whether a value is valid. The result is meaningless if the evaluation is given up.
    pub(super) fn is_valid(&mut self, id: NodeId, value: &Value) -> bool {
        let node = self.schema.node(id);
        if !self.advance(1) {
            return false;
        }
        if node.keywords.is_empty() {
            return true;
        }
        // Entered before the look-up, because the scope is a part of the key.
        let entered = self.enter(node.resource);
        // The address identifies an array or object during the evaluation. Scalars are cheap, and
        // property names exist only while they are evaluated.
        let is_kept = (node.is_shared || self.keeps_all) && (value.is_array() || value.is_object());
        let key = is_kept.then(|| (id, self.scope_id(), address_of(value)));
        let known = key.and_then(|key| self.known.get(&key).copied());
        let is_valid = match known {
            Some(known) => known,
            None => self.fits_all(&node.keywords, value),
        };
        if let Some(key) = key.filter(|_| known.is_none() && self.known.len() < KNOWN_MAX) {
            self.known.insert(key, is_valid);
        }
        self.leave(entered);
        is_valid
    }

    // The functions that recurse have loops instead of iterators. Without optimizations, each
    // adapter would add several frames to the stack for each level of the arguments.
    fn fits_all(&mut self, keywords: &'s [SchemaKeyword], value: &Value) -> bool {
        for keyword in keywords {
            let fits = match keyword {
                // Decided here, because most nodes of arguments have no other keyword: `fits` is a
                // large function.
                SchemaKeyword::Type(types) => types.contains(value),
                _ => self.fits(keyword, keywords, value),
            };
            if !fits {
                return false;
            }
        }
        true
    }

    /// Notes that the evaluation enters a resource. Returns whether it was new to the scope.
    #[inline]
    pub(super) fn enter(&mut self, resource: ResourceId) -> bool {
        self.schema.is_dynamic && self.enter_scope(resource)
    }

    fn enter_scope(&mut self, resource: ResourceId) -> bool {
        // The search compares with every resource that was entered.
        self.advance(self.scope.len() as u64 / COMPARISONS_EACH);
        let is_new = !self.scope.iter().any(|(entered, _)| *entered == resource);
        // A resource that is entered again does not change which resource is the outermost.
        if is_new {
            let next = u32::try_from(self.scopes.len() + 1).unwrap_or(ScopeId::MAX);
            let scope = *self
                .scopes
                .entry((self.scope_id(), resource))
                .or_insert(next);
            self.scope.push((resource, scope));
        }
        is_new
    }

    fn scope_id(&self) -> ScopeId {
        self.scope.last().map_or(0, |(_, scope)| *scope)
    }

    pub(super) fn leave(&mut self, entered: bool) {
        if entered {
            self.scope.pop();
        }
    }

    /// Returns whether a value satisfies one keyword of a node. Keywords for other types than the
    /// value's are satisfied.
    pub(super) fn fits(
        &mut self,
        keyword: &'s SchemaKeyword,
        siblings: &'s [SchemaKeyword],
        value: &Value,
    ) -> bool {
        match keyword {
            SchemaKeyword::Reference(target) => self.is_valid(*target, value),
            SchemaKeyword::DynamicReference { targets, otherwise } => {
                self.is_valid(self.dynamic_target(targets, *otherwise), value)
            }
            SchemaKeyword::AllOf(branches) => self.accepts_all(branches, value),
            SchemaKeyword::AnyOf(branches) => self.valid_branches(branches, value, 1) == 1,
            // Two valid branches decide, so the others are not evaluated.
            SchemaKeyword::OneOf(branches) => self.valid_branches(branches, value, 2) == 1,
            SchemaKeyword::Not(branch) => !self.is_valid(*branch, value),
            SchemaKeyword::If {
                test,
                then,
                otherwise,
            } => {
                let next = if self.is_valid(*test, value) {
                    then
                } else {
                    otherwise
                };
                match next {
                    Some(next) => self.is_valid(*next, value),
                    None => true,
                }
            }
            SchemaKeyword::DependentSchemas(by_name) => self.fits_dependencies(by_name, value),
            SchemaKeyword::Members(members) => self.fits_members(members, value),
            SchemaKeyword::Names(names) => self.fits_names(*names, value),
            SchemaKeyword::Items { prefix, rest } => self.fits_items(prefix, *rest, value),
            SchemaKeyword::Contains { item, least, most } => self
                .count_items(*item, value)
                .is_none_or(|count| count >= *least && most.is_none_or(|most| count <= most)),
            SchemaKeyword::UnevaluatedItems(rest) => {
                self.fits_unevaluated_items(*rest, siblings, value)
            }
            SchemaKeyword::UnevaluatedMembers(rest) => {
                self.fits_unevaluated_members(*rest, siblings, value)
            }
            assertion => self.fits_assertion(assertion, value),
        }
    }

    fn accepts_all(&mut self, branches: &[NodeId], value: &Value) -> bool {
        for branch in branches {
            if !self.is_valid(*branch, value) {
                return false;
            }
        }
        true
    }

    /// Counts the branches that accept a value, up to a limit.
    pub(super) fn valid_branches(
        &mut self,
        branches: &[NodeId],
        value: &Value,
        limit: usize,
    ) -> usize {
        let mut count = 0;
        for branch in branches {
            count += usize::from(self.is_valid(*branch, value));
            if count == limit {
                break;
            }
        }
        count
    }

    pub(super) fn dynamic_target(
        &self,
        targets: &[(ResourceId, NodeId)],
        otherwise: NodeId,
    ) -> NodeId {
        let target =
            |(scope, _): &(ResourceId, ScopeId)| targets.iter().find(|(home, _)| home == scope);
        // The outermost resource with the anchor is the target (Core 2020-12, section 8.2.3.2).
        self.scope
            .iter()
            .find_map(target)
            .map_or(otherwise, |(_, target)| *target)
    }

    fn fits_dependencies(&mut self, by_name: &[(Box<str>, NodeId)], value: &Value) -> bool {
        self.advance(by_name.len() as u64 / COMPARISONS_EACH);
        for (name, schema) in by_name {
            if value.get(&**name).is_some() && !self.is_valid(*schema, value) {
                return false;
            }
        }
        true
    }

    fn fits_items(&mut self, prefix: &[NodeId], rest: Option<NodeId>, value: &Value) -> bool {
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            // Items behind the prefix may be anything if no schema is for them.
            let Some(schema) = prefix.get(index).copied().or(rest) else {
                return true;
            };
            if !self.is_valid(schema, item) {
                return false;
            }
        }
        true
    }

    /// Counts the items that a schema accepts. Returns `None` if the value is not an array.
    fn count_items(&mut self, schema: NodeId, value: &Value) -> Option<u64> {
        let mut count = 0;
        for item in value.as_array()? {
            count += u64::from(self.is_valid(schema, item));
        }
        Some(count)
    }

    fn fits_names(&mut self, schema: NodeId, value: &Value) -> bool {
        for name in value.as_object().into_iter().flat_map(Map::keys) {
            if !self.is_valid(schema, &Value::String(name.clone())) {
                return false;
            }
        }
        true
    }

    fn fits_members(&mut self, members: &MemberSchemas, value: &Value) -> bool {
        let Value::Object(object) = value else {
            return true;
        };
        // Only named members can be refused here. The shorter side is walked, because a caller may
        // send many other members.
        if members.is_named_only() && members.named.len() <= object.len() {
            for (name, schema) in &members.named {
                if let Some(inner) = member::find(object, name)
                    && !self.is_valid(*schema, inner)
                {
                    return false;
                }
            }
            return true;
        }
        for (name, inner) in object {
            if !self.fits_member(members, name, inner) {
                return false;
            }
        }
        true
    }

    fn fits_member(&mut self, members: &MemberSchemas, name: &str, value: &Value) -> bool {
        // A name may be long and comes from the caller, so its length is charged.
        if !self.advance(1 + name.len() as u64 / BYTES_EACH) {
            return false;
        }
        let named = members.named.get(name);
        if let Some(schema) = named
            && !self.is_valid(*schema, value)
        {
            return false;
        }
        let mut is_described = named.is_some();
        for (pattern, schema) in &members.by_pattern {
            if self.matches(pattern, name, None) {
                is_described = true;
                if !self.is_valid(*schema, value) {
                    return false;
                }
            }
        }
        match members.others {
            Some(others) if !is_described => self.is_valid(others, value),
            _ => true,
        }
    }
}
