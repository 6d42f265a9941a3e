//! The files of any revision: `ls`, `cat` and `find`. What they hold is searched in `grep`.

use super::{
    blame::line_not_found,
    changes::lines,
    errors::GitError,
    excerpt::Excerpt,
    page::{Page, Pager, Skip},
    repo::Repo,
    revision::Revision,
    snapshot::{RepoPath, Snapshot, join},
};
use git2::{Odb, Pathspec, PathspecFlags, TreeEntry};
use pd_runtime::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

/// One entry of a directory.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Entry {
    /// Its path from the repository's root.
    pub path: String,
    /// What it is.
    pub kind: EntryKind,
    /// A file's size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<usize>,
}

/// What a directory's entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A directory.
    Directory,
    /// A file.
    File,
    /// A file that may be run.
    Executable,
    /// A symbolic link; `cat` shows where it points.
    Link,
    /// Another repository's commit.
    Submodule,
}

impl EntryKind {
    /// From the mode in a tree, as git's documentation of its object format lists them.
    fn of(mode: i32) -> Self {
        match mode {
            0o040000 => Self::Directory,
            0o120000 => Self::Link,
            0o160000 => Self::Submodule,
            0o100755 => Self::Executable,
            _ => Self::File,
        }
    }
}

impl Repo {
    /// Lists one directory, or folder, as it was at a revision, without going into its subdirectories.
    ///
    /// # Examples
    ///
    /// The repository's root, now:
    ///
    /// ```json
    /// {}
    /// ```
    ///
    /// The first ten entries only:
    ///
    /// ```json
    /// { "path": ".", "revision": "HEAD", "limit": 10 }
    /// ```
    ///
    /// # Guidance
    ///
    /// - To find a file anywhere below, use `find`.
    ///
    /// # Errors
    ///
    /// - `PATH_NOT_FOUND`
    /// - `NOT_A_DIRECTORY`
    /// - `REVISION_NOT_FOUND`
    #[pd_tool(
        summary = "List a directory at any revision",
        related(Repo::cat, Repo::find, Repo::sizes),
        aliases("list_files", "top_level"),
        found_by(
            "what is in the src folder",
            "which files are at the top of the repository"
        ),
        read_only,
        blocking
    )]
    pub fn ls(
        &self,
        /// The directory.
        #[arg(default = ".")]
        path: RepoPath,
        #[arg(default = "HEAD")] revision: Revision,
        #[arg(default = 0)] skip: Skip,
        /// How many entries to return.
        #[arg(default = 100, minimum = 1, maximum = 1000)]
        limit: u32,
    ) -> Result<Json<Page<Entry>>, GitError> {
        let repository = self.open()?;
        let odb = repository.odb()?;
        let directory = Snapshot::of(&repository, &revision)?.directory(&path)?;
        let page = Page::of(directory.iter(), skip, limit);
        Ok(Json(
            page.try_map(|entry| entry_of(&entry, path.as_str(), &odb))?,
        ))
    }

    /// Returns lines of a text file as it was at a revision. Working tree and index do not count: what was never
    /// committed is not there.
    ///
    /// # Examples
    ///
    /// How the README begins:
    ///
    /// ```json
    /// { "path": "README.md", "limit": 20 }
    /// ```
    ///
    /// # Guidance
    ///
    /// - To see a file before a change, pass `<commit>^` as `revision`; to see it as of a release, the release's tag.
    /// - To find the lines worth reading in a long file, `grep` it first.
    ///
    /// # Notes
    ///
    /// - Bytes that are no UTF-8 show as replacement characters; very long lines are cut.
    ///
    /// # Errors
    ///
    /// - `PATH_NOT_FOUND`
    /// - `NOT_A_FILE`
    /// - `BINARY_FILE`
    /// - `FILE_TOO_LARGE`
    /// - `LINE_NOT_FOUND`
    /// - `REVISION_NOT_FOUND`
    #[pd_tool(
        summary = "Read a file at any revision",
        related(Repo::ls, Repo::grep, Repo::blame),
        found_by(
            "show me the README of the last release",
            "what did this file look like before the refactoring"
        ),
        read_only,
        blocking
    )]
    pub fn cat(
        &self,
        /// The file.
        path: RepoPath,
        #[arg(default = "HEAD")] revision: Revision,
        /// The first line to return.
        #[arg(default = 1, minimum = 1)]
        first_line: u32,
        /// How many lines to return.
        #[arg(default = 400, minimum = 1, maximum = 2000)]
        limit: u32,
    ) -> Result<String, GitError> {
        let repository = self.open()?;
        let blob = Snapshot::of(&repository, &revision)?.text(&path)?;
        let count = lines(blob.content()).count();
        if first_line > 1 && first_line as usize > count {
            return Err(line_not_found(&path, first_line, count));
        }
        let mut excerpt = Excerpt::new(first_line - 1, limit);
        // The excerpt itself remembers that there was more.
        let _ = lines(blob.content()).all(|line| excerpt.line(line));
        Ok(excerpt.finish("first_line", |lines_before| lines_before + 1))
    }

    /// Tells where a file is: finds files by their path, in all directories of a revision.
    ///
    /// # Examples
    ///
    /// All Rust files:
    ///
    /// ```json
    /// { "glob": "*.rs" }
    /// ```
    ///
    /// Files that were called README, with whatever ending, at a commit:
    ///
    /// ```json
    /// { "glob": "*readme*", "revision": "HEAD", "limit": 10 }
    /// ```
    ///
    /// # Notes
    ///
    /// - `*` stands for any characters, `/` among them, so `src/*.rs` finds `src/a/b.rs` too; `?` stands for one
    ///   character and
    ///   `[ab]` for one of those. Upper and lower case are the same.
    ///
    /// # Errors
    ///
    /// - `REVISION_NOT_FOUND`
    /// - `EMPTY_REPOSITORY`
    #[pd_tool(
        summary = "Find files by name in a revision",
        related(Repo::ls, Repo::grep, Repo::search),
        aliases("glob"),
        found_by("where is the Dockerfile", "all yaml files"),
        read_only,
        blocking
    )]
    pub fn find(
        &self,
        /// A pattern for the whole path.
        #[arg(min_length = 1)]
        glob: String,
        #[arg(default = "HEAD")] revision: Revision,
        #[arg(default = 0)] skip: Skip,
        /// How many paths to return.
        #[arg(default = 50, minimum = 1, maximum = 1000)]
        limit: u32,
        call: &CallContext,
    ) -> Result<Json<Page<String>>, GitError> {
        let repository = self.open()?;
        let pattern = Pathspec::new([glob])?;
        let mut page = Pager::new(skip, limit);
        for file in Snapshot::of(&repository, &revision)?.files(&RepoPath::from("."), call)? {
            let file = file?;
            let matches = pattern.matches_path(Path::new(&file.path), PathspecFlags::IGNORE_CASE);
            if matches && !page.offer(|| Ok(file.path))? {
                break;
            }
        }
        Ok(Json(page.finish()))
    }
}

fn entry_of(entry: &TreeEntry<'_>, directory: &str, odb: &Odb<'_>) -> Result<Entry, GitError> {
    let kind = EntryKind::of(entry.filemode());
    let has_size = matches!(kind, EntryKind::File | EntryKind::Executable);
    // A blob that a partial clone has not fetched has no size to tell.
    let bytes = has_size
        .then(|| odb.read_header(entry.id()).ok())
        .flatten()
        .map(|(bytes, _)| bytes);
    Ok(Entry {
        path: join(directory, entry.name_bytes()),
        kind,
        bytes,
    })
}
