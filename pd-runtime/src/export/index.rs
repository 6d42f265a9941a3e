//! `index.json` of a tree: the list of the servers that share a directory. Each export owns its
//! server's entry and does not change the others.

use super::{
    EditedFiles, ExportFile, error::ExportError, names::INDEX, record::ExportRecord,
    report::ExportReport, whole_file,
};
use serde_json::{Value, json};
use std::path::Path;

/// How often the index is written again because another export wrote it at the same time.
const TRIES_MAX: usize = 10;

/// Returns the entry of a server in the index.
pub(super) fn entry(name: &str, description: &str) -> Value {
    json!({ "name": name, "description": description })
}

/// Reads the entries of the index. Returns `None` if no index exists.
///
/// # Errors
///
/// Returns an error if the file is not an index, or if it is not a regular file.
fn read(root: &Path) -> Result<Option<Vec<Value>>, ExportError> {
    let Some(bytes) = whole_file::content(root, INDEX)? else {
        return Ok(None);
    };
    let mut index: Value =
        serde_json::from_slice(&bytes).map_err(|error| bad_index(root, error.to_string()))?;
    match index.get_mut("servers").map(Value::take) {
        Some(Value::Array(servers)) => Ok(Some(servers)),
        _ => Err(bad_index(root, "the array `servers` is missing".to_owned())),
    }
}

fn bad_index(root: &Path, why: String) -> ExportError {
    ExportError::BadIndex {
        path: root.join(INDEX),
        why,
    }
}

/// Checks the index before anything is written.
///
/// # Errors
///
/// Returns an error if the file is not an index, or if no export wrote it.
pub(super) fn check(root: &Path, record: &ExportRecord) -> Result<(), ExportError> {
    // An index with this server's entry alone is safe to take over, for example after the record
    // was lost.
    let is_foreign = read(root)?.is_some_and(|servers| !servers.iter().eq(&record.entry));
    if is_foreign && ExportRecord::read_all(root)?.is_empty() {
        return Err(ExportError::Foreign {
            paths: vec![root.join(INDEX)],
        });
    }
    Ok(())
}

/// Updates the server's entry, and adds entries that other exports recorded but the index lacks.
/// `earlier` is the entry that this server's last export wrote. An entry that differs from it was
/// edited.
///
/// # Errors
///
/// Returns the errors of [`check`], or an error if the index cannot be written.
pub(super) fn update(
    root: &Path,
    record: &ExportRecord,
    earlier: Option<&Value>,
    edited: EditedFiles,
    exported: &mut ExportReport,
) -> Result<(), ExportError> {
    let mut is_written = false;
    // Another export may read the index before this one writes it, and write it afterward. Both
    // have recorded their entries by then, so the last writer, which reads the index once more,
    // finds both.
    for _ in 0..TRIES_MAX {
        let current = read(root)?;
        let mut servers = current.clone().unwrap_or_default();
        let is_kept = set_entry(record.entry.as_ref(), earlier, edited, &mut servers);
        for other in ExportRecord::read_all(root)? {
            add_missing(other.entry, &mut servers);
        }
        // Sorted, so that the file does not depend on the order in which the servers were exported.
        servers.sort_by(|one, other| name(one).cmp(&name(other)));
        if current.as_ref() == Some(&servers) {
            let lists = [
                &mut exported.unchanged,
                &mut exported.written,
                &mut exported.kept,
            ];
            let [unchanged, written, kept] = lists;
            let list = if is_kept {
                kept
            } else if is_written {
                written
            } else {
                unchanged
            };
            list.push(INDEX.into());
            return Ok(());
        }
        let file = ExportFile::json(INDEX, &json!({ "servers": servers }));
        whole_file::write(root, &file.path, &file.contents)?;
        is_written = true;
    }
    exported.written.push(INDEX.into());
    Ok(())
}

/// Sets the server's own entry. Returns whether an edited entry was kept instead.
fn set_entry(
    own: Option<&Value>,
    earlier: Option<&Value>,
    edited: EditedFiles,
    servers: &mut Vec<Value>,
) -> bool {
    let Some(own) = own else { return false };
    match servers.iter_mut().find(|entry| name(entry) == name(own)) {
        None => servers.push(own.clone()),
        Some(existing) if existing == own => {}
        Some(existing) if Some(&*existing) == earlier || edited == EditedFiles::Overwrite => {
            *existing = own.clone()
        }
        Some(_) => return true,
    }
    false
}

/// Adds an entry unless its server has one.
fn add_missing(entry: Option<Value>, servers: &mut Vec<Value>) {
    if let Some(entry) = entry
        && !servers.iter().any(|known| name(known) == name(&entry))
    {
        servers.push(entry);
    }
}

fn name(entry: &Value) -> Option<&str> {
    entry.get("name")?.as_str()
}
