//! The default place of the lock.

use crate::config::GatewayConfig;
use pd_runtime::{
    store::Digest,
    upstream::text::user_directory::{home, user_state},
};
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The name of the file in a project.
const FILE: &str = "upstreams.lock";
/// The gateway's directory among the state of the user.
const DIRECTORY: &str = "pd-gateway";
/// The hex digits of the hash in a name.
const DIGITS: usize = 12;

/// Returns the directory of the gateway's state: `pd-gateway` in `$XDG_STATE_HOME` or
/// `~/.local/state`.
#[cfg(any(feature = "cli", feature = "oauth"))]
pub(crate) fn state_directory() -> Option<PathBuf> {
    Some(user_state()?.join(DIRECTORY))
}

impl GatewayConfig {
    /// Returns the default place of the lock of these servers, for
    /// [`Gateway::with_lock`](crate::Gateway::with_lock).
    ///
    /// The lock of a project's file is `upstreams.lock` beside it, so that it can be kept under
    /// version control. A project is the current directory, unless that is the home directory or
    /// above. Other files have a lock in the user's state directory, `pd-gateway` in
    /// `$XDG_STATE_HOME` or `~/.local/state`, named after the file's path. A lock that exists in
    /// either place is used from every directory.
    pub fn lock_path(&self) -> PathBuf {
        let home = home();
        let state = user_state();
        let project = env::current_dir().ok().map(|directory| resolve(&directory));
        let project = project.filter(|directory| {
            home.as_ref()
                .is_none_or(|home| !resolve(home).starts_with(directory))
        });
        lock_path(&resolve(&self.path), project.as_deref(), state.as_deref())
    }
}

/// Resolves links, so that each path of a file leads to the same lock.
fn resolve(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}

fn lock_path(config: &Path, project: Option<&Path>, state: Option<&Path>) -> PathBuf {
    let beside = config.with_file_name(FILE);
    let Some(state) = state else { return beside };
    let digest = Digest::from_bytes(config.to_string_lossy().as_bytes()).to_string();
    // Files of one name in two directories have two locks.
    let digits = digest
        .trim_start_matches("sha256:")
        .get(..DIGITS)
        .unwrap_or_default();
    // Without the dot of `.mcp.json`, so that the lock is not a hidden file.
    let name = config.file_stem().unwrap_or_default().to_string_lossy();
    let of_user = state
        .join(DIRECTORY)
        .join(format!("{}-{digits}.lock", name.trim_start_matches('.')));
    // An existing lock comes first. Otherwise a start in another directory would trust every server
    // anew.
    let is_beside = beside.exists()
        || (!of_user.exists() && project.is_some_and(|project| config.starts_with(project)));
    if is_beside { beside } else { of_user }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_project_has_its_lock_beside_its_file() {
        let root = env::temp_dir().join(format!("pd-lock-path-{}", std::process::id()));
        let project = root.join("project");
        let state = root.join("state");
        fs::create_dir_all(project.join(".vscode")).unwrap();
        let config = project.join(".vscode/mcp.json");
        let beside = project.join(".vscode/upstreams.lock");
        assert_eq!(lock_path(&config, Some(&project), Some(&state)), beside);
        let of_user = lock_path(&config, Some(&root.join("other")), Some(&state));
        assert!(of_user.starts_with(state.join("pd-gateway")), "{of_user:?}");
        assert_ne!(
            of_user,
            lock_path(&project.join("mcp.json"), None, Some(&state))
        );
        // A lock that exists is used from every directory.
        fs::create_dir_all(of_user.parent().unwrap()).unwrap();
        fs::write(&of_user, "").unwrap();
        assert_eq!(lock_path(&config, Some(&project), Some(&state)), of_user);
        fs::write(&beside, "").unwrap();
        assert_eq!(lock_path(&config, None, Some(&state)), beside);
        fs::remove_dir_all(root).unwrap();
    }
}
