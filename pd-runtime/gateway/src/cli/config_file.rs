//! The configuration file of a gateway: the one that is named, the gateway's own, or the first of a
//! client.

use crate::{
    GatewayConfig,
    cli::import_plan::starts_gateway,
    find_configs,
    trust::entry_approvals::{EntryApprovals, is_found_in_project, is_named_of_project},
};
use pd_runtime::{cli::CliError, upstream::cli::style};
use std::{
    env,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Returns the path of the file that `import` writes by default: `pd-gateway/servers.json` in
/// `$XDG_CONFIG_HOME`, `%APPDATA%` or `~/.config`.
pub(super) fn own_path() -> Option<PathBuf> {
    let directory = directory_in("XDG_CONFIG_HOME").or_else(|| directory_in("APPDATA"));
    let directory = directory.or_else(|| Some(directory_in("HOME")?.join(".config")))?;
    Some(directory.join("pd-gateway").join("servers.json"))
}

fn directory_in(variable: &str) -> Option<PathBuf> {
    // XDG Base Directory Specification: an empty variable counts as unset.
    env::var_os(variable)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// A configuration file.
pub(super) struct OpenedConfig {
    pub(super) config: GatewayConfig,
    /// The approvals of its entries, if the file belongs to a project.
    pub(super) approvals: Option<Arc<EntryApprovals>>,
    /// Whether the user named it, so that its entries run without an approval.
    pub(super) is_named: bool,
}

/// Reads the named file, the gateway's own, or the first of a client that has servers. Returns
/// `None` if there is none.
///
/// # Errors
///
/// Returns the mistakes in the file, or in the approvals of a project's file.
pub(super) fn open(named: Option<PathBuf>) -> Result<Option<OpenedConfig>, CliError> {
    let own = own_path().filter(|path| path.is_file());
    if let Some(path) = named {
        let config = read(&path)?;
        let is_of_project = is_named_of_project(&path, own.as_deref());
        let approvals = is_of_project.then(|| Arc::new(EntryApprovals::for_named(&config)));
        return Ok(Some(OpenedConfig {
            config,
            approvals,
            is_named: true,
        }));
    }
    for path in own
        .iter()
        .cloned()
        .chain(find_configs().into_iter().map(|(_, path)| path))
    {
        // Most clients keep other settings in the same file. `read` would print the warnings of a
        // file that is not used.
        if GatewayConfig::open(&path).is_err_and(|error| error.is_without_servers()) {
            continue;
        }
        let config = read(&path)?;
        if !config.servers.is_empty() || !config.mistakes.is_empty() {
            style::report(&format_args!("using {}", path.display()));
            // The gateway's own file needs no approval, wherever it is.
            let is_of_project = own.as_ref() != Some(&path) && is_found_in_project(&path);
            let approvals = is_of_project
                .then(|| EntryApprovals::for_found(&config).map(Arc::new))
                .transpose()?;
            return Ok(Some(OpenedConfig {
                config,
                approvals,
                is_named: false,
            }));
        }
    }
    Ok(None)
}

/// Reads a file, and leaves out entries of gateways: a gateway that starts itself would never end.
pub(super) fn read(path: &Path) -> Result<GatewayConfig, CliError> {
    let mut config = GatewayConfig::open(path)?;
    for warning in &config.warnings {
        let effect = if warning.kind.is_missing_value() {
            "; the server is left out"
        } else {
            ""
        };
        style::report(&format_args!("warning: {warning}{effect}"));
    }
    for mistake in &config.mistakes {
        style::report(&format_args!("warning: {mistake}; the server is left out"));
    }
    for entry in config.servers.iter().filter(|entry| starts_gateway(entry)) {
        let label = &entry.label;
        style::report(&format_args!(
            "warning: `{label}` is a gateway and is left out, so that none starts itself"
        ));
    }
    config.servers.retain(|entry| !starts_gateway(entry));
    Ok(config)
}
