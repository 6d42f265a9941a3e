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
    io::Read,
    path::{Path, PathBuf},
};

/// The most files of a document, with its first.
const FILES_MAX: usize = 5_000;
/// The member with the other files, by the names that they get.
const FILES: &str = "x-files";

/// A document and the files that it was read from.
pub(super) struct WholeDocument {
    pub(super) root: Value,
    pub(super) files: Vec<PathBuf>,
}

/// Reads a document with the files that it refers to. A file must be in the directory of the first
/// one or below it: others may hold what no model should read. References to other files stay, and
/// lead nowhere.
///
/// # Errors
///
/// Returns an error if a file cannot be read, or if all files together are over a bound.
pub(super) fn read_files(path: &Path) -> Result<WholeDocument, OpenApiError> {
    let first = canonical(path)?;
    let mut reader = FileReader {
        directory: first.parent().map(Path::to_owned).unwrap_or_default(),
        budget: ValueBudget::default(),
        bytes: TEXT_MAX,
        keys: HashMap::from([(first.clone(), None)]),
        names: HashSet::new(),
        queue: VecDeque::new(),
    };
    let mut root = reader.read(&first)?;
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
    let mut files: Vec<_> = reader.keys.into_keys().collect();
    files.sort();
    Ok(WholeDocument { root, files })
}

/// Reads files, and remembers those that are still to be read.
struct FileReader {
    /// The directory of the first file.
    directory: PathBuf,
    budget: ValueBudget,
    /// The bytes that may still be read.
    bytes: usize,
    /// The names of the files that were referred to. The first one has none.
    keys: HashMap<PathBuf, Option<String>>,
    names: HashSet<String>,
    queue: VecDeque<(PathBuf, String)>,
}

impl FileReader {
    fn read(&mut self, path: &Path) -> Result<Value, OpenApiError> {
        let mut text = String::new();
        let file = regular_file::open(path).map_err(|error| unreadable(path, &error))?;
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
        // A file that is missing or elsewhere is one that nothing is known of.
        let path = std::fs::canonicalize(directory.join(&*path)).ok();
        let Some(path) = path.filter(|path| path.starts_with(&self.directory)) else {
            return Ok(None);
        };
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

fn canonical(path: &Path) -> Result<PathBuf, OpenApiError> {
    std::fs::canonicalize(path).map_err(|error| unreadable(path, &error))
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
    use std::fs;

    fn read(files: &[(&str, &str)]) -> Result<WholeDocument, OpenApiError> {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = directory.path().join("api").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        read_files(&directory.path().join("api/spec.yaml"))
    }

    #[test]
    fn references_to_files_lead_into_one_document() {
        let whole = read(&[
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
        assert_eq!(whole.root, expected);
        assert_eq!(whole.files.len(), 4);
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
                Ok(whole) => assert_eq!(whole.root["a"]["$ref"], reference),
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
            let whole = read_files(&api.join("spec.yaml")).unwrap();
            assert_eq!(whole.root["a"]["$ref"], "link.yml");
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
