//! How much there is: the largest files of a revision, and what kinds of files it holds.

use super::{
    errors::GitError,
    page::{Page, Skip},
    repo::Repo,
    revision::Revision,
    snapshot::{RepoPath, Snapshot},
};
use git2::Repository;
use pd_runtime::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::{collections::HashMap, path::Path};

/// How much a revision holds.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sizes {
    /// How many files.
    pub files: usize,
    /// All their bytes.
    pub bytes: usize,
    /// The files, the largest first.
    pub largest: Page<FileSize>,
}

/// A file's size.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileSize {
    /// The file.
    pub path: String,
    /// Its size.
    pub bytes: usize,
}

/// All files of one kind.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileType {
    /// The ending of their names, in lower case; empty for files without one.
    pub extension: String,
    /// How many files.
    pub files: usize,
    /// All their bytes.
    pub bytes: usize,
}

impl Repo {
    /// Ranks the files of a revision by size and adds all of them up. Sizes are of the files' content, not of its
    /// compressed form in the repository.
    ///
    /// # Examples
    ///
    /// The five largest files:
    ///
    /// ```json
    /// { "limit": 5 }
    /// ```
    ///
    /// # Errors
    ///
    /// - `PATH_NOT_FOUND`
    /// - `REVISION_NOT_FOUND`
    #[pd_tool(
        summary = "Rank files by size",
        related(Repo::file_types, Repo::ls, Repo::churn),
        found_by("what makes the repository so big", "largest files"),
        read_only,
        blocking
    )]
    pub fn sizes(
        &self,
        #[arg(default = "HEAD")] revision: Revision,
        /// Only files at or below this path.
        #[arg(default = ".")]
        path: RepoPath,
        #[arg(default = 0)] skip: Skip,
        /// How many files to list; all are added up.
        #[arg(default = 20, minimum = 1, maximum = 500)]
        limit: u32,
        call: &CallContext,
    ) -> Result<Json<Sizes>, GitError> {
        let repository = self.open()?;
        let mut files = file_sizes(&repository, &revision, &path, call)?;
        files.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.path.cmp(&b.path)));
        Ok(Json(Sizes {
            files: files.len(),
            bytes: files.iter().map(|file| file.bytes).sum(),
            largest: Page::of(files, skip, limit),
        }))
    }

    /// Counts the files of a revision by the ending of their names: how much of the project is written in which language,
    /// such as Rust.
    ///
    /// # Examples
    ///
    /// The whole repository:
    ///
    /// ```json
    /// {}
    /// ```
    ///
    /// # Errors
    ///
    /// - `PATH_NOT_FOUND`
    /// - `REVISION_NOT_FOUND`
    #[pd_tool(
        summary = "Count files and bytes by file type",
        related(Repo::sizes, Repo::find),
        aliases("languages"),
        found_by(
            "which programming languages is this written in",
            "how much of it is Rust"
        ),
        read_only,
        blocking
    )]
    pub fn file_types(
        &self,
        #[arg(default = "HEAD")] revision: Revision,
        /// Only files at or below this path.
        #[arg(default = ".")]
        path: RepoPath,
        #[arg(default = 0)] skip: Skip,
        /// How many types to return.
        #[arg(default = 20, minimum = 1, maximum = 200)]
        limit: u32,
        call: &CallContext,
    ) -> Result<Json<Page<FileType>>, GitError> {
        let repository = self.open()?;
        let mut types: HashMap<String, FileType> = HashMap::new();
        for file in file_sizes(&repository, &revision, &path, call)? {
            let extension = extension(&file.path);
            let kind = types.entry(extension.clone()).or_insert(FileType {
                extension,
                files: 0,
                bytes: 0,
            });
            kind.files += 1;
            kind.bytes += file.bytes;
        }
        let mut types: Vec<FileType> = types.into_values().collect();
        types.sort_by(|a, b| {
            b.bytes
                .cmp(&a.bytes)
                .then_with(|| a.extension.cmp(&b.extension))
        });
        Ok(Json(Page::of(types, skip, limit)))
    }
}

fn file_sizes(
    repository: &Repository,
    revision: &Revision,
    path: &RepoPath,
    call: &CallContext,
) -> Result<Vec<FileSize>, GitError> {
    let odb = repository.odb()?;
    let mut sizes = Vec::new();
    for file in Snapshot::of(repository, revision)?.files(path, call)? {
        let file = file?;
        // A partial clone lacks blobs it never needed; their sizes are unknown here.
        if let (false, Ok((bytes, _))) = (file.is_submodule, odb.read_header(file.id)) {
            sizes.push(FileSize {
                path: file.path,
                bytes,
            });
        }
    }
    Ok(sizes)
}

fn extension(path: &str) -> String {
    Path::new(path)
        .extension()
        .map(|extension| extension.to_string_lossy().to_lowercase())
        .unwrap_or_default()
}
