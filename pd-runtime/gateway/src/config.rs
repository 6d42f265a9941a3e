//! Reads the configuration files of MCP clients, so that the gateway serves the servers that a user
//! already has.
//!
//! These forms of files are read. The form follows from the content:
//!
//! - JSON with `mcpServers`: Claude Desktop, Claude Code (`.mcp.json`, `~/.claude.json`), Cursor,
//!   Windsurf, Cline and Gemini;
//! - JSON with `servers` and `inputs`: VS Code (`.vscode/mcp.json`);
//! - JSON with other keys: `context_servers` of Zed, `mcp` of opencode, `amp.mcpServers` of Amp,
//!   and `mcp.servers` of VS Code's `settings.json`;
//! - TOML with `[mcp_servers.NAME]`: Codex (`config.toml`).
//!
//! JSON may contain comments and trailing commas. The gateway's own settings are one object `pd` in
//! an entry, so that the file still loads in other clients. Keys of an entry that are not known are
//! ignored, because other clients own them. Keys of `pd` that are not known are mistakes.
//!
//! `json` and `toml` parse files to the values of `spanned`. `server_objects` finds the entries,
//! and `client_dialects` rewrites them to the keys that most clients have. `entry_keys` and `pd_keys`
//! declare these keys. `read_entry`, `read_settings` and `read_oauth` read the declared keys with the
//! help of `field` and `value_rule`, and `expand` expands variables. `json_schema` renders the same
//! declarations for editors. `entry` and `settings` contain the results.

mod bare_variables;
mod client_dialects;
mod client_switches;
pub(crate) mod discover;
mod entry;
#[cfg(feature = "cli")]
pub(crate) mod entry_context;
#[cfg(feature = "cli")]
mod entry_digest;
mod entry_keys;
#[cfg(feature = "cli")]
pub(crate) mod entry_source;
mod env_file;
mod error;
mod expand;
mod field;
mod file;
pub(crate) mod file_stamp;
mod found_entries;
mod http_url;
mod in_ticks;
mod json;
mod json_schema;
mod left_out;
pub(crate) mod loopback;
mod mistake_collector;
pub(crate) mod names;
pub(crate) mod own_environment;
mod pd_keys;
mod program;
mod project_directory;
#[cfg(feature = "cli")]
pub(crate) mod raw_entries;
mod read_entry;
mod read_oauth;
mod read_openapi;
mod read_settings;
mod same_name;
mod secret;
mod server_name;
mod server_objects;
mod server_policy;
pub(crate) mod server_words;
mod setting;
mod settings;
mod spanned;
mod toml;
mod transport_kind;
mod transport_type;
mod value_rule;
mod yaml;

pub use entry::{
    HttpServer, OpenApiServer, OpenApiSource, ServerEntry, ServerTransport, StdioServer,
};
pub use error::{ConfigError, ConfigErrorKind, ConfigMistake};
pub(crate) use expand::input_variable;
#[cfg(feature = "cli")]
pub(crate) use json::parse_options;
#[cfg(feature = "cli")]
pub(crate) use json_schema::schema_url;
pub(crate) use left_out::LeftOutServer;
#[cfg(feature = "cli")]
pub(crate) use project_directory::workspace_of;
pub use secret::SecretText;
pub use settings::{
    CallRate, ConnectionSharing, FirstRequest, GroupChoice, GroupTexts, IdleStop, OAuthGrant,
    OAuthSettings, SelectiveResults, ServerSettings, ServerTrust, ToolPattern, ToolSettings,
};

use crate::config::names::SEPARATOR;
use entry_keys::FILE_PD;
use expand::VariableExpander;
use field::{ConfigField, FieldReader};
use found_entries::{FoundEntry, found_entries};
use mistake_collector::MistakeCollector;
use pd_runtime::upstream::provider::fitting;
use read_entry::EntryReader;
use server_name::NameTable;
use spanned::{LineIndex, SpannedData, SpannedMember, SpannedValue};
use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

/// The servers of a configuration file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GatewayConfig {
    /// The servers in the file's order, with those that are switched off.
    pub servers: Vec<ServerEntry>,
    /// The file.
    pub path: PathBuf,
    /// The directory that `${workspaceFolder}` stands for. It is the directory of the file, or the
    /// one above if the file is in `.vscode`, `.cursor`, `.gemini` or `.codex`.
    pub workspace: PathBuf,
    /// What does not prevent the use of the file. A server that needs a value that the environment
    /// lacks is not among `servers`, and each such value is a warning. So is a server that is
    /// switched off in its client.
    pub warnings: Vec<ConfigMistake>,
    /// The mistakes in entries. An entry with a mistake is not among `servers`.
    pub mistakes: Vec<ConfigMistake>,
}

/// A function that returns the value of a variable, or `None` if the variable is not set.
pub(crate) type Lookup<'c> = &'c dyn Fn(&str) -> Option<String>;

