//! Reads the configuration files of MCP clients, so that the gateway serves the servers that a user
//! already has.
//!
//! Three forms of files are read. The form follows from the content:
//!
//! - JSON with `mcpServers`: Claude Desktop, Claude Code (`.mcp.json`, `~/.claude.json`), Cursor,
//!   Windsurf, Cline and Gemini;
//! - JSON with `servers` and `inputs`: VS Code (`.vscode/mcp.json`);
//! - TOML with `[mcp_servers.NAME]`: Codex (`config.toml`).
//!
//! JSON may contain comments and trailing commas. The gateway's own settings are one object `pd` in
//! an entry, so that the file still loads in other clients. Keys of an entry that are not known are
//! ignored, because other clients own them. Keys of `pd` that are not known are mistakes.
//!
//! `json` and `toml` parse files to the values of `spanned`. `read_entry`, `read_settings` and
//! `read_oauth` read these with the help of `field`, and `expand` expands variables. `entry` and `settings` contain the
//! results.

mod bare_variables;
mod entry;
#[cfg(feature = "cli")]
mod entry_source;
mod env_file;
mod error;
mod expand;
mod field;
mod file;
mod http_url;
mod json;
mod mistake_collector;
#[cfg(feature = "cli")]
pub(super) mod raw_entries;
mod read_entry;
mod read_oauth;
mod read_settings;
mod secret;
mod server_name;
mod settings;
mod spanned;
mod toml;

pub use entry::{HttpServer, ServerEntry, ServerTransport, StdioServer};
pub use error::{ConfigError, ConfigErrorKind, ConfigMistake};
pub(super) use expand::input_variable;
#[cfg(feature = "cli")]
pub(super) use expand::workspace_of;
#[cfg(feature = "cli")]
pub(super) use json::parse_options;
pub use secret::SecretText;
pub use settings::{
    CallRate, ConnectionSharing, IdleStop, OAuthGrant, OAuthSettings, SelectiveResults, ServerSettings, ServerTrust,
    ToolPattern, ToolSettings,
};

use super::names::SEPARATOR;
use crate::text::suggest::nearest;
use expand::VariableExpander;
use field::FieldReader;
use mistake_collector::MistakeCollector;
use read_entry::EntryReader;
use read_settings::in_ticks;
use server_name::NameTable;
use spanned::{LineIndex, SpannedData, SpannedMember, SpannedValue};
use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

/// The limit on the number of entries in one file.
const ENTRIES_MAX: usize = 256;

/// The keys that contain servers.
const SERVER_KEYS: &[&str] = &["mcpServers", "servers", "mcp_servers"];

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
    /// Mistakes that do not prevent the use of the file. A server that needs a value that the
    /// environment lacks is not among `servers`, and each such value is a warning.
    pub warnings: Vec<ConfigMistake>,
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
    /// the inputs of VS Code by id. For an input without a value, its `default` in the file is used.
    pub(crate) fn new(variables: Lookup<'c>, inputs: Lookup<'c>) -> Self {
        Self { variables, inputs, project: None }
    }

    /// Sets the directory of the project. It selects the servers of one project in
    /// `~/.claude.json`, where `projects.PATH.mcpServers` takes precedence over `mcpServers`.
    #[must_use]
    pub(crate) fn with_project(self, directory: &'c Path) -> Self {
        Self { project: Some(directory), ..self }
    }
}

impl fmt::Debug for ReadContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadContext").field("project", &self.project).finish_non_exhaustive()
    }
}

impl GatewayConfig {
    /// Reads a file. The limits are 1 MiB (32 MiB for `.claude.json`), 256 entries, and 1,024
    /// arguments per entry.
    ///
    /// # Errors
    ///
    /// Returns all mistakes in the file, each with its line, entry and key.
    pub(super) fn read(path: &Path, context: &ReadContext<'_>) -> Result<Self, ConfigError> {
        Self::parse(path, &read_text(path)?, context)
    }

    /// Parses the text of a file. `path` appears in errors, and selects the workspace. The files
    /// that `envFile` names are read.
    ///
    /// # Errors
    ///
    /// Returns all mistakes in the file, each with its line, entry and key.
    pub(super) fn parse(path: &Path, text: &str, context: &ReadContext<'_>) -> Result<Self, ConfigError> {
        let (root, text) = parse_servers(path, text, context)?;
        let mut mistakes = MistakeCollector::new(path, text);
        let workspace = expand::workspace_of(path);
        let expander = VariableExpander::new(context, input_defaults(&root), workspace.clone());
        let members = server_members(&root, context.project, &mut mistakes);
        let mut servers = read_entries(&members, &expander, &mut mistakes);
        #[cfg(feature = "cli")]
        entry_source::set_sources(&mut servers, &root, path, text, context);
        let warnings = mistakes.finish()?;
        // One missing token must not stop the other servers.
        let lacks = |entry: &ServerEntry, warning: &ConfigMistake| {
            warning.kind.is_missing_value() && warning.entry.as_ref() == Some(&entry.label)
        };
        servers.retain(|entry| !warnings.iter().any(|warning| lacks(entry, warning)));
        Ok(Self { servers, path: path.to_owned(), workspace, warnings })
    }
}

