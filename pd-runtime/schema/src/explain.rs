//! Explains why a value is not valid: every violation with its JSON pointer, in words for a model.
//!
//! A union is explained by the branch that was probably meant. Each value is inspected once for
//! each branch and explained once, so the time is linear in the arguments and in the schema. Limits
//! on the inspected values and on the findings bound the memory.

mod choices;
mod finding;
mod inspect;
mod json_texts;
mod union;

use super::{
    evaluate::Evaluation,
    node::NodeId,
    references::address_of,
    violations::{SchemaViolations, ViolationKind},
};
use crate::suggest::nearest;
use choices::none_of;
use finding::{ArgumentValue, FindingKind, PathPart, ViolationFinding};
use serde_json::Value;
use std::collections::HashSet;

/// The maximum number of values to inspect. Further values count as one violation each.
const INSPECTED_MAX: usize = 10_000;
/// The maximum number of findings of one explanation. Further ones are only counted.
const FINDINGS_MAX: usize = 50_000;
/// The maximum number of findings for one node, so that no branch of a union uses up the total.
const NODE_FINDINGS_MAX: usize = 1_000;

/// Explains the violations of one value.
pub(super) struct ViolationExplainer<'e, 's> {
    evaluation: &'e mut Evaluation<'s>,
    /// The names of the tool's arguments, for suggestions.
    properties: &'e [String],
    violations: SchemaViolations,
    /// The arrays and objects that were explained, with the node that refused them.
    explained: HashSet<(NodeId, usize)>,
    /// The texts that were parsed.
    parsed: HashSet<usize>,
    inspected: usize,
    found: usize,
}

/// The reasons why a node refuses a value.
#[derive(Debug, Default)]
struct NodeFindings<'s, 'v> {
    kept: Vec<ViolationFinding<'s, 'v>>,
    /// The number of further ones.
    more: usize,
}

impl<'e, 's> ViolationExplainer<'e, 's> {
    /// Explains a value. The result is meaningless if the evaluation is given up.
    pub(super) fn explain(
        evaluation: &'e mut Evaluation<'s>,
        root: NodeId,
        properties: &'e [String],
        value: &Value,
    ) -> SchemaViolations {
        let mut explainer = Self::new(evaluation, properties);
        explainer.explain_value(root, &ArgumentValue::root(value));
        explainer.violations
    }

    fn new(evaluation: &'e mut Evaluation<'s>, properties: &'e [String]) -> Self {
        // Branches of one union lead to the same inner values.
        evaluation.keep_all();
        let explained = HashSet::new();
        let parsed = HashSet::new();
        let violations = SchemaViolations::none();
        Self {
            evaluation,
            properties,
            violations,
            explained,
            parsed,
            inspected: 0,
            found: 0,
        }
    }

    fn explain_value(&mut self, node: NodeId, place: &ArgumentValue<'_>) {
        // `allOf` may lead to one node and value twice.
        let is_new = self.explained.insert((node, address_of(place.value)));
        if is_new {
            let findings = self.findings(node, place);
            self.report_all(&findings);
        }
    }

