//! The project that a file belongs to. The servers of a project run in its directory.

use super::spanned::{SpannedMember, SpannedValue};
use std::{
    fs,
    path::{self, Path, PathBuf},
};

/// The directories that clients keep project files in. The workspace is the directory above.
const PROJECT_DIRECTORIES: [&str; 7] = [
    ".vscode",
    ".cursor",
    ".gemini",
    ".codex",
    ".zed",
    ".opencode",
    ".amp",
];
/// The names of files that clients keep in the directory of a project itself.
const PROJECT_FILES: [&str; 3] = [".mcp.json", "opencode.json", "opencode.jsonc"];

/// Returns the directory that `${workspaceFolder}` stands for: the directory of the file, or the
/// one above if the file is in a client's directory such as `.vscode`.
pub(crate) fn workspace_of(file: &Path) -> PathBuf {
    let file = path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let directory = file.parent().unwrap_or(Path::new(""));
    let workspace = if is_client_directory(directory) {
        directory.parent().unwrap_or(directory)
    } else {
        directory
    };
    workspace.to_owned()
}

/// Returns the directory of the project that a file belongs to. Returns `None` for a file of the
/// user, and for a file that no client looks for in a project.
pub(super) fn project_of(file: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let file = path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let workspace = workspace_of(&file);
    let is_in_client_directory = file.parent().is_some_and(is_client_directory);
    let is_project_file = PROJECT_FILES
        .iter()
        .any(|name| file.file_name().is_some_and(|own| own == *name));
    // `~/.cursor/mcp.json` is a file of the user, and so is `~/.config/opencode/opencode.json`.
    let is_of_user = home.is_some_and(|home| {
        (is_in_client_directory && workspace == home) || file.starts_with(home.join(".config"))
    });
    ((is_in_client_directory || is_project_file) && !is_of_user).then_some(workspace)
}

fn is_client_directory(directory: &Path) -> bool {
    // Compared as text: these names are ASCII.
    directory
        .file_name()
        .is_some_and(|name| PROJECT_DIRECTORIES.iter().any(|project| name == *project))
}

/// Returns what `~/.claude.json` has about the project of a directory.
pub(super) fn claude_project<'v>(
    root: &'v SpannedValue,
    directory: &Path,
) -> Option<&'v SpannedMember> {
    let projects = &root.get("projects")?.value;
    // Both paths, because either can be the key if the directory is reached by a link.
    let real = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
    [directory, &real].into_iter().find_map(|directory| {
        let text = directory.to_str()?;
        // Claude Code writes `/` on Windows, too.
        projects
            .get(text)
            .or_else(|| projects.get(&text.trim_start_matches(r"\\?\").replace('\\', "/")))
    })
}
