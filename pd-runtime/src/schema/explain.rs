//! Explains why a value is not valid: every violation with its JSON pointer, in words for a model.
//!
//! A union is explained by the branch that was probably meant. Each value is inspected once for
//! each branch and explained once, so the time is linear in the arguments and in the schema.

mod choices;
mod finding;
mod union;

use super::{
    evaluate::Evaluation,
    node::{MemberSchemas, NodeId, NumberBound, SchemaKeyword, SizeLimit},
    violations::{SchemaViolations, escaped},
};
use crate::text::suggest::nearest;
use choices::none_of;
use finding::{ArgumentValue, FindingKind, ViolationFinding, quote_text};
use serde_json::Value;
use std::collections::HashSet;

/// The maximum number of values to inspect. Further values count as one violation each.
const INSPECTED_MAX: usize = 10_000;

/// Explains the violations of one value.
pub(super) struct ViolationExplainer<'e, 's, 'v> {
    evaluation: &'e mut Evaluation<'s>,
    /// The names of the tool's arguments, for suggestions.
    properties: &'e [String],
    violations: SchemaViolations,
    /// The arrays and objects that were explained, with the node that refused them.
    explained: HashSet<(NodeId, usize)>,
    inspected: usize,
    value: std::marker::PhantomData<&'v Value>,
}

impl<'e, 's, 'v> ViolationExplainer<'e, 's, 'v> {
    pub(super) fn explain(
        evaluation: &'e mut Evaluation<'s>,
        root: NodeId,
        properties: &'e [String],
        value: &'v Value,
    ) -> SchemaViolations {
        // Branches of one union lead to the same inner values.
        evaluation.keeps_all = true;
        let violations = SchemaViolations::none();
        let (explained, inspected, marker) = Default::default();
        let mut explainer = Self { evaluation, properties, violations, explained, inspected, value: marker };
        explainer.explain_value(root, &ArgumentValue { pointer: String::new(), value });
        explainer.violations
    }

    fn explain_value(&mut self, node: NodeId, place: &ArgumentValue<'v>) {
        // `allOf` may lead to one node and value twice.
        let is_new = self.explained.insert((node, std::ptr::from_ref(place.value).addr()));
        if is_new {
            let mut findings = Vec::new();
            self.inspect(node, place, &mut findings);
            findings.iter().for_each(|finding| self.report(finding));
        }
    }

    fn report(&mut self, finding: &ViolationFinding<'s, 'v>) {
        let place = &finding.place;
        match &finding.kind {
            FindingKind::Part(node) => self.explain_value(*node, place),
            FindingKind::Union(branches) => self.explain_union(branches, place),
            FindingKind::Enum(values) => {
                let choices: Vec<_> = values.iter().collect();
                self.violations.add_listed(place.pointer.clone(), || none_of(&choices, Some(place.value)));
            }
            FindingKind::Missing { name, .. } => {
                self.violations.add(format!("{}/{}", place.pointer, escaped(name)), || finding.reason());
            }
            FindingKind::Unknown(name) => {
                let properties = self.properties;
                let message = || unknown(&place.pointer, name, properties);
                self.violations.add(format!("{}/{}", place.pointer, escaped(name)), message);
            }
            _ => self.violations.add(place.pointer.clone(), || finding.message()),
        }
    }

    fn explain_union(&mut self, nodes: &'s [NodeId], place: &ArgumentValue<'v>) {
        let mut branches = Vec::new();
        for node in nodes {
            let mut findings = Vec::new();
            self.inspect(*node, place, &mut findings);
            branches.push(findings);
        }
        let likeliest = union::likeliest(&place.pointer, &branches).and_then(|likeliest| branches.get(likeliest));
        if let Some(branch) = likeliest {
            branch.iter().for_each(|finding| self.report(finding));
        } else if let Some((tag, choices)) = union::choices(&branches) {
            self.violations.add_listed(tag.place.pointer.clone(), || none_of(&choices, Some(tag.place.value)));
        } else {
            let needs = || union::render_needs(&place.pointer, &branches);
            self.violations.add_listed(place.pointer.clone(), needs);
        }
    }

