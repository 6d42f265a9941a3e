//! Collects the reasons why a node refuses a value.

use super::{
    ArgumentValue, FindingKind, INSPECTED_MAX, NODE_FINDINGS_MAX, NodeFindings, PathPart,
    ViolationExplainer,
};
use crate::node::{MemberSchemas, NodeId, SchemaKeyword};
use serde_json::Value;

impl<'s> ViolationExplainer<'_, 's> {
    /// Collects the reasons why a node refuses a value. Inner arrays and objects are reported as a
    /// whole.
    pub(super) fn inspect<'v>(
        &mut self,
        id: NodeId,
        place: &ArgumentValue<'v>,
        findings: &mut NodeFindings<'s, 'v>,
    ) {
        // Every result is meaningless from here on, and `CompiledSchema::validate` reports why.
        if self.evaluation.given_up.is_some() {
            return;
        }
        self.inspected += 1;
        if self.inspected > INSPECTED_MAX {
            return self.add(FindingKind::Uninspected, place, findings);
        }
        let node = self.evaluation.schema.node(id);
        let entered = self.evaluation.enter(node.resource);
        for keyword in &node.keywords {
            if !self.evaluation.fits(keyword, &node.keywords, place.value) {
                self.inspect_keyword(keyword, &node.keywords, place, findings);
            }
        }
        self.evaluation.leave(entered);
    }

    /// Collects the reasons why one keyword refuses a value.
    fn inspect_keyword<'v>(
        &mut self,
        keyword: &'s SchemaKeyword,
        siblings: &'s [SchemaKeyword],
        place: &ArgumentValue<'v>,
        findings: &mut NodeFindings<'s, 'v>,
    ) {
        // Keywords that only apply other schemas are followed, so that a finding names the keyword
        // that refuses the value.
        let kind = match keyword {
            SchemaKeyword::Reference(target) => return self.inspect(*target, place, findings),
            SchemaKeyword::DynamicReference { targets, otherwise } => {
                let target = self.evaluation.dynamic_target(targets, *otherwise);
                return self.inspect(target, place, findings);
            }
            SchemaKeyword::AllOf(branches) => {
                return branches
                    .iter()
                    .for_each(|branch| self.inspect(*branch, place, findings));
            }
            SchemaKeyword::If {
                test,
                then,
                otherwise,
            } => {
                let next = if self.evaluation.is_valid(*test, place.value) {
                    then
                } else {
                    otherwise
                };
                return next
                    .iter()
                    .for_each(|next| self.inspect(*next, place, findings));
            }
            SchemaKeyword::DependentSchemas(by_name) => {
                let present = by_name
                    .iter()
                    .filter(|(name, _)| place.value.get(&**name).is_some());
                return present.for_each(|(_, schema)| self.inspect(*schema, place, findings));
            }
            // Two valid branches are enough to know that the value is ambiguous.
            SchemaKeyword::OneOf(branches)
                if self.evaluation.valid_branches(branches, place.value, 2) > 1 =>
            {
                FindingKind::Ambiguous(branches.len())
            }
            SchemaKeyword::AnyOf(branches) | SchemaKeyword::OneOf(branches) => {
                FindingKind::Union(branches)
            }
            SchemaKeyword::Items { prefix, rest } => {
                return self.inspect_items(prefix, *rest, place, findings);
            }
            SchemaKeyword::UnevaluatedItems(rest) => {
                for (index, item) in self.evaluation.unevaluated_items(siblings, place.value) {
                    self.inspect_part(*rest, PathPart::Item(index), item, place, findings);
                }
                return;
            }
            SchemaKeyword::Members(members) => {
                return self.inspect_members(members, place, findings);
            }
            SchemaKeyword::UnevaluatedMembers(rest) => {
                for (name, inner) in self.evaluation.unevaluated_members(siblings, place.value) {
                    self.inspect_other(*rest, name, inner, place, findings);
                }
                return;
            }
            SchemaKeyword::Names(schema) => return self.inspect_names(*schema, place, findings),
            SchemaKeyword::Required(names) => {
                return self.add_missing(names, None, place, findings);
            }
            SchemaKeyword::DependentRequired(by_name) => {
                let present = by_name
                    .iter()
                    .filter(|(name, _)| place.value.get(&**name).is_some());
                return present.for_each(|(name, needed)| {
                    self.add_missing(needed, Some(name), place, findings)
                });
            }
            SchemaKeyword::Type(types) => FindingKind::Type(*types),
            SchemaKeyword::Const(only) => FindingKind::Const(only),
            SchemaKeyword::Enum(values) => FindingKind::Enum(values),
            other => FindingKind::Keyword(other),
        };
        self.add(kind, place, findings);
    }

    fn inspect_items<'v>(
        &mut self,
        prefix: &'s [NodeId],
        rest: Option<NodeId>,
        place: &ArgumentValue<'v>,
        findings: &mut NodeFindings<'s, 'v>,
    ) {
        let schemas = prefix
            .iter()
            .map(|node| Some(*node))
            .chain(std::iter::repeat(rest));
        for ((index, item), schema) in place
            .value
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
            .zip(schemas)
        {
            if let Some(schema) = schema {
                self.inspect_part(schema, PathPart::Item(index), item, place, findings);
            }
        }
    }

    fn inspect_members<'v>(
        &mut self,
        members: &'s MemberSchemas,
        place: &ArgumentValue<'v>,
        findings: &mut NodeFindings<'s, 'v>,
    ) {
        for (name, inner) in place.value.as_object().into_iter().flatten() {
            let mut is_described = false;
            if let Some(schema) = members.named.get(name.as_str()) {
                is_described = true;
                self.inspect_part(*schema, PathPart::Member(name), inner, place, findings);
            }
            for (pattern, schema) in &members.by_pattern {
                if self.evaluation.matches(pattern, name, None) {
                    is_described = true;
                    self.inspect_part(*schema, PathPart::Member(name), inner, place, findings);
                }
            }
            if let Some(others) = members.others.filter(|_| !is_described) {
                self.inspect_other(others, name, inner, place, findings);
            }
        }
    }

    /// Inspects a member that the schema does not name.
    fn inspect_other<'v>(
        &mut self,
        schema: NodeId,
        name: &'v str,
        inner: &'v Value,
        place: &ArgumentValue<'v>,
        findings: &mut NodeFindings<'s, 'v>,
    ) {
        // Such a schema, as in `additionalProperties: false`, refuses the name and not the value.
        if matches!(
            self.evaluation.schema.node(schema).keywords.as_slice(),
            [SchemaKeyword::Never]
        ) {
            self.add(FindingKind::Unknown(name), place, findings);
        } else {
            self.inspect_part(schema, PathPart::Member(name), inner, place, findings);
        }
    }

    fn inspect_part<'v>(
        &mut self,
        schema: NodeId,
        part: PathPart<'v>,
        value: &'v Value,
        place: &ArgumentValue<'v>,
        findings: &mut NodeFindings<'s, 'v>,
    ) {
        if self.evaluation.is_valid(schema, value) {
            return;
        }
        // Decided before the path is built, which would be dropped again.
        if findings.kept.len() >= NODE_FINDINGS_MAX {
            findings.more += 1;
            return;
        }
        let place = place.part(part, value);
        // Explained when it is reported, so that the dropped branches of a union cost nothing.
        if value.is_array() || value.is_object() {
            self.add(FindingKind::Part(schema), &place, findings);
        } else {
            self.inspect(schema, &place, findings);
        }
    }

    fn inspect_names<'v>(
        &mut self,
        schema: NodeId,
        place: &ArgumentValue<'v>,
        findings: &mut NodeFindings<'s, 'v>,
    ) {
        for (name, inner) in place.value.as_object().into_iter().flatten() {
            if !self
                .evaluation
                .is_valid(schema, &Value::String(name.clone()))
            {
                self.add(
                    FindingKind::Name,
                    &place.part(PathPart::Member(name), inner),
                    findings,
                );
            }
        }
    }

    fn add_missing<'v>(
        &mut self,
        names: &'s [Box<str>],
        because: Option<&'s str>,
        place: &ArgumentValue<'v>,
        findings: &mut NodeFindings<'s, 'v>,
    ) {
        for name in names
            .iter()
            .filter(|name| place.value.get(&***name).is_none())
        {
            self.add(FindingKind::Missing { name, because }, place, findings);
        }
    }
}
