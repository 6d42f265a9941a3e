//! What can be wrong with an overlay, each in words that say what to do.

use crate::{registry::problem::Fault, text::escape::one_line};
use serde_json::Value;
use std::{fmt, path::PathBuf};

/// One mistake in an overlay.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OverlayMistake {
    /// The file, or the directory if no single file is at fault.
    pub path: PathBuf,
    /// Line and column in the file, both from 1; `None` where it is at fault as a whole.
    pub place: Option<(usize, usize)>,
    /// What is wrong.
    pub fault: OverlayFault,
}

/// The kinds of mistake.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OverlayFault {
    /// The system does not let it be read.
    #[error("it cannot be read: {why}")]
    Unreadable {
        /// What the system says.
        why: String,
    },
    /// A link that leads out of the directory.
    #[error("it links to a place outside of the directory; put the file itself here")]
    Outside,
    /// A file over the limit.
    #[error("it has more than {max} bytes; shorten its texts")]
    TooLarge {
        /// The limit, in bytes.
        max: u64,
    },
    /// A directory over the limits.
    #[error("it holds more than {max}; name a directory that holds descriptions only")]
    TooMuch {
        /// The limit, in words.
        max: String,
    },
    /// A directory in which something changed at every look.
    #[error("it kept changing while it was read; read it again when it is quiet")]
    Unsettled,
    /// The system does not tell when it changes.
    #[error("it cannot be watched: {why}")]
    Unwatchable {
        /// What the system says.
        why: String,
    },
    /// A file that is no JSON.
    #[error("it is not JSON: {why}")]
    NotJson {
        /// What the parser says.
        why: String,
    },
    /// A key that no description has.
    #[error("`{key}` is no key here{hint}")]
    UnknownKey {
        /// The key.
        key: String,
        /// What may have been meant, or which keys there are.
        hint: String,
    },
    /// A key that must be there.
    #[error("`{key}` is missing here; add it")]
    MissingKey {
        /// The key.
        key: &'static str,
    },
    /// A value of another type.
    #[error("this must be {wanted}, and is {found}")]
    WrongType {
        /// What it must be.
        wanted: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// A tool that there is not.
    #[error("there is no tool `{tool}`{hint}")]
    UnknownTool {
        /// The name.
        tool: String,
        /// What may have been meant, or what to do.
        hint: String,
    },
    /// A tool described twice.
    #[error("{} describes `{tool}`, too; keep one of them", other.display())]
    SameTool {
        /// The tool's name.
        tool: String,
        /// The other file.
        other: PathBuf,
    },
    /// A schema that differs from the compiled one in more than texts.
    #[error(
        "{what}; an overlay changes no schema but its texts (`title`, `description`, `$comment`): change the code, or undo this"
    )]
    OtherSchema {
        /// What differs.
        what: String,
    },
    /// A text that callers of a selective tool choose columns by, and that lacks one.
    #[error("this text lacks the column `{column}`, and callers read here which there are; add a line `- {column}`")]
    MissingColumn {
        /// The column.
        column: String,
    },
    /// A rule of the registry, broken by the new texts.
    #[error(transparent)]
    Unfit(#[from] Fault),
}

impl fmt::Display for OverlayMistake {
    /// `path:line:column: what`, as compilers write it and editors follow it. Each mistake is one
    /// line, whatever its file contains.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", one_line(&self.path.display().to_string()))?;
        if let Some((line, column)) = self.place {
            write!(f, "{line}:{column}:")?;
        }
        write!(f, " {}", one_line(&self.fault.to_string()))
    }
}

/// Every mistake found in an overlay, at once.
#[derive(Clone, PartialEq, Eq)]
pub struct OverlayError {
    directory: PathBuf,
    mistakes: Vec<OverlayMistake>,
}

impl OverlayError {
    /// # Errors
    ///
    /// These mistakes, if there are any, in the order of their places.
    pub(crate) fn none_of(directory: &std::path::Path, mut mistakes: Vec<OverlayMistake>) -> Result<(), Self> {
        if mistakes.is_empty() {
            return Ok(());
        }
        mistakes.sort_by(|one, other| (&one.path, one.place).cmp(&(&other.path, other.place)));
        Err(Self { directory: directory.to_owned(), mistakes })
    }

    /// A mistake that is the directory's own.
    pub(crate) fn of_directory(directory: &std::path::Path, fault: OverlayFault) -> Self {
        let mistake = OverlayMistake { path: directory.to_owned(), place: None, fault };
        Self { directory: directory.to_owned(), mistakes: vec![mistake] }
    }

    /// The mistakes, by file, line and column.
    pub fn iter(&self) -> impl Iterator<Item = &OverlayMistake> {
        self.mistakes.iter()
    }
}

impl std::error::Error for OverlayError {}

impl fmt::Display for OverlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.mistakes.len() == 1 { "mistake" } else { "mistakes" };
        write!(f, "the overlay {} has {} {plural}:", self.directory.display(), self.mistakes.len())?;
        self.mistakes.iter().try_for_each(|mistake| write!(f, "\n{mistake}"))
    }
}

// `unwrap` in a test prints this; it should read like the message.
impl fmt::Debug for OverlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What a value is, with its article.
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
