//! A small repository with a bit of everything: a merge, a renamed file, a binary file, a tag, uncommitted changes.
//!
//! ```text
//! Begin ─ Mark what is missing ─┬─ Say more ────┬─ Merge topic ─ Rename lib.rs ─ Add a logo
//!                               └─ Add a topic ─┘       v1.0
//! ```

use super::super::Repo;
use git2::{Commit, IndexAddOption, Repository, Signature, Time};
use std::{fs, path::Path};
use tempfile::TempDir;

/// A Monday's noon, in seconds: 2025-01-06.
const START: i64 = 1_736_164_800;
const DAY: i64 = 86_400;

/// A repository that lives as long as this does.
pub(super) struct Fixture {
    directory: TempDir,
    git: Repository,
    day: i64,
}

impl Fixture {
    /// Nothing but an empty repository.
    pub(super) fn empty() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let git = Repository::init_opts(
            directory.path(),
            git2::RepositoryInitOptions::new().initial_head("main"),
        );
        Self {
            directory,
            git: git.unwrap(),
            day: 0,
        }
    }

    /// The history that the module's documentation draws.
    pub(super) fn small() -> Self {
        let mut it = Self::empty();
        it.write("README.md", "# Small\n");
        it.write("Cargo.toml", "[package]\nname = \"small\"\n");
        it.write(
            "src/lib.rs",
            "//! A library.\n\npub fn one() -> u32 {\n    1\n}\n",
        );
        it.commit("Ada", "Begin\n\nWith a library.", None);
        it.write(
            "src/lib.rs",
            "//! A library.\n\npub fn one() -> u32 {\n    1\n}\n\n// TODO: two\n",
        );
        let fork = it.commit("Grace", "Mark what is missing", None);

        it.git
            .branch("topic", &it.git.find_commit(fork).unwrap(), false)
            .unwrap();
        it.check_out("topic");
        it.write("src/topic.rs", "pub fn topic() {}\n");
        let topic = it.commit("Grace", "Add a topic", None);
        it.check_out("main");
        it.write("README.md", "# Small\n\nA small repository.\n");
        it.write(
            "Cargo.toml",
            "[package]\nname = \"small\"\nversion = \"1.0.0\"\n",
        );
        it.commit("Ada", "Say more", None);
        it.write("src/topic.rs", "pub fn topic() {}\n");
        let merge = it.commit("Ada", "Merge topic", Some(topic));
        it.tag("v1.0", merge);

        fs::rename(it.path("src/lib.rs"), it.path("src/core.rs")).unwrap();
        it.commit("Ada", "Rename lib.rs", None);
        fs::write(it.path("logo.png"), [0x89, b'P', b'N', b'G', 0, 0, 1]).unwrap();
        it.commit("Grace", "Add a logo", None);

        it.write(
            "README.md",
            "# Small\n\nA small repository, about to change.\n",
        );
        it.write("notes.txt", "not tracked\n");
        it
    }

    /// The server's state for it.
    pub(super) fn repo(&self) -> Repo {
        Repo::discover(self.git.path()).unwrap()
    }

    /// libgit2's handle, to make it odd.
    pub(super) fn git(&self) -> &Repository {
        &self.git
    }

    pub(super) fn path(&self, name: &str) -> std::path::PathBuf {
        self.directory.path().join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Commits the whole working tree, a day after the commit before, with `merged` as a second parent.
    pub(super) fn commit(
        &mut self,
        author: &str,
        message: &str,
        merged: Option<git2::Oid>,
    ) -> git2::Oid {
        let mut index = self.git.index().unwrap();
        index.add_all(["."], IndexAddOption::DEFAULT, None).unwrap();
        index.update_all(["."], None).unwrap();
        index.write().unwrap();
        let tree = self.git.find_tree(index.write_tree().unwrap()).unwrap();
        let head = self
            .git
            .head()
            .ok()
            .map(|head| head.peel_to_commit().unwrap());
        let merged = merged.map(|id| self.git.find_commit(id).unwrap());
        let parents: Vec<&Commit<'_>> = head.iter().chain(&merged).collect();
        let who = signature(author, self.day);
        self.day += 1;
        self.git
            .commit(Some("HEAD"), &who, &who, message, &tree, &parents)
            .unwrap()
    }

    fn check_out(&self, branch: &str) {
        self.git.set_head(&format!("refs/heads/{branch}")).unwrap();
        self.git
            .checkout_head(Some(git2::build::CheckoutBuilder::new().force()))
            .unwrap();
        let stray = self.path("src/topic.rs");
        if branch == "main" && Path::new(&stray).exists() {
            fs::remove_file(stray).unwrap();
        }
    }

    fn tag(&self, name: &str, commit: git2::Oid) {
        let target = self.git.find_object(commit, None).unwrap();
        self.git
            .tag(
                name,
                &target,
                &signature("Ada", self.day),
                "The first release.\n",
                false,
            )
            .unwrap();
    }
}

fn signature(name: &str, day: i64) -> Signature<'static> {
    let email = format!("{}@example.org", name.to_lowercase());
    Signature::new(name, &email, &Time::new(START + day * DAY, 60)).unwrap()
}
