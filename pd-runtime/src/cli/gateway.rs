//! The command line of a gateway: the commands of every server, on the tools of other servers.

use super::{CliError, Command, fail, style};
use crate::{
    gateway::{Gateway, GatewayConfig, find_configs},
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
    /// first of `.mcp.json`, `.vscode/mcp.json` and the files of your clients
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// The directory for the lists of the servers; by default `pd-gateway` in your cache directory
    #[arg(long, value_name = "DIRECTORY", global = true)]
    cache: Option<PathBuf>,
    #[command(subcommand)]
    command: GatewayCommand,
}

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
    match run(Line::parse()).await {
        Ok(code) => code,
        Err(error) => fail(&error),
    }
}

async fn run(line: Line) -> Result<ExitCode, CliError> {
    let path = match line.config {
        Some(path) => path,
        None => first_config()?,
    };
    let config = GatewayConfig::open(&path)?;
    config.warnings.iter().for_each(|warning| style::report(&format_args!("warning: {warning}")));
    let gateway = match line.cache {
        Some(directory) => Gateway::with_cache(config, directory),
        None => Gateway::new(config),
    };
    let code = match line.command {
        GatewayCommand::Doctor => doctor(&gateway, &path).await,
        GatewayCommand::Server(command) => Ok(run_on_tools(command, &gateway).await),
    };
    gateway.stop().await;
    code
}

/// Returns the first configuration file of the user, and reports which it is.
fn first_config() -> Result<PathBuf, CliError> {
    let found = find_configs();
    let Some((_, first)) = found.first() else {
        return Err(
            "no configuration file was found; name one with `--config FILE`: the `mcpServers` file of your client"
                .into(),
        );
    };
    style::report(&format_args!("using {}", first.display()));
    Ok(first.clone())
}

async fn run_on_tools(command: Command, gateway: &Gateway) -> ExitCode {
    // A client must not wait for servers that start slowly: their tools are added when they are known.
    let is_server = matches!(command, Command::Serve(_));
    if !is_server {
        gateway.refresh().await;
        for missing in missing_lists(gateway) {
            style::report(&format_args!("warning: {missing}"));
        }
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
    let line = |(name, error)| format!("`{name}` lists no tools: {error}");
    gateway.missing_lists().into_iter().map(line).collect()
}

async fn doctor(gateway: &Gateway, path: &Path) -> Result<ExitCode, CliError> {
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
    let is_whole = servers.iter().all(|server| server.last_error.is_none() && server.left_out.is_empty());
    Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
