//! Which meta-tool calls which tool. Hosts approve calls by the name of the tool that they see, so
//! tools that only read have a second meta-tool.

use crate::{
    catalog::entry::CatalogEntry,
    disclosure::{listed_form::ListedForm, view::CallerView},
    policy::{
        meta_tool_purpose::MetaToolPurpose,
        meta_tools::{MetaToolRole, MetaTools, OfferedMetaTool},
    },
};

/// The kinds of tools among those that one caller sees.
#[derive(Debug, Clone, Copy)]
struct VisibleKinds {
    reads: bool,
    writes: bool,
}

impl VisibleKinds {
    fn for_caller(view: &CallerView<'_>) -> Self {
        // Cached for each set of visible tools, because each list and many answers ask for it.
        let mut kinds = *view.sight().cached(|| {
            let reads = view.visible().any(|entry| entry.is_read_only());
            Self {
                reads,
                writes: view.visible().any(|entry| !entry.is_read_only()),
            }
        });
        // Tools that are not known yet may be of either kind.
        for set in view.missing() {
            kinds.reads |= set.may_read();
            kinds.writes |= set.may_write();
        }
        kinds
    }
}

/// Returns the meta-tools that this caller's list shows. Of the two that call tools, one is left
/// out if the caller sees no tool for it: both would do the same, and one choice less costs fewer
/// tokens.
pub(crate) fn listed<'a>(view: &CallerView<'a>) -> impl Iterator<Item = &'a OfferedMetaTool> {
    let offered = view.meta_tools();
    // Without two calling meta-tools there is nothing to choose, and no tool is looked at.
    let kinds = are_apart(offered).then(|| VisibleKinds::for_caller(view));
    let is_delta = view.caller.terms.wants_brief;
    let leaves_out = view.step().leaves_out();
    offered.offers.iter().filter(move |offer| {
        offer.is_listed
            && fits_kinds(offer.role, kinds)
            && !(is_delta && has_method(offer, leaves_out))
    })
}

/// Returns whether a caller who sees these kinds of tools needs the meta-tool.
fn fits_kinds(role: MetaToolRole, kinds: Option<VisibleKinds>) -> bool {
    match (role, kinds) {
        (MetaToolRole::CallReadOnly, Some(kinds)) => kinds.reads,
        // A caller who sees no tool keeps this one: an empty list would look like a failure.
        (MetaToolRole::Call, Some(kinds)) => kinds.writes || !kinds.reads,
        _ => true,
    }
}

/// Returns whether a client of Delta-MCP has a method for the same. A list that leaves tools out
/// keeps the meta-tools that call them, because hosts let their model call listed names only.
fn has_method(offer: &OfferedMetaTool, leaves_out: bool) -> bool {
    match offer.role.purpose() {
        MetaToolPurpose::Describe => true,
        MetaToolPurpose::Call | MetaToolPurpose::CallReadOnly => !leaves_out,
        _ => false,
    }
}

/// Returns whether this caller's list has a meta-tool for reading and another one for writing.
pub(super) fn are_listed_apart(view: &CallerView<'_>) -> bool {
    are_apart(view.meta_tools())
        && matches!(
            VisibleKinds::for_caller(view),
            VisibleKinds {
                reads: true,
                writes: true
            }
        )
}

pub(super) fn are_apart(offered: &MetaTools) -> bool {
    offered.offers(MetaToolRole::Call) && offered.offers(MetaToolRole::CallReadOnly)
}

/// Returns the name of the meta-tool that calls a tool, if one of this project's does.
pub(super) fn name_for<'a>(entry: &CatalogEntry, offered: &'a MetaTools) -> Option<&'a str> {
    let role = |role| {
        offered
            .offers
            .iter()
            .find(|offer| offer.role == role)
            .map(|offer| offer.name.as_ref())
    };
    let reading = role(MetaToolRole::CallReadOnly).filter(|_| entry.is_read_only());
    reading.or_else(|| role(MetaToolRole::Call))
}

/// Renders which meta-tool calls each of these tools, beside their signatures. Returns `None` if
/// the caller has no choice.
pub(super) fn render<'a>(
    entries: impl Iterator<Item = &'a CatalogEntry>,
    view: &CallerView<'_>,
) -> Option<String> {
    let entries: Vec<_> = entries
        .filter(|entry| view.listed_form(entry) == ListedForm::Unlisted)
        .collect();
    if entries.is_empty() || !are_listed_apart(view) {
        return None;
    }
    let (reading, writing): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| entry.is_read_only());
    let offered = view.meta_tools();
    let through =
        |entries: &[&CatalogEntry]| entries.first().and_then(|entry| name_for(entry, offered));
    Some(match (through(&reading), through(&writing)) {
        (Some(reads), Some(writes)) => {
            let names: Vec<_> = writing
                .iter()
                .map(|entry| format!("`{}`", entry.name()))
                .collect();
            format!(
                "Use {writes} for {}, and {reads} for the rest.",
                names.join(", ")
            )
        }
        (Some(reads), None) => format!("Use {reads}."),
        (None, Some(writes)) => format!("Use {writes}."),
        (None, None) => return None,
    })
}
