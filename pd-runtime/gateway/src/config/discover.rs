//! The places where MCP clients keep their configuration files. The files of all operating systems
//! are among them, because a file that does not exist is skipped.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// An MCP client with configuration files that the gateway reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ClientKind {
    /// Claude Code.
    ClaudeCode,
    /// Claude Desktop.
    ClaudeDesktop,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
    /// Windsurf.
    Windsurf,
    /// Gemini CLI.
    Gemini,
    /// Codex.
    Codex,
    /// Zed.
    Zed,
    /// opencode.
    OpenCode,
}

impl ClientKind {
    /// Returns the product's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Windsurf => "Windsurf",
            Self::Gemini => "Gemini CLI",
            Self::Codex => "Codex",
            Self::Zed => "Zed",
            Self::OpenCode => "opencode",
        }
    }

    /// Returns the name in lower case with `-`, as users type it.
    #[cfg(feature = "cli")]
    pub(crate) fn slug(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Cursor => "cursor",
            Self::VsCode => "vs-code",
            Self::Windsurf => "windsurf",
            Self::Gemini => "gemini",
            Self::Codex => "codex",
            Self::Zed => "zed",
            Self::OpenCode => "opencode",
        }
    }

    /// Returns the client with the name that a user typed: `vs-code`, `vscode` or `VS Code`.
    #[cfg(feature = "cli")]
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        let bare = |name: &str| {
            name.chars()
                .filter(char::is_ascii_alphanumeric)
                .collect::<String>()
                .to_ascii_lowercase()
        };
        let wanted = bare(name);
        Self::ALL
            .into_iter()
            .find(|client| [client.slug(), client.as_str()].map(bare).contains(&wanted))
    }

    #[cfg(feature = "cli")]
    pub(crate) const ALL: [Self; 9] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Cursor,
        Self::VsCode,
        Self::Windsurf,
        Self::Gemini,
        Self::Codex,
        Self::Zed,
        Self::OpenCode,
    ];
}

impl fmt::Display for ClientKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The files of a project, below its directory.
pub(crate) const PROJECT_FILES: &[(ClientKind, &str)] = &[
    (ClientKind::ClaudeCode, ".mcp.json"),
    (ClientKind::Cursor, ".cursor/mcp.json"),
    (ClientKind::VsCode, ".vscode/mcp.json"),
    (ClientKind::Gemini, ".gemini/settings.json"),
    (ClientKind::Codex, ".codex/config.toml"),
    (ClientKind::Zed, ".zed/settings.json"),
    (ClientKind::OpenCode, "opencode.json"),
    (ClientKind::OpenCode, "opencode.jsonc"),
    (ClientKind::OpenCode, ".opencode/opencode.json"),
    (ClientKind::OpenCode, ".opencode/opencode.jsonc"),
];

/// The files of a user, below the home directory: on Linux, macOS and Windows.
pub(crate) const USER_FILES: &[(ClientKind, &str)] = &[
    (ClientKind::ClaudeCode, ".claude.json"),
    (
        ClientKind::ClaudeDesktop,
        ".config/Claude/claude_desktop_config.json",
    ),
    (
        ClientKind::ClaudeDesktop,
        "Library/Application Support/Claude/claude_desktop_config.json",
    ),
    (
        ClientKind::ClaudeDesktop,
        "AppData/Roaming/Claude/claude_desktop_config.json",
    ),
    (ClientKind::Cursor, ".cursor/mcp.json"),
    (ClientKind::VsCode, ".config/Code/User/mcp.json"),
    (
        ClientKind::VsCode,
        "Library/Application Support/Code/User/mcp.json",
    ),
    (ClientKind::VsCode, "AppData/Roaming/Code/User/mcp.json"),
    (ClientKind::Windsurf, ".codeium/windsurf/mcp_config.json"),
    (ClientKind::Gemini, ".gemini/settings.json"),
    (ClientKind::Codex, ".codex/config.toml"),
    (ClientKind::Zed, ".config/zed/settings.json"),
    (
        ClientKind::Zed,
        "Library/Application Support/Zed/settings.json",
    ),
    (ClientKind::Zed, "AppData/Roaming/Zed/settings.json"),
    (ClientKind::OpenCode, ".config/opencode/opencode.json"),
    (ClientKind::OpenCode, ".config/opencode/opencode.jsonc"),
];

