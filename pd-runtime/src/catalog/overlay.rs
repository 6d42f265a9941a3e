//! Overlays: a directory with one JSON file per tool. Its texts replace compiled ones without
//! recompiling. The module `directory` reads the files, `file` parses them, and `server` serves the
//! result.

mod apply;
mod columns;
mod directory;
mod error;
mod file;
mod json_position;
mod schema;
#[cfg(feature = "watch")]
pub(crate) mod watch;

pub use error::{OverlayError, OverlayErrorKind, OverlayFileError};

use crate::{
    parallel,
    registry::{
        Registry,
        check::{did_you_mean, listing_tokens},
        problem::RegistryErrorKind,
        tool::Tool,
        tool_spec::ToolSpec,
        validate::ArgumentValidator,
    },
};
use file::{OverlayReader, OverlayTexts};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::Arc,
};

/// The limit on the number of mistakes that are reported for one file.
const MISTAKES_MAX: usize = 20;

/// The texts of a directory at one moment.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    pub(crate) directory: PathBuf,
    /// The files, by tool name.
    pub(crate) files: BTreeMap<String, Arc<OverlayFile>>,
    /// The files that do not fit the tools of the latest registry. They are tried again with the
    /// next one.
    pub(crate) waiting: BTreeMap<String, Arc<OverlayFile>>,
    /// The mistakes that are found without knowing the tools.
    pub(crate) mistakes: Vec<OverlayFileError>,
}

/// One file that could be parsed.
#[derive(Debug)]
pub(crate) struct OverlayFile {
    path: PathBuf,
    text: String,
    texts: OverlayTexts,
}

impl Overlay {
    /// Reads a directory. Files with unchanged contents are shared with `earlier`.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be read. Mistakes in its files are part of the
    /// overlay instead.
    pub(crate) fn read(directory: &Path, earlier: Option<&Self>) -> Result<Self, OverlayError> {
        let files = directory::read(directory)
            .map_err(|fault| OverlayError::of_directory(directory, fault))?;
        let mut overlay = Self {
            directory: directory.to_owned(),
            ..Self::default()
        };
        // An earlier overlay of another directory may have a file of the same name and content, but
        // its path would be wrong in reports.
        let known = earlier
            .filter(|earlier| earlier.directory == directory)
            .map(Self::by_name)
            .unwrap_or_default();
        let files: Vec<_> = files.into_iter().collect();
        let read = |(name, bytes): &(OsString, Result<Vec<u8>, OverlayErrorKind>)| {
            let path = || directory.join(name);
            let bytes = bytes
                .as_ref()
                .map_err(|fault| mistake(&path(), None, fault.clone()))?;
            match known
                .get(name.as_os_str())
                .filter(|(_, file)| file.text.as_bytes() == *bytes)
            {
                Some((tool, file)) => Ok(((*tool).clone(), (*file).clone())),
                None => {
                    OverlayFile::read(&path(), bytes).map(|(tool, file)| (tool, Arc::new(file)))
                }
            }
        };
        // Added in name order, so that the same one of two files for a tool wins in every process.
        for read in parallel::map_items(&files, read) {
            match read {
                Ok((tool, file)) => overlay.add(tool, file),
                Err(found) => overlay.mistakes.extend(found),
            }
        }
        Ok(overlay)
    }

    fn by_name(&self) -> HashMap<&OsStr, (&String, &Arc<OverlayFile>)> {
        self.files
            .iter()
            .filter_map(|(tool, file)| Some((file.path.file_name()?, (tool, file))))
            .collect()
    }

    // The first file in name order wins, and the second is reported: two files for one tool must
    // not take turns.
    fn add(&mut self, tool: String, file: Arc<OverlayFile>) {
        if let Some(known) = self.files.get(&tool) {
            let other = known.path.clone();
            let fault = OverlayErrorKind::SameTool { tool, other };
            self.mistakes.push(file.mistake("/name", fault));
        } else {
            self.files.insert(tool, file);
        }
    }

    /// Stops serving the file of a tool until the next registry.
    pub(crate) fn set_aside(&mut self, tool: &str) {
        if let Some((tool, file)) = self.files.remove_entry(tool) {
            self.waiting.insert(tool, file);
        }
    }

    /// Builds the mistake for a file about a tool that is not among `names`.
    pub(crate) fn unknown_tool_mistake(
        tool: &str,
        file: &OverlayFile,
        names: &HashSet<&str>,
    ) -> OverlayFileError {
        let hint = did_you_mean(tool, names, "remove this file, or register the tool");
        file.mistake(
            "/name",
            OverlayErrorKind::UnknownTool {
                tool: tool.to_owned(),
                hint,
            },
        )
    }

