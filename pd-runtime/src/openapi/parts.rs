//! A document of several files. The files that it refers to become members of one document, and
//! references to them lead there.

use super::{
    budget::ValueBudget,
    error::OpenApiError,
    object::Object,
    plain_text::plain_line,
    text::{TEXT_MAX, read_text_within},
};
use crate::text::regular_file;
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet, VecDeque},
    fs::{self, Metadata},
    io::Read,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// The most files of a document, with its first.
const FILES_MAX: usize = 5_000;
/// The member with the other files, by the names that they get.
const FILES: &str = "x-files";

/// A file of a document, as it was when it was read.
#[derive(Debug, Clone)]
pub struct DocumentFile {
    path: PathBuf,
    /// The time of its last change and its size. `None` if it could not be read.
    stamp: Option<(Option<SystemTime>, u64)>,
}

impl DocumentFile {
    /// Returns whether the file has changed since. A file that is being replaced is not there for a
    /// moment, and has not changed yet.
    pub fn has_changed(&self) -> bool {
        let metadata = fs::metadata(&self.path).ok();
        metadata.is_some_and(|metadata| Some(stamp_of(&metadata)) != self.stamp)
    }
}

fn stamp_of(metadata: &Metadata) -> (Option<SystemTime>, u64) {
    (metadata.modified().ok(), metadata.len())
}

/// Reads a document with the files that it refers to. A file must be in the directory of the first
/// one or below it: others may hold what no model should read. References to other files stay, and
/// lead nowhere. `files` gets each file that was opened, also if one cannot be read.
///
/// # Errors
///
/// Returns an error if a file cannot be read, or if all files together are over a bound.
pub(super) fn read_files(
    path: &Path,
    files: &mut Vec<DocumentFile>,
) -> Result<Value, OpenApiError> {
    files.push(DocumentFile {
        path: path.to_owned(),
        stamp: None,
    });
    let first = fs::canonicalize(path).map_err(|error| unreadable(path, &error))?;
    files.clear();
    let mut reader = FileReader {
        directory: first.parent().map(Path::to_owned).unwrap_or_default(),
        files,
        budget: ValueBudget::default(),
        bytes: TEXT_MAX,
        keys: HashMap::from([(first.clone(), None)]),
        names: HashSet::new(),
        missing: HashSet::new(),
        queue: VecDeque::new(),
    };
    let root = reader.read(&first);
    // A link may later lead to another file.
    if let Some(file) = reader.files.first_mut() {
        file.path = path.to_owned();
    }
    let mut root = root?;
    reader.lead(&mut root, &first, None)?;
    let mut others = Object::new();
    while let Some((path, key)) = reader.queue.pop_front() {
        let mut value = reader.read(&path)?;
        reader.lead(&mut value, &path, Some(&key))?;
        others.insert(key, value);
    }
    if let Some(members) = root.as_object_mut().filter(|_| !others.is_empty()) {
        members.insert(FILES.to_owned(), Value::Object(others));
    }
    Ok(root)
}

/// Reads files, and remembers those that are still to be read.
struct FileReader<'f> {
    files: &'f mut Vec<DocumentFile>,
    /// The directory of the first file.
    directory: PathBuf,
    budget: ValueBudget,
    /// The bytes that may still be read.
    bytes: usize,
    /// The names of the files that were referred to. The first one has none.
    keys: HashMap<PathBuf, Option<String>>,
    names: HashSet<String>,
    missing: HashSet<PathBuf>,
    queue: VecDeque<(PathBuf, String)>,
}

