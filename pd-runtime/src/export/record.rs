//! What an export wrote, kept in its directory: so the next one knows what is its own, and what was edited since.

use super::{Format, error::ExportError, names::is_path, tree};
use crate::regular_file;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// The record's name. It does not end in `.json`: servers that read tool descriptions from a
/// directory take every such file.
pub(super) const NAME: &str = ".pd-export.record";
/// The beginning and the end of the name of a record in a directory that several servers share.
const AFFIXES: (&str, &str) = (".pd-export.", ".record");
/// The version of its form that this library reads and writes.
pub(super) const VERSION: u64 = 1;

/// Files by their paths from the directory, with slashes, each with the digest of what was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    version: u64,
    server: String,
    format: String,
    /// The server's entry in the index of a tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) entry: Option<Value>,
    pub(super) files: BTreeMap<String, String>,
}

impl Record {
    /// Of a directory into which nothing was written so far.
    pub(super) fn new(server: &str, format: Format) -> Self {
        let (server, format) = (server.to_owned(), format.to_string());
        Self { version: VERSION, server, format, entry: None, files: BTreeMap::new() }
    }

    /// The record of this export in a directory, or a new one where there is none. Several servers
    /// share a directory in the format [`Format::Tree`] alone.
    ///
    /// # Errors
    ///
    /// A record cannot be read, or is that of an export that cannot share the directory.
    pub(super) fn read(directory: &Path, server: &str, format: Format) -> Result<Self, ExportError> {
        let mut own = None;
        let name = file_name(server, format);
        for record in Self::read_all(directory)? {
            let is_own = record.server == server;
            let shares = is_own || (format == Format::Tree && record.name() != name);
            if record.format != format.to_string() || !shares {
                let (format, server) = (record.format, record.server);
                return Err(ExportError::OtherExport { directory: directory.to_owned(), format, server });
            }
            if is_own {
                own = Some(record);
            }
        }
        Ok(own.unwrap_or_else(|| Self::new(server, format)))
    }

    /// All records in a directory, in the order of their names.
    ///
    /// # Errors
    ///
    /// One of them cannot be read.
    pub(super) fn read_all(directory: &Path) -> Result<Vec<Self>, ExportError> {
        let unreadable = |error: io::Error| ExportError::unreadable(directory, &error);
        let entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            // What is wrong with the directory is reported when a file is written into it.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(Vec::new()),
            Err(error) => return Err(unreadable(error)),
        };
        let names = entries.map(|entry| entry.map(|entry| entry.file_name()));
        let mut names = names.collect::<io::Result<Vec<_>>>().map_err(unreadable)?;
        names.retain(|name| name.to_str().is_some_and(is_record));
        names.sort();
        names.iter().map(|name| Self::read_file(directory.join(name))).collect()
    }

    fn read_file(path: PathBuf) -> Result<Self, ExportError> {
        let text = regular_file::read_to_string(&path).map_err(|error| ExportError::unreadable(&path, &error))?;
        Self::parse(&text, path)
    }

    /// The name of the record's file.
    pub(super) fn name(&self) -> String {
        let is_tree = self.format == Format::Tree.name();
        file_name(&self.server, if is_tree { Format::Tree } else { Format::ToolDescriptions })
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

/// The name of the record of an export. In a tree each server has one.
fn file_name(server: &str, format: Format) -> String {
    let (before, after) = AFFIXES;
    match format {
        Format::Tree => format!("{before}{}{after}", tree::directory_name(server)),
        _ => NAME.to_owned(),
    }
}

fn is_record(name: &str) -> bool {
    name == NAME || name.strip_prefix(AFFIXES.0).is_some_and(|rest| rest.ends_with(AFFIXES.1))
}
