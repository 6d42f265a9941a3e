//! Switches of clients that are not part of an entry: servers that a person rejected or switched
//! off in Claude Code or Gemini CLI, and those that a policy denies.

use super::{
    file, json,
    project_directory::claude_project,
    server_policy,
    spanned::{SpannedData, SpannedMember, SpannedValue},
};
use std::path::{Path, PathBuf};

/// The files of Claude Code that an administrator writes: on Linux, macOS and Windows.
const MANAGED_SETTINGS: [&str; 4] = [
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
    r"C:\Program Files\ClaudeCode\managed-settings.json",
    r"C:\ProgramData\ClaudeCode\managed-settings.json",
];

/// What the switches of one file's client say.
#[derive(Debug, Default)]
pub(super) struct ClientSwitches {
    client: &'static str,
    /// Documents with settings.
    documents: Vec<Document>,
    /// The keys of lists with servers that are switched off.
    off_lists: &'static [&'static [&'static str]],
    /// The keys of lists without which a server is switched off.
    on_lists: &'static [&'static [&'static str]],
    has_policies: bool,
}

#[derive(Debug)]
struct Document {
    path: PathBuf,
    value: SpannedValue,
}

impl ClientSwitches {
    /// Reads the switches of the client that a file belongs to. `project` is the directory that the
    /// servers are used in.
    pub(super) fn read(path: &Path, home: Option<&Path>, project: Option<&Path>) -> Self {
        let parent = path.parent().and_then(Path::file_name);
        if path.file_name().is_some_and(|name| name == ".mcp.json") {
            return Self::of_claude(home, path.parent(), project, true);
        }
        if path.file_name().is_some_and(|name| name == ".claude.json") {
            return Self::of_claude(path.parent(), project, project, false);
        }
        if parent.is_some_and(|name| name == ".gemini") {
            return Self::of_gemini(path, home);
        }
        Self::default()
    }

    /// `disabledMcpjsonServers` concerns the servers of `.mcp.json` alone. A name in the list of any
    /// settings file rejects the server, even if another list approves it.
    fn of_claude(home: Option<&Path>, project: Option<&Path>, current: Option<&Path>, is_project_file: bool) -> Self {
        let mut documents = Vec::new();
        if let Some(state) = home.map(|home| home.join(".claude.json")).and_then(Document::read) {
            // A session in a subdirectory has its own project.
            let inner = current.filter(|current| project.is_some_and(|project| current.starts_with(project)));
            for directory in [project, inner.filter(|inner| Some(*inner) != project)].into_iter().flatten() {
                documents.extend(claude_project(&state.value, directory).map(|own| state.part(own)));
            }
        }
        let of_project = |name: &str| project.map(|project| project.join(".claude").join(name));
        let settings = MANAGED_SETTINGS.iter().map(PathBuf::from);
        let settings = settings.chain(of_project("settings.local.json")).chain(of_project("settings.json"));
        let settings = settings.chain(home.map(|home| home.join(".claude/settings.json")));
        documents.extend(settings.filter_map(Document::read));
        let off_lists: &[&[&str]] = match is_project_file {
            true => &[&["disabledMcpServers"], &["disabledMcpjsonServers"]],
            false => &[&["disabledMcpServers"]],
        };
        Self { client: "Claude Code", documents, off_lists, on_lists: &[], has_policies: true }
    }

    fn of_gemini(path: &Path, home: Option<&Path>) -> Self {
        let directory = home.map(|home| home.join(".gemini"));
        let of_user = |name: &str| directory.as_ref().map(|directory| directory.join(name));
        let paths = [Some(path.to_owned()), of_user("settings.json").filter(|user| user != path)];
        let mut documents: Vec<_> = paths.into_iter().flatten().filter_map(Document::read).collect();
        documents.extend(of_user("mcp-server-enablement.json").and_then(Document::read));
        let off_lists: &[&[&str]] = &[&["mcp", "excluded"], &["excludeMCPServers"]];
        let on_lists: &[&[&str]] = &[&["mcp", "allowed"], &["allowMCPServers"]];
        Self { client: "Gemini CLI", documents, off_lists, on_lists, has_policies: false }
    }

    /// Returns which switch switches a server off: `switched off in CLIENT (KEY in FILE)`.
    pub(super) fn switch_of(&self, entry: &SpannedMember) -> Option<String> {
        self.documents.iter().find_map(|document| {
            let key = self.key_in(document, entry)?;
            Some(format!("switched off in {} (`{key}` in {})", self.client, document.path.display()))
        })
    }

    fn key_in(&self, document: &Document, entry: &SpannedMember) -> Option<String> {
        let value = &document.value;
        let names = |keys: &&'static [&'static str]| Some((keys.join("."), list_at(value, keys)?));
        let off = self.off_lists.iter().filter_map(names).find(|(_, list)| has_name(list, &entry.key));
        let on = || self.on_lists.iter().filter_map(names).find(|(_, list)| !has_name(list, &entry.key));
        let by_list = off.or_else(on).map(|(key, _)| key);
        let is_off = || {
            let file = document.path.file_name()?;
            let own = value.as_object()?.iter().find(|member| is_same_name(&member.key, &entry.key))?;
            let enabled = &own.value.get("enabled")?.value.data;
            (file == "mcp-server-enablement.json" && matches!(enabled, SpannedData::Boolean(false))).then_some(())
        };
        let by_policy = || if self.has_policies { server_policy::denying_key(value, entry) } else { None };
        by_list.or_else(|| is_off().map(|()| "enabled".to_owned())).or_else(|| by_policy().map(str::to_owned))
    }
}

impl Document {
    /// Reads JSON. A file that is missing or not valid has no switches.
    fn read(path: PathBuf) -> Option<Self> {
        let bytes = file::read_bounded(&path, file::bytes_max(&path)).ok()??;
        let text = String::from_utf8(bytes).ok()?;
        let value = json::parse(text.strip_prefix('\u{feff}').unwrap_or(&text)).ok()?;
        Some(Self { path, value })
    }

    fn part(&self, member: &SpannedMember) -> Self {
        Self { path: self.path.clone(), value: member.value.clone() }
    }
}

fn list_at<'v>(value: &'v SpannedValue, keys: &[&str]) -> Option<&'v [SpannedValue]> {
    let found = keys.iter().try_fold(value, |value, key| value.get(key).map(|member| &member.value))?;
    match &found.data {
        SpannedData::Array(elements) => Some(elements),
        _ => None,
    }
}

fn has_name(list: &[SpannedValue], name: &str) -> bool {
    list.iter().filter_map(SpannedValue::as_text).any(|listed| is_same_name(listed, name))
}

/// Compares names as clients do: by letters, digits, `_` and `-`, in any case.
pub(super) fn is_same_name(one: &str, other: &str) -> bool {
    let plain = |name: &str| -> String {
        let plain = |one: char| if one.is_ascii_alphanumeric() || one == '-' { one.to_ascii_lowercase() } else { '_' };
        name.trim().chars().map(plain).collect()
    };
    one == other || (one.is_ascii() && plain(one) == plain(other))
}
