//! The gateway's file: the servers that it has, and the servers that an import adds.

use super::{ImportAction, entry_meaning::EntryMeaning, json_edit};
use crate::{
    ClientKind, ConfigError, GatewayConfig,
    config::{
        names::entry_name,
        own_environment::{config_from_text, with_environment},
        raw_entries::{RawFile, has_json, parse_document},
        schema_url,
    },
};
use pd_runtime::{provider::NAME_MAX, upstream::text::regular_file};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The key of the servers in a new file.
const SERVERS_KEY: &str = "mcpServers";

/// The gateway's file.
pub(crate) struct ServerFile {
    pub(crate) path: PathBuf,
    /// The directory that `${workspaceFolder}` stands for.
    workspace: PathBuf,
    /// The text before the import, if the file exists.
    text: Option<String>,
    /// The key of the servers.
    key: String,
    /// The servers of the file, and then the servers that the import adds.
    servers: Vec<StoredServer>,
    /// The inputs of VS Code, and whether each is new.
    inputs: Vec<(Value, bool)>,
    /// The variables that all processes get, in a file that does not name any yet.
    shared_variables: Vec<String>,
    has_shared_variables: bool,
}

struct StoredServer {
    name: String,
    value: Value,
    meaning: EntryMeaning,
    is_new: bool,
    /// Whether an import changed the `pd` object of a server that the file had.
    is_changed: bool,
}

