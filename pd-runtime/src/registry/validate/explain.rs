//! Converts errors of jsonschema into violations. For a union it explains the intended branch, and
//! for a reference only the value there.

use super::{
    SchemaViolations,
    choices::none_of,
    escaped,
    finding::{ArgumentValue, ErrorHolder, LocatedError},
    pattern::UNDECIDED,
    union::{choices, likeliest, render_needs},
    units::{SchemaUnits, UnitMemo},
};
use crate::text::suggest::nearest;
use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use serde_json::Value;
use std::collections::HashSet;

/// The maximum number of values to examine. Violations in further values are not counted.
const EXAMINED_MAX: usize = 10_000;

/// Explains why arguments are not valid by a schema.
pub(super) struct ViolationExplainer<'a> {
    units: Option<&'a SchemaUnits>,
    /// The names of the tool's arguments, for suggestions.
    properties: &'a [String],
    violations: SchemaViolations,
    /// The values to examine, the next one last.
    waiting: Vec<(usize, ArgumentValue<'a>)>,
    examined: HashSet<(usize, usize)>,
    /// The number of references in branches that were followed.
    followed_references: usize,
}

impl<'a> ViolationExplainer<'a> {
    /// Explains violations of a schema without references.
    pub(super) fn explain_whole(
        schema: &Validator,
        properties: &'a [String],
        arguments: &'a Value,
    ) -> SchemaViolations {
        let (mut explanation, root) = Self::new(None, properties, arguments);
        schema.iter_errors(arguments).for_each(|error| explanation.add(&error, &root));
        explanation.violations
    }

    /// Explains violations of a schema that was cut at its references.
    pub(super) fn explain_units(
        units: &'a SchemaUnits,
        properties: &'a [String],
        arguments: &'a Value,
    ) -> SchemaViolations {
        // Dropped with the explanation: cached results are keyed by addresses of these arguments.
        let _memo = UnitMemo::new();
        let (mut explanation, root) = Self::new(Some(units), properties, arguments);
        explanation.waiting.push((0, root));
        while let Some((unit, place)) = explanation.waiting.pop()
            && explanation.examined.len() < EXAMINED_MAX
        {
            explanation.examine(unit, &place);
        }
        explanation.violations
    }

    fn new(units: Option<&'a SchemaUnits>, properties: &'a [String], value: &'a Value) -> (Self, ArgumentValue<'a>) {
        let (violations, waiting, examined) = (SchemaViolations::none(), Vec::new(), HashSet::new());
        (
            Self { units, properties, violations, waiting, examined, followed_references: 0 },
            ArgumentValue { pointer: String::new(), value },
        )
    }

    /// Adds the violations of one value, without those of inner values that have a unit of their
    /// own.
    fn examine(&mut self, unit: usize, place: &ArgumentValue<'a>) {
        let Some(validator) = self.units.and_then(|units| units.get(unit)) else { return };
        // `allOf` may lead to the same unit and value twice.
        if !self.examined.insert((unit, std::ptr::from_ref(place.value).addr())) {
            return;
        }
        let before = self.waiting.len();
        validator.iter_errors(place.value).for_each(|error| self.add(&error, place));
        // The stack reverses the order. Reversing it here keeps violations in the order of the
        // arguments.
        self.waiting.get_mut(before..).unwrap_or_default().reverse();
    }

    fn add(&mut self, error: &ValidationError<'_>, base: &ArgumentValue<'a>) {
        let at = format!("{}{}", base.pointer, error.instance_path());
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                self.violations.add(format!("{at}/{}", escaped(name)), || "is required".to_owned());
            }
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                for name in unexpected {
                    let message = || unknown(&at, name, self.properties);
                    self.violations.add(format!("{at}/{}", escaped(name)), message);
                }
            }
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                self.add_union(at, context, base);
            }
            ValidationErrorKind::Enum { options } => {
                let value = base.inner(error).map(|place| place.value);
                let choices = || options.as_array().into_iter().flatten().collect::<Vec<_>>();
                self.violations.add_listed(at, || none_of(&choices(), value));
            }
            ValidationErrorKind::BacktrackLimitExceeded { .. } => self.violations.add(at, || UNDECIDED.to_owned()),
            _ => match (SchemaUnits::unit_of(error), base.inner(error)) {
                (Some(unit), Some(place)) => self.waiting.push((unit, place)),
                _ => self.violations.add(at, || error.to_string()),
            },
        }
    }

    fn add_union(&mut self, at: String, branches: &[Vec<ValidationError<'static>>], base: &ArgumentValue<'a>) {
        let branches: Vec<_> = branches.iter().map(|errors| self.open_branch(errors, base, &at)).collect();
        if let Some(branch) = likeliest(&at, &branches) {
            for finding in branch {
                match &finding.error {
                    ErrorHolder::Borrowed(error) => self.add(error, &finding.base),
                    ErrorHolder::Owned(error) => self.add(error, &finding.base),
                }
            }
        } else if let Some((pointer, choices)) = choices(&branches) {
            let value = pointer.strip_prefix(&base.pointer).and_then(|inside| base.value.pointer(inside));
            self.violations.add_listed(pointer, || none_of(&choices, value));
        } else {
            self.violations.add_listed(at.clone(), || render_needs(&at, &branches));
        }
    }

    /// Collects a branch's errors. References to the union's own value, or to a value without
    /// parts, are replaced by the errors behind them, which show the intended branch.
    fn open_branch<'e>(
        &mut self,
        errors: &'e [ValidationError<'static>],
        base: &ArgumentValue<'a>,
        union: &str,
    ) -> Vec<LocatedError<'e, 'a>> {
        let mut findings = Vec::new();
        for error in errors {
            match self.open_reference(error, base, union) {
                Some(inner) => findings.extend(inner),
                None => findings.push(LocatedError { error: ErrorHolder::Borrowed(error), base: base.clone() }),
            }
        }
        findings
    }

    fn open_reference<'e>(
        &mut self,
        error: &ValidationError<'_>,
        base: &ArgumentValue<'a>,
        union: &str,
    ) -> Option<Vec<LocatedError<'e, 'a>>> {
        let validator = self.units?.get(SchemaUnits::unit_of(error)?)?;
        let place = base.inner(error)?;
        let has_parts = place.value.is_array() || place.value.is_object();
        // Following references into parts of the value would repeat the exponential search that
        // units avoid.
        if (place.pointer != union && has_parts) || self.followed_references >= EXAMINED_MAX {
            return None;
        }
        self.followed_references += 1;
        let mut findings = Vec::new();
        for error in validator.iter_errors(place.value) {
            match self.open_reference(&error, &place, union) {
                Some(inner) => findings.extend(inner),
                None => findings.push(LocatedError { error: ErrorHolder::Owned(error), base: place.clone() }),
            }
        }
        Some(findings)
    }
}

fn unknown(at: &str, name: &str, properties: &[String]) -> String {
    if !at.is_empty() {
        return "is not a property here".to_owned();
    }
    match nearest(name, &properties.iter().map(String::as_str).collect::<Vec<_>>()) {
        Some(near) => format!("is no argument of this tool; did you mean `{near}`?"),
        None if properties.is_empty() => "is no argument of this tool, which takes none".to_owned(),
        None => format!("is no argument of this tool, which takes {}", properties.join(", ")),
    }
}
