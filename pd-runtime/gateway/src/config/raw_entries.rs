//! The entries of a file as the file has them, for a copy in another file. No variable is expanded.

use super::{
    ConfigError, ConfigMistake, FoundEntry, MistakeCollector, ReadContext, SpannedValue,
    VariableExpander, entry_context::EntryContext, entry_keys::FILE_PD, found_entries,
    input_defaults, inputs_of, is_json, parse_root, parse_servers, pd_keys::FILE_INHERIT_ENV,
    project_directory, read_entries, read_entry, read_text,
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// A file with its entries.
pub(crate) struct RawFile {
    pub(crate) entries: Vec<RawEntry>,
    /// The `inputs` of VS Code.
    pub(crate) inputs: Vec<Value>,
    /// Whether the file has `pd.inheritEnv` for all servers.
    pub(crate) has_shared_variables: bool,
}

/// An entry.
pub(crate) struct RawEntry {
    /// The name, as the file has it.
    pub(crate) label: String,
    /// The keys from the root of the file to the object that contains the entry.
    pub(crate) location: Vec<String>,
    pub(crate) value: Value,
    /// What the entry has from elsewhere.
    pub(crate) context: EntryContext,
    /// The directory that `${workspaceFolder}` stands for.
    pub(crate) workspace: PathBuf,
    /// The project that the entry belongs to.
    pub(crate) project: Option<PathBuf>,
    /// Why the client does not run the server.
    pub(crate) switch: Option<String>,
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
    pub(crate) fn parse(
        path: &Path,
        text: &str,
        context: &ReadContext<'_>,
    ) -> Result<Self, ConfigError> {
        let (root, text) = parse_servers(path, text, context)?;
        let mut mistakes = MistakeCollector::new(path, text);
        let found = found_entries(path, &root, context, &mut mistakes);
        // So far, only the file as a whole was read. A mistake in one entry must not keep the
        // import from the others.
        let mut mistakes = mistakes.without_mistakes()?;
        let workspace = project_directory::workspace_of(path);
        let defaults = input_defaults(&root);
        let expander = VariableExpander::new(context, defaults.clone(), workspace);
        read_entries(&found, &expander, &mut mistakes);
        let entries = found
            .into_iter()
            .map(|found| raw_entry(found, &mistakes, &expander, &defaults))
            .collect();
        let inputs = inputs_of(&root).iter().map(SpannedValue::to_json).collect();
        let has_shared_variables = root
            .get(FILE_PD.key)
            .is_some_and(|pd| pd.value.get(FILE_INHERIT_ENV.key).is_some());
        Ok(Self {
            entries,
            inputs,
            has_shared_variables,
        })
    }
}

fn raw_entry(
    found: FoundEntry<'_>,
    mistakes: &MistakeCollector<'_>,
    expander: &VariableExpander<'_>,
    defaults: &BTreeMap<String, String>,
) -> RawEntry {
    let member = found.member;
    let value = member.value.to_json();
    let expander = expander.in_workspace(&found.workspace);
    let is_disabled = read_entry::is_disabled(&member.value);
    RawEntry {
        label: member.key.clone(),
        location: found.location,
        context: EntryContext::of_copy(&value, defaults, &expander),
        value,
        workspace: found.workspace,
        project: found.project,
        switch: found
            .switch
            .or_else(|| is_disabled.then(|| "switched off".to_owned())),
        mistake: mistakes_in(&member.key, mistakes)
            .find(|mistake| !mistake.kind.is_missing_value())
            .map(|mistake| mistake.kind.to_string()),
        missing_values: mistakes_in(&member.key, mistakes)
            .map(|mistake| &mistake.kind)
            .filter(|kind| kind.is_missing_value())
            .map(ToString::to_string)
            .collect(),
    }
}

fn mistakes_in<'m>(
    entry: &'m str,
    mistakes: &'m MistakeCollector<'_>,
) -> impl Iterator<Item = &'m ConfigMistake> {
    mistakes
        .mistakes()
        .iter()
        .filter(move |mistake| mistake.entry.as_deref() == Some(entry))
}

/// Parses a whole document to JSON. Returns `None` if the text is not valid.
pub(crate) fn parse_document(path: &Path, text: &str) -> Option<Value> {
    parse_root(path, text).ok().map(|(root, _)| root.to_json())
}

/// Returns whether the text of a file is JSON. Otherwise it is TOML.
pub(crate) fn has_json(path: &Path, text: &str) -> bool {
    is_json(path, text.strip_prefix('\u{feff}').unwrap_or(text))
}
