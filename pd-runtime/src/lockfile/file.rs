//! The lock's file: JSON that reviewers read. A write replaces the whole file, or leaves it
//! unchanged.

use super::{ContractLock, change::ContractChanges, contract::ToolContract};
use crate::{
    registry::problem::RegistryErrors,
    text::{pretty_json, regular_file, write_file::write_public},
};

use rmcp::model::JsonObject;
use serde_json::{Value, json};
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

/// The version of the file format that this library reads and writes.
const VERSION: u64 = 1;

/// The error of comparing contracts with a lock's file, or of reading or writing one.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// The registry itself has errors.
    #[error(transparent)]
    Unsound(#[from] RegistryErrors),
    /// The file does not exist.
    #[error("no such file: {}; write it with the command `check --lock`, or with `UPDATE_LOCK=1 cargo test`", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error("{} cannot be read: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's message.
        why: String,
    },
    /// The file is not a valid lock.
    #[error("{} is not a lock of tools: {why}; bring it back from version control, or remove it and write it anew", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The position and the error.
        why: String,
    },
    /// Another version of this library wrote the file.
    #[error("{} is of version {version}, and this pd-runtime reads version {VERSION}; use the one that wrote it, or remove the file and write it anew", path.display())]
    UnknownVersion {
        /// The file.
        path: PathBuf,
        /// The version in it.
        version: String,
    },
    /// The file cannot be written; an older one is still there.
    #[error("{} cannot be written: {why}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The system's message.
        why: String,
    },
    /// Contracts changed.
    #[error("{} since {} was written:\n{changes}\nreview this, then accept it with the command `check --lock … --update`, or with `UPDATE_LOCK=1 cargo test`", changes.counted(), path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The changes.
        changes: ContractChanges,
    },
}

// `unwrap` in a test prints the `Debug` form, so it is the readable message.
impl fmt::Debug for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl ContractLock {
    /// Reads a lock's file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file does not exist, cannot be read, or is not a lock of this
    /// version.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, LockError> {
        let path = path.as_ref().to_owned();
        match regular_file::read_to_string(&path) {
            Ok(text) => Self::parse(&text, path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(LockError::Missing { path })
            }
            Err(error) => Err(LockError::Unreadable {
                path,
                why: error.to_string(),
            }),
        }
    }

    /// Writes the lock's file, or replaces an older one. The older one remains until the new one is
    /// complete.
    ///
    /// # Errors
    ///
    /// Returns an error if another file is there that is not a lock of this version, if the
    /// directory does not exist, or if the system refuses access.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), LockError> {
        let path = path.as_ref();
        match Self::read(path) {
            // A file that is not a lock is more likely a mistyped path than an old lock, so it is
            // not overwritten.
            Ok(_) | Err(LockError::Missing { .. }) => self.replace(path),
            Err(error) => Err(error),
        }
    }

    fn replace(&self, path: &Path) -> Result<(), LockError> {
        write_public(&write_target(path)?, &self.to_string())
            .map_err(|error| unwritable(path, error))
    }

    fn parse(text: &str, path: PathBuf) -> Result<Self, LockError> {
        let tools = parse_members(text, &path, "tools")?;
        Self::from_members(tools).map_err(|why| LockError::Corrupt { path, why })
    }

    /// Reads contracts from the object of them in a file.
    pub(super) fn from_members(tools: JsonObject) -> Result<Self, String> {
        let contracts = tools
            .into_iter()
            .map(|(name, tool)| parse_tool(name, tool))
            .collect::<Result<_, _>>();
        contracts.map(|tools| Self { tools })
    }

    /// Returns the object of all contracts in a file.
    pub(super) fn to_members(&self) -> JsonObject {
        self.tools
            .iter()
            .map(|tool| (tool.name.clone(), tool_in_file(tool)))
            .collect()
    }
}

