//! The generated crates.

use super::{Failure, cargo::kept, ours, theirs};
use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

/// A generated crate with a binary of its name.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
}

/// Each tool's function begins with one of these: the kinds take turns.
pub(crate) const KINDS: [&str; 4] = ["list", "create", "update", "compare"];

/// What stands for a tool's number in the text of its kind.
const NUMBER: &str = "NNNN";

/// The text of this many tools, out of one text for each kind.
pub(crate) fn tools(count: usize, kinds: [&str; KINDS.len()]) -> String {
    let text = |(number, kind): (usize, &str)| kind.replace(NUMBER, &format!("{number:04}"));
    (0..count)
        .zip(kinds.into_iter().cycle())
        .map(text)
        .collect()
}

impl Package {
    /// The tools as users of pd-runtime write them.
    pub(crate) fn ours(tools: usize) -> Result<Self, Failure> {
        Self::write(
            format!("ours-{tools}"),
            &ours::manifest(),
            &ours::source(tools, &ours::literal(tools)),
        )
    }

    /// [`Package::ours`] without `registry!`: its tools are handed over by hand, which is what the literal does as well.
    pub(crate) fn ours_by_hand(tools: usize) -> Result<Self, Failure> {
        Self::write(
            format!("by-hand-{tools}"),
            &ours::manifest(),
            &ours::source(tools, &ours::by_hand(tools)),
        )
    }

    /// The tools as users of rmcp write them.
    pub(crate) fn theirs(tools: usize) -> Result<Self, Failure> {
        Self::write(
            format!("theirs-{tools}"),
            theirs::DEPENDENCIES,
            &theirs::source(tools),
        )
    }

    /// Versions are open in the manifest: the workspace's lock file names them.
    fn write(name: String, dependencies: &str, source: &str) -> Result<Self, Failure> {
        let package = Self { name };
        fs::create_dir_all(package.directory().join("src"))?;
        fs::copy(
            workspace().join("Cargo.lock"),
            package.directory().join("Cargo.lock"),
        )?;
        let mut manifest = String::new();
        writeln!(
            manifest,
            "[package]\nname = \"{}\"\nedition = \"2024\"\n",
            package.name
        )?;
        writeln!(
            manifest,
            "[workspace]\n\n[profile.release]\nstrip = true\n\n[dependencies]\n{dependencies}"
        )?;
        writeln!(
            manifest,
            "tokio = {{ version = \"*\", features = [\"macros\", \"rt\"] }}"
        )?;
        fs::write(package.manifest(), manifest)?;
        fs::write(package.source(), source)?;
        Ok(package)
    }

    fn directory(&self) -> PathBuf {
        kept().join(&self.name)
    }

    pub(crate) fn manifest(&self) -> PathBuf {
        self.directory().join("Cargo.toml")
    }

    pub(crate) fn source(&self) -> PathBuf {
        self.directory().join("src/main.rs")
    }
}

/// This workspace's root.
pub(crate) fn workspace() -> &'static Path {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests)
}
