//! The suggestions as files of an overlay, in a separate directory. Nothing serves them before a
//! person has reviewed them and copied them.

use crate::{
    catalog::overlay::Overlay, cli::CliError, export::names::FileNames,
    registry::tool_spec::ToolSpec, text::write_file::write_public,
};
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::{
    borrow::Cow,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

/// The name of the page with the evidence. Servers read only `*.json` from an overlay.
pub(super) const REVIEW: &str = "review.md";

/// The additions to the texts of one tool.
#[derive(Debug, Default)]
pub(super) struct ToolAdditions {
    pub(super) aliases: Vec<String>,
    pub(super) related: Vec<String>,
    pub(super) notes: Vec<String>,
}

impl ToolAdditions {
    fn is_empty(&self) -> bool {
        self.aliases.is_empty() && self.related.is_empty() && self.notes.is_empty()
    }
}

/// The directory for the files.
#[derive(Debug)]
pub(super) struct PatchDirectory<'a> {
    directory: &'a Path,
    /// The overlay that is served. The patch has its files with changes.
    served: Overlay,
}

impl<'a> PatchDirectory<'a> {
    /// Checks that the directory can be written, before any work is done.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory has any files, or if the served overlay cannot be read.
    pub(super) fn new(directory: &'a Path, served: Option<&Path>) -> Result<Self, CliError> {
        let shown = directory.display();
        match fs::read_dir(directory).map(|mut entries| entries.next().is_none()) {
            Ok(true) => {}
            Ok(false) => {
                return Err(format!(
                    "{shown} is not empty; name a new directory for the suggestions"
                )
                .into());
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("{shown} cannot be read: {error}").into()),
        }
        // An overlay without files is empty, too, and a server may watch it.
        if served.is_some_and(|served| is_same(served, directory)) {
            return Err(format!(
                "{shown} is the overlay itself; name another directory, and review the suggestions in it"
            )
            .into());
        }
        let served = served
            .map(|served| Overlay::read(served, None))
            .transpose()?
            .unwrap_or_default();
        Ok(Self { directory, served })
    }

    /// Writes the file of each tool with additions, and the page with the evidence. Returns the
    /// paths below the directory.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be written.
    pub(super) fn write(
        &self,
        tools: &[&ToolSpec],
        additions: impl IntoIterator<Item = (usize, ToolAdditions)>,
        review: &str,
    ) -> Result<Vec<PathBuf>, CliError> {
        fs::create_dir_all(self.directory)
            .map_err(|error| self.unwritable(self.directory, &error))?;
        let mut names = self.free_names();
        let mut files = vec![PathBuf::from(REVIEW)];
        // The evidence first: a file of suggestions never is without it.
        self.write_file(REVIEW.as_ref(), review)?;
        for (place, additions) in additions
            .into_iter()
            .filter(|(_, additions)| !additions.is_empty())
        {
            let Some(tool) = tools.get(place) else {
                continue;
            };
            let served = self.served.files.get(tool.name.as_ref());
            // A copied file replaces the served file of the same tool.
            let name = served.and_then(|file| file.file_name()).map_or_else(
                || format!("{}.json", names.take(&tool.name)).into(),
                OsString::from,
            );
            let served = served.and_then(|file| file.document()).unwrap_or_default();
            let text = serde_json::to_string_pretty(&edit(served, tool, additions))?;
            self.write_file(name.as_ref(), &(text + "\n"))?;
            files.push(name.into());
        }
        Ok(files)
    }

    /// Returns the names that no served file has: a copied file must not replace another tool's.
    fn free_names(&self) -> FileNames {
        let stems = self
            .served
            .files
            .values()
            .filter_map(|file| Path::new(file.file_name()?).file_stem()?.to_str());
        FileNames::with_taken(&stems.collect::<Vec<_>>())
    }

    fn write_file(&self, name: &Path, text: &str) -> Result<(), CliError> {
        let path = self.directory.join(name);
        write_public(&path, text).map_err(|error| self.unwritable(&path, &error))
    }

    fn unwritable(&self, path: &Path, error: &io::Error) -> CliError {
        format!("{} cannot be written: {error}", path.display()).into()
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    // A directory that does not exist yet cannot be the overlay.
    fs::canonicalize(one)
        .ok()
        .zip(fs::canonicalize(other).ok())
        .is_some_and(|(one, other)| one == other)
}

/// Adds to the served file of a tool, or to a new one. Each key of a file replaces the whole value,
/// so it contains the present values as well.
fn edit(mut file: JsonObject, tool: &ToolSpec, additions: ToolAdditions) -> JsonObject {
    file.insert("name".to_owned(), json!(tool.name));
    if !additions.aliases.is_empty() {
        file.insert(
            "aliases".to_owned(),
            json!(joined(&tool.discovery.aliases, additions.aliases)),
        );
    }
    if !additions.notes.is_empty() {
        let mut usage = JsonObject::new();
        if !tool.usage.guidance.is_empty() {
            usage.insert("common_patterns".to_owned(), json!(tool.usage.guidance));
        }
        usage.insert(
            "important_notes".to_owned(),
            json!(joined(&tool.usage.notes, additions.notes)),
        );
        file.insert("usage_guidance".to_owned(), Value::Object(usage));
    }
    if !additions.related.is_empty() {
        file.insert(
            "related".to_owned(),
            json!(joined(&tool.discovery.related, additions.related)),
        );
    }
    file
}

fn joined(known: &[Cow<'static, str>], more: Vec<String>) -> Vec<String> {
    known
        .iter()
        .map(|text| text.to_string())
        .chain(more)
        .collect()
}
