//! A Git repository as a server: thirty read-only tools over libgit2, in the words of the questions one asks about a
//! repository.
//!
//! What to notice:
//!
//! - [`registry()`] is the server's table of contents: what a model sees first is these groups and one line a tool. Its bundle
//!   at the end leads through a task that takes tools of several groups.
//! - The tools stand in `impl Repo` blocks, in the module of their subject. A tool takes what its caller sends by value
//!   and what the server lends by reference, and is a plain function that the tests call directly.
//! - [`Revision`](revision::Revision), [`RepoPath`](snapshot::RepoPath) and [`Skip`](page::Skip) are types with a
//!   doc comment, and so document the arguments of all the tools that take them.
//! - [`GitError`](errors::GitError) says once what can go wrong and what to do about it; a tool's `# Errors` names the
//!   codes that matter to it.
//! - Every answer is bounded: lists come in pages, texts in excerpts, and long loops end when the client cancels.

// What the answers are made of.
pub mod changes;
pub mod commits;
pub mod errors;
mod excerpt;
pub mod page;
pub mod revision;
pub mod snapshot;
// The state, and the tools by subject.
pub mod ancestry;
pub mod blame;
pub mod branches;
pub mod churn;
pub mod compare;
pub mod file_history;
pub mod grep;
pub mod history;
pub mod names;
pub mod people;
pub mod pickaxe;
pub mod remotes;
mod repo;
pub mod search;
pub mod sizes;
pub mod status;
pub mod tags;
pub mod trees;

#[cfg(test)]
mod tests;

use pd_runtime::{SkillFile, prelude::*};
pub use repo::{DiscoverError, Repo};

/// All tools of this server, and the files of their skills.
pub fn registry() -> Registry<Repo> {
    let revisions = include_str!("skills/history/references/revisions.md");
    tools().with_files(
        "history",
        [SkillFile::new("references/revisions.md", revisions)],
    )
}

fn tools() -> Registry<Repo> {
    pd_runtime::registry! {
        //! Read-only access to one Git repository: its history, its files at any revision, its branches and tags, and
        //! figures about all of them. Nothing is ever changed or fetched.
        //!
        //! Revisions are branches, tags, commit ids or expressions such as `HEAD~3`. Paths are relative to the
        //! repository's root. Long lists come in pages: pass a page's `next_skip` as `skip` to go on.
        #![name = "git"]
        #![budget = 1_200]

        Repo::{status, search, uncommitted},

        /// Read history: commits, authors of lines, files' pasts.
        ///
        /// Begin with `log`; `show` tells all of one commit. For one line ask `blame`, for one file `file_history`, and
        /// `pickaxe` for the commit that added or removed a text.
        history: Repo::{log, show, blame, file_history, pickaxe},

        /// Look at files and directories at any revision.
        trees: {
            Repo::{ls, cat, find, grep},
            /// Compare two revisions.
            ///
            /// `diff_stat` says which files differ; ask `diff` only for those that matter. `merge_base` and
            /// `ahead_behind` tell how two histories relate, without looking into files.
            compare: Repo::{diff, diff_stat, merge_base, ahead_behind},
        },

        /// Branches, tags and what they stand for.
        refs: Repo::{branches, tags, contains, resolve, describe, remotes, stashes},

        /// Figures about people and files.
        insight: Repo::{contributors, activity, owners, churn, coupling, sizes, file_types},

        /// Find who broke a line, why, and which versions have it.
        ///
        /// 1. `grep` tells the line's file and number, where only its text is known.
        /// 2. `blame` with that `path`, the number as `first_line` and a `limit` of 1 names the commit.
        /// 3. `show` tells why it was made; `diff` with the commit as `to` shows what else it changed. Where it only moved
        ///    the line, call `blame` again with `<commit>^` as `revision`.
        /// 4. `contains` lists the branches and tags that have the commit.
        ///
        /// Where the line is gone, `pickaxe` finds the commit that removed it.
        bundle who_broke_it: Repo::{grep, blame, show, diff, contains, pickaxe},
    }
}