impl FileReader<'_> {
    fn read(&mut self, path: &Path) -> Result<Value, OpenApiError> {
        let mut text = String::new();
        let file = regular_file::open(path);
        let metadata = file.as_ref().ok().and_then(|file| file.metadata().ok());
        self.files.push(DocumentFile {
            path: path.to_owned(),
            stamp: metadata.as_ref().map(stamp_of),
        });
        let file = file.map_err(|error| unreadable(path, &error))?;
        // One byte more shows that the file is too long.
        let most = self.bytes as u64 + 1;
        file.take(most)
            .read_to_string(&mut text)
            .map_err(|error| unreadable(path, &error))?;
        self.bytes = self
            .bytes
            .checked_sub(text.len())
            .ok_or(OpenApiError::TooLong { max: TEXT_MAX })?;
        read_text_within(&text, &self.budget).map_err(|error| match error {
            // Only this error is about one of the files.
            OpenApiError::Syntax { language, why } => OpenApiError::Syntax {
                language,
                why: format!("{}: {why}", path.display()),
            },
            other => other,
        })
    }

    /// Changes the references in a file to those of the whole document.
    fn lead(
        &mut self,
        value: &mut Value,
        file: &Path,
        key: Option<&str>,
    ) -> Result<(), OpenApiError> {
        match value {
            Value::Object(members) => {
                for (name, member) in members.iter_mut() {
                    match member {
                        Value::String(reference) if name == "$ref" => {
                            if let Some(changed) = self.led(reference, file, key)? {
                                *reference = changed;
                            }
                        }
                        member => self.lead(member, file, key)?,
                    }
                }
            }
            Value::Array(values) => {
                for value in values {
                    self.lead(value, file, key)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns a reference as the whole document has it. `None` if it stays as it is.
    fn led(
        &mut self,
        reference: &str,
        file: &Path,
        key: Option<&str>,
    ) -> Result<Option<String>, OpenApiError> {
        let (path, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if path.is_empty() {
            return Ok(key.map(|key| format!("#/{FILES}/{key}{fragment}")));
        }
        if path.contains("://") {
            return Ok(None);
        }
        let Ok(path) = percent_encoding::percent_decode_str(path).decode_utf8() else {
            return Ok(None);
        };
        let directory = file.parent().unwrap_or(file);
        let Ok(path) = fs::canonicalize(directory.join(&*path)) else {
            self.note_missing(directory.join(&*path));
            return Ok(None);
        };
        if !path.starts_with(&self.directory) {
            return Ok(None);
        }
        if let Some(known) = self.keys.get(&path) {
            return Ok(Some(match known {
                Some(key) => format!("#/{FILES}/{key}{fragment}"),
                None => format!("#{fragment}"),
            }));
        }
        if self.keys.len() >= FILES_MAX {
            return Err(OpenApiError::TooManyFiles { max: FILES_MAX });
        }
        let key = self.name(&path);
        let changed = format!("#/{FILES}/{key}{fragment}");
        self.keys.insert(path.clone(), Some(key.clone()));
        self.queue.push_back((path, key));
        Ok(Some(changed))
    }

    /// Notes a file that is not there, so that it is read once somebody writes it.
    fn note_missing(&mut self, path: PathBuf) {
        if self.missing.len() < FILES_MAX && self.missing.insert(path.clone()) {
            self.files.push(DocumentFile { path, stamp: None });
        }
    }

    /// Returns a name for a file, which schemas of whole files have, too.
    fn name(&mut self, path: &Path) -> String {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let plain: String = stem
            .chars()
            .map(|letter| {
                if letter.is_ascii_alphanumeric() {
                    letter
                } else {
                    '_'
                }
            })
            .take(40)
            .collect();
        let mut name = plain.clone();
        let mut number = 2_u32;
        while !self.names.insert(name.clone()) {
            name = format!("{plain}{number}");
            number += 1;
        }
        name
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> OpenApiError {
    OpenApiError::File {
        path: plain_line(&path.display().to_string(), 300),
        why: error.to_string(),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(files: &[(&str, &str)]) -> Result<(Value, Vec<DocumentFile>), OpenApiError> {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = directory.path().join("api").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let mut files = Vec::new();
        let root = read_files(&directory.path().join("api/spec.yaml"), &mut files)?;
        Ok((root, files))
    }

    #[test]
    fn references_to_files_lead_into_one_document() {
        let (root, files) = read(&[
            (
                "spec.yaml",
                "a: { $ref: 'parts/pet.yml' }\nb: { $ref: './parts/all.yml#/Pet' }\nc: { $ref: '#/a' }",
            ),
            ("parts/pet.yml", "{ x: { $ref: '#/y' }, y: { $ref: '../spec.yaml#/b' } }"),
            ("parts/all.yml", "Pet: { $ref: 'more%20x/pet.yml' }"),
            ("parts/more x/pet.yml", "{ z: 1 }"),
        ])
        .unwrap();
        let expected = json!({
            "a": { "$ref": "#/x-files/pet" }, "b": { "$ref": "#/x-files/all/Pet" }, "c": { "$ref": "#/a" },
            "x-files": {
                "pet": { "x": { "$ref": "#/x-files/pet/y" }, "y": { "$ref": "#/b" } },
                "all": { "Pet": { "$ref": "#/x-files/pet2" } },
                "pet2": { "z": 1 },
            },
        });
        assert_eq!(root, expected);
        assert_eq!(files.len(), 4);
    }

    #[test]
    fn other_directories_and_hosts_are_not_read() {
        for reference in [
            "../secret.yml",
            "parts/../../secret.yml",
            "/etc/hostname",
            "missing.yml",
            "https://example.com/pet.yml#/x",
            "parts",
            "%ff.yml",
        ] {
            let spec = format!("a: {{ $ref: '{reference}' }}");
            let files = [
                ("spec.yaml", &*spec),
                ("../secret.yml", "x: 1"),
                ("parts/x.yml", "x: 1"),
            ];
            match read(&files) {
                Ok((root, _)) => {
                    assert_eq!(root.pointer("/a/$ref").unwrap(), reference);
                }
                // A directory is no document.
                Err(error) => assert!(
                    reference == "parts" && error.to_string().contains("is a directory"),
                    "{reference}: {error}"
                ),
            }
        }
        #[cfg(unix)]
        {
            let directory = tempfile::tempdir().unwrap();
            let api = directory.path().join("api");
            fs::create_dir(&api).unwrap();
            fs::write(directory.path().join("secret.yml"), "x: 1").unwrap();
            std::os::unix::fs::symlink("../secret.yml", api.join("link.yml")).unwrap();
            fs::write(api.join("spec.yaml"), "a: { $ref: link.yml }").unwrap();
            let root = read_files(&api.join("spec.yaml"), &mut Vec::new()).unwrap();
            assert_eq!(root.pointer("/a/$ref").unwrap(), "link.yml");
        }
    }

    #[test]
    fn all_files_together_have_the_bounds_of_one() {
        let half = format!("a: '{}'", "x".repeat(TEXT_MAX / 2));
        let spec = "a: { $ref: one.yml }\nb: { $ref: two.yml }";
        let read = read(&[("spec.yaml", spec), ("one.yml", &half), ("two.yml", &half)]);
        assert!(matches!(read, Err(OpenApiError::TooLong { .. })));
        let wrong = [("spec.yaml", "a: { $ref: one.yml }"), ("one.yml", "a: [")];
        let error = super::tests::read(&wrong).err().unwrap().to_string();
        assert!(error.contains("one.yml"), "{error}");
    }
}
