//! Tests of exports into directories: the files that an export does not change, and the contents of
//! each format.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod formats;
mod leaves_alone;
mod shared_tree;

use super::Format;
use crate::{IntoOutput, Registry, Tool};
use futures::FutureExt;
use std::{
    fs,
    path::{Path, PathBuf},
};

fn tool(name: &'static str) -> Tool<()> {
    Tool::new(name, "List what there is", |(), _, _| {
        async { ().into_output() }.boxed()
    })
}

fn registry(tools: impl IntoIterator<Item = &'static str>) -> Registry<()> {
    Registry::builder()
        .name("shop")
        .tools(tools.into_iter().map(tool))
        .build()
        .unwrap()
}

/// A directory that is removed when this value is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("pd-runtime-export-{name}-{}", std::process::id()));
        drop(fs::remove_dir_all(&path));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.join(file)
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    fn write(&self, file: &str, text: &str) {
        fs::create_dir_all(self.path(file).parent().unwrap()).unwrap();
        fs::write(self.path(file), text).unwrap();
    }

    /// Returns all files by their paths, with their contents.
    fn files(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        gather(&self.0, &self.0, &mut found);
        found.sort();
        found
    }

    /// Returns the paths of all files except records.
    fn paths(&self) -> Vec<String> {
        let paths = self.files().into_iter().map(|(path, _)| path);
        paths
            .filter(|path| !(path.starts_with(".pd-export.") && path.ends_with(".record")))
            .collect()
    }
}

fn gather(root: &Path, directory: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(root, &path, found);
        } else {
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .replace('\\', "/");
            found.push((name, fs::read_to_string(path).unwrap()));
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

#[test]
fn every_format_gives_the_same_bytes_again() {
    let registry = formats::shop();
    for format in Format::ALL {
        let (one, other) = (
            Folder::new(&format!("one-{format}")),
            Folder::new(&format!("other-{format}")),
        );
        let written = registry.export(format, &one.0).unwrap().written.len();
        registry.export(format, &other.0).unwrap();
        assert_eq!(one.files(), other.files(), "{format}");
        let again = registry.export(format, &one.0).unwrap();
        assert_eq!(
            (again.written.len(), again.unchanged.len()),
            (0, written),
            "{format}"
        );
    }
}
