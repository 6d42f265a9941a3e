//! The command line of a gateway: the commands of every server, on the tools of other servers.

mod config_file;
mod examples;
mod import;
mod saving;
mod tour;

use super::{CliError, Command, fail, style};
use crate::{
    gateway::{ConfigMistake, Gateway, GatewayConfig, ServerStatus},
    text::escape,
};
use clap::{Parser, Subcommand};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Offers the MCP servers of a configuration file as one server with progressive disclosure
#[derive(Debug, Parser)]
#[command(name = "pd-gateway", version, arg_required_else_help = true)]
struct Line {
    /// The file with the servers: `mcpServers` of any client, `servers` of VS Code, or TOML of Codex. By default the
    /// gateway's own file, which `import` writes, or the first of `.mcp.json`, `.vscode/mcp.json` and the files of your
    /// clients
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// The directory for the lists of the servers; by default `pd-gateway` in your cache directory
    #[arg(long, value_name = "DIRECTORY", global = true)]
    cache: Option<PathBuf>,
    #[command(subcommand)]
    command: LineCommand,
}

#[derive(Debug, Subcommand)]
enum LineCommand {
    /// Copy the servers of your MCP clients into one file, and show how many tokens the gateway saves
    Import(import::ImportOptions),
    #[command(flatten)]
    Gateway(GatewayCommand),
}

/// The commands on the servers of one file.
#[derive(Debug, Subcommand)]
enum GatewayCommand {
    /// Start each server once, and show what it lists and what is wrong with it
    Doctor,
    #[command(flatten)]
    Server(Command),
}

/// Runs the command of the process's arguments on the servers of a configuration file. (Features
/// `cli` and `gateway`.)
pub async fn gateway_main() -> ExitCode {
    let Line { config, cache, command } = Line::parse();
    let code = match command {
        LineCommand::Import(options) => {
            import::import(&options, config.as_deref(), cache).await.map(|()| ExitCode::SUCCESS)
        }
        LineCommand::Gateway(command) => run(command, config, cache).await,
    };
    match code {
        Ok(code) => code,
        Err(error) if super::is_closed_pipe(error.as_ref()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

async fn run(command: GatewayCommand, config: Option<PathBuf>, cache: Option<PathBuf>) -> Result<ExitCode, CliError> {
    let is_tour = matches!(command, GatewayCommand::Server(Command::Tour(_)));
    let config = match config_file::open(config)? {
        Some(config) => config,
        None if is_tour => examples::config()?,
        None => return Err("no client has a file with servers here; name one with `--config FILE`".into()),
    };
    let (path, has_values) = (config.path.clone(), !config.warnings.iter().any(is_missing_value));
    let gateway = create_gateway(config, cache);
    let code = match command {
        GatewayCommand::Doctor => doctor(&gateway, &path, has_values).await,
        GatewayCommand::Server(Command::Tour(options)) => {
            read_lists(&gateway).await;
            tour::tour(&options, &gateway).await.map(|()| ExitCode::SUCCESS)
        }
        GatewayCommand::Server(command @ Command::Tokens(_)) => {
            let code = run_on_tools(command, &gateway).await;
            // The table counts each tool by itself, and the listing `grouped` lists none of them.
            saving::print(&gateway).await.map(|()| code)
        }
        GatewayCommand::Server(command) => Ok(run_on_tools(command, &gateway).await),
    };
    gateway.stop().await;
    code
}

fn is_missing_value(warning: &ConfigMistake) -> bool {
    warning.kind.is_missing_value()
}

fn create_gateway(config: GatewayConfig, cache: Option<PathBuf>) -> Gateway {
    match cache {
        Some(directory) => Gateway::with_cache(config, directory),
        None => Gateway::new(config),
    }
}

/// Reads the lists that are not known yet, and reports the servers that have none.
async fn read_lists(gateway: &Gateway) {
    gateway.refresh().await;
    for missing in missing_lists(gateway) {
        style::report(&format_args!("warning: {missing}"));
    }
}

async fn run_on_tools(command: Command, gateway: &Gateway) -> ExitCode {
    // A client must not wait for servers that start slowly: their tools are added when they are known.
    let is_server = matches!(command, Command::Serve(_));
    if !is_server {
        read_lists(gateway).await;
    }
    command
        .run_with(gateway.builder(), |server, http| {
            gateway.follow(server);
            let gateway = gateway.clone();
            tokio::spawn(async move {
                gateway.refresh().await;
                missing_lists(&gateway).iter().for_each(|missing| tracing::warn!("{missing}"));
            });
            Ok(http)
        })
        .await
}

/// Returns a line for each server whose lists are not known, with the reason.
fn missing_lists(gateway: &Gateway) -> Vec<String> {
    let line = |server: ServerStatus| match (server.version, server.last_error) {
        (None, Some(error)) => Some(format!("`{}` lists no tools: {error}", server.name)),
        _ => None,
    };
    gateway.status().into_iter().filter_map(line).collect()
}

async fn doctor(gateway: &Gateway, path: &Path, has_values: bool) -> Result<ExitCode, CliError> {
    gateway.refresh_all().await;
    let servers = gateway.status();
    style::print(format_args!("{}\n", style::dim(path.display())))?;
    let width = servers.iter().map(|server| server.name.chars().count()).max().unwrap_or(0);
    for server in &servers {
        let name = style::bold(format!("{:width$}", server.name));
        let state = match (&server.last_error, &server.version) {
            (None, Some(version)) => {
                let time = server.started_in.map(|time| format!(", started in {} ms", time.as_millis()));
                format!(
                    "{}  {}, MCP {version}{}",
                    style::green("ok"),
                    style::counted(server.tools, "tool"),
                    time.unwrap_or_default()
                )
            }
            (error, _) => {
                format!("{}  {}", style::red("failed"), escape::lines(error.as_deref().unwrap_or("no answer")))
            }
        };
        style::print(format_args!("{name}  {state}\n"))?;
        for (tool, reason) in &server.left_out {
            style::print(format_args!(
                "{:width$}  {} {}\n",
                "",
                style::yellow(format!("`{tool}` is not offered:")),
                escape::lines(reason)
            ))?;
        }
    }
    let is_whole = has_values && servers.iter().all(|server| server.last_error.is_none() && server.left_out.is_empty());
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