/// The values that a file refers to, and the project that it is read for.
#[derive(Clone, Copy)]
pub(crate) struct ReadContext<'c> {
    variables: Lookup<'c>,
    inputs: Lookup<'c>,
    project: Option<&'c Path>,
}

impl<'c> ReadContext<'c> {
    /// Creates a context. `variables` returns environment variables by name, and `inputs` returns
    /// the inputs of VS Code by id. For an input without a value, its `default` in the file is
    /// used.
    pub(crate) fn new(variables: Lookup<'c>, inputs: Lookup<'c>) -> Self {
        Self {
            variables,
            inputs,
            project: None,
        }
    }

    /// Returns the user's home directory.
    fn home(&self) -> Option<String> {
        (self.variables)("HOME").or_else(|| (self.variables)("USERPROFILE"))
    }

    /// Sets the directory of the project. It selects the servers of one project in
    /// `~/.claude.json`, where `projects.PATH.mcpServers` takes precedence over `mcpServers`.
    #[must_use]
    pub(crate) fn with_project(self, directory: &'c Path) -> Self {
        Self {
            project: Some(directory),
            ..self
        }
    }
}

impl fmt::Debug for ReadContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadContext")
            .field("project", &self.project)
            .finish_non_exhaustive()
    }
}

impl GatewayConfig {
    /// Returns a configuration of no file.
    #[cfg(feature = "cli")]
    pub(crate) fn without_servers() -> Self {
        Self {
            servers: Vec::new(),
            path: PathBuf::new(),
            workspace: PathBuf::new(),
            warnings: Vec::new(),
            mistakes: Vec::new(),
        }
    }

    /// Reads a file. The limits are 1 MiB (32 MiB for `.claude.json`), 1,024 entries, and 1,024
    /// arguments per entry.
    ///
    /// # Errors
    ///
    /// Returns the mistakes if one of them concerns the file as a whole.
    pub(crate) fn read(path: &Path, context: &ReadContext<'_>) -> Result<Self, ConfigError> {
        Self::parse(path, &read_text(path)?, context)
    }

    /// Parses the text of a file. `path` appears in errors, and selects the workspace. The files
    /// that `envFile` names are read, and those where the client keeps its switches.
    ///
    /// # Errors
    ///
    /// Returns the mistakes if one of them concerns the file as a whole.
    pub(crate) fn parse(
        path: &Path,
        text: &str,
        context: &ReadContext<'_>,
    ) -> Result<Self, ConfigError> {
        let (root, text) = parse_servers(path, text, context)?;
        let mut mistakes = MistakeCollector::new(path, text);
        let workspace = project_directory::workspace_of(path);
        let expander = VariableExpander::new(context, input_defaults(&root), workspace.clone());
        let inherited = shared_variables(&root, &mut mistakes);
        let entries = found_entries(path, &root, context, &mut mistakes);
        let mut servers = read_entries(&entries, &expander, &mut mistakes);
        for names in servers
            .iter_mut()
            .map(|entry| &mut entry.settings.inherit_env)
        {
            let new: Vec<_> = inherited
                .iter()
                .filter(|name| !names.contains(name))
                .cloned()
                .collect();
            names.extend(new);
        }
        #[cfg(feature = "cli")]
        // After the loop, because a digest covers the variables that the whole file passes on, too.
        entry_digest::set_sources(&mut servers, &root, path, text, context);
        let (mistakes, warnings) = mistakes.finish()?;
        Ok(Self {
            servers,
            path: path.to_owned(),
            workspace,
            warnings,
            mistakes,
        })
    }
}

/// Reads `pd.inheritEnv` of the whole file.
fn shared_variables(root: &SpannedValue, mistakes: &mut MistakeCollector<'_>) -> Vec<String> {
    let root = SpannedMember {
        key: String::new(),
        offset: root.offset,
        value: root.clone(),
    };
    let Some(pd) = ConfigField::root(&root).get(&FILE_PD) else {
        return Vec::new();
    };
    FieldReader {
        entry: None,
        mistakes,
    }
    .shared_variables(&pd)
}

/// Reads the text of a file up to the limit of its size.
///
/// # Errors
///
/// Returns an error if the file cannot be read, is too large, or is not UTF-8.
fn read_text(path: &Path) -> Result<String, ConfigError> {
    let max = file::bytes_max(path);
    let bytes = file::read_bounded(path, max).map_err(|error| {
        ConfigError::from_file(
            path,
            ConfigErrorKind::Unreadable {
                why: error.to_string(),
            },
        )
    })?;
    // `None` is a file over the limit, which was not read to its end.
    let bytes =
        bytes.ok_or_else(|| ConfigError::from_file(path, ConfigErrorKind::TooLarge { max }))?;
    String::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(
            error
                .as_bytes()
                .get(..error.utf8_error().valid_up_to())
                .unwrap_or_default(),
        );
        let position = LineIndex::new(&before).position(before.len());
        ConfigError::from_position(path, Some(position), ConfigErrorKind::NotUtf8)
    })
}

