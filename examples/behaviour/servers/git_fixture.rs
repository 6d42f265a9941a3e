//! A small repository that is the same on every machine and day, so that runs can be compared.

use super::super::Failure;
use git2::{
    Commit, IndexAddOption, Oid, Repository, RepositoryInitOptions, Signature, Time,
    build::CheckoutBuilder,
};
use pd_examples::git::{DiscoverError, Repo};
use std::{fs, path::Path};
use tempfile::TempDir;

/// A Monday's noon, in seconds: 2025-01-06.
const START: i64 = 1_736_164_800;
const DAY: i64 = 86_400;

/// A repository that exists as long as this value.
#[derive(Debug)]
pub(crate) struct GitFixture {
    directory: TempDir,
}

impl GitFixture {
    /// Creates the repository in a temporary directory.
    ///
    /// # Errors
    ///
    /// The directory is not writable.
    pub(crate) fn create() -> Result<Self, Failure> {
        let directory = tempfile::tempdir()?;
        let git = Repository::init_opts(
            directory.path(),
            RepositoryInitOptions::new().initial_head("main"),
        )?;
        History {
            git,
            directory: directory.path(),
            day: 0,
        }
        .write()?;
        Ok(Self { directory })
    }

    /// The server's state for this repository.
    ///
    /// # Errors
    ///
    /// The repository was removed.
    pub(crate) fn repo(&self) -> Result<Repo, DiscoverError> {
        Repo::discover(self.directory.path())
    }
}

/// The history while it is written.
struct History<'a> {
    git: Repository,
    directory: &'a Path,
    day: i64,
}

impl History<'_> {
    fn write(mut self) -> Result<(), Failure> {
        self.file("README.md", "# Demo\n\nReads tables.\n")?;
        self.file("Cargo.toml", &manifest("0.9.0"))?;
        self.file("src/lib.rs", "//! Reads tables.\n\npub mod lexer;\n")?;
        self.file(
            "src/lexer.rs",
            "// TODO: read quoted cells\npub fn split(line: &str) {}\n",
        )?;
        self.commit("Ada", "Begin")?;
        self.file("README.md", "# Demo\n\nReads tables of any size.\n")?;
        self.file(
            "src/lexer.rs",
            "// TODO: read quoted cells\npub fn split(line: &str) {}\n\npub fn parse_all() {}\n",
        )?;
        self.commit("Grace", "Parse all cells at once")?;
        self.file("docs/guide.md", "# Guide\n\nCall `split` on each line.\n")?;
        self.file("Cargo.toml", &manifest("1.0.0"))?;
        let first = self.commit("Ada", "Write the guide")?;
        self.tag("v1.0", first)?;
        fs::rename(
            self.directory.join("src/lexer.rs"),
            self.directory.join("src/scanner.rs"),
        )?;
        self.file("src/lib.rs", "//! Reads tables.\n\npub mod scanner;\n")?;
        self.commit("Ada", "Call the lexer a scanner")?;
        self.file(
            "src/scanner.rs",
            "// TODO: read quoted cells\npub fn split(line: &str) -> usize {\n    line.len()\n}\n",
        )?;
        self.file(
            "docs/guide.md",
            "# Guide\n\nCall `split` on each line. It returns a length.\n",
        )?;
        let fix = self.commit("Grace", "Return the length of a line")?;
        self.branch("hotfix", fix)?;
        self.file(
            "README.md",
            "# Demo\n\nReads tables of any size. See docs/guide.md.\n",
        )?;
        self.file("Cargo.toml", &manifest("1.1.0"))?;
        let second = self.commit("Linus", "Prepare 1.1")?;
        self.tag("v1.1", second)?;
        self.topic(second)?;
        self.file(
            "README.md",
            "# Demo\n\nReads tables of any size, soon in parallel.\n",
        )
    }

    /// Adds a branch that is two commits ahead of `main`, and returns to `main`.
    fn topic(&mut self, start: Oid) -> Result<(), Failure> {
        self.branch("topic/parser", start)?;
        self.check_out("topic/parser")?;
        self.file("src/parser.rs", "pub fn parse() {}\n")?;
        self.commit("Grace", "Begin a parser")?;
        self.file("src/parser.rs", "pub fn parse() -> bool {\n    true\n}\n")?;
        self.commit("Grace", "Let the parser answer")?;
        self.check_out("main")
    }

    fn file(&self, name: &str, text: &str) -> Result<(), Failure> {
        let path = self.directory.join(name);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        Ok(fs::write(path, text)?)
    }

    /// Commits the working tree, a day after the commit before.
    fn commit(&mut self, author: &str, message: &str) -> Result<Oid, Failure> {
        let mut index = self.git.index()?;
        index.add_all(["."], IndexAddOption::DEFAULT, None)?;
        index.update_all(["."], None)?;
        index.write()?;
        let tree = self.git.find_tree(index.write_tree()?)?;
        let head = self
            .git
            .head()
            .ok()
            .map(|head| head.peel_to_commit())
            .transpose()?;
        let parents: Vec<&Commit<'_>> = head.iter().collect();
        let author = signature(author, self.day)?;
        self.day += 1;
        Ok(self
            .git
            .commit(Some("HEAD"), &author, &author, message, &tree, &parents)?)
    }

    fn branch(&self, name: &str, at: Oid) -> Result<(), Failure> {
        self.git.branch(name, &self.git.find_commit(at)?, false)?;
        Ok(())
    }

    fn check_out(&self, branch: &str) -> Result<(), Failure> {
        self.git.set_head(&format!("refs/heads/{branch}"))?;
        Ok(self
            .git
            .checkout_head(Some(CheckoutBuilder::new().force().remove_untracked(true)))?)
    }

    fn tag(&self, name: &str, at: Oid) -> Result<(), Failure> {
        let target = self.git.find_object(at, None)?;
        self.git.tag(
            name,
            &target,
            &signature("Ada", self.day)?,
            "A release.\n",
            false,
        )?;
        Ok(())
    }
}

fn manifest(version: &str) -> String {
    format!(
        "[package]\nname = \"demo\"\nversion = \"{version}\"\nedition = \"2024\"\n\n[dependencies]\n"
    )
}

fn signature(name: &str, day: i64) -> Result<Signature<'static>, git2::Error> {
    Signature::new(
        name,
        &format!("{}@example.org", name.to_lowercase()),
        &Time::new(START + day * DAY, 60),
    )
}
