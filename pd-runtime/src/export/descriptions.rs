//! `tool-descriptions`: one file for each tool, in the format that servers read from disk
//! (specification v2.1, section 7.1).

use super::{File, names::Names};
use crate::{catalog::description::in_file, disclosure::view::View};
use serde_json::Value;

pub(super) fn files(view: &View<'_>) -> Vec<File> {
    files_in("", view).into_iter().map(|(_, file)| file).collect()
}

/// Returns the files in a directory, each with its tool's name. The directory's path ends with a
/// slash.
pub(super) fn files_in<'a>(directory: &str, view: &View<'a>) -> Vec<(&'a str, File)> {
    let mut names = Names::default();
    let file = |name: &str| format!("{directory}{name}.json");
    let entries = view.visible().map(|entry| {
        let path = file(&names.take(entry.name()));
        (entry.name(), File::json(path, &Value::Object(in_file(&entry.tool.about))))
    });
    entries.collect()
}