/// Returns the object `key` of a file, if the file is of this version.
pub(super) fn parse_members(text: &str, path: &Path, key: &str) -> Result<JsonObject, LockError> {
    let mut file: Value = serde_json::from_str(text).map_err(|error| corrupt(path, error))?;
    // The version comes first: a newer format may have other members.
    match file.get("version") {
        Some(version) if version.as_u64() == Some(VERSION) => {}
        Some(version) => {
            return Err(LockError::UnknownVersion {
                path: path.to_owned(),
                version: version.to_string(),
            });
        }
        None => return Err(corrupt(path, "it has no `version`")),
    }
    match file.get_mut(key).map(Value::take) {
        Some(Value::Object(members)) => Ok(members),
        _ => Err(corrupt(path, format_args!("its `{key}` are not an object"))),
    }
}

fn corrupt(path: &Path, why: impl fmt::Display) -> LockError {
    LockError::Corrupt {
        path: path.to_owned(),
        why: why.to_string(),
    }
}

/// Renders a file. Each member of the outermost `open` levels has its own line.
pub(super) fn render_members(key: &str, members: JsonObject, open: usize) -> String {
    pretty_json::pretty(&json!({ "version": VERSION, key: members }), open)
}

pub(super) fn unwritable(path: &Path, why: impl fmt::Display) -> LockError {
    LockError::Unwritable {
        path: path.to_owned(),
        why: why.to_string(),
    }
}

/// Returns the file that a write replaces. Links are resolved.
///
/// # Errors
///
/// Returns an error if the directory does not exist, or the path has no file name.
pub(super) fn write_target(path: &Path) -> Result<PathBuf, LockError> {
    // A link stays a link, and the file behind it is replaced.
    let file = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let directory = file
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        // A bare file name has an empty parent, which means the current directory.
        .unwrap_or(Path::new("."));
    if !directory.is_dir() {
        return Err(unwritable(
            path,
            format_args!(
                "no such directory: {}; create it first",
                directory.display()
            ),
        ));
    }
    if file.file_name().is_none() {
        return Err(unwritable(path, "it is not a file name"));
    }
    Ok(file)
}

fn parse_tool(name: String, tool: Value) -> Result<ToolContract, String> {
    let Value::Object(mut facts) = tool else {
        return Err(format!("tool `{name}` is not an object"));
    };
    // The digest is not one of the facts, because it is computed from them.
    let Some(Value::String(digest)) = facts.shift_remove("digest") else {
        return Err(format!("tool `{name}` has no `digest`"));
    };
    // The comparison follows schemas, and takes anything else for a schema that accepts everything.
    for schema in ["inputSchema", "outputSchema"] {
        if facts.get(schema).is_some_and(|schema| !schema.is_object()) {
            return Err(format!("the `{schema}` of tool `{name}` is not an object"));
        }
    }
    if let Some(Value::Array(lines)) = facts.get("description") {
        let lines: Option<Vec<&str>> = lines.iter().map(Value::as_str).collect();
        let text = lines
            .ok_or_else(|| format!("the `description` of tool `{name}` is not a text"))?
            .join("\n");
        facts.insert("description".to_owned(), text.into());
    }
    Ok(ToolContract {
        name,
        digest,
        facts,
    })
}

/// Writes the file's text.
impl fmt::Display for ContractLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The file, `tools` and each tool are open, so a changed fact is a changed line.
        f.write_str(&render_members("tools", self.to_members(), 3))
    }
}

/// Converts a contract to its form in the file. A text of several lines becomes an array, because
/// reviewers cannot review one long line.
fn tool_in_file(tool: &ToolContract) -> Value {
    let mut file = JsonObject::from_iter([("digest".to_owned(), json!(tool.digest))]);
    file.extend(tool.facts.clone());
    if let Some(Value::String(text)) = file.get_mut("description")
        && text.contains('\n')
    {
        let lines: Value = text.split('\n').collect();
        file.insert("description".to_owned(), lines);
    }
    Value::Object(file)
}