impl ServerFile {
    /// Reads the file. A file that does not exist has no servers.
    ///
    /// # Errors
    ///
    /// Returns an error if the file exists and is not valid.
    pub(super) fn open(path: &Path) -> Result<Self, ConfigError> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let workspace = crate::config::workspace_of(&path);
        let mut file = Self {
            path,
            workspace,
            text: None,
            key: SERVERS_KEY.to_owned(),
            servers: Vec::new(),
            inputs: Vec::new(),
            shared_variables: Vec::new(),
            has_shared_variables: false,
        };
        if !file.path.exists() {
            return Ok(file);
        }
        let raw = match with_environment(|context| RawFile::read(&file.path, context)) {
            Err(error) if !error.is_without_servers() => return Err(error),
            other => other.ok(),
        };
        file.text = regular_file::read_to_string(&file.path).ok();
        for entry in raw.iter().flat_map(|raw| &raw.entries) {
            file.key = entry.location.first().cloned().unwrap_or(file.key);
            let name = entry.label.clone();
            let meaning = match entry.mistake.is_some() || entry.switch.is_some() {
                true => EntryMeaning::of_idle(&entry.value),
                false => EntryMeaning::new(&entry.value, &file.workspace),
            };
            file.servers.push(StoredServer {
                name,
                meaning,
                value: entry.value.clone(),
                is_new: false,
                is_changed: false,
            });
        }
        file.has_shared_variables = raw.as_ref().is_some_and(|raw| raw.has_shared_variables);
        file.inputs = raw
            .into_iter()
            .flat_map(|raw| raw.inputs)
            .map(|input| (input, false))
            .collect();
        Ok(file)
    }

    pub(super) fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Returns whether the file is written in JSON. Only such a file can be changed.
    pub(crate) fn is_json(&self) -> bool {
        has_json(&self.path, self.text.as_deref().unwrap_or("{"))
    }

    /// Passes variables on to all processes, unless the file says itself which.
    pub(super) fn share_variables(&mut self, names: &[String]) {
        if !self.has_shared_variables {
            self.shared_variables = names.to_vec();
        }
    }

    /// Returns the names of the variables that the import passes on to all processes.
    pub(crate) fn shared_variables(&self) -> &[String] {
        &self.shared_variables
    }

    /// Returns the number of new servers, and the number of all servers.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (
            self.servers.iter().filter(|server| server.is_new).count(),
            self.servers.len(),
        )
    }

    pub(crate) fn exists(&self) -> bool {
        self.text.is_some()
    }

    /// Adds a server, unless it is there already. A name that another server has gets a suffix.
    pub(super) fn add(
        &mut self,
        label: &str,
        client: Option<ClientKind>,
        value: Value,
        inputs: &[Value],
    ) -> ImportAction {
        let meaning = EntryMeaning::new(&value, &self.workspace);
        if let Some(known) = self
            .servers
            .iter_mut()
            .find(|known| known.meaning == meaning && are_compatible(&known.value, &value))
        {
            // A meaning has no settings for the gateway, so they are taken over here.
            if let (None, Some(settings)) = (known.value.get("pd"), value.get("pd").cloned()) {
                // A new server is written as a whole anyway.
                known.is_changed = !known.is_new;
                known
                    .value
                    .as_object_mut()
                    .map(|members| members.insert("pd".to_owned(), settings));
            }
            return ImportAction::Known {
                name: known.name.clone(),
            };
        }
        let name = self.free_name(label, client);
        self.add_inputs(&value, inputs);
        self.servers.push(StoredServer {
            name: name.clone(),
            value,
            meaning,
            is_new: true,
            is_changed: false,
        });
        ImportAction::Copy { name }
    }

    /// Removes a server that was added.
    pub(super) fn remove(&mut self, name: &str) {
        self.servers
            .retain(|server| !(server.is_new && server.name == name));
    }

    /// Returns a name that no other server has, not even in the characters of tool names.
    fn free_name(&self, label: &str, client: Option<ClientKind>) -> String {
        let client = client.map(|client| suffixed(label, &format!("-{}", client.slug())));
        let numbered = (2..).map(|number: u32| suffixed(label, &format!("-{number}")));
        let mut names = std::iter::once(label.to_owned())
            .chain(client)
            .chain(numbered);
        names.find(|name| self.is_free(name)).unwrap_or_default()
    }

    fn is_free(&self, name: &str) -> bool {
        self.servers
            .iter()
            .all(|server| entry_name(&server.name) != entry_name(name))
    }

    /// Adds the inputs that a server refers to. An input of the same id stays as it is.
    fn add_inputs(&mut self, server: &Value, inputs: &[Value]) {
        let text = server.to_string();
        for input in inputs {
            let Some(id) = input.get("id").and_then(Value::as_str) else {
                continue;
            };
            let is_used = text.contains(&format!("${{input:{id}}}"));
            if is_used
                && self
                    .inputs
                    .iter()
                    .all(|(known, _)| known.get("id") != input.get("id"))
            {
                self.inputs.push((input.clone(), true));
            }
        }
    }

    /// Returns the text of the file with the added servers, or `None` if nothing changes.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be changed without touching its other contents.
    pub(crate) fn render(&self) -> Result<Option<String>, String> {
        let is_unchanged = self
            .servers
            .iter()
            .all(|server| !server.is_new && !server.is_changed);
        // A file without content has nothing to keep.
        let Some(text) = self.text.as_ref().filter(|text| !text.trim().is_empty()) else {
            return Ok((!is_unchanged).then(|| self.render_new()));
        };
        if is_unchanged {
            return Ok(None);
        }
        let servers: Vec<_> = self
            .servers
            .iter()
            .filter(|server| server.is_new || server.is_changed)
            .collect();
        let servers: Vec<_> = servers
            .into_iter()
            .map(|server| (server.name.as_str(), &server.value))
            .collect();
        let inputs: Vec<_> = self
            .inputs
            .iter()
            .filter(|(_, is_new)| *is_new)
            .map(|(input, _)| input)
            .collect();
        // The text is edited, so that the comments stay. Then it is parsed: an edit that loses a
        // server must not reach the disk.
        json_edit::add_servers(text, &self.key, &servers, &inputs, &self.shared_variables)
            .filter(|text| {
                parse_document(&self.path, text).is_some_and(|document| self.has_all(&document))
            })
            .map(Some)
            .ok_or_else(|| {
                format!(
                    "{} cannot be changed; name another file with `--to FILE`",
                    self.path.display()
                )
            })
    }

    fn render_new(&self) -> String {
        let servers: Map<_, _> = self
            .servers
            .iter()
            .map(|server| (server.name.clone(), server.value.clone()))
            .collect();
        let inputs: Vec<_> = self.inputs.iter().map(|(input, _)| input).collect();
        // First, because editors look for it there. A file that a person wrote does not get it.
        let mut document = Map::from_iter([
            ("$schema".to_owned(), json!(schema_url())),
            (SERVERS_KEY.to_owned(), Value::Object(servers)),
        ]);
        if !inputs.is_empty() {
            document.insert("inputs".to_owned(), json!(inputs));
        }
        if !self.shared_variables.is_empty() {
            document.insert(
                "pd".to_owned(),
                json!({ "inheritEnv": self.shared_variables }),
            );
        }
        format!("{:#}\n", Value::Object(document))
    }

    fn has_all(&self, document: &Value) -> bool {
        let servers = document.get(&self.key).and_then(Value::as_object);
        // With an equal number of servers, the document has no other one.
        let mut own = self.servers.iter();
        own.all(|server| {
            servers.and_then(|servers| servers.get(&server.name)) == Some(&server.value)
        }) && servers.map_or(0, Map::len) == self.servers.len()
    }

    /// Reads the servers as a gateway would after the import.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`render`](Self::render), and the mistakes of the file.
    pub(crate) fn config(&self) -> Result<GatewayConfig, Box<dyn std::error::Error + Send + Sync>> {
        let text = self
            .render()?
            .or_else(|| self.text.clone())
            .unwrap_or_else(|| self.render_new());
        Ok(config_from_text(&self.path, &text)?)
    }
}

/// Returns whether the settings for the gateway of two entries do not contradict each other.
fn are_compatible(one: &Value, other: &Value) -> bool {
    !matches!((one.get("pd"), other.get("pd")), (Some(one), Some(other)) if one != other)
}

/// Returns a name with a suffix, cut to the longest name.
fn suffixed(name: &str, suffix: &str) -> String {
    let start: String = name
        .chars()
        .take(NAME_MAX.saturating_sub(suffix.len()))
        .collect();
    start + suffix
}
