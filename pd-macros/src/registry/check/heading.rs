//! The name and texts above a group or a bundle. The same rules apply to both.

use crate::{
    attributes::{called, cfgs},
    doc::{self, DocExpressions, DocText, UNREAD},
    errors::Errors,
    registry::parse::RegistrySection,
};
use proc_macro2::Ident;
use std::fmt;
use syn::{Attribute, ext::IdentExt};

/// A heading that passed all rules.
pub(in super::super) struct SectionHeading {
    pub(in super::super) cfgs: Vec<Attribute>,
    pub(in super::super) name: String,
    pub(in super::super) summary: String,
    pub(in super::super) instructions: DocText,
    pub(in super::super) expressions: DocExpressions,
}

/// The kind of section below the heading.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadingKind {
    Group,
    Bundle,
}

impl fmt::Display for HeadingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Group => "group",
            Self::Bundle => "bundle",
        })
    }
}

/// The names so far. Groups and bundles share one namespace.
pub(super) type TakenNames = Vec<(String, HeadingKind)>;

/// Checks the heading of a section, and that the section is not empty.
pub(super) fn check(
    kind: HeadingKind,
    section: &RegistrySection,
    taken: &mut TakenNames,
    errors: &mut Errors,
) -> SectionHeading {
    let ident = &section.name;
    // An identifier cannot contain `-`.
    let name = ident.unraw().to_string().replace('_', "-");
    let cfgs = cfgs(&section.attributes);
    check_name(kind, &name, ident, errors);
    // Sections under `cfg` may be alternatives with the same name.
    if cfgs.is_empty() {
        check_free(kind, &name, ident, taken, errors);
    }
    // A section under `cfg` still takes the name from a section without `cfg`.
    taken.push((name.clone(), kind));
    // rustc does not expand attributes in the input of a macro.
    if let Some(hidden) = called(&section.attributes, "cfg_attr").next() {
        let message = "`cfg_attr` has no effect here; write the text for all, or one group for each case, with `#[cfg(…)]`";
        errors.at(hidden, message);
    }
    let doc = doc::split_first(&section.attributes);
    if let Some(unread) = doc.unread_summary() {
        errors.at(unread, format_args!("{UNREAD}, so it cannot be the {kind}'s summary; write a `///` comment above it, then an empty `///` line"));
    } else if doc.summary.is_empty() {
        errors.at(
            ident,
            format_args!("the {kind} `{name}` has no summary; write a `///` comment above it"),
        );
    }
    if section.entries.is_empty() {
        errors.at(
            ident,
            format_args!("the {kind} `{ident}` has no tool; add one or remove the {kind}"),
        );
    }
    // A sentence in a doc comment ends with a period; a summary does not.
    let summary = doc
        .summary
        .strip_suffix('.')
        .unwrap_or(&doc.summary)
        .to_owned();
    SectionHeading {
        cfgs,
        name,
        summary,
        instructions: doc.text,
        expressions: doc.expressions,
    }
}

fn check_name(kind: HeadingKind, name: &str, ident: &Ident, errors: &mut Errors) {
    let edges = name.starts_with('-') || name.ends_with('-') || name.contains("--");
    if edges
        || name.len() > 64
        || !name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    {
        let rule = "1 to 64 characters out of `a-z`, `0-9` and single `_` inside; `_` becomes `-`";
        errors.at(ident, format_args!("a {kind}'s name has {rule}"));
    }
}

fn check_free(
    kind: HeadingKind,
    name: &str,
    ident: &Ident,
    taken: &TakenNames,
    errors: &mut Errors,
) {
    let Some((_, other)) = taken.iter().find(|(earlier, _)| earlier == name) else {
        return;
    };
    if *other == kind {
        errors.at(
            ident,
            format_args!(
                "two {kind}s are called `{name}`; a {kind}'s name is unique in its registry"
            ),
        );
    } else {
        let rule = "a name means one group or one bundle, so rename either";
        errors.at(
            ident,
            format_args!("a {other} is called `{name}` too; {rule}"),
        );
    }
}
