//! Explains why a value fits no branch of a union: by the intended branch, or by the needs of each
//! branch. Only findings at the union's own level are compared, so the cost is linear in the number
//! of branches.

use super::finding::{ArgumentValue, FindingKind, ViolationFinding};
use serde_json::Value;

/// The maximum number of branches in a message.
const BRANCHES_MAX: usize = 8;
/// The maximum number of names for each kind of need.
const NAMES_MAX: usize = 4;
/// The maximum length of a name or message of a branch, in characters. Names may come from the
/// caller.
const WORD_MAX: usize = 60;

/// Returns the place of the intended branch: the only one that accepts the value's type and tag, or
/// the only one of these that accepts the names of its properties. Its findings help more than "no
/// branch fits".
pub(super) fn likeliest(
    union: &ArgumentValue<'_>,
    branches: &[&[ViolationFinding<'_, '_>]],
) -> Option<usize> {
    // Branches without findings were not inspected.
    if branches.iter().any(|branch| branch.is_empty()) {
        return None;
    }
    let of_kind: Vec<usize> = (0..branches.len())
        .filter(|place| {
            branches
                .get(*place)
                .is_some_and(|branch| !branch.iter().any(|finding| rules_out(finding, union)))
        })
        .collect();
    let mut of_names = of_kind.iter().copied().filter(|place| {
        branches
            .get(*place)
            .is_some_and(|branch| !branch.iter().any(|finding| is_about_names(finding, union)))
    });
    match of_kind.as_slice() {
        [only] => Some(*only),
        // The first one, if there is no second one.
        _ => of_names.next().filter(|_| of_names.next().is_none()),
    }
}

fn rules_out(finding: &ViolationFinding<'_, '_>, union: &ArgumentValue<'_>) -> bool {
    match finding.kind {
        // A constant may be the tag in a member. A type is about the branch only at the value
        // itself.
        FindingKind::Const(_) | FindingKind::Enum(_) => true,
        FindingKind::Type(_) => finding.place.is_same(union),
        _ => false,
    }
}

/// Returns whether a finding is about a missing or an unknown property of the union's value.
fn is_about_names(finding: &ViolationFinding<'_, '_>, union: &ArgumentValue<'_>) -> bool {
    matches!(
        finding.kind,
        FindingKind::Missing { .. } | FindingKind::Unknown(_)
    ) && finding.place.is_same(union)
}

/// Returns the allowed values and the place of the first, if a single value distinguishes all
/// branches, such as a tag.
pub(super) fn choices<'f, 's, 'v>(
    branches: &[&'f [ViolationFinding<'s, 'v>]],
) -> Option<(&'f ViolationFinding<'s, 'v>, Vec<&'s Value>)> {
    let mut first = None;
    let mut choices = Vec::new();
    for branch in branches {
        let (finding, mut fitting) = branch.iter().find_map(|finding| match finding.kind {
            FindingKind::Const(only) => Some((finding, vec![only])),
            FindingKind::Enum(values) => Some((finding, values.iter().collect())),
            _ => None,
        })?;
        first.get_or_insert(finding);
        choices.append(&mut fitting);
    }
    first.map(|first| (first, choices))
}

/// Renders the needs of each branch of the union at `union`: "fits none of 2 forms: (1) lacks
/// `strict`; (2) lacks `loose`".
pub(super) fn render_needs(
    union: &ArgumentValue<'_>,
    branches: &[&[ViolationFinding<'_, '_>]],
) -> String {
    let needs = branches
        .iter()
        .take(BRANCHES_MAX)
        .map(|branch| BranchNeeds::new(union, branch));
    let forms: Vec<_> = (1..)
        .zip(needs)
        .map(|(number, needs)| format!("({number}) {}", needs.render()))
        .collect();
    let more = match branches.len().saturating_sub(BRANCHES_MAX) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!(
        "fits none of {} forms: {}{more}",
        branches.len(),
        forms.join("; ")
    )
}

/// The reasons why a value does not fit one branch.
#[derive(Debug, Default)]
struct BranchNeeds {
    /// Reasons about the value itself.
    own: Vec<String>,
    /// Missing properties.
    missing: Vec<String>,
    /// Properties that the branch does not accept.
    unknown: Vec<String>,
    /// Properties or items that are not valid.
    parts: Vec<String>,
}

impl BranchNeeds {
    fn new(union: &ArgumentValue<'_>, branch: &[ViolationFinding<'_, '_>]) -> Self {
        let mut needs = Self::default();
        branch.iter().for_each(|finding| needs.add(union, finding));
        needs
    }

    fn add(&mut self, union: &ArgumentValue<'_>, finding: &ViolationFinding<'_, '_>) {
        // The first step below the union names the part, however deep the finding is.
        let part = finding
            .place
            .path()
            .get(union.path().len())
            .map(|part| part.render());
        match (part, &finding.kind) {
            (Some(part), _) => add(&mut self.parts, &part),
            (None, FindingKind::Missing { name, .. }) => add(&mut self.missing, name),
            (None, FindingKind::Unknown(name)) => add(&mut self.unknown, name),
            (None, _) => add(&mut self.own, &finding.reason()),
        }
    }

    fn render(&self) -> String {
        let quoted = |names: &[String]| {
            let rendered: Vec<_> = names
                .iter()
                .take(NAMES_MAX)
                .map(|name| format!("`{name}`"))
                .collect();
            format!(
                "{}{}",
                rendered.join(", "),
                if names.len() > NAMES_MAX { ", …" } else { "" }
            )
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
        if needs.is_empty() {
            needs.push("does not fit".to_owned());
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
