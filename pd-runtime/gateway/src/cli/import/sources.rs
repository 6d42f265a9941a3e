//! The files that an import reads.

use super::same_file;
use crate::{ClientKind, GatewayConfig, find_configs, trust::entry_approvals::is_found_in_project};
use pd_runtime::{cli::CliError, upstream::cli::style};
use std::path::{Path, PathBuf};

/// A client's file.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) client: Option<ClientKind>,
    pub(super) path: PathBuf,
    /// Whether the user named it, so that a mistake in it is an error.
    pub(super) is_named: bool,
}

/// Returns the named files and the files of the named clients, or all that are found. The file to
/// write is always among them. Files of the project that were found come second: they need a
/// consent.
pub(super) fn sources(
    names: &[String],
    config: Option<&Path>,
    client: Option<&Source>,
) -> Result<(Vec<Source>, Vec<Source>), CliError> {
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
    let (of_project, sources) = sources
        .into_iter()
        .partition(|source| !source.is_named && is_found_in_project(&source.path));
    Ok((sources, of_project))
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
            let paths: Vec<_> = several
                .iter()
                .map(|source| source.path.display().to_string())
                .collect();
            Err(format!(
                "`{name}` has servers in {} files; name one of {}",
                paths.len(),
                paths.join(", ")
            )
            .into())
        }
    }
}

fn named(name: &str) -> Result<Vec<Source>, CliError> {
    let path = Path::new(name);
    if path.is_file() {
        return Ok(vec![from_file(path)]);
    }
    let Some(kind) = ClientKind::from_name(name) else {
        let clients = ClientKind::ALL
            .map(|client| format!("`{}`", client.slug()))
            .join(", ");
        return Err(
            format!("`{name}` is neither a file nor a client; the clients are {clients}").into(),
        );
    };
    let files = find_configs()
        .into_iter()
        .filter(|(found, path)| *found == kind && has_servers(path));
    let files = files.map(|(_, path)| Source {
        client: Some(kind),
        path,
        is_named: true,
    });
    // The name of a client is not a consent to what a project runs.
    let (of_project, files): (Vec<_>, Vec<_>) =
        files.partition(|source| is_found_in_project(&source.path));
    if let (Some(source), true) = (of_project.first(), files.is_empty()) {
        let path = source.path.display();
        return Err(format!(
            "the file of {kind} here is that of the project; name it to use it: {path}"
        )
        .into());
    }
    for source in of_project {
        style::report(&format_args!(
            "{} is that of the project, and is used only if you name it",
            source.path.display()
        ));
    }
    if files.is_empty() {
        return Err(format!("{kind} has no file with servers here; name a file instead").into());
    }
    Ok(files)
}

fn has_servers(path: &Path) -> bool {
    match GatewayConfig::open(path) {
        Ok(config) => {
            // A file with mistakes in all entries has servers, too.
            !(config.servers.is_empty() && config.warnings.is_empty() && config.mistakes.is_empty())
        }
        Err(error) => !error.is_without_servers(),
    }
}

/// Returns the source for a file. Its client is known if the file is where the client has it.
fn from_file(path: &Path) -> Source {
    let client = find_configs()
        .into_iter()
        .find(|(_, found)| same_file(found, path))
        .map(|(client, _)| client);
    Source {
        client,
        path: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
        is_named: true,
    }
}
