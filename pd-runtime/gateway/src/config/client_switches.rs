//! Switches of clients that are not part of an entry: servers that a person rejected or switched
//! off in Claude Code or Gemini CLI, and those that a policy denies.

use super::{
    file, json,
    project_directory::claude_project,
    same_name::is_same_name,
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

/// The switches of one file's client.
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
            // The directory of this file is the home directory.
            return Self::of_claude(path.parent(), project, project, false);
        }
        if parent.is_some_and(|name| name == ".gemini") {
            return Self::of_gemini(path, home);
        }
        Self::default()
    }

    /// `disabledMcpjsonServers` concerns the servers of `.mcp.json` alone. A name in the list of
    /// any settings file rejects the server, even if another list approves it.
    fn of_claude(
        home: Option<&Path>,
        project: Option<&Path>,
        current: Option<&Path>,
        is_project_file: bool,
    ) -> Self {
        let mut documents = Vec::new();
        if let Some(state) = home
            .map(|home| home.join(".claude.json"))
            .and_then(Document::read)
        {
            // A session in a subdirectory has its own project.
            let inner = current
                .filter(|current| project.is_some_and(|project| current.starts_with(project)));
            for directory in [project, inner.filter(|inner| Some(*inner) != project)]
                .into_iter()
                .flatten()
            {
                // A copy of the project's part, so that the rest of up to 32 MiB is not kept.
                documents
                    .extend(claude_project(&state.value, directory).map(|own| state.part(own)));
            }
        }
        let of_project = ["settings.local.json", "settings.json"].into_iter();
        let of_project = of_project.filter_map(|name| Some(project?.join(".claude").join(name)));
        let settings = MANAGED_SETTINGS.iter().map(PathBuf::from).chain(of_project);
        let settings = settings.chain(home.map(|home| home.join(".claude/settings.json")));
        documents.extend(settings.filter_map(Document::read));
        let off_lists: &[&[&str]] = match is_project_file {
            true => &[&["disabledMcpServers"], &["disabledMcpjsonServers"]],
            false => &[&["disabledMcpServers"]],
        };
        Self {
            client: "Claude Code",
            documents,
            off_lists,
            on_lists: &[],
            has_policies: true,
        }
    }

    fn of_gemini(path: &Path, home: Option<&Path>) -> Self {
        let directory = home.map(|home| home.join(".gemini"));
        let user = directory
            .as_ref()
            .map(|directory| directory.join("settings.json"));
        let paths = [Some(path.to_owned()), user.filter(|user| user != path)];
        let mut documents: Vec<_> = paths
            .into_iter()
            .flatten()
            .filter_map(Document::read)
            .collect();
        let enablement = directory.map(|directory| directory.join("mcp-server-enablement.json"));
        documents.extend(enablement.and_then(Document::read));
        let off_lists: &[&[&str]] = &[&["mcp", "excluded"], &["excludeMCPServers"]];
        let on_lists: &[&[&str]] = &[&["mcp", "allowed"], &["allowMCPServers"]];
        Self {
            client: "Gemini CLI",
            documents,
            off_lists,
            on_lists,
            has_policies: false,
        }
    }

    /// Returns which switch switches a server off: `switched off in CLIENT (KEY in FILE)`.
    pub(super) fn switch_of(&self, entry: &SpannedMember) -> Option<String> {
        self.documents.iter().find_map(|document| {
            let key = self.key_in(document, entry)?;
            Some(format!(
                "switched off in {} (`{key}` in {})",
                self.client,
                document.path.display()
            ))
        })
    }

    fn key_in(&self, document: &Document, entry: &SpannedMember) -> Option<String> {
        let value = &document.value;
        let off = lists_in(value, self.off_lists).find(|(_, list)| has_name(list, &entry.key));
        let list = off.or_else(|| {
            lists_in(value, self.on_lists).find(|(_, list)| !has_name(list, &entry.key))
        });
        if let Some((key, _)) = list {
            return Some(key);
        }
        if is_off_in_enablement(document, entry) == Some(true) {
            return Some("enabled".to_owned());
        }
        if self.has_policies {
            server_policy::denying_key(value, entry).map(str::to_owned)
        } else {
            None
        }
    }
}

/// Iterates over the lists that a document has, each with its dotted key.
fn lists_in<'v>(
    value: &'v SpannedValue,
    lists: &'static [&'static [&'static str]],
) -> impl Iterator<Item = (String, &'v [SpannedValue])> {
    lists
        .iter()
        .filter_map(|keys| Some((keys.join("."), list_at(value, keys)?)))
}

/// Returns whether Gemini's file of enabled servers switches an entry off. Returns `None` if the
/// file does not name the entry.
fn is_off_in_enablement(document: &Document, entry: &SpannedMember) -> Option<bool> {
    let file = document.path.file_name()?;
    let own = document
        .value
        .as_object()?
        .iter()
        .find(|member| is_same_name(&member.key, &entry.key))?;
    let enabled = &own.value.get("enabled")?.value.data;
    // In the other files, a member of this name can be any setting.
    Some(file == "mcp-server-enablement.json" && matches!(enabled, SpannedData::Boolean(false)))
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
        Self {
            path: self.path.clone(),
            value: member.value.clone(),
        }
    }
}

fn list_at<'v>(value: &'v SpannedValue, keys: &[&str]) -> Option<&'v [SpannedValue]> {
    let found = keys.iter().try_fold(value, |value, key| {
        value.get(key).map(|member| &member.value)
    })?;
    match &found.data {
        SpannedData::Array(elements) => Some(elements),
        _ => None,
    }
}

fn has_name(list: &[SpannedValue], name: &str) -> bool {
    list.iter()
        .filter_map(SpannedValue::as_text)
        .any(|listed| is_same_name(listed, name))
}