/// Reads the text of a file up to the limit of its size.
///
/// # Errors
///
/// Returns an error if the file cannot be read, is too large, or is not UTF-8.
fn read_text(path: &Path) -> Result<String, ConfigError> {
    let max = file::bytes_max(path);
    let bytes = file::read_bounded(path, max)
        .map_err(|error| ConfigError::from_file(path, ConfigErrorKind::Unreadable { why: error.to_string() }))?;
    let bytes = bytes.ok_or_else(|| ConfigError::from_file(path, ConfigErrorKind::TooLarge { max }))?;
    String::from_utf8(bytes).map_err(|error| {
        let before =
            String::from_utf8_lossy(error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default());
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
    if text.len() as u64 > max {
        return Err(ConfigError::from_file(path, ConfigErrorKind::TooLarge { max }));
    }
    // Editors on Windows write a byte order mark, which neither format allows everywhere.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = if is_json(path, text) { json::parse(text) } else { toml::parse(text) };
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

/// Returns the entries of all servers.
fn server_members<'v>(
    root: &'v SpannedValue,
    project: Option<&Path>,
    mistakes: &mut MistakeCollector<'_>,
) -> Vec<&'v SpannedMember> {
    let members = root.as_object().unwrap_or_default().iter();
    let mut found = members.filter(|member| SERVER_KEYS.contains(&member.key.as_str()));
    let object = found.next();
    if let (Some(one), Some(other)) = (object, found.next()) {
        mistakes.report(other.offset, None, "", two_objects(one, other));
        return Vec::new();
    }
    if object.is_none() && root.get("projects").is_none() {
        report_no_servers(root, mistakes);
    }
    let of_project =
        project.and_then(|project| root.get("projects")?.value.get(project.to_str()?)?.value.get("mcpServers"));
    let own = of_project.map(|object| members_of(object, mistakes)).unwrap_or_default();
    let shared = object.map(|object| members_of(object, mistakes)).unwrap_or_default();
    // Claude Code prefers the project's entry of a name.
    let shared = shared.into_iter().filter(|member| own.iter().all(|other| other.key != member.key));
    let members: Vec<_> = shared.chain(own.iter().copied()).collect();
    if members.len() > ENTRIES_MAX {
        let offset = object.or(of_project).map_or(0, |object| object.offset);
        let advice = "divide the file";
        mistakes.report(offset, None, "", ConfigErrorKind::TooMany { what: "servers", max: ENTRIES_MAX, advice });
        return Vec::new();
    }
    members
}

fn two_objects(one: &SpannedMember, other: &SpannedMember) -> ConfigErrorKind {
    if one.key == other.key {
        return ConfigErrorKind::DuplicateKey { key: one.key.clone() };
    }
    ConfigErrorKind::TwoServerObjects { one: one.key.clone(), other: other.key.clone() }
}

fn members_of<'v>(object: &'v SpannedMember, mistakes: &mut MistakeCollector<'_>) -> Vec<&'v SpannedMember> {
    let Some(members) = object.value.as_object() else {
        let kind = ConfigErrorKind::WrongType { wanted: "an object", found: object.value.type_name() };
        mistakes.report(object.offset, None, &object.key, kind);
        return Vec::new();
    };
    members.iter().collect()
}

fn report_no_servers(root: &SpannedValue, mistakes: &mut MistakeCollector<'_>) {
    let Some(members) = root.as_object() else {
        let kind = ConfigErrorKind::WrongType { wanted: "an object", found: root.type_name() };
        return mistakes.report(root.offset, None, "", kind);
    };
    let near = members.iter().find_map(|member| Some((member, nearest(&member.key, SERVER_KEYS)?)));
    let (offset, hint) = match near {
        Some((member, near)) => (member.offset, format!("`{}` is not read; did you mean `{near}`?", member.key)),
        None => (root.offset, format!("add one of {}", in_ticks(SERVER_KEYS.iter().copied()))),
    };
    mistakes.report(offset, None, "", ConfigErrorKind::NoServers { hint });
}

fn read_entries(
    members: &[&SpannedMember],
    expander: &VariableExpander<'_>,
    mistakes: &mut MistakeCollector<'_>,
) -> Vec<ServerEntry> {
    let mut names = NameTable::default();
    let mut entries = Vec::with_capacity(members.len());
    for member in members {
        // An entry without a valid name is read, too, so that all its mistakes are reported.
        let name = names.add(member, mistakes);
        let fields = FieldReader { entry: &member.key, mistakes };
        let Some(entry) = EntryReader::new(fields, expander).read(name, member) else { continue };
        // Allowed, because the gateway looks names up as a whole and never splits them. But the
        // tool `b__c` of `a` and the tool `c` of `a__b` would have the same name.
        if entry.name.contains(SEPARATOR) && entry.settings.prefix.is_none() {
            mistakes.warn(member.offset, Some(&member.key), "", ConfigErrorKind::SeparatorInName);
        }
        entries.push(entry);
    }
    entries
}

/// Returns the defaults of VS Code's `inputs`, by id.
fn input_defaults(root: &SpannedValue) -> BTreeMap<String, String> {
    let Some(SpannedData::Array(inputs)) = root.get("inputs").map(|inputs| &inputs.value.data) else {
        return BTreeMap::new();
    };
    let default = |input: &SpannedValue| {
        let text = |key| input.get(key).and_then(|member| member.value.as_text());
        Some((text("id")?.to_owned(), text("default")?.to_owned()))
    };
    inputs.iter().filter_map(default).collect()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]
mod tests;
