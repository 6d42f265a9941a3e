//! What the history says about files: which change most, and which change together.

use super::{
    changes::{FileChange, diff_of, find_renames, new_path, path_options},
    commits::{Walk, touches},
    errors::GitError,
    page::{Page, Skip},
    repo::Repo,
    revision::Revision,
    snapshot::{RepoPath, Snapshot},
};
use pd_runtime::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{HashMap, HashSet};

/// A commit of more files than this is a sweep through the code; it says nothing about which belong together.
const SWEEP: usize = 50;

/// How much a file changes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Churn {
    /// The file, under the name it had in the latest of the commits.
    pub path: String,
    /// How many commits changed it.
    pub commits: usize,
    /// Lines added in all of them.
    pub added: usize,
    /// Lines removed in all of them.
    pub removed: usize,
    /// How many people changed it.
    pub authors: usize,
}

/// A file that changes together with another.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Companion {
    /// The file.
    pub path: String,
    /// In how many commits both changed.
    pub together: usize,
    /// The same in percent of the commits that changed the file asked about.
    pub percent: usize,
}

/// What is known of a file while commits are read.
#[derive(Default)]
struct Tally {
    commits: usize,
    added: usize,
    removed: usize,
    authors: HashSet<Vec<u8>>,
}

impl Repo {
    /// Ranks files by how many of the latest commits changed them: where the work goes on, and where bugs and
    /// other trouble are likely.
    ///
    /// # Examples
    ///
    /// The ten liveliest files of the last two hundred commits:
    ///
    /// ```json
    /// { "commits": 200, "limit": 10 }
    /// ```
    ///
    /// # Guidance
    ///
    /// - Go on with `file_history` or `owners` of a file that stands out.
    ///
    /// # Notes
    ///
    /// - Merges are not counted. A renamed file is counted under each of its names.
    ///
    /// # Errors
    ///
    /// - `REVISION_NOT_FOUND`
    /// - `EMPTY_REPOSITORY`
    #[pd_tool(
        summary = "Rank files by how often they change",
        related(Repo::coupling, Repo::activity, Repo::sizes),
        aliases("hotspots"),
        found_by("which files cause the most trouble", "where are bugs likely"),
        read_only,
        blocking
    )]
    pub fn churn(
        &self,
        #[arg(default = "HEAD")] revision: Revision,
        /// Only files at or below this path.
        path: Option<RepoPath>,
        /// How many commits to look at.
        #[arg(default = 500, minimum = 1, maximum = 10000)]
        commits: u32,
        #[arg(default = 0)] skip: Skip,
        /// How many files to return.
        #[arg(default = 20, minimum = 1, maximum = 500)]
        limit: u32,
        call: &CallContext,
    ) -> Result<Json<Page<Churn>>, GitError> {
        let repository = self.open()?;
        let mut tallies: HashMap<String, Tally> = HashMap::new();
        let mut options = path_options(path.as_ref());
        for commit in Walk::from(&repository, revision.commit(&repository)?.id(), call)?
            .take(commits as usize)
        {
            let commit = commit?;
            if commit.parent_count() > 1 {
                continue;
            }
            let author = commit.author().email_bytes().to_owned();
            let diff = diff_of(&repository, &commit, &mut options)?;
            for change in FileChange::all(&diff, call) {
                let change = change?;
                let tally = tallies.entry(change.path).or_default();
                tally.commits += 1;
                tally.added += change.added;
                tally.removed += change.removed;
                tally.authors.insert(author.clone());
            }
        }
        let mut files: Vec<Churn> = tallies
            .into_iter()
            .map(|(path, tally)| churn(path, &tally))
            .collect();
        files.sort_by(|a, b| b.commits.cmp(&a.commits).then_with(|| a.path.cmp(&b.path)));
        Ok(Json(Page::of(files, skip, limit)))
    }

    /// Ranks files by how often they changed in the same commit as the one asked about: what else a change may have to
    /// touch, and hidden dependencies that no import shows.
    ///
    /// # Examples
    ///
    /// What moves with the manifest:
    ///
    /// ```json
    /// { "path": "README.md", "limit": 10 }
    /// ```
    ///
    /// # Notes
    ///
    /// - Merges and commits of more than 50 files are not counted.
    /// - A high percentage of very few commits means little: compare `together`.
    ///
    /// # Errors
    ///
    /// - `PATH_NOT_FOUND`
    /// - `NOT_A_FILE`
    /// - `REVISION_NOT_FOUND`
    #[pd_tool(
        summary = "Find files that change together with a file",
        related(Repo::churn, Repo::file_history),
        found_by(
            "what else do I need to change when I touch this file",
            "hidden dependencies between files"
        ),
        read_only,
        blocking
    )]
    pub fn coupling(
        &self,
        /// The file.
        path: RepoPath,
        #[arg(default = "HEAD")] revision: Revision,
        /// How many commits of the repository to look at.
        #[arg(default = 5000, minimum = 1, maximum = 50000)]
        commits: u32,
        #[arg(default = 0)] skip: Skip,
        /// How many files to return.
        #[arg(default = 20, minimum = 1, maximum = 200)]
        limit: u32,
        call: &CallContext,
    ) -> Result<Json<Page<Companion>>, GitError> {
        let repository = self.open()?;
        Snapshot::of(&repository, &revision)?.file(&path)?;
        let mut changes = 0;
        let mut together: HashMap<String, usize> = HashMap::new();
        for commit in Walk::from(&repository, revision.commit(&repository)?.id(), call)?
            .take(commits as usize)
        {
            let commit = commit?;
            if commit.parent_count() > 1 || !touches(&commit, path.as_path())? {
                continue;
            }
            let mut diff = diff_of(&repository, &commit, &mut path_options(None))?;
            if diff.deltas().len() > SWEEP {
                continue;
            }
            find_renames(&mut diff)?;
            changes += 1;
            for delta in diff.deltas() {
                *together.entry(new_path(&delta)).or_default() += 1;
            }
        }
        together.remove(path.as_str());
        Ok(Json(Page::of(companions(together, changes), skip, limit)))
    }
}

fn churn(path: String, tally: &Tally) -> Churn {
    Churn {
        path,
        commits: tally.commits,
        added: tally.added,
        removed: tally.removed,
        authors: tally.authors.len(),
    }
}

fn companions(together: HashMap<String, usize>, changes: usize) -> Vec<Companion> {
    let percent = |together: usize| (together * 100).checked_div(changes).unwrap_or_default();
    let companions = together.into_iter().map(|(path, together)| Companion {
        path,
        together,
        percent: percent(together),
    });
    let mut companions: Vec<Companion> = companions.collect();
    companions.sort_by(|a, b| {
        b.together
            .cmp(&a.together)
            .then_with(|| a.path.cmp(&b.path))
    });
    companions
}
