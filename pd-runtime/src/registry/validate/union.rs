//! Explains why a value fits no branch of a union: by the intended branch, or by the needs of each
//! branch at the union's own level. Deeper errors are ignored, so the cost is linear in the number
//! of errors.

use super::{choices::listed, finding::LocatedError};
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

/// The maximum number of branches in a message.
const BRANCHES_MAX: usize = 8;
/// The maximum number of names for each kind of need.
const NAMES_MAX: usize = 4;
/// The maximum length of a name or message of a branch, in characters. Names may come from the
/// caller.
const WORD_MAX: usize = 60;

/// Returns the intended branch: the only one that accepts the value's type and tag, or the only one
/// of these that accepts the names of its properties. Its errors help more than "no branch fits".
pub(super) fn likeliest<'f, 'e, 'a>(
    at: &str,
    branches: &'f [Vec<LocatedError<'e, 'a>>],
) -> Option<&'f [LocatedError<'e, 'a>]> {
    let is_of_kind = |branch: &&Vec<LocatedError<'_, '_>>| !branch.iter().any(|finding| rules_out(finding, at));
    let is_of_names = |branch: &&Vec<LocatedError<'_, '_>>| !branch.iter().any(|finding| is_about_names(finding, at));
    let of_kind: Vec<_> = branches.iter().filter(is_of_kind).collect();
    let mut of_names = of_kind.iter().copied().filter(is_of_names);
    match of_kind.as_slice() {
        [only] => Some(only.as_slice()),
        _ => of_names.next().filter(|_| of_names.next().is_none()).map(Vec::as_slice),
    }
}

fn rules_out(finding: &LocatedError<'_, '_>, union: &str) -> bool {
    match finding.kind() {
        ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. } => true,
        ValidationErrorKind::Type { .. } => finding.pointer() == union,
        _ => false,
    }
}

/// Returns whether an error is about a missing or an unknown property of the union's value.
fn is_about_names(finding: &LocatedError<'_, '_>, union: &str) -> bool {
    let is_name = matches!(
        finding.kind(),
        ValidationErrorKind::Required { .. }
            | ValidationErrorKind::AdditionalProperties { .. }
            | ValidationErrorKind::UnevaluatedProperties { .. }
    );
    is_name && finding.pointer() == union
}

/// Returns the allowed values and their pointer, if a single value distinguishes all branches, such
/// as a tag.
pub(super) fn choices<'f>(branches: &'f [Vec<LocatedError<'_, '_>>]) -> Option<(String, Vec<&'f Value>)> {
    let mut pointer = None;
    let mut choices = Vec::new();
    for branch in branches {
        let (at, mut fitting) = branch.iter().find_map(|finding| match finding.kind() {
            ValidationErrorKind::Constant { expected_value } => Some((finding, vec![&**expected_value])),
            ValidationErrorKind::Enum { options } => Some((finding, Vec::from_iter(options.as_array()?))),
            _ => None,
        })?;
        pointer.get_or_insert_with(|| at.pointer());
        choices.append(&mut fitting);
    }
    pointer.map(|pointer| (pointer, choices))
}

/// Renders the needs of each branch of the union at `union`: "fits none of 2 forms: (1) lacks
/// `strict`; (2) lacks `loose`".
pub(super) fn render_needs(union: &str, branches: &[Vec<LocatedError<'_, '_>>]) -> String {
    let needs = branches.iter().take(BRANCHES_MAX).map(|branch| BranchNeeds::new(union, branch));
    let forms: Vec<_> = (1..).zip(needs).map(|(number, needs)| format!("({number}) {}", needs.render())).collect();
    let more = match branches.len().saturating_sub(BRANCHES_MAX) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!("fits none of {} forms: {}{more}", branches.len(), forms.join("; "))
}

/// The reasons why a value does not fit one branch.
#[derive(Default)]
struct BranchNeeds {
    /// Errors of the value itself.
    own: Vec<String>,
    /// Missing properties.
    missing: Vec<String>,
    /// Properties that the branch does not accept.
    unknown: Vec<String>,
    /// Properties or items with errors.
    parts: Vec<String>,
}

impl BranchNeeds {
    fn new(union: &str, branch: &[LocatedError<'_, '_>]) -> Self {
        let mut needs = Self::default();
        branch.iter().for_each(|finding| needs.add(union, finding));
        needs
    }

    fn add(&mut self, union: &str, finding: &LocatedError<'_, '_>) {
        let pointer = finding.pointer();
        let part = pointer.strip_prefix(union).and_then(|inside| inside.split('/').nth(1));
        match (part, finding.kind()) {
            (Some(part), _) => add(&mut self.parts, &part.replace("~1", "/").replace("~0", "~")),
            (None, ValidationErrorKind::Required { property }) => {
                add(&mut self.missing, property.as_str().unwrap_or_default());
            }
            (
                None,
                ValidationErrorKind::AdditionalProperties { unexpected }
                | ValidationErrorKind::UnevaluatedProperties { unexpected },
            ) => unexpected.iter().take(NAMES_MAX + 1).for_each(|name| add(&mut self.unknown, name)),
            (None, ValidationErrorKind::Type { kind }) => {
                add(&mut self.own, &format!("is not of type {}", types(kind)))
            }
            (None, ValidationErrorKind::Constant { expected_value }) => {
                add(&mut self.own, &format!("is not {expected_value}"));
            }
            (None, ValidationErrorKind::Enum { options }) => {
                let choices: Vec<_> = options.as_array().into_iter().flatten().collect();
                add(&mut self.own, &format!("is none of {}", listed(&choices)));
            }
            (None, _) => add(&mut self.own, &finding.masked()),
        }
    }

    fn render(&self) -> String {
        let quoted = |names: &[String]| {
            let rendered: Vec<_> = names.iter().take(NAMES_MAX).map(|name| format!("`{name}`")).collect();
            format!("{}{}", rendered.join(", "), if names.len() > NAMES_MAX { ", …" } else { "" })
        };
        let mut needs = self.own.clone();
        if !self.missing.is_empty() {
            needs.push(format!("lacks {}", quoted(&self.missing)));
        }
        if !self.unknown.is_empty() {
            needs.push(format!("does not take {}", quoted(&self.unknown)));
        }
        if !self.parts.is_empty() {
            needs.push(format!("does not fit at {}", quoted(&self.parts)));
        }
        needs.join(", ")
    }
}

/// Adds a name once, as long as there is room. One name beyond the limit is kept, which `render`
/// turns into "…".
fn add(names: &mut Vec<String>, name: &str) {
    let name = match name.char_indices().nth(WORD_MAX) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    };
    if names.len() <= NAMES_MAX && !names.contains(&name) {
        names.push(name);
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(kind) => kind.to_string(),
        TypeKind::Multiple(kinds) => kinds.iter().map(|kind| kind.to_string()).collect::<Vec<_>>().join(" or "),
    }
}
