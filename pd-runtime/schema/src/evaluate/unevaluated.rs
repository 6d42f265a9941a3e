//! The members and items that no other keyword evaluated (Core 2020-12, section 11).

use super::Evaluation;
use crate::node::{MemberSchemas, NodeId, SchemaKeyword};
use serde_json::Value;
use std::collections::HashSet;

/// The parts of one value that keywords evaluated.
#[derive(Debug, Default)]
struct EvaluatedParts<'v> {
    all_members: bool,
    members: HashSet<&'v str>,
    /// Items before this one are evaluated.
    items: usize,
    /// Further items, which `contains` evaluated.
    contained: HashSet<usize>,
}

impl<'s> Evaluation<'s> {
    pub(super) fn fits_unevaluated_items(
        &mut self,
        rest: NodeId,
        siblings: &'s [SchemaKeyword],
        value: &Value,
    ) -> bool {
        for (_, item) in self.unevaluated_items(siblings, value) {
            if !self.is_valid(rest, item) {
                return false;
            }
        }
        true
    }

    pub(super) fn fits_unevaluated_members(
        &mut self,
        rest: NodeId,
        siblings: &'s [SchemaKeyword],
        value: &Value,
    ) -> bool {
        for (_, inner) in self.unevaluated_members(siblings, value) {
            if !self.is_valid(rest, inner) {
                return false;
            }
        }
        true
    }

    /// Returns the members of an object that the other keywords of the current node did not
    /// evaluate.
    pub(crate) fn unevaluated_members<'v>(
        &mut self,
        siblings: &'s [SchemaKeyword],
        value: &'v Value,
    ) -> Vec<(&'v str, &'v Value)> {
        // Only objects have members, and the branches need not be asked about other values.
        if !value.is_object() {
            return Vec::new();
        }
        let mut parts = EvaluatedParts::default();
        // The keyword itself is left out, because it would count as the evaluation of every member.
        let siblings = siblings
            .iter()
            .filter(|keyword| !matches!(keyword, SchemaKeyword::UnevaluatedMembers(_)));
        siblings.for_each(|keyword| self.collect(keyword, value, &mut parts));
        let members = value
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, inner)| (name.as_str(), inner));
        members
            .filter(|(name, _)| !parts.all_members && !parts.members.contains(name))
            .collect()
    }

    /// Returns the items of an array that the other keywords of the current node did not evaluate.
    pub(crate) fn unevaluated_items<'v>(
        &mut self,
        siblings: &'s [SchemaKeyword],
        value: &'v Value,
    ) -> Vec<(usize, &'v Value)> {
        if !value.is_array() {
            return Vec::new();
        }
        let mut parts = EvaluatedParts::default();
        let siblings = siblings
            .iter()
            .filter(|keyword| !matches!(keyword, SchemaKeyword::UnevaluatedItems(_)));
        siblings.for_each(|keyword| self.collect(keyword, value, &mut parts));
        let items = value.as_array().into_iter().flatten().enumerate();
        items
            .filter(|(place, _)| *place >= parts.items && !parts.contained.contains(place))
            .collect()
    }

    fn collect_node<'v>(&mut self, id: NodeId, value: &'v Value, parts: &mut EvaluatedParts<'v>) {
        let node = self.schema.node(id);
        if !self.advance(1) {
            return;
        }
        let entered = self.enter(node.resource);
        node.keywords
            .iter()
            .for_each(|keyword| self.collect(keyword, value, parts));
        self.leave(entered);
    }

    fn collect<'v>(
        &mut self,
        keyword: &'s SchemaKeyword,
        value: &'v Value,
        parts: &mut EvaluatedParts<'v>,
    ) {
        match keyword {
            SchemaKeyword::Reference(target) => self.collect_node(*target, value, parts),
            SchemaKeyword::DynamicReference { targets, otherwise } => {
                let target = self.dynamic_target(targets, *otherwise);
                self.collect_node(target, value, parts);
            }
            SchemaKeyword::AllOf(branches)
            | SchemaKeyword::AnyOf(branches)
            | SchemaKeyword::OneOf(branches) => {
                branches
                    .iter()
                    .for_each(|branch| self.collect_if_valid(*branch, value, parts));
            }
            SchemaKeyword::If {
                test,
                then,
                otherwise,
            } => {
                let is_then = self.is_valid(*test, value);
                // A failed `if` evaluates nothing (Core 2020-12, section 10.2.2.1).
                self.collect_if_valid(*test, value, parts);
                if let Some(next) = if is_then { then } else { otherwise } {
                    self.collect_node(*next, value, parts);
                }
            }
            SchemaKeyword::DependentSchemas(by_name) => {
                for (name, schema) in by_name {
                    if value.get(&**name).is_some() {
                        self.collect_node(*schema, value, parts);
                    }
                }
            }
            SchemaKeyword::Members(members) => self.collect_members(members, value, parts),
            // This one is inside a branch, where it evaluated every member that was left.
            SchemaKeyword::UnevaluatedMembers(_) => parts.all_members = true,
            SchemaKeyword::Items { rest: Some(_), .. } | SchemaKeyword::UnevaluatedItems(_) => {
                parts.items = usize::MAX
            }
            SchemaKeyword::Items { prefix, rest: None } => {
                parts.items = parts.items.max(prefix.len())
            }
            // Since 2020-12, `contains` evaluates the items that match (Core 2020-12, section
            // 10.3.1.3).
            SchemaKeyword::Contains { item: schema, .. } => {
                for (place, item) in value.as_array().into_iter().flatten().enumerate() {
                    if self.is_valid(*schema, item) {
                        parts.contained.insert(place);
                    }
                }
            }
            _ => {}
        }
    }

    /// A branch that refuses the value evaluates none of its parts.
    fn collect_if_valid<'v>(
        &mut self,
        branch: NodeId,
        value: &'v Value,
        parts: &mut EvaluatedParts<'v>,
    ) {
        if self.is_valid(branch, value) {
            self.collect_node(branch, value, parts);
        }
    }

    fn collect_members<'v>(
        &mut self,
        members: &MemberSchemas,
        value: &'v Value,
        parts: &mut EvaluatedParts<'v>,
    ) {
        // `additionalProperties` evaluates every member that the other two keywords do not.
        if members.others.is_some() {
            parts.all_members = true;
            return;
        }
        for name in value
            .as_object()
            .into_iter()
            .flat_map(|object| object.keys())
        {
            if !self.advance(1) {
                return;
            }
            let is_described = members.named.contains_key(name.as_str())
                || members
                    .by_pattern
                    .iter()
                    .any(|(pattern, _)| self.matches(pattern, name, None));
            if is_described {
                parts.members.insert(name);
            }
        }
    }
}
