//! Reads and writes one file of an export directory. A file is written as a whole or not at all.

use super::{error::ExportError, names::is_path};
use std::{
    fs,
    io::{self, Write},
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

/// Reads the file at this path, if it exists. Links within the directory are not followed.
pub(super) fn content(directory: &Path, path: &str) -> Result<Option<Vec<u8>>, ExportError> {
    let mut full = directory.to_owned();
    if !is_path(path) {
        return Err(ExportError::Blocked {
            path: full.join(path),
        });
    }
    let mut names = path.split('/').peekable();
    while let Some(name) = names.next() {
        full.push(name);
        let is_last = names.peek().is_none();
        // Each component is checked: a link in the middle of the path would lead out of the
        // directory as well.
        match fs::symlink_metadata(&full) {
            Ok(known) if known.is_dir() && !is_last => {}
            Ok(known) if known.is_file() && is_last => {}
            Ok(_) => return Err(ExportError::Blocked { path: full }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(ExportError::unreadable(&full, &error)),
        }
    }
    fs::read(&full)
        .map(Some)
        .map_err(|error| ExportError::unreadable(&full, &error))
}

/// Writes a file next to its destination and then renames it.
pub(super) fn write(directory: &Path, path: &str, contents: &[u8]) -> Result<(), ExportError> {
    let full = directory.join(path);
    let parent = full.parent().unwrap_or(directory);
    fs::create_dir_all(parent).map_err(|error| ExportError::unwritable(&full, &error))?;
    // A rename is atomic only within one file system, so the unfinished file is in the same
    // directory.
    let unfinished = parent.join(temporary_name());
    let mut file = fs::File::create_new(&unfinished)
        .map_err(|error| ExportError::unwritable(&full, &error))?;
    let written = file.write_all(contents);
    drop(file);
    written
        .and_then(|()| fs::rename(&unfinished, &full))
        .map_err(|error| {
            // The removal may fail for the same reason as the write. The first error is the one to
            // report.
            drop(fs::remove_file(&unfinished));
            ExportError::unwritable(&full, &error)
        })
}

/// Returns a name that is unique among exports, across processes and machines that share the
/// directory.
fn temporary_name() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let process = std::process::id();
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    // Without randomness the name may be taken. Creating the file then fails, and nothing is
    // overwritten.
    let random = getrandom::u64().unwrap_or_default();
    format!(".pd-export.{process}.{number}.{random:016x}")
}