/// Parses a text, and returns its root and the text that offsets count in.
///
/// # Errors
///
/// Returns an error if the text is too long or not valid.
fn parse_root<'t>(path: &Path, text: &'t str) -> Result<(SpannedValue, &'t str), ConfigError> {
    let max = file::bytes_max(path);
    // Texts that were not read here have the same limit, such as the ones that an import writes.
    if text.len() as u64 > max {
        return Err(ConfigError::from_file(
            path,
            ConfigErrorKind::TooLarge { max },
        ));
    }
    // Editors on Windows write a byte order mark, which neither format allows everywhere.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = if is_json(path, text) {
        json::parse(text)
    } else {
        toml::parse(text)
    };
    // YAML fails as TOML, with an error that speaks of keys. Its own error has advice.
    let parsed = parsed.map_err(|error| yaml::kind_of(path, text).map_or(error, |kind| (0, kind)));
    let root = parsed.map_err(|(offset, kind)| {
        let position = LineIndex::new(text).position(offset);
        ConfigError::from_position(path, Some(position), kind)
    })?;
    Ok((root, text))
}

/// Parses a file of servers, in the dialect of its client.
///
/// # Errors
///
/// Returns an error if the text is not valid.
fn parse_servers<'t>(
    path: &Path,
    text: &'t str,
    context: &ReadContext<'_>,
) -> Result<(SpannedValue, &'t str), ConfigError> {
    let (mut root, text) = parse_root(path, text)?;
    if bare_variables::has_bare_variables(path) {
        bare_variables::add_braces(&mut root, context.variables);
    }
    client_dialects::rewrite_entries(&mut root);
    Ok((root, text))
}

/// Returns whether the text is JSON. The first character after comments decides, and the file's
/// extension does for a text that no valid file begins with.
fn is_json(path: &Path, text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let after = if let Some(comment) = rest.strip_prefix("//") {
            comment.split_once('\n')
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/")
        } else {
            break;
        };
        rest = after.map_or("", |(_, after)| after.trim_start());
    }
    let extension = path.extension().unwrap_or_default();
    rest.starts_with('{') || extension == "json" || extension == "jsonc"
}

fn read_entries(
    entries: &[FoundEntry<'_>],
    expander: &VariableExpander<'_>,
    mistakes: &mut MistakeCollector<'_>,
) -> Vec<ServerEntry> {
    let mut names = NameTable::default();
    let mut servers = Vec::with_capacity(entries.len());
    for found in entries {
        let member = found.member;
        let before = mistakes.mark();
        let is_disabled = found.switch.is_some() || read_entry::is_disabled(&member.value);
        // A disabled entry takes no name. Any other one without a valid name is read, too, so that
        // all its mistakes are reported.
        let name = if is_disabled {
            fitting(&member.key)
        } else {
            names.add(member, mistakes)
        };
        let fields = FieldReader {
            entry: Some(&member.key),
            mistakes,
        };
        // An entry of a project in `~/.claude.json` has the directory of this project.
        let own_expander = expander.in_workspace(&found.workspace);
        let reader = EntryReader::new(fields, &own_expander, found.project.as_deref(), is_disabled);
        let entry = reader.read(name, member);
        if is_disabled {
            // A disabled entry does not start, so its mistakes do not matter.
            mistakes.forget_since(before);
        }
        if let Some(switch) = found.switch.clone() {
            mistakes.warn(
                member.offset,
                Some(&member.key),
                "",
                ConfigErrorKind::SwitchedOff { switch },
            );
        }
        // One bad entry must not stop the other servers.
        let Some(entry) = entry.filter(|_| !mistakes.has_mistakes_since(before)) else {
            continue;
        };
        // Allowed, because the gateway looks names up as a whole and never splits them. But the
        // tool `b__c` of `a` and the tool `c` of `a__b` would have the same name.
        if entry.name.contains(SEPARATOR) && entry.settings.prefix.is_none() && !is_disabled {
            mistakes.warn(
                member.offset,
                Some(&member.key),
                "",
                ConfigErrorKind::SeparatorInName,
            );
        }
        servers.push(entry);
    }
    servers
}

/// Returns the defaults of VS Code's `inputs`, by id.
fn input_defaults(root: &SpannedValue) -> BTreeMap<String, String> {
    inputs_of(root).iter().filter_map(input_default).collect()
}

fn input_default(input: &SpannedValue) -> Option<(String, String)> {
    let id = input.get("id")?.value.as_text()?;
    let default = input.get("default")?.value.as_text()?;
    Some((id.to_owned(), default.to_owned()))
}

/// Returns VS Code's `inputs`. In `settings.json`, they are in `mcp`.
fn inputs_of(root: &SpannedValue) -> &[SpannedValue] {
    let inputs = root
        .get("inputs")
        .or_else(|| root.get("mcp")?.value.get("inputs"));
    match inputs.map(|inputs| &inputs.value.data) {
        Some(SpannedData::Array(inputs)) => inputs,
        _ => &[],
    }
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]
mod tests;
