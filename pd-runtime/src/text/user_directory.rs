//! The directories of the user's caches and states, by the XDG base directory specification.
//! Windows has other variables for them.

use std::{env, path::PathBuf};

/// Returns the directory for the caches of all programs of the user.
pub fn user_cache() -> Option<PathBuf> {
    variable("XDG_CACHE_HOME")
        .or_else(|| variable("LOCALAPPDATA"))
        .or_else(|| Some(home()?.join(".cache")))
}

/// Returns the directory for the state of all programs of the user.
pub fn user_state() -> Option<PathBuf> {
    variable("XDG_STATE_HOME")
        .or_else(|| variable("LOCALAPPDATA"))
        .or_else(|| Some(home()?.join(".local/state")))
}

/// Returns the user's home directory.
pub fn home() -> Option<PathBuf> {
    variable("HOME").or_else(|| variable("USERPROFILE"))
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}