/// Returns the places of configuration files, the places in the project `cwd` first. No place
/// occurs twice, even if the project is the home directory. Without a home directory, the user has
/// no files: below an empty path, the files of the project would count as the user's.
pub(crate) fn candidates(home: Option<&Path>, cwd: &Path) -> Vec<(ClientKind, PathBuf)> {
    let mut places: Vec<(ClientKind, PathBuf)> =
        Vec::with_capacity(PROJECT_FILES.len() + USER_FILES.len());
    let project = PROJECT_FILES
        .iter()
        .map(|(client, file)| (*client, cwd.join(file)));
    let home = home.filter(|home| home.is_absolute());
    let of_user = home.into_iter().flat_map(|home| {
        USER_FILES
            .iter()
            .map(|(client, file)| (*client, home.join(file)))
    });
    for place in project.chain(of_user) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// Returns the configuration files that exist, the files of the project `cwd` first.
pub(crate) fn find(home: Option<&Path>, cwd: &Path) -> Vec<(ClientKind, PathBuf)> {
    candidates(home, cwd)
        .into_iter()
        .filter(|(_, path)| path.is_file())
        .collect()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::{ClientKind, candidates, find};
    use std::{fs, path::Path};

    #[test]
    fn project_files_come_first() {
        let places = candidates(Some(Path::new("/home/ada")), Path::new("/work/app"));
        let project = places
            .iter()
            .take_while(|(_, path)| path.starts_with("/work/app"))
            .count();
        assert_eq!(project, 10);
        assert!(
            places
                .iter()
                .skip(project)
                .all(|(_, path)| path.starts_with("/home/ada"))
        );
        for expected in [
            (ClientKind::ClaudeCode, "/work/app/.mcp.json"),
            (ClientKind::ClaudeCode, "/home/ada/.claude.json"),
            (
                ClientKind::ClaudeDesktop,
                "/home/ada/.config/Claude/claude_desktop_config.json",
            ),
            (
                ClientKind::VsCode,
                "/home/ada/Library/Application Support/Code/User/mcp.json",
            ),
            (
                ClientKind::Windsurf,
                "/home/ada/.codeium/windsurf/mcp_config.json",
            ),
            (ClientKind::Codex, "/home/ada/.codex/config.toml"),
        ] {
            assert!(
                places.contains(&(expected.0, expected.1.into())),
                "{expected:?}"
            );
        }
    }

    #[test]
    fn the_home_directory_as_a_project_has_no_file_twice() {
        let places = candidates(Some(Path::new("/home/ada")), Path::new("/home/ada"));
        let cursor = places
            .iter()
            .filter(|(client, _)| *client == ClientKind::Cursor);
        assert_eq!(cursor.count(), 1);
    }

    #[test]
    fn only_files_that_exist_are_found() {
        let root = std::env::temp_dir().join(format!("gwconfig-discover-{}", std::process::id()));
        let home = root.join("home");
        let project = root.join("project");
        // A directory with the name of a file is not a file.
        fs::create_dir_all(home.join(".claude.json")).unwrap();
        fs::create_dir_all(home.join(".codex")).unwrap();
        fs::create_dir_all(&project).unwrap();
        fs::write(home.join(".codex/config.toml"), "").unwrap();
        fs::write(project.join(".mcp.json"), "{}").unwrap();
        let expected = [
            (ClientKind::ClaudeCode, project.join(".mcp.json")),
            (ClientKind::Codex, home.join(".codex/config.toml")),
        ];
        assert_eq!(find(Some(&home), &project), expected);
        fs::remove_dir_all(&root).unwrap();
    }
}
