//! Lookup of tools that the command line names, with suggestions for unknown names.

use super::CliError;
use crate::{
    catalog::{Catalog, entry::CatalogEntry},
    policy::access::CallerAuthority,
};
use pd_schema::suggest;
use std::sync::Arc;

/// The maximum number of suggested names.
const SUGGESTED: usize = 3;

/// Finds a tool by its name.
///
/// # Errors
///
/// Returns an error with the nearest names if no tool has the name.
pub fn find_tool<'a>(catalog: &'a Catalog, name: &str) -> Result<&'a Arc<CatalogEntry>, CliError> {
    catalog.named_for_owner(name).ok_or_else(|| {
        let near = suggest::rank(
            name,
            catalog
                .visible(&CallerAuthority::Owner)
                .map(|entry| entry.name()),
            SUGGESTED,
        );
        let advice = match near.as_slice() {
            [] => "this server has no tools".to_owned(),
            // All tools are ranked, so fewer than two names mean that there are no others.
            [one] => format!("the only tool is {one}"),
            _ => format!("the nearest are {}", near.join(", ")),
        };
        format!("no such tool: `{name}`; {advice}").into()
    })
}