    fn findings<'v>(&mut self, node: NodeId, place: &ArgumentValue<'v>) -> NodeFindings<'s, 'v> {
        let mut findings = NodeFindings::default();
        self.inspect(node, place, &mut findings);
        findings
    }

    fn report_all(&mut self, findings: &NodeFindings<'s, '_>) {
        findings
            .kept
            .iter()
            .for_each(|finding| self.report(finding));
        self.violations.total += findings.more;
    }

    fn report(&mut self, finding: &ViolationFinding<'s, '_>) {
        let place = &finding.place;
        match finding.kind {
            FindingKind::Part(node) => self.explain_value(node, place),
            FindingKind::Union(branches) => self.explain_union(branches, place),
            // `is_json_of` has reported such a text already.
            FindingKind::Type(types)
                if self.is_json_of(place, |value, _| types.contains(value)) => {}
            FindingKind::Enum(values) => {
                let choices: Vec<_> = values.iter().collect();
                self.violations
                    .add_listed(|| place.pointer(), || none_of(&choices, Some(place.value)));
            }
            FindingKind::Missing { name, .. } => {
                self.violations.add(
                    ViolationKind::Missing,
                    || place.pointer_to(name),
                    || finding.reason(),
                );
            }
            FindingKind::Unknown(name) => {
                // Copied, because the closure cannot borrow `self` beside `violations`.
                let properties = self.properties;
                self.violations.add(
                    ViolationKind::Unknown,
                    || place.pointer_to(name),
                    || unknown(place, name, properties),
                );
            }
            _ => self.violations.add(
                ViolationKind::Value,
                || place.pointer(),
                || finding.message(),
            ),
        }
    }

    fn explain_union(&mut self, nodes: &'s [NodeId], place: &ArgumentValue<'_>) {
        let branches: Vec<_> = nodes
            .iter()
            .map(|node| self.findings(*node, place))
            .collect();
        let kept: Vec<_> = branches
            .iter()
            .map(|branch| branch.kept.as_slice())
            .collect();
        // The answers are tried from the most helpful to the least: the findings of one branch, the
        // text that holds the value, the choice between tags, and the needs of every branch.
        let likeliest =
            union::likeliest(place, &kept).and_then(|likeliest| branches.get(likeliest));
        if let Some(branch) = likeliest {
            self.report_all(branch);
        } else if self.is_json_of(place, |value, explainer| {
            explainer.verdict(&kept, place, value).is_wanted
        }) {
            // The text is reported and kept.
        } else if let Some((tag, choices)) = union::choices(&kept) {
            self.violations.add_listed(
                || tag.place.pointer(),
                || none_of(&choices, Some(tag.place.value)),
            );
        } else {
            self.violations
                .add_listed(|| place.pointer(), || union::render_needs(place, &kept));
        }
    }

    fn add<'v>(
        &mut self,
        kind: FindingKind<'s, 'v>,
        place: &ArgumentValue<'v>,
        findings: &mut NodeFindings<'s, 'v>,
    ) {
        if self.found < FINDINGS_MAX && findings.kept.len() < NODE_FINDINGS_MAX {
            self.found += 1;
            findings.kept.push(ViolationFinding {
                place: place.clone(),
                kind,
            });
        } else {
            findings.more += 1;
        }
    }
}

fn unknown(place: &ArgumentValue<'_>, name: &str, properties: &[String]) -> String {
    // `properties` has the names of the tool's arguments only.
    if !place.is_root() {
        return "is not a property here".to_owned();
    }
    match nearest(
        name,
        &properties.iter().map(String::as_str).collect::<Vec<_>>(),
    ) {
        Some(near) => format!("is not an argument of this tool; did you mean `{near}`?"),
        None if properties.is_empty() => {
            "is not an argument of this tool, which takes none".to_owned()
        }
        None => format!(
            "is not an argument of this tool, which takes {}",
            properties.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::{CompiledSchema, ROOT};
    use serde_json::json;

    #[test]
    fn findings_of_many_branches_are_kept_up_to_the_limit() {
        let branch =
            |number: usize| json!({ "items": { "type": "null" }, "title": number.to_string() });
        let compiled =
            CompiledSchema::new(&json!({ "anyOf": (0..100).map(branch).collect::<Vec<_>>() }))
                .unwrap();
        let mut evaluation = Evaluation::new(&compiled);
        let mut explainer = ViolationExplainer::new(&mut evaluation, &[]);
        explainer.explain_value(ROOT, &ArgumentValue::root(&json!(vec![json!([]); 2_000])));
        assert_eq!(explainer.found, FINDINGS_MAX);
        assert_eq!(explainer.violations.total, 1);
    }
}
