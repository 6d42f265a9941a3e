//! The tool that a name on the command line means, or what else was meant.

use super::CliError;
use crate::{
    catalog::{Catalog, entry::CatalogEntry},
    text::suggest,
};
use std::sync::Arc;

/// How many other names are suggested.
const SUGGESTED: usize = 3;

pub(super) fn named<'a>(catalogue: &'a Catalog, name: &str) -> Result<&'a Arc<CatalogEntry>, CliError> {
    catalogue.named_for_owner(name).ok_or_else(|| {
        let near = suggest::rank(name, catalogue.entries.iter().map(|entry| entry.name()), SUGGESTED);
        let advice = match near.as_slice() {
            [] => "for this server has none".to_owned(),
            [one] => format!("the only one is {one}"),
            _ => format!("the nearest are {}", near.join(", ")),
        };
        format!("there is no tool `{name}`; {advice}").into()
    })
}
