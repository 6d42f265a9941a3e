//! What an export wrote, kept in its directory: so the next one knows what is its own, and what was edited since.

use super::{Format, error::ExportError, names::is_path};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// The record's name.
pub(super) const NAME: &str = ".pd-export.json";
/// The version of its form that this library reads and writes.
pub(super) const VERSION: u64 = 1;

/// Files by their paths from the directory, with slashes, each with the digest of what was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    version: u64,
    server: String,
    format: String,
    pub(super) files: BTreeMap<String, String>,
}

impl Record {
    /// Of a directory into which nothing was written so far.
    pub(super) fn new(server: &str, format: Format) -> Self {
        Self { version: VERSION, server: server.to_owned(), format: format.to_string(), files: BTreeMap::new() }
    }

    /// The record in a directory, or a new one where there is none.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is that of another export.
    pub(super) fn read(directory: &Path, server: &str, format: Format) -> Result<Self, ExportError> {
        let path = directory.join(NAME);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::new(server, format)),
            Err(error) => return Err(ExportError::unreadable(&path, &error)),
        };
        let record = Self::parse(&text, path)?;
        if record.server != server || record.format != format.to_string() {
            let (format, server) = (record.format, record.server);
            return Err(ExportError::OtherExport { directory: directory.to_owned(), format, server });
        }
        Ok(record)
    }

    fn parse(text: &str, path: PathBuf) -> Result<Self, ExportError> {
        let record: Self = match serde_json::from_str(text) {
            Ok(record) => record,
            Err(error) => return Err(ExportError::Corrupt { path, why: error.to_string() }),
        };
        if record.version != VERSION {
            return Err(ExportError::UnknownVersion { path, version: record.version, reads: VERSION });
        }
        // What it names may be removed: nothing outside the directory may be named.
        match record.files.keys().find(|file| !is_path(file)) {
            Some(file) => Err(ExportError::Corrupt { path, why: format!("{file:?} is no path in this directory") }),
            None => Ok(record),
        }
    }

    /// The digest of what was written under this name in other case: the same file, where the file system does not tell.
    pub(super) fn by_another_case(&self, file: &str) -> Option<&str> {
        let mut files = self.files.iter();
        files.find(|(known, _)| known.eq_ignore_ascii_case(file)).map(|(_, digest)| digest.as_str())
    }

    /// The file's text.
    pub(super) fn text(&self) -> String {
        // Texts and a number: nothing in it lacks a JSON form.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}
