//! `tool-descriptions`: one file for each tool, in the format that servers read from disk
//! (specification v2.1, section 7.1).

use super::{ExportFile, names::FileNames};
use crate::{
    catalog::{description::in_file, entry::CatalogEntry},
    disclosure::view::CallerView,
};
use serde_json::Value;
use std::sync::Arc;

pub(super) fn files(view: &CallerView<'_>) -> Vec<ExportFile> {
    files_in("", view.visible())
        .into_iter()
        .map(|(_, file)| file)
        .collect()
}

/// Returns the files in a directory, each with its tool's name. The directory's path ends with a
/// slash.
pub(super) fn files_in<'a>(
    directory: &str,
    tools: impl Iterator<Item = &'a Arc<CatalogEntry>>,
) -> Vec<(&'a str, ExportFile)> {
    let mut names = FileNames::default();
    let entries = tools.map(|entry| {
        let path = format!("{directory}{}.json", names.take(entry.name()));
        (
            entry.name(),
            ExportFile::json(path, &Value::Object(in_file(&entry.tool.about))),
        )
    });
    entries.collect()
}
