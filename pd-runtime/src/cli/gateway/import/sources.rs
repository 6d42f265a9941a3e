//! The files that an import reads.

use super::same_file;
use crate::{
    cli::CliError,
    gateway::{ClientKind, GatewayConfig, find_configs},
};
use std::path::{Path, PathBuf};

/// A client's file.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) client: Option<ClientKind>,
    pub(super) path: PathBuf,
    /// Whether the user named it, so that a mistake in it is an error.
    pub(super) is_named: bool,
}

/// Returns the named files and those of the named clients, or all that are found. The file to write
/// is always among them.
pub(super) fn sources(
    names: &[String],
    config: Option<&Path>,
    client: Option<&Source>,
) -> Result<Vec<Source>, CliError> {
    let mut sources = Vec::new();
    for name in names {
        sources.extend(named(name)?);
    }
    sources.extend(config.map(from_file));
    if sources.is_empty() {
        sources.extend(find_configs().into_iter().map(|(kind, path)| Source {
            client: Some(kind),
            path,
            is_named: false,
        }));
    }
    // A server that two files have keeps its name from the file that is written.
    if let Some(client) = client {
        sources.retain(|source| !same_file(&source.path, &client.path));
        sources.insert(0, client.clone());
    }
    Ok(sources)
}

/// Returns the one file of `CLIENT|FILE`.
///
/// # Errors
///
/// Returns an error if there is none, or if a client has several.
pub(super) fn only_file(name: &str) -> Result<Source, CliError> {
    let found = named(name)?;
    match found.as_slice() {
        [one] => Ok(one.clone()),
        several => {
            let paths: Vec<_> = several.iter().map(|source| source.path.display().to_string()).collect();
            Err(format!("`{name}` has servers in {} files; name one of {}", paths.len(), paths.join(", ")).into())
        }
    }
}

fn named(name: &str) -> Result<Vec<Source>, CliError> {
    let path = Path::new(name);
    if path.is_file() {
        return Ok(vec![from_file(path)]);
    }
    let Some(kind) = ClientKind::from_name(name) else {
        let clients = ClientKind::ALL.map(|client| format!("`{}`", client.slug())).join(", ");
        return Err(format!("`{name}` is neither a file nor a client; the clients are {clients}").into());
    };
    let has_servers = |path: &PathBuf| match GatewayConfig::open(path) {
        Ok(config) => !(config.servers.is_empty() && config.warnings.is_empty() && config.mistakes.is_empty()),
        Err(error) => !error.is_without_servers(),
    };
    let files = find_configs().into_iter().filter(|(found, path)| *found == kind && has_servers(path));
    let files: Vec<_> = files.map(|(_, path)| Source { client: Some(kind), path, is_named: true }).collect();
    if files.is_empty() {
        return Err(format!("{kind} has no file with servers here; name a file instead").into());
    }
    Ok(files)
}

/// Returns the source for a file. Its client is known if the file is where the client has it.
fn from_file(path: &Path) -> Source {
    let client = find_configs().into_iter().find(|(_, found)| same_file(found, path)).map(|(client, _)| client);
    Source { client, path: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()), is_named: true }
}
