//! Finds the entries of a file, with what their places say: the project, and the switches of the
//! client.

use super::{
    ReadContext,
    client_switches::ClientSwitches,
    error::ConfigErrorKind,
    in_ticks::in_ticks,
    mistake_collector::MistakeCollector,
    project_directory::{claude_project, project_of, workspace_of},
    server_objects::{self, SERVER_KEYS, ServerObject},
    spanned::{SpannedMember, SpannedValue},
};
use pd_schema::suggest::nearest;
use std::path::{Path, PathBuf};

/// The keys that an error names, from most clients, VS Code and Codex.
const NAMED_KEYS: [&str; 3] = ["mcpServers", "servers", "mcp_servers"];

/// The limit on the number of entries in one file.
pub(super) const ENTRIES_MAX: usize = 1_024;

/// An entry, and what its place says about it.
pub(super) struct FoundEntry<'v> {
    pub(super) member: &'v SpannedMember,
    /// The keys from the root of the file to the object that contains the entry.
    #[cfg_attr(
        not(feature = "cli"),
        expect(dead_code, reason = "the import reads it")
    )]
    pub(super) location: Vec<String>,
    /// The directory that `${workspaceFolder}` stands for.
    pub(super) workspace: PathBuf,
    /// The project that the entry belongs to.
    pub(super) project: Option<PathBuf>,
    /// The switch in its client that switches the server off.
    pub(super) switch: Option<String>,
}

/// Returns the entries of all servers.
pub(super) fn found_entries<'v>(
    path: &Path,
    root: &'v SpannedValue,
    context: &ReadContext<'_>,
    mistakes: &mut MistakeCollector<'_>,
) -> Vec<FoundEntry<'v>> {
    let objects = server_objects::find(root);
    if let [one, other, ..] = objects.as_slice() {
        mistakes.report(other.member.offset, None, "", two_objects(one, other));
        return Vec::new();
    }
    let object = objects.into_iter().next();
    // A `.claude.json` can have servers of projects alone.
    if object.is_none() && root.get("projects").is_none() {
        report_no_servers(root, mistakes);
    }
    let home = context.home().map(PathBuf::from);
    let workspace = workspace_of(path);
    let project = project_of(path, home.as_deref());
    let switches = ClientSwitches::read(path, home.as_deref(), context.project);
    let own_project = context
        .project
        .and_then(|project| claude_project(root, project));
    let own_object =
        own_project.and_then(|project| Some((project, project.value.get("mcpServers")?)));
    let own = own_object
        .map(|(_, object)| members_of(object, mistakes))
        .unwrap_or_default();
    let shared = object
        .as_ref()
        .map(|object| members_of(object.member, mistakes))
        .unwrap_or_default();
    // Claude Code prefers the project's entry of a name.
    let shared = shared
        .into_iter()
        .filter(|member| own.iter().all(|other| other.key != member.key));

    let shared = shared.map(|member| FoundEntry {
        member,
        location: object
            .iter()
            .flat_map(|object| &object.location)
            .map(|key| (*key).to_owned())
            .collect(),
        workspace: workspace.clone(),
        project: project.clone(),
        switch: switches.switch_of(member),
    });
    let own = own.iter().map(|member| {
        let directory = own_project
            .map(|project| project.key.clone())
            .unwrap_or_default();
        FoundEntry {
            member,
            location: vec![
                "projects".to_owned(),
                directory.clone(),
                "mcpServers".to_owned(),
            ],
            // The key of a project in `~/.claude.json` is its directory.
            workspace: PathBuf::from(&directory),
            project: Some(PathBuf::from(directory)),
            switch: switches.switch_of(member),
        }
    });
    let entries: Vec<_> = shared.chain(own).collect();
    if entries.len() > ENTRIES_MAX {
        let offset = object
            .map(|object| object.member)
            .or(own_object.map(|(_, object)| object));
        let offset = offset.map_or(0, |object| object.offset);
        let advice = "divide the file";
        mistakes.report(
            offset,
            None,
            "",
            ConfigErrorKind::TooMany {
                what: "servers",
                max: ENTRIES_MAX,
                advice,
            },
        );
        return Vec::new();
    }
    entries
}

fn two_objects(one: &ServerObject<'_>, other: &ServerObject<'_>) -> ConfigErrorKind {
    let one = one.location.join(".");
    let other = other.location.join(".");
    if one == other {
        return ConfigErrorKind::DuplicateKey { key: one };
    }
    ConfigErrorKind::TwoServerObjects { one, other }
}

fn members_of<'v>(
    object: &'v SpannedMember,
    mistakes: &mut MistakeCollector<'_>,
) -> Vec<&'v SpannedMember> {
    let Some(members) = object.value.as_object() else {
        let kind = ConfigErrorKind::WrongType {
            wanted: "an object",
            found: object.value.type_name(),
        };
        mistakes.report(object.offset, None, &object.key, kind);
        return Vec::new();
    };
    members.iter().collect()
}

fn report_no_servers(root: &SpannedValue, mistakes: &mut MistakeCollector<'_>) {
    let Some(members) = root.as_object() else {
        let kind = ConfigErrorKind::WrongType {
            wanted: "an object",
            found: root.type_name(),
        };
        return mistakes.report(root.offset, None, "", kind);
    };
    let near = members
        .iter()
        .find_map(|member| Some((member, nearest(&member.key, SERVER_KEYS)?)));
    let (offset, hint) = match near {
        Some((member, near)) => (
            member.offset,
            format!("`{}` is not read; did you mean `{near}`?", member.key),
        ),
        None => (
            root.offset,
            format!("add one of {}", in_ticks(NAMED_KEYS.iter().copied())),
        ),
    };
    mistakes.report(offset, None, "", ConfigErrorKind::NoServers { hint });
}
