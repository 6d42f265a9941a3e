//! The names that unknown arguments probably mean.

use super::{CorrectedMember, is_repeatable};
use crate::{
    text::suggest::{nearest, nearest_tool},
    tool::descriptor::TICKET_ARGUMENT,
};

/// Names that authors use for the same thing, without `_`, `-` and capitals.
const SYNONYMS: [&[&str]; 5] = [
    &[
        "count",
        "first",
        "limit",
        "lines",
        "max",
        "maxcount",
        "maxresults",
        "n",
        "num",
        "number",
        "pagesize",
        "perpage",
        "size",
        "top",
    ],
    &["file", "filename", "filepath", "path"],
    &["keyword", "keywords", "pattern", "q", "query", "search", "searchterm", "term", "text"],
    &["branch", "commit", "ref", "rev", "revision", "sha"],
    &["content", "contents", "body", "message", "text"],
];

/// The names of an object's properties that were not sent.
pub(super) struct MissingNames<'s> {
    known: Vec<&'s str>,
    required: Vec<&'s str>,
    /// Required ones first.
    missing: Vec<&'s str>,
    /// Old and new names.
    pub(super) renamed: Vec<(String, String)>,
}

impl<'s> MissingNames<'s> {
    pub(super) fn new(known: Vec<&'s str>, mut required: Vec<&'s str>, sent: &[CorrectedMember]) -> Self {
        let is_missing = |name: &&str| sent.iter().all(|member| member.name != *name);
        required.retain(is_missing);
        let optional = known.iter().copied().filter(|name| is_missing(name) && !required.contains(name));
        let missing = required.iter().copied().chain(optional).collect();
        Self { known, required, missing, renamed: Vec::new() }
    }

    /// Returns the optional names that were not sent.
    pub(super) fn optional(&self) -> impl Iterator<Item = &'s str> {
        self.missing.iter().copied().filter(|name| !self.required.contains(name))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        name == TICKET_ARGUMENT || self.known.contains(&name)
    }

    /// Gives a member with an unknown name the name that is similar to it, or that authors use for
    /// the same thing.
    pub(super) fn rename_similar(&mut self, member: &mut CorrectedMember, accepts: impl Fn(&str, &str) -> bool) {
        if self.has(&member.name) {
            return;
        }
        let same = || {
            let kind = member.value.json_type()?;
            let mut names = self.missing.iter().copied();
            let mut same = names.by_ref().filter(|name| is_synonym(name, &member.name) && accepts(name, kind));
            let first = same.next()?;
            same.next().is_none().then_some(first)
        };
        let similar = nearest(&member.name, &self.missing);
        if let Some(name) = similar.or_else(same).or_else(|| nearest_tool(&member.name, &self.missing)) {
            self.rename(member, name);
        }
    }

    /// Gives the only required name that is missing to the only unknown member of its type.
    pub(super) fn rename_only_fitting(
        &mut self,
        members: &mut [CorrectedMember],
        accepts: impl Fn(&str, &str) -> bool,
    ) {
        let [missing] = self.required[..] else { return };
        let fits = |member: &&mut CorrectedMember| {
            !self.has(&member.name) && member.value.json_type().is_some_and(|kind| accepts(missing, kind))
        };
        let mut fitting = members.iter_mut().filter(fits);
        if let (Some(member), None) = (fitting.next(), fitting.next()) {
            self.rename(member, missing);
        }
    }

    fn rename(&mut self, member: &mut CorrectedMember, name: &str) {
        let old = std::mem::replace(&mut member.name, name.to_owned());
        if is_repeatable(&old) {
            self.renamed.push((old, name.to_owned()));
        }
        self.missing.retain(|one| *one != name);
        self.required.retain(|one| *one != name);
    }
}

/// Returns whether both names are in one row of `SYNONYMS`.
fn is_synonym(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.replace(['_', '-'], "").to_ascii_lowercase();
    let (one, other) = (plain(one), plain(other));
    SYNONYMS.iter().any(|row| row.contains(&one.as_str()) && row.contains(&other.as_str()))
}
