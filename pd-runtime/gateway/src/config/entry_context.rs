//! What an entry has from elsewhere: from the rest of its configuration file, and from the file of
//! variables that it names. A person approves it together with the entry.

use super::{
    VariableExpander,
    entry_keys::{ENV, ENV_FILE},
    env_file,
    secret::SecretText,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// What an entry has from elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct EntryContext {
    /// The variables that only the file of `envFile` has. This file can belong to the project, too.
    pub(crate) file_variables: BTreeMap<String, SecretText>,
    /// The defaults of the inputs that the entry refers to, by id.
    pub(crate) inputs: BTreeMap<String, String>,
    /// The variables that the process gets from the gateway's environment, also by a setting for
    /// all servers of the file.
    pub(crate) inherited: Vec<String>,
}

impl EntryContext {
    /// Returns what a server without a process has from elsewhere. `inputs` are the defaults of the
    /// file's inputs.
    pub(super) fn of_url(value: &Value, inputs: &BTreeMap<String, String>) -> Self {
        Self {
            inputs: inputs_of(value, inputs),
            ..Self::default()
        }
    }

    /// Returns what a server that runs as a process has from elsewhere.
    pub(super) fn of_process(
        value: &Value,
        inputs: &BTreeMap<String, String>,
        env: BTreeMap<String, SecretText>,
        inherited: Vec<String>,
    ) -> Self {
        Self {
            file_variables: variables_of_file(value, env),
            inherited,
            ..Self::of_url(value, inputs)
        }
    }

    /// Returns what a copy of an entry has from elsewhere. The gateway's file has other settings
    /// for all servers.
    pub(super) fn of_copy(
        value: &Value,
        inputs: &BTreeMap<String, String>,
        expander: &VariableExpander<'_>,
    ) -> Self {
        // A file that cannot be read now is reported when the entry is read.
        let path = value
            .get(ENV_FILE.key)
            .and_then(Value::as_str)
            .and_then(|path| expander.expand_path(path, &mut drop));
        let variables = path
            .and_then(|path| env_file::read(&expander.workspace().join(path)).ok())
            .map(|file| file.variables)
            .unwrap_or_default();
        Self {
            file_variables: variables_of_file(value, variables),
            inputs: inputs_of(value, inputs),
            inherited: Vec::new(),
        }
    }
}

fn variables_of_file(
    value: &Value,
    mut variables: BTreeMap<String, SecretText>,
) -> BTreeMap<String, SecretText> {
    if value.get(ENV_FILE.key).is_none() {
        return BTreeMap::new();
    }
    let own = value.get(ENV.key).and_then(Value::as_object);
    // The values in `env` belong to the entry. `null` there sets nothing, so the file's value stays.
    variables.retain(|name, _| own.and_then(|own| own.get(name)).is_none_or(Value::is_null));
    variables
}

/// Returns the defaults that an entry refers to. A default is a part of the file, and can be a part
/// of the command.
fn inputs_of(value: &Value, inputs: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let text = value.to_string();
    inputs
        .iter()
        // Without the closing brace, because a default may follow the id.
        .filter(|(id, _)| text.contains(&format!("${{input:{id}")))
        .map(|(id, default)| (id.clone(), default.clone()))
        .collect()
}