    /// Builds the mistake for a listing of these tools that exceeds the token budget. An overlay
    /// that costs no more than the compiled texts is not a mistake.
    pub(crate) fn budget_mistake<'a>(
        &self,
        tools: impl Iterator<Item = &'a ToolSpec>,
        compiled: impl Iterator<Item = &'a ToolSpec>,
        budget: Option<usize>,
    ) -> Option<OverlayFileError> {
        let budget = budget?;
        let cost = listing_tokens(tools);
        // The author accepted the cost of the compiled texts, so only an increase is a mistake of
        // the overlay.
        if cost <= budget || cost <= listing_tokens(compiled) {
            return None;
        }
        let fault = RegistryErrorKind::OverBudget { cost, budget }.into();
        Some(OverlayFileError {
            path: self.directory.clone(),
            position: None,
            kind: fault,
        })
    }
}

impl OverlayFile {
    /// Parses a file and returns the name of its tool: the member `name`, or the file's stem
    /// without one.
    fn read(path: &Path, bytes: &[u8]) -> Result<(String, Self), Vec<OverlayFileError>> {
        let text = decode_utf8(path, bytes)?;
        let value = serde_json::from_str(text).map_err(|error| not_json(path, &error))?;
        let mut reader = OverlayReader::default();
        let texts = reader.texts(value);
        let file = Self {
            path: path.to_owned(),
            text: text.to_owned(),
            texts,
        };
        if !reader.mistakes.is_empty() {
            return Err(file.locate_mistakes(reader.mistakes));
        }
        let tool = file
            .texts
            .name
            .clone()
            .or_else(|| {
                file.path
                    .file_stem()
                    .map(|stem| stem.to_string_lossy().into_owned())
            })
            .unwrap_or_default();
        Ok((tool, file))
    }

    /// Applies the file's texts to a compiled tool.
    ///
    /// # Errors
    ///
    /// Returns the mistakes in the file.
    pub(crate) fn apply(
        &self,
        compiled: &ToolSpec,
        validator: &ArgumentValidator,
        names: &HashSet<&str>,
    ) -> Result<ToolSpec, Vec<OverlayFileError>> {
        apply::apply(&self.texts, compiled, validator, names)
            .map_err(|mistakes| self.locate_mistakes(mistakes))
    }

    /// Returns the name of the file.
    #[cfg(feature = "cli")]
    pub(crate) fn file_name(&self) -> Option<&OsStr> {
        self.path.file_name()
    }

    /// Returns the content of the file.
    #[cfg(feature = "cli")]
    pub(crate) fn document(&self) -> Option<rmcp::model::JsonObject> {
        serde_json::from_str(&self.text).ok()
    }

    fn locate_mistakes(&self, mistakes: Vec<(String, OverlayErrorKind)>) -> Vec<OverlayFileError> {
        let locate_mistakes = mistakes.into_iter().take(MISTAKES_MAX);
        locate_mistakes
            .map(|(pointer, fault)| self.mistake(&pointer, fault))
            .collect()
    }

    pub(crate) fn mistake(&self, pointer: &str, fault: OverlayErrorKind) -> OverlayFileError {
        OverlayFileError {
            path: self.path.clone(),
            position: Some(json_position::find(&self.text, pointer)),
            kind: fault,
        }
    }
}

fn mistake(
    path: &Path,
    position: Option<(usize, usize)>,
    fault: OverlayErrorKind,
) -> Vec<OverlayFileError> {
    vec![OverlayFileError {
        path: path.to_owned(),
        position,
        kind: fault,
    }]
}

fn decode_utf8<'a>(path: &Path, bytes: &'a [u8]) -> Result<&'a str, Vec<OverlayFileError>> {
    str::from_utf8(bytes).map_err(|error| {
        let place = json_position::at_offset(&String::from_utf8_lossy(bytes), error.valid_up_to());
        mistake(
            path,
            Some(place),
            OverlayErrorKind::NotJson {
                why: "a byte is not UTF-8".to_owned(),
            },
        )
    })
}

fn not_json(path: &Path, error: &serde_json::Error) -> Vec<OverlayFileError> {
    let locate_mistakes = error.to_string();
    let why = locate_mistakes
        // serde_json ends its messages with the position, which reports show before the message.
        .rsplit_once(" at line ")
        .map_or(locate_mistakes.as_str(), |(why, _)| why)
        .to_owned();
    // For empty input, serde_json reports column 0. Editors count columns from 1.
    let place = (error.line(), error.column().max(1));
    mistake(path, Some(place), OverlayErrorKind::NotJson { why })
}

