//! The entries of a file as the file has them, for a copy in another file. No variable is expanded.

use super::{
    ConfigError, ConfigErrorKind, MistakeCollector, ReadContext, SERVER_KEYS, SpannedData, SpannedMember, SpannedValue,
    VariableExpander, expand, input_defaults, is_json, parse_root, parse_servers, read_entries, read_text,
    server_members,
};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A file with its entries.
pub(crate) struct RawFile {
    /// The directory that `${workspaceFolder}` stands for.
    pub(crate) workspace: PathBuf,
    pub(crate) entries: Vec<RawEntry>,
    /// The `inputs` of VS Code.
    pub(crate) inputs: Vec<Value>,
}

/// An entry.
pub(crate) struct RawEntry {
    /// The name, as the file has it.
    pub(crate) label: String,
    /// The keys from the root of the file to the object that contains the entry.
    pub(crate) location: Vec<String>,
    pub(crate) value: Value,
    /// The first mistake, without secrets. The entry is correct apart from it.
    pub(crate) mistake: Option<String>,
    /// The values that the environment lacks, each with what to do.
    pub(crate) missing_values: Vec<String>,
}

impl RawFile {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, is not valid, or has no servers.
    pub(crate) fn read(path: &Path, context: &ReadContext<'_>) -> Result<Self, ConfigError> {
        Self::parse(path, &read_text(path)?, context)
    }

    /// Parses the text of a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not valid, or has no servers.
    pub(crate) fn parse(path: &Path, text: &str, context: &ReadContext<'_>) -> Result<Self, ConfigError> {
        let (root, text) = parse_servers(path, text, context)?;
        let mut mistakes = MistakeCollector::new(path, text);
        let members = server_members(&root, context.project, &mut mistakes);
        let mut mistakes = mistakes.without_mistakes()?;
        let workspace = expand::workspace_of(path);
        let expander = VariableExpander::new(context, input_defaults(&root), workspace.clone());
        read_entries(&members, &expander, &mut mistakes);
        let entries = members.iter().map(|member| raw_entry(member, &root, context, &mistakes)).collect();
        Ok(Self { workspace, entries, inputs: inputs(&root) })
    }
}

fn raw_entry(
    member: &SpannedMember,
    root: &SpannedValue,
    context: &ReadContext<'_>,
    mistakes: &MistakeCollector<'_>,
) -> RawEntry {
    let own = || mistakes.mistakes().iter().filter(|mistake| mistake.entry.as_ref() == Some(&member.key));
    let is_missing = |kind: &ConfigErrorKind| kind.is_missing_value();
    RawEntry {
        label: member.key.clone(),
        location: location(member, root, context),
        value: member.value.to_json(),
        mistake: own().find(|mistake| !is_missing(&mistake.kind)).map(|mistake| mistake.kind.to_string()),
        missing_values: own()
            .map(|mistake| &mistake.kind)
            .filter(|kind| is_missing(kind))
            .map(ToString::to_string)
            .collect(),
    }
}

/// Returns the keys to the object of an entry. An entry of the project is preferred, as in
/// `server_members`.
fn location(member: &SpannedMember, root: &SpannedValue, context: &ReadContext<'_>) -> Vec<String> {
    let project = context.project.and_then(Path::to_str);
    let of_project = project.and_then(|project| {
        let servers = root.get("projects")?.value.get(project)?.value.get("mcpServers")?;
        servers.value.get(&member.key).map(|_| vec!["projects".to_owned(), project.to_owned(), "mcpServers".to_owned()])
    });
    let key = || SERVER_KEYS.iter().find(|key| root.get(key).is_some()).map(|key| vec![(*key).to_owned()]);
    of_project.or_else(key).unwrap_or_default()
}

fn inputs(root: &SpannedValue) -> Vec<Value> {
    match root.get("inputs").map(|member| &member.value.data) {
        Some(SpannedData::Array(inputs)) => inputs.iter().map(SpannedValue::to_json).collect(),
        _ => Vec::new(),
    }
}

/// Parses a whole document to JSON. Returns `None` if the text is not valid.
pub(crate) fn parse_document(path: &Path, text: &str) -> Option<Value> {
    parse_root(path, text).ok().map(|(root, _)| root.to_json())
}

/// Returns whether the text of a file is JSON. Otherwise it is TOML.
pub(crate) fn has_json(path: &Path, text: &str) -> bool {
    is_json(path, text.strip_prefix('\u{feff}').unwrap_or(text))
}
