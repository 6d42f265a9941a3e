//! Export of a registry to files, for use without a running server: descriptions, skills, code, and
//! tools for providers' requests.
//!
//! ```
//! use pd_runtime::{export::Format, prelude::*};
//!
//! /// Greets a person.
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
//! Every binary with the command line has this as `export --format FORMAT DIRECTORY`.
//!
//! # Files that an export does not change
//!
//! The same registry always produces the same bytes, and an export does not write files that are
//! already correct. The file `.pd-export.record` in the directory lists the exported files. An
//! export never replaces or removes a file that is not in this record. It keeps a file that was
//! edited since, and reports it. If a file already has the right contents, the export adds it to
//! the record, regardless of its origin. An export removes the files of tools that no longer exist.
//! It replaces each file as a whole or not at all. An export that is killed may leave a hidden,
//! unfinished file, `.pd-export.` with numbers, which can be deleted.
//!
//! # Visibility
//!
//! An export contains all tools, regardless of their scopes and of [`Access`](crate::Access),
//! because it is made for the owner of the server. Do not give it to anyone who must not know of a
//! tool.

mod descriptions;
mod directory;
mod error;
mod index;
pub(crate) mod names;
mod providers;
mod record;
mod report;
mod skills;
mod tree;
mod typescript;
mod whole_file;

pub use error::ExportError;
pub use report::ExportReport;

use crate::{
    catalog::Catalog,
    disclosure::view::CallerView,
    policy::Policy,
    registry::Registry,
    server::{extras::ServerExtras, server_core::ServerCore},
    text::pretty_json::pretty,
};
use directory::ExportDirectory;
use record::ExportRecord;
use serde_json::Value;
use std::{fmt, path::Path};
use tree::TreeServer;

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// One JSON file for each tool with its full description (Progressive Disclosure v2.1, section
    /// 7.1): `log.json`.
    ToolDescriptions,
    /// Three levels that are read one by one: `index.json` names the servers, `git/manifest.json`
    /// lists the tools and groups of one server, and `git/schemas/log.json` is a tool's full
    /// description. Several servers can be exported into one directory. Each server then has an
    /// entry in the index and its own record, `.pd-export.git.record`.
    Tree,
    /// Tools as code: one typed file for each tool in its group's directory, `history/log.ts`, with
    /// an `index.ts` in each directory. `client.ts` calls the tools through any MCP client. The
    /// code compiles under `tsc --strict`, with `--target es2022` or later and `--module nodenext`
    /// or another setting that reads ECMAScript modules.
    TypeScript,
    /// Agent Skills: a directory for each group, each bundle and the top level. Each contains a
    /// `SKILL.md`, the descriptions of its tools in `references/`, and the author's own files
    /// ([`SkillFile`](crate::SkillFile)).
    Skills,
    /// `tools.json`. Its `tools` go into a request to Anthropic's Messages API: a search, and tools
    /// that the search loads.
    Anthropic,
    /// `tools.json`. Its `tools` go into a request to OpenAI's Responses API: a search, and groups
    /// as namespaces.
    OpenAi,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 6] = [
        Self::ToolDescriptions,
        Self::Tree,
        Self::TypeScript,
        Self::Skills,
        Self::Anthropic,
        Self::OpenAi,
    ];

    /// Returns the format's name on the command line, for example `tool-descriptions`.
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

/// The treatment of files that were edited after they were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EditedFiles {
    Keep,
    Overwrite,
}

/// A file to export: its path from the directory, with slashes, and its contents.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ExportFile {
    path: String,
    contents: Vec<u8>,
}

impl ExportFile {
    fn new(path: impl Into<String>, contents: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            contents: contents.into(),
        }
    }

    /// Creates a file of JSON that reviewers can read: values that fit are on one line.
    fn json(path: impl Into<String>, value: &Value) -> Self {
        Self::new(path, pretty(value, 1))
    }
}

impl<S: 'static> Registry<S> {
    /// Writes the registry into a directory, and creates the directory if it does not exist; see
    /// [`export`](crate::export). (Feature `export`.)
    ///
    /// The export describes the meta-tools that servers have by default. The command `export` uses
    /// the server's own meta-tools.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Registry::check`], or an error if the directory contains something
    /// in the way that no export wrote, or if the file system reports an error.
    pub fn export(
        &self,
        format: Format,
        directory: impl AsRef<Path>,
    ) -> Result<ExportReport, ExportError> {
        self.export_as(format, directory.as_ref(), EditedFiles::Keep)
    }

    /// Exports as [`Registry::export`] does, but overwrites edited files, and removes edited files
    /// that the export does not contain any more.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Registry::export`]. Files that no export wrote are not overwritten
    /// either.
    pub fn export_over_edits(
        &self,
        format: Format,
        directory: impl AsRef<Path>,
    ) -> Result<ExportReport, ExportError> {
        self.export_as(format, directory.as_ref(), EditedFiles::Overwrite)
    }

    fn export_as(
        &self,
        format: Format,
        directory: &Path,
        edited: EditedFiles,
    ) -> Result<ExportReport, ExportError> {
        // First, so that a registry with problems writes nothing.
        self.check()?;
        // The policy needs a key, but no ticket of this registry ever leaves the process.
        let policy = Policy {
            ticket_key: Some([0; 32]),
            ..Policy::default()
        };
        let served = ServerCore::new(
            Catalog::new(self.without_state(), &policy)?,
            policy,
            ServerExtras::default(),
        );
        served.as_owner(|view| export(view, format, directory, edited))
    }
}

/// Writes the tools of a view into a directory.
pub(crate) fn export(
    view: &CallerView<'_>,
    format: Format,
    directory: &Path,
    edited: EditedFiles,
) -> Result<ExportReport, ExportError> {
    let files = match format {
        Format::ToolDescriptions => descriptions::files(view),
        Format::Tree => {
            return export_server(&TreeServer::from_view(view), view, directory, edited);
        }
        Format::TypeScript => typescript::files(view),
        Format::Skills => skills::files(view)?,
        Format::Anthropic => providers::anthropic(view),
        Format::OpenAi => providers::openai(view),
    };
    // Read before anything is written: the record of another export makes this one fail.
    let record = ExportRecord::read(directory, &view.catalog.info.name, format)?;
    let mut target = ExportDirectory {
        directory,
        record,
        edited,
    };
    target.sync(&files)
}

/// Writes the groups of the top level as the servers of a tree.
#[cfg(feature = "cli")]
pub(crate) fn export_groups(
    view: &CallerView<'_>,
    directory: &Path,
    edited: EditedFiles,
) -> Result<ExportReport, ExportError> {
    let mut all = ExportReport::default();
    for server in TreeServer::from_groups(view) {
        all.add(export_server(&server, view, directory, edited)?);
    }
    Ok(all)
}

/// Writes a server of a tree, and its entry in the index.
fn export_server(
    server: &TreeServer<'_>,
    view: &CallerView<'_>,
    directory: &Path,
    edited: EditedFiles,
) -> Result<ExportReport, ExportError> {
    let files = server.files(view);
    let record = ExportRecord::read(directory, server.name, Format::Tree)?;
    ExportDirectory {
        directory,
        record,
        edited,
    }
    .sync_tree(server.entry(), &files)
}

#[cfg(test)]
mod tests;