    /// Collects the reasons why a node refuses a value. Inner arrays and objects are reported as a
    /// whole.
    fn inspect(&mut self, id: NodeId, place: &ArgumentValue<'v>, findings: &mut Vec<ViolationFinding<'s, 'v>>) {
        self.inspected += 1;
        if self.inspected > INSPECTED_MAX {
            let kind = FindingKind::Other("is not valid".to_owned());
            return findings.push(ViolationFinding { place: place.clone(), kind });
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
    fn inspect_keyword(
        &mut self,
        keyword: &'s SchemaKeyword,
        siblings: &'s [SchemaKeyword],
        place: &ArgumentValue<'v>,
        findings: &mut Vec<ViolationFinding<'s, 'v>>,
    ) {
        let kind = match keyword {
            SchemaKeyword::Reference(target) => return self.inspect(*target, place, findings),
            SchemaKeyword::DynamicReference { targets, otherwise } => {
                let target = self.evaluation.dynamic_target(targets, *otherwise);
                return self.inspect(target, place, findings);
            }
            SchemaKeyword::AllOf(branches) => {
                return branches.iter().for_each(|branch| self.inspect(*branch, place, findings));
            }
            SchemaKeyword::If { test, then, otherwise } => {
                let next = if self.evaluation.is_valid(*test, place.value) { then } else { otherwise };
                return next.iter().for_each(|next| self.inspect(*next, place, findings));
            }
            SchemaKeyword::DependentSchemas(by_name) => {
                let present = by_name.iter().filter(|(name, _)| place.value.get(&**name).is_some());
                return present.for_each(|(_, schema)| self.inspect(*schema, place, findings));
            }
            SchemaKeyword::OneOf(branches) if self.evaluation.valid_branches(branches, place.value, 2) > 1 => {
                FindingKind::Other(format!("fits more than one of {} forms, and must fit exactly one", branches.len()))
            }
            SchemaKeyword::AnyOf(branches) | SchemaKeyword::OneOf(branches) => FindingKind::Union(branches),
            SchemaKeyword::Items { prefix, rest } => return self.inspect_items(prefix, *rest, place, findings),
            SchemaKeyword::UnevaluatedItems(rest) => {
                for (index, item) in self.evaluation.unevaluated_items(siblings, place.value) {
                    self.inspect_part(*rest, place.item(index, item), findings);
                }
                return;
            }
            SchemaKeyword::Members(members) => return self.inspect_members(members, place, findings),
            SchemaKeyword::UnevaluatedMembers(rest) => {
                for (name, inner) in self.evaluation.unevaluated_members(siblings, place.value) {
                    self.inspect_other(*rest, name, inner, place, findings);
                }
                return;
            }
            SchemaKeyword::Names(schema) => return self.inspect_names(*schema, place, findings),
            SchemaKeyword::Required(names) => return add_missing(names, None, place, findings),
            SchemaKeyword::DependentRequired(by_name) => {
                let present = by_name.iter().filter(|(name, _)| place.value.get(&**name).is_some());
                return present.for_each(|(name, needed)| add_missing(needed, Some(name), place, findings));
            }
            SchemaKeyword::Type(types) => FindingKind::Type(*types),
            SchemaKeyword::Const(only) => FindingKind::Const(only),
            SchemaKeyword::Enum(values) => FindingKind::Enum(values),
            other => FindingKind::Other(reason(other)),
        };
        findings.push(ViolationFinding { place: place.clone(), kind });
    }

    fn inspect_items(
        &mut self,
        prefix: &'s [NodeId],
        rest: Option<NodeId>,
        place: &ArgumentValue<'v>,
        findings: &mut Vec<ViolationFinding<'s, 'v>>,
    ) {
        let schemas = prefix.iter().map(|node| Some(*node)).chain(std::iter::repeat(rest));
        for ((index, item), schema) in place.value.as_array().into_iter().flatten().enumerate().zip(schemas) {
            if let Some(schema) = schema {
                self.inspect_part(schema, place.item(index, item), findings);
            }
        }
    }

    fn inspect_members(
        &mut self,
        members: &'s MemberSchemas,
        place: &ArgumentValue<'v>,
        findings: &mut Vec<ViolationFinding<'s, 'v>>,
    ) {
        for (name, inner) in place.value.as_object().into_iter().flatten() {
            let mut is_described = false;
            if let Some(schema) = members.named.get(name.as_str()) {
                is_described = true;
                self.inspect_part(*schema, place.member(name, inner), findings);
            }
            for (pattern, schema) in &members.by_pattern {
                if self.evaluation.matches(pattern, name, None) {
                    is_described = true;
                    self.inspect_part(*schema, place.member(name, inner), findings);
                }
            }
            if let Some(others) = members.others.filter(|_| !is_described) {
                self.inspect_other(others, name, inner, place, findings);
            }
        }
    }

    /// Inspects a member that the schema does not name.
    fn inspect_other(
        &mut self,
        schema: NodeId,
        name: &'v str,
        inner: &'v Value,
        place: &ArgumentValue<'v>,
        findings: &mut Vec<ViolationFinding<'s, 'v>>,
    ) {
        if matches!(self.evaluation.schema.node(schema).keywords.as_slice(), [SchemaKeyword::Never]) {
            findings.push(ViolationFinding { place: place.clone(), kind: FindingKind::Unknown(name) });
        } else {
            self.inspect_part(schema, place.member(name, inner), findings);
        }
    }

    fn inspect_part(&mut self, schema: NodeId, part: ArgumentValue<'v>, findings: &mut Vec<ViolationFinding<'s, 'v>>) {
        if self.evaluation.is_valid(schema, part.value) {
            return;
        }
        if part.value.is_array() || part.value.is_object() {
            findings.push(ViolationFinding { place: part, kind: FindingKind::Part(schema) });
        } else {
            self.inspect(schema, &part, findings);
        }
    }

    fn inspect_names(
        &mut self,
        schema: NodeId,
        place: &ArgumentValue<'v>,
        findings: &mut Vec<ViolationFinding<'s, 'v>>,
    ) {
        for (name, inner) in place.value.as_object().into_iter().flatten() {
            if !self.evaluation.is_valid(schema, &Value::String(name.clone())) {
                let reason = "has a name that is not allowed here".to_owned();
                findings.push(ViolationFinding { place: place.member(name, inner), kind: FindingKind::Other(reason) });
            }
        }
    }
}

fn add_missing<'s, 'v>(
    names: &'s [Box<str>],
    because: Option<&'s str>,
    place: &ArgumentValue<'v>,
    findings: &mut Vec<ViolationFinding<'s, 'v>>,
) {
    let missing = names.iter().filter(|name| place.value.get(&***name).is_none());
    findings.extend(
        missing.map(|name| ViolationFinding { place: place.clone(), kind: FindingKind::Missing { name, because } }),
    );
}

fn unknown(at: &str, name: &str, properties: &[String]) -> String {
    if !at.is_empty() {
        return "is not a property here".to_owned();
    }
    match nearest(name, &properties.iter().map(String::as_str).collect::<Vec<_>>()) {
        Some(near) => format!("is not an argument of this tool; did you mean `{near}`?"),
        None if properties.is_empty() => "is not an argument of this tool, which takes none".to_owned(),
        None => format!("is not an argument of this tool, which takes {}", properties.join(", ")),
    }
}

/// Renders why a keyword refuses a value, without the value.
fn reason(keyword: &SchemaKeyword) -> String {
    let counted = |count: u64, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    match keyword {
        SchemaKeyword::Bound(NumberBound::Minimum, limit) => format!("is less than the minimum of {limit}"),
        SchemaKeyword::Bound(NumberBound::Maximum, limit) => format!("is greater than the maximum of {limit}"),
        SchemaKeyword::Bound(NumberBound::Above, limit) => format!("is not greater than {limit}"),
        SchemaKeyword::Bound(NumberBound::Below, limit) => format!("is not less than {limit}"),
        SchemaKeyword::MultipleOf(divisor) => format!("is not a multiple of {divisor}"),
        SchemaKeyword::Size(limit, count) => match limit {
            SizeLimit::MinLength => format!("is shorter than {}", counted(*count, "character", "characters")),
            SizeLimit::MaxLength => format!("is longer than {}", counted(*count, "character", "characters")),
            SizeLimit::MinItems => format!("has less than {}", counted(*count, "item", "items")),
            SizeLimit::MaxItems => format!("has more than {}", counted(*count, "item", "items")),
            SizeLimit::MinProperties => format!("has less than {}", counted(*count, "property", "properties")),
            SizeLimit::MaxProperties => format!("has more than {}", counted(*count, "property", "properties")),
        },
        SchemaKeyword::Unique => "has equal items, which must be unique".to_owned(),
        SchemaKeyword::Pattern(pattern) => format!("does not match the pattern {}", quote_text(&pattern.source)),
        SchemaKeyword::Format(format) => format!("is not a valid {}", format.as_str()),
        SchemaKeyword::Contains { least, most: None, .. } => {
            format!("must contain at least {} of the required form", counted(*least, "item", "items"))
        }
        SchemaKeyword::Contains { least, most: Some(most), .. } => {
            format!("must contain {least} to {most} items of the required form")
        }
        SchemaKeyword::Not(_) => "has a form that is not allowed here".to_owned(),
        _ => "is not allowed here".to_owned(),
    }
}