impl<S: 'static> Registry<S> {
    /// Returns the same tools with texts from a directory, for example one that the command `export
    /// --format tool-descriptions` wrote: one JSON file per tool (specification v2.1, section 7.1).
    /// To edit texts while they are served, see [`PdServer::overlay`](crate::PdServer::overlay).
    ///
    /// A file contains a full description or any part of one: `title`, `summary`, `description`,
    /// `deprecated`, `examples`, `usage_guidance`, `error_guidance`, `related`, `aliases`, and the
    /// texts (`title`, `description`, `$comment`) in `inputSchema` and `outputSchema`. Each key
    /// replaces the compiled value as a whole. Keys that a file omits keep their compiled values,
    /// and so do tools without a file. The member `name` names the tool; without it, the file's
    /// name does. A schema that differs from the compiled one in more than texts is refused.
    /// Examples are checked against the schema and the argument types, and summaries against their
    /// limits, as in [`Registry::check`].
    ///
    /// The directory's `*.json` files are read, except files with a name that begins with a dot.
    /// Subdirectories are ignored. Symbolic links are followed within the directory only. The
    /// limits are 1 MiB per file, 10,000 files, and 64 MiB in total.
    ///
    /// ```
    /// use pd_runtime::prelude::*;
    ///
    /// /// Say hello
    /// #[pd_tool]
    /// fn hello(name: String) -> String {
    ///     format!("Hello, {name}!")
    /// }
    ///
    /// let name = format!("pd-runtime-overlay-{}", std::process::id());
    /// let directory = std::env::temp_dir().join(name);
    /// std::fs::create_dir_all(&directory)?;
    /// let file = directory.join("hello.json");
    ///
    /// let text = r#"{
    ///   "summary": "Greet a person",
    ///   "examples": [{ "input": { "name": "Ada" } }]
    /// }"#;
    /// std::fs::write(&file, text)?;
    /// let registry: Registry<()> = pd_runtime::registry! { hello };
    /// let edited = registry.overlaid(&directory)?;
    /// assert_eq!(edited.tool("hello").map(|tool| tool.summary()), Some("Greet a person"));
    ///
    /// std::fs::write(&file, "{\n  \"sumary\": \"Greet a person\"\n}")?;
    /// let error = registry.overlaid(&directory).unwrap_err().to_string();
    /// assert!(error.ends_with(
    ///     "hello.json:2:3: `sumary` is not a valid key here; did you mean `summary`?"
    /// ));
    /// # std::fs::remove_dir_all(&directory)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns all mistakes in all files, each with its line and column.
    pub fn overlaid(&self, directory: impl AsRef<Path>) -> Result<Self, OverlayError> {
        let overlay = Overlay::read(directory.as_ref(), None)?;
        let names: HashSet<&str> = self.names().collect();
        let mut mistakes = overlay.mistakes.clone();
        let strangers = overlay
            .files
            .iter()
            .filter(|(tool, _)| !names.contains(tool.as_str()));
        mistakes.extend(
            strangers.map(|(tool, file)| Overlay::unknown_tool_mistake(tool, file, &names)),
        );
        let mut tools = Vec::with_capacity(self.len());
        for tool in &self.tools {
            let file = overlay.files.get(tool.name());
            match file.map(|file| edited(tool, file, &names)).transpose() {
                Ok(edited) => tools.push(edited.map_or_else(|| tool.clone(), Arc::new)),
                Err(found) => mistakes.extend(found),
            }
        }
        let edited = tools.iter().map(|tool| &tool.about);
        let compiled = self.tools.iter().map(|tool| &tool.about);
        mistakes.extend(overlay.budget_mistake(edited, compiled, self.info.budget));
        // All mistakes at once. Nothing is replaced if any file has one.
        OverlayError::none_of(&overlay.directory, mistakes)?;
        Ok(self.with_tools(tools))
    }
}

fn edited<S: 'static>(
    tool: &Tool<S>,
    file: &OverlayFile,
    names: &HashSet<&str>,
) -> Result<Tool<S>, Vec<OverlayFileError>> {
    let validator = tool.about.input.validator().map_err(|why| {
        vec![
            file.mistake(
                "",
                RegistryErrorKind::BadSchema {
                    which: "input",
                    why,
                }
                .into(),
            ),
        ]
    })?;
    let about = file.apply(&tool.about, validator, names)?;
    Ok(Tool::from_parts(about, tool.handler.clone()))
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]
mod tests;
