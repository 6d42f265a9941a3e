//! Configurations of this process: with its variables, its current directory, and the files of its
//! user.

use crate::config::{
    self, ConfigError, GatewayConfig,
    discover::{self, ClientKind},
};
use pd_runtime::upstream::text::user_directory::home;
use std::{
    env,
    path::{Path, PathBuf},
};

impl GatewayConfig {
    /// Reads a file with the variables of this process's environment. An input of VS Code has its
    /// value in the variable `PD_INPUT_ID`. Of `~/.claude.json`, the servers of the current
    /// directory are read, too.
    ///
    /// An entry with a mistake is left out, and [`mistakes`](Self::mistakes) has its mistakes.
    /// [`without_mistakes`](Self::without_mistakes) refuses such a file.
    ///
    /// # Errors
    ///
    /// Returns the mistakes, each with its line, entry and key, if one of them concerns the file as
    /// a whole.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        with_environment(|context| Self::read(path.as_ref(), context))
    }
}

/// Calls a function with the variables of this process's environment and the current directory.
pub(crate) fn with_environment<T>(read: impl FnOnce(&config::ReadContext<'_>) -> T) -> T {
    let project = env::current_dir().ok();
    let context = config::ReadContext::new(&variable, &input_value);
    read(
        &project
            .as_ref()
            .map_or(context, |directory| context.with_project(directory)),
    )
}

fn variable(name: &str) -> Option<String> {
    // A value that is not Unicode counts as unset, because the texts of entries are.
    env::var(name).ok()
}

fn input_value(id: &str) -> Option<String> {
    env::var(config::input_variable(id)).ok()
}

/// Parses a text as the file `path` would be read.
///
/// # Errors
///
/// Returns the mistakes if one of them concerns the text as a whole.
#[cfg(feature = "cli")]
pub(crate) fn config_from_text(path: &Path, text: &str) -> Result<GatewayConfig, ConfigError> {
    with_environment(|context| GatewayConfig::parse(path, text, context))
}

/// Returns the configuration files of MCP clients that exist: the files of the current directory
/// first, then the files of the user.
///
/// Whoever can write in the current directory decides what its files run. A
/// [`Gateway`](crate::Gateway) runs each configuration that it is given, so ask the user before you
/// give it one of these. The command line asks for an approval.
pub fn find_configs() -> Vec<(ClientKind, PathBuf)> {
    discover::find(home().as_deref(), &env::current_dir().unwrap_or_default())
}
