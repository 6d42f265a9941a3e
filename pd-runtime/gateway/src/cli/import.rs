//! `import`: the servers of MCP clients in one file for the gateway, and one entry for the gateway
//! in a client's file.

mod report;
mod sources;

use super::saving::GatewaySaving;
use crate::{
    Gateway,
    cli::import_plan::{ImportPlan, edit_client, starts_gateway},
    config::names::entry_name,
};
use clap::Args;
use pd_runtime::{
    cli::CliError,
    upstream::{
        cli::style,
        text::{
            regular_file,
            write_file::{back_up, write_private},
        },
    },
};
use report::{FileChange, ImportReport};
use sources::Source;
use std::{
    collections::HashSet,
    env, fs,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
};

/// The sources, and what to write.
#[derive(Debug, Args)]
pub(super) struct ImportOptions {
    /// Clients or files to import from; by default all files that are found. A file of the project
    /// is imported only if you name its path, or answer the question on a terminal. The clients are
    /// `claude-code`, `claude-desktop`, `cursor`, `vs-code`, `windsurf`, `gemini`, `codex`, `zed`
    /// and `opencode`
    #[arg(value_name = "CLIENT|FILE")]
    sources: Vec<String>,
    /// The gateway's file. Servers are added to it, and none is replaced; by default
    /// `pd-gateway/servers.json` in your configuration directory
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Replace the imported servers in the file of this client by one entry for the gateway. The
    /// file is copied before to FILE.bak-TIME, and everything else in it stays. Servers that do not
    /// start stay, too
    #[arg(long, value_name = "CLIENT|FILE")]
    write_client: Option<String>,
    /// Leave a server where it is; may be repeated
    #[arg(long, value_name = "SERVER")]
    except: Vec<String>,
    /// Show what would change, and what each server runs. No file is written, and no server is
    /// started
    #[arg(long)]
    dry_run: bool,
    /// Start no server. The saving is then counted for servers whose tools are known from before
    #[arg(long)]
    no_start: bool,
    /// Print what is copied and written as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command. `config` is the option of all commands: here, a file to import from.
pub(super) async fn import(
    options: &ImportOptions,
    config: Option<&Path>,
    cache: Option<PathBuf>,
) -> Result<(), CliError> {
    let target = match &options.to {
        Some(path) => path.clone(),
        None => super::config_file::own_path()
            .ok_or("no home directory is known; name a file with `--to FILE`")?,
    };
    let mut plan = ImportPlan::new(&target)?;
    if !plan.target.is_json() {
        return Err(format!(
            "{} is not JSON; name another file with `--to FILE`",
            target.display()
        )
        .into());
    }
    let client = options
        .write_client
        .as_deref()
        .map(sources::only_file)
        .transpose()?;
    let mut report = ImportReport::new(options.dry_run, options.json);
    let (sources, of_project) = sources::sources(&options.sources, config, client.as_ref())?;
    add_sources(&mut plan, sources, options)?;
    add_project_files(&mut plan, of_project, options, &mut report)?;
    // A person reads what is started before it is.
    plan.files
        .iter()
        .try_for_each(|file| report.print_file(file))?;
    if plan.files.iter().all(|file| file.entries.is_empty()) {
        return Err(report.nothing_to_import().into());
    }
    let gateway = open_gateway(&plan, cache)?;
    if !options.dry_run && !options.no_start {
        style::report(&format_args!(
            "starting {}",
            style::counted(started_count(&gateway), "server")
        ));
        super::refresh(&gateway).await;
        mark_failing_servers(&mut plan, client.as_ref(), &gateway);
        report.print_failing(&plan)?;
    }
    // Returned after the servers have stopped, also if it is an error.
    let written = write(&plan, client.as_ref(), &mut report);
    let saving = if written.is_ok() {
        GatewaySaving::count(&gateway).await
    } else {
        Ok(None)
    };
    gateway.stop().await;
    written?;
    let next = if client.is_none() {
        report::next_command(&plan, options.to.as_deref())
    } else {
        None
    };
    report.finish(&plan, saving?, next)
}

fn add_sources(
    plan: &mut ImportPlan,
    sources: Vec<Source>,
    options: &ImportOptions,
) -> Result<(), CliError> {
    let (own, others): (Vec<_>, Vec<_>) = sources
        .into_iter()
        .partition(|source| same_file(&source.path, &plan.target.path));
    if let Some(source) = own.iter().find(|source| source.is_named) {
        return Err(format!(
            "{} is the gateway's own file; name another one with `--to`",
            source.path.display()
        )
        .into());
    }
    for source in others {
        match plan.add(source.client, &source.path, &options.except) {
            Ok(()) => {}
            Err(error) if source.is_named => return Err(error.into()),
            // Most clients keep other settings in the same file.
            Err(error) if error.is_without_servers() => {}
            Err(error) => style::report(&format_args!("warning: {error}")),
        }
    }
    Ok(())
}

/// Shows the files of the project, and adds those that a person allows. Off a terminal, nobody can.
fn add_project_files(
    plan: &mut ImportPlan,
    of_project: Vec<Source>,
    options: &ImportOptions,
    report: &mut ImportReport,
) -> Result<(), CliError> {
    let asks = !options.json
        && !options.dry_run
        && io::stdin().is_terminal()
        && io::stdout().is_terminal();
    for source in of_project {
        // A separate plan, so that a file without consent leaves nothing in the real one.
        let mut shown = ImportPlan::new(&plan.target.path)?;
        match shown.add(source.client, &source.path, &options.except) {
            Err(error) if error.is_without_servers() => continue,
            Err(error) => {
                style::report(&format_args!("warning: {error}"));
                continue;
            }
            Ok(()) => {}
        }
        let Some(file) = shown.files.first().filter(|file| !file.entries.is_empty()) else {
            continue;
        };
        if report.confirm_project_file(file, asks)? {
            plan.add(source.client, &source.path, &options.except)?;
        }
    }
    Ok(())
}

/// Creates a gateway with the servers that the file will have.
fn open_gateway(plan: &ImportPlan, cache: Option<PathBuf>) -> Result<Gateway, CliError> {
    let mut config = plan.target.config()?;
    // A gateway that starts itself would never end.
    config.servers.retain(|entry| !starts_gateway(entry));
    Ok(super::create_gateway(config, cache))
}

fn started_count(gateway: &Gateway) -> usize {
    gateway
        .status()
        .iter()
        .filter(|server| !server.is_left_out)
        .count()
}

/// Marks the servers that did not list their tools. Those of the file that is written stay in it.
fn mark_failing_servers(plan: &mut ImportPlan, client: Option<&Source>, gateway: &Gateway) {
    let failing: HashSet<_> = gateway
        .status()
        .into_iter()
        // Only a server with known lists has a version.
        .filter(|server| server.version.is_none())
        .map(|server| server.name)
        .collect();
    plan.mark_failing(|name| failing.contains(&entry_name(name)));
    if let Some(client) = client {
        let path = client.path.display();
        plan.keep_failing(
            &client.path,
            &format!("it does not start; `pd-gateway --config {path} doctor` shows why"),
        );
    }
}

fn write(
    plan: &ImportPlan,
    client: Option<&Source>,
    report: &mut ImportReport,
) -> Result<(), CliError> {
    // First: a client must not lose a server before the gateway has it.
    write_target(plan, report)?;
    match client {
        Some(client) => write_client(plan, client, report),
        None => Ok(()),
    }
}

/// Writes the gateway's file.
fn write_target(plan: &ImportPlan, report: &mut ImportReport) -> Result<(), CliError> {
    let target = &plan.target;
    let Some(text) = target.render()? else {
        return report.add(FileChange::unchanged(&target.path, "is unchanged"));
    };
    if !report.dry_run {
        if let Some(directory) = target.path.parent() {
            fs::create_dir_all(directory)?;
        }
        // Only the user can read it: entries may contain secrets.
        write_private(&target.path, &text)
            .map_err(|error| report::unwritten(&target.path, &error))?;
    }
    let (new, all) = target.counts();
    let all = style::counted(all, "server");
    let change = if target.exists() {
        format!("has {all}, {new} of them new")
    } else {
        format!("is new, with {all}")
    };
    let shared = target.shared_variables();
    let change = if shared.is_empty() {
        change
    } else {
        format!(
            "{change}; all servers get {} (`pd.inheritEnv`), as your clients pass them on",
            shared.join(", ")
        )
    };
    report.add(FileChange::changed(&target.path, change, None))
}

/// Replaces the servers in a client's file.
fn write_client(
    plan: &ImportPlan,
    client: &Source,
    report: &mut ImportReport,
) -> Result<(), CliError> {
    let Some(file) = plan.files.iter().find(|file| file.path == client.path) else {
        return Ok(());
    };
    // The servers took time to start, and clients write their files, too.
    let text = regular_file::read_to_string(&file.path)?;
    let program = env::current_exe()?;
    let Some((text, name)) =
        edit_client(file, &text, &program.to_string_lossy(), &plan.target.path)?
    else {
        return report.add(FileChange::unchanged(
            &file.path,
            "is unchanged: no server moved to the gateway",
        ));
    };
    let moved = style::counted(file.moved_count(), "server");
    if report.dry_run {
        let change = format!("gets the entry `{name}` instead of {moved}");
        return report.add(FileChange::changed(&file.path, change, None));
    }
    // The file is not replaced without a copy of it.
    let backup = back_up(&file.path).map_err(|error| report::unwritten(&file.path, &error))?;
    write_private(&file.path, &text).map_err(|error| report::unwritten(&file.path, &error))?;
    let change = format!(
        "has the entry `{name}` instead of {moved}; the former file is {}",
        backup.display()
    );
    report.add(FileChange::changed(&file.path, change, Some(backup)))
}

fn same_file(one: &Path, other: &Path) -> bool {
    real_path(one) == real_path(other)
}

fn real_path(path: &Path) -> PathBuf {
    // A file that does not exist yet has its path only.
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
