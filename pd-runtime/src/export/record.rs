//! The record of an export in its directory. By it the next export recognizes its own files, and
//! files that were edited since.

use super::{
    Format,
    error::ExportError,
    names::{directory_name, is_path},
};
use crate::text::regular_file;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// The name of the record. It does not end in `.json`, because servers that read tool descriptions
/// from a directory read all such files.
pub(super) const NAME: &str = ".pd-export.record";
/// The beginning and end of a record's name in a directory that several servers share.
const AFFIXES: (&str, &str) = (".pd-export.", ".record");
/// The version of the record's format that this library reads and writes.
pub(super) const VERSION: u64 = 1;

/// The exported files by their paths from the directory, with slashes, each with the digest of its
/// contents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ExportRecord {
    version: u64,
    server: String,
    format: String,
    /// The server's entry in the index of a tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) entry: Option<Value>,
    pub(super) files: BTreeMap<String, String>,
}

impl ExportRecord {
    /// Creates the record of an export that has not written any file yet.
    pub(super) fn new(server: &str, format: Format) -> Self {
        Self {
            version: VERSION,
            server: server.to_owned(),
            format: format.to_string(),
            entry: None,
            files: BTreeMap::new(),
        }
    }

    /// Reads the record of this export in a directory. Returns a new record if none exists. Several
    /// servers can share a directory only in the format [`Format::Tree`].
    ///
    /// # Errors
    ///
    /// Returns an error if a record cannot be read, or belongs to an export that cannot share the
    /// directory.
    pub(super) fn read(
        directory: &Path,
        server: &str,
        format: Format,
    ) -> Result<Self, ExportError> {
        let mut own = None;
        let name = file_name(server, format);
        for record in Self::read_all(directory)? {
            let is_own = record.server == server;
            // Two servers with the same record name would overwrite each other's record.
            let shares = is_own || (format == Format::Tree && record.name() != name);
            if record.format != format.to_string() || !shares {
                return Err(ExportError::OtherExport {
                    directory: directory.to_owned(),
                    format: record.format,
                    server: record.server,
                });
            }
            if is_own {
                own = Some(record);
            }
        }
        Ok(own.unwrap_or_else(|| Self::new(server, format)))
    }

    /// Reads all records in a directory, in the order of their names.
    ///
    /// # Errors
    ///
    /// Returns an error if a record cannot be read.
    pub(super) fn read_all(directory: &Path) -> Result<Vec<Self>, ExportError> {
        let entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            // Writing a file into the directory reports what is wrong with it.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(Vec::new()),
            Err(error) => return Err(ExportError::unreadable(directory, &error)),
        };
        let names = entries.map(|entry| entry.map(|entry| entry.file_name()));
        let names = names.collect::<io::Result<Vec<_>>>();
        let mut names = names.map_err(|error| ExportError::unreadable(directory, &error))?;
        names.retain(|name| name.to_str().is_some_and(is_record));
        names.sort();
        names
            .iter()
            .map(|name| Self::read_file(directory.join(name)))
            .collect()
    }

    fn read_file(path: PathBuf) -> Result<Self, ExportError> {
        let text = regular_file::read_to_string(&path)
            .map_err(|error| ExportError::unreadable(&path, &error))?;
        Self::parse(&text, path)
    }

    /// Returns the name of the record's file.
    pub(super) fn name(&self) -> String {
        let is_tree = self.format == Format::Tree.name();
        file_name(
            &self.server,
            if is_tree {
                Format::Tree
            } else {
                Format::ToolDescriptions
            },
        )
    }

    fn parse(text: &str, path: PathBuf) -> Result<Self, ExportError> {
        let record: Self = match serde_json::from_str(text) {
            Ok(record) => record,
            Err(error) => {
                return Err(ExportError::Corrupt {
                    path,
                    why: error.to_string(),
                });
            }
        };
        if record.version != VERSION {
            return Err(ExportError::UnknownVersion {
                path,
                version: record.version,
                reads: VERSION,
            });
        }
        // Files in the record may be removed, so it must not name any file outside of the
        // directory.
        match record.files.keys().find(|file| !is_path(file)) {
            Some(file) => Err(ExportError::Corrupt {
                path,
                why: format!("{file:?} is not a path in this directory"),
            }),
            None => Ok(record),
        }
    }

    /// Returns the digest of a file with a name that differs from this one only in case. On a
    /// case-insensitive file system it is the same file.
    pub(super) fn by_another_case(&self, file: &str) -> Option<&str> {
        let mut files = self.files.iter();
        files
            .find(|(known, _)| known.eq_ignore_ascii_case(file))
            .map(|(_, digest)| digest.as_str())
    }

    /// Renders the record.
    pub(super) fn render(&self) -> String {
        // The record contains only texts and a number, so serializing it cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

/// Returns the name of an export's record. In a tree each server has its own.
fn file_name(server: &str, format: Format) -> String {
    let (before, after) = AFFIXES;
    match format {
        Format::Tree => format!("{before}{}{after}", directory_name(server)),
        _ => NAME.to_owned(),
    }
}

fn is_record(name: &str) -> bool {
    name == NAME
        || name
            .strip_prefix(AFFIXES.0)
            .is_some_and(|rest| rest.ends_with(AFFIXES.1))
}
