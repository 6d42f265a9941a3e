//! The mistakes that an overlay can contain, each with a message about how to correct it.

use crate::{registry::problem::RegistryErrorKind, text::escape::one_line};
use serde_json::Value;
use std::{fmt, path::PathBuf};

/// One mistake in an overlay.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OverlayFileError {
    /// The file, or the directory if no single file is at fault.
    pub path: PathBuf,
    /// The line and column in the file, both counted from 1. `None` if the mistake concerns the
    /// file as a whole.
    pub position: Option<(usize, usize)>,
    /// The kind of mistake.
    pub kind: OverlayErrorKind,
}

/// The kinds of mistakes in an overlay.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OverlayErrorKind {
    /// The operating system refused to read the file or directory.
    #[error("it cannot be read: {why}")]
    Unreadable {
        /// The operating system's message.
        why: String,
    },
    /// The file is a link to a target outside the directory.
    #[error("it links to a place outside of the directory; put the file itself here")]
    Outside,
    /// The file exceeds the size limit.
    #[error("it has more than {max} bytes; shorten its texts")]
    TooLarge {
        /// The limit, in bytes.
        max: u64,
    },
    /// The directory exceeds a limit.
    #[error("it holds more than {max}; name a directory that holds descriptions only")]
    TooMuch {
        /// The limits, as text.
        max: String,
    },
    /// The directory changed on every pass while it was read.
    #[error("it kept changing while it was read; read it again when it is quiet")]
    Unsettled,
    /// The operating system cannot report changes in the directory.
    #[error("it cannot be watched: {why}")]
    Unwatchable {
        /// The operating system's message.
        why: String,
    },
    /// The file is not valid JSON.
    #[error("it is not JSON: {why}")]
    NotJson {
        /// The parser's message.
        why: String,
    },
    /// The key is not a member of a description.
    #[error("`{key}` is not a valid key here{hint}")]
    UnknownKey {
        /// The key.
        key: String,
        /// A suggestion, or the list of valid keys.
        hint: String,
    },
    /// A required key is missing.
    #[error("`{key}` is missing here; add it")]
    MissingKey {
        /// The key.
        key: &'static str,
    },
    /// The value has the wrong type.
    #[error("this must be {wanted}, and is {found}")]
    WrongType {
        /// The expected type.
        wanted: &'static str,
        /// The actual type.
        found: &'static str,
    },
    /// The registry has no tool with this name.
    #[error("no such tool: `{tool}`{hint}")]
    UnknownTool {
        /// The name.
        tool: String,
        /// A suggestion for the name or for what to do.
        hint: String,
    },
    /// Two files describe the same tool.
    #[error("{} describes `{tool}`, too; keep one of them", other.display())]
    SameTool {
        /// The tool's name.
        tool: String,
        /// The other file.
        other: PathBuf,
    },
    /// The schema differs from the compiled one in more than texts.
    #[error(
        "{what}; an overlay changes no schema but its texts (`title`, `description`, `$comment`): undo this, or change the tool itself"
    )]
    OtherSchema {
        /// The difference.
        what: String,
    },
    /// The text from which callers of a selective tool choose columns does not name a column.
    #[error(
        "this text lacks the column `{column}`, and callers read here which there are; add a line `- {column}`"
    )]
    MissingColumn {
        /// The column.
        column: String,
    },
    /// The alias is not usable.
    #[error("{why}")]
    BadAlias {
        /// The reason, and the correction.
        why: &'static str,
    },
    /// The new texts break a rule of the registry.
    #[error(transparent)]
    Unfit(#[from] RegistryErrorKind),
}

impl fmt::Display for OverlayFileError {
    /// Writes `path:line:column: message`, the format that compilers print and editors can follow.
    /// Each mistake is one line, even if the file's content has line breaks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", one_line(&self.path.display().to_string()))?;
        if let Some((line, column)) = self.position {
            write!(f, "{line}:{column}:")?;
        }
        write!(f, " {}", one_line(&self.kind.to_string()))
    }
}

/// All mistakes found in an overlay.
#[derive(Clone, PartialEq, Eq)]
pub struct OverlayError {
    directory: PathBuf,
    mistakes: Vec<OverlayFileError>,
}

impl OverlayError {
    /// Returns the mistakes as an error, sorted by position, or `Ok` without any.
    ///
    /// # Errors
    ///
    /// Returns an error if `mistakes` is not empty.
    pub(crate) fn none_of(
        directory: &std::path::Path,
        mut mistakes: Vec<OverlayFileError>,
    ) -> Result<(), Self> {
        if mistakes.is_empty() {
            return Ok(());
        }
        mistakes
            // The mistakes are in the order of the steps that found them. A reader goes from line
            // to line.
            .sort_by(|one, other| (&one.path, one.position).cmp(&(&other.path, other.position)));
        Err(Self {
            directory: directory.to_owned(),
            mistakes,
        })
    }

    /// Creates the error for a mistake that concerns the directory itself.
    pub(crate) fn of_directory(directory: &std::path::Path, fault: OverlayErrorKind) -> Self {
        let mistake = OverlayFileError {
            path: directory.to_owned(),
            position: None,
            kind: fault,
        };
        Self {
            directory: directory.to_owned(),
            mistakes: vec![mistake],
        }
    }

    /// Iterates over the mistakes by file, line and column.
    pub fn iter(&self) -> impl Iterator<Item = &OverlayFileError> {
        self.mistakes.iter()
    }
}

impl std::error::Error for OverlayError {}

impl fmt::Display for OverlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.mistakes.len() == 1 {
            "mistake"
        } else {
            "mistakes"
        };
        write!(
            f,
            "the overlay {} has {} {plural}:",
            self.directory.display(),
            self.mistakes.len()
        )?;
        self.mistakes
            .iter()
            .try_for_each(|mistake| write!(f, "\n{mistake}"))
    }
}

// `unwrap` prints the `Debug` output, so a failing test shows the full message.
impl fmt::Debug for OverlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Returns the name of a value's type, with its article.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
