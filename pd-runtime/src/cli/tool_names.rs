//! Lookup of tools that the command line names, with suggestions for unknown names.

use super::Failure;
use crate::{
    catalog::{Catalogue, entry::Entry},
    text::suggest,
};
use std::sync::Arc;

/// The maximum number of suggested names.
const SUGGESTED: usize = 3;

pub(super) fn find_tool<'a>(catalogue: &'a Catalogue, name: &str) -> Result<&'a Arc<Entry>, Failure> {
    catalogue.named(name).ok_or_else(|| {
        let near = suggest::ranked(name, catalogue.entries.iter().map(|entry| entry.name()), SUGGESTED);
        let advice = match near.as_slice() {
            [] => "this server has no tools".to_owned(),
            [one] => format!("the only tool is {one}"),
            _ => format!("the nearest are {}", near.join(", ")),
        };
        format!("no such tool: `{name}`; {advice}").into()
    })
}
