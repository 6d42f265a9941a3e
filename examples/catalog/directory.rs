//! A directory of full descriptions, one JSON file a tool, as servers of Progressive Disclosure
//! v2.1 store them (section 7.1).

use pd_runtime::cli::read_text;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The most files.
const FILES_MAX: usize = 10_000;

/// A file's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextFile {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// Reads every `*.json` of a directory, in the order of their names. Hidden files and inner
/// directories are passed over.
///
/// # Errors
///
/// The system refuses, a file is a pipe or a device, or the directory has more than 10,000
/// descriptions.
pub(crate) fn read(directory: &Path) -> io::Result<Vec<TextFile>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if is_description(&path) && !path.is_dir() {
            paths.push(path);
        }
        if paths.len() > FILES_MAX {
            return Err(io::Error::other(format!(
                "it has more than {FILES_MAX} descriptions; split it"
            )));
        }
    }
    paths.sort();
    let named = |path: &Path, error: io::Error| {
        io::Error::new(error.kind(), format!("{}: {error}", path.display()))
    };
    let text = |path: PathBuf| match read_text(&path) {
        Ok(text) => Ok(TextFile { path, text }),
        Err(error) => Err(named(&path, error)),
    };
    paths.into_iter().map(text).collect()
}

fn is_description(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    name.ends_with(b".json") && !name.starts_with(b".")
}
