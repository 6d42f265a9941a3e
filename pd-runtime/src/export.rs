//! A registry as files, for where no server runs: descriptions to read, skills to install, code to call, requests to send.
//!
//! ```
//! use pd_runtime::{export::Format, prelude::*};
//!
//! /// Say hello to somebody.
//! #[pd_tool(summary = "Say hello")]
//! fn hello(name: String) -> String {
//!     format!("Hello, {name}")
//! }
//!
//! let registry: Registry<()> = pd_runtime::registry! { hello };
//! # let directory = std::env::temp_dir().join(format!("pd-export-{}", std::process::id()));
//! let exported = registry.export(Format::ToolDescriptions, &directory)?;
//! assert_eq!(exported.written, [std::path::Path::new("hello.json")]);
//!
//! let again = registry.export(Format::ToolDescriptions, &directory)?;
//! assert_eq!((again.written.len(), again.unchanged.len()), (0, 1));
//! # std::fs::remove_dir_all(&directory).unwrap();
//! # Ok::<(), pd_runtime::export::ExportError>(())
//! ```
//!
//! Every binary with the command line has it as `export --format FORMAT DIRECTORY`.
//!
//! # What stays as it is
//!
//! The same registry always gives the same bytes, and files that are as they should be are not
//! written. `.pd-export.record` in the directory records what was written: a file that is not in it
//! is never replaced or removed, and one that was edited since is kept, and told of. A file that
//! already held what was to be written is recorded, too, whoever wrote it. Files of tools that are
//! no more are removed. Each file is replaced as a whole or not at all; an export that is killed
//! may leave a hidden, unfinished one, `.pd-export.` with numbers, which can be removed.
//!
//! # Who sees what
//!
//! An export holds all tools, whatever scopes they ask for and whatever [`Access`](crate::Access) says: it is made for whoever
//! owns the server. Give it to nobody who must not know of a tool.

mod descriptions;
mod directory;
mod error;
mod index;
mod names;
mod providers;
mod record;
mod report;
mod skills;
mod tree;
mod typescript;

pub use error::ExportError;
pub use report::Exported;

use crate::{
    catalog::Catalogue,
    disclosure::view::View,
    lockfile::pretty_json::pretty,
    policy::Policy,
    registry::Registry,
    server::{extras::Extras, shared_state::Served},
};
use directory::Site;
use record::Record;
use serde_json::Value;
use std::{fmt, path::Path};

/// What an export is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// One JSON file a tool with its full description (Progressive Disclosure v2.1, section 7.1): `log.json`.
    ToolDescriptions,
    /// Three levels to read one by one: `index.json` names the servers, `git/manifest.json` the
    /// tools and groups of one, and `git/schemas/log.json` is a tool's full description. Several
    /// servers can be exported into one directory: each has its entry in the index, and a record of
    /// its own, `.pd-export.git.record`.
    Tree,
    /// Tools as code: one typed file a tool in its group's directory, `history/log.ts`, with `index.ts` in each, and `client.ts`,
    /// which calls them through any MCP client. It compiles under `tsc --strict`, with `--target es2022` or later and `--module
    /// nodenext` or another that reads ECMAScript modules.
    TypeScript,
    /// Agent Skills: each group, each bundle and the top level as a directory with a `SKILL.md`, its tools' descriptions in
    /// `references/`, and the author's own files ([`SkillFile`](crate::SkillFile)).
    Skills,
    /// `tools.json`, whose `tools` go into a request of Anthropic's Messages API: a search, and tools that it brings in.
    Anthropic,
    /// `tools.json`, whose `tools` go into a request of OpenAI's Responses API: a search, and groups as namespaces.
    OpenAi,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::ToolDescriptions, Self::Tree, Self::TypeScript, Self::Skills, Self::Anthropic, Self::OpenAi];

    /// Its name, as the command line takes it: `tool-descriptions`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ToolDescriptions => "tool-descriptions",
            Self::Tree => "tree",
            Self::TypeScript => "typescript",
            Self::Skills => "skills",
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What becomes of a file that was edited since it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edited {
    Keep,
    Overwrite,
}

/// A file to be: its path from the directory, with slashes, and what stands in it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct File {
    path: String,
    contents: Vec<u8>,
}

impl File {
    fn new(path: impl Into<String>, contents: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), contents: contents.into() }
    }

    /// JSON as reviewers read it: what fits stands on one line.
    fn json(path: impl Into<String>, value: &Value) -> Self {
        Self::new(path, pretty(value, 1))
    }
}

impl<S: 'static> Registry<S> {
    /// Writes the registry into a directory, which is made if there is none; see [`export`](crate::export).
    ///
    /// What an export says of meta-tools is what servers offer by default; the command `export` knows the server's own.
    ///
    /// # Errors
    ///
    /// What [`Registry::check`] finds; something stands in the directory that no export wrote; or the system refuses.
    pub fn export(&self, format: Format, directory: impl AsRef<Path>) -> Result<Exported, ExportError> {
        self.export_as(format, directory.as_ref(), Edited::Keep)
    }

    /// The same, but files that were edited since they were written are overwritten, or removed where they are no more.
    ///
    /// # Errors
    ///
    /// Those of [`Registry::export`]: what no export wrote is not overwritten either.
    pub fn export_over_edits(&self, format: Format, directory: impl AsRef<Path>) -> Result<Exported, ExportError> {
        self.export_as(format, directory.as_ref(), Edited::Overwrite)
    }

    fn export_as(&self, format: Format, directory: &Path, edited: Edited) -> Result<Exported, ExportError> {
        self.check()?;
        // Nothing proves anything with it.
        let policy = Policy { ticket_key: Some([0; 32]), ..Policy::default() };
        let served = Served::new(Catalogue::new(self.without_state(), &policy)?, policy, Extras::default());
        served.as_owner(|view| export(view, format, directory, edited))
    }
}

/// Writes what is seen into a directory.
pub(crate) fn export(
    view: &View<'_>,
    format: Format,
    directory: &Path,
    edited: Edited,
) -> Result<Exported, ExportError> {
    let files = match format {
        Format::ToolDescriptions => descriptions::files(view),
        Format::Tree => tree::files(view),
        Format::TypeScript => typescript::files(view),
        Format::Skills => skills::files(view)?,
        Format::Anthropic => providers::anthropic(view),
        Format::OpenAi => providers::openai(view),
    };
    let record = Record::read(directory, &view.catalogue.info.name, format)?;
    let mut site = Site { directory, record, edited };
    if format == Format::Tree { site.sync_tree(tree::entry(view), &files) } else { site.sync(&files) }
}

#[cfg(test)]
mod tests;
