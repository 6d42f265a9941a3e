//! The command line of a gateway: the commands of every server, on the tools of other servers.

mod approve;
mod approve_options;
mod card;
mod config_file;
mod doctor;
mod entry_approval;
mod examples;
mod held_json;
mod held_lines;
mod import;
pub(crate) mod import_plan;
#[cfg(feature = "oauth")]
mod login;
mod saving;
mod tour;

use crate::{Gateway, GatewayConfig, lists::cached_lists::ListCache};
use approve_options::ApproveOptions;
use clap::{Args, Parser, Subcommand};
use doctor::{DoctorOptions, DoctorReport};
use entry_approval::EntryReview;
use pd_runtime::{
    cli::{CliError, Command, ReportOptions, TourOptions},
    upstream::{
        CatalogEntry, ShutdownSignals,
        cli::{AnyServer, DelayedBar, fail, is_closed_pipe, render_report, style},
    },
};
use std::{
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
};

/// Offers the MCP servers of a configuration file as one server with progressive disclosure
#[derive(Debug, Parser)]
#[command(name = "pd-gateway", version, arg_required_else_help = true)]
struct Line {
    #[command(flatten)]
    files: GatewayFiles,
    #[command(subcommand)]
    command: LineCommand,
}

/// The files of a gateway.
#[derive(Debug, Args)]
struct GatewayFiles {
    /// The file with the servers: `mcpServers` of any client, `servers` of VS Code,
    /// `context_servers` of Zed, `mcp` of opencode, or TOML of Codex. By default the gateway's own
    /// file, which `import` writes, or the first of `.mcp.json`, `.vscode/mcp.json` and the files
    /// of your clients. The servers of a project's file start after you have approved them with
    /// `approve`, or if you name it
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// The directory for the lists of the servers; by default `pd-gateway` in your cache directory
    #[arg(long, value_name = "DIRECTORY", global = true)]
    cache: Option<PathBuf>,
    /// The file with the approved tools of the servers; by default `upstreams.lock` beside a
    /// project's configuration, and a file in your state directory for others
    #[arg(long, value_name = "FILE", global = true)]
    upstream_lock: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum LineCommand {
    /// Copy the servers of your MCP clients into one file, and show how many tokens the gateway
    /// saves
    Import(import::ImportOptions),
    /// Print the JSON Schema of the gateway's file, with which an editor completes and checks its
    /// keys
    #[command(
        after_help = "The schema is in draft-07. `import` names it as `$schema` in a new file, and the schema of \
                      each version is in the repository, in pd-runtime/gateway/schemas."
    )]
    Schema,
    #[command(flatten)]
    Gateway(GatewayCommand),
}

/// The commands on the servers of one file.
#[derive(Debug, Subcommand)]
enum GatewayCommand {
    /// Start each server once, and show what it lists and what is wrong with it
    #[command(after_help = "Exits with 1 if anything is wrong.")]
    Doctor(DoctorOptions),
    /// Show the servers of a project and the changes of servers that wait for your approval, and
    /// approve them
    Approve(ApproveOptions),
    /// Log in at a server that needs OAuth, and keep its tokens
    #[cfg(feature = "oauth")]
    Login(login::LoginOptions),
    #[command(flatten)]
    Server(Command),
}

/// Runs the command of the process's arguments on the servers of a configuration file.
pub async fn main() -> ExitCode {
    #[cfg(feature = "code")]
    pd_runtime::code::run_worker_if_requested();
    let Line { files, command } = pd_runtime::cli::parse();
    let code = match command {
        LineCommand::Import(options) => {
            import::import(&options, files.config.as_deref(), files.cache)
                .await
                .map(|()| ExitCode::SUCCESS)
        }
        LineCommand::Schema => print_schema().map(|()| ExitCode::SUCCESS),
        LineCommand::Gateway(GatewayCommand::Server(Command::Card(options))) => {
            Ok(card::card(options).await)
        }
        LineCommand::Gateway(command) => run(command, files).await,
    };
    match code {
        Ok(code) => code,
        // A reader of the output, such as `head`, may end before all is written.
        Err(error) if is_closed_pipe(error.as_ref()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

/// Prints the schema as the repository has it.
fn print_schema() -> Result<(), CliError> {
    let schema = GatewayConfig::json_schema();
    Ok(io::stdout().write_all(format!("{schema:#}\n").as_bytes())?)
}

async fn run(command: GatewayCommand, files: GatewayFiles) -> Result<ExitCode, CliError> {
    let Some(opened) = config_file::open(files.config)? else {
        let GatewayCommand::Server(Command::Tour(options)) = command else {
            return Err(
                "no client has a file with servers here; name one with `--config FILE`".into(),
            );
        };
        // The examples are part of this repository, so no lock holds them.
        let gateway = create_gateway(examples::config()?, files.cache);
        return visit(&options, gateway).await;
    };
    let mut review = EntryReview::new(&opened);
    let config = opened.config;
    let path = config.path.clone();
    let has_values = !config
        .warnings
        .iter()
        .any(|warning| warning.kind.is_missing_value());
    let lock = files.upstream_lock.unwrap_or_else(|| config.lock_path());
    // An entry that waits for an approval lists nothing, whatever it listed before.
    let approvals = opened.approvals.as_ref();
    let mut entries = config.servers.iter();
    let is_quick = approvals.is_none_or(|own| entries.all(|entry| own.allows(entry)))
        && matches!(&command, GatewayCommand::Server(Command::Serve(options)) if options.lists_by_default());
    let mut gateway = match is_quick {
        true => Gateway::create_for_first_list(config, list_cache(files.cache), &lock)?,
        false => Gateway::create_with_lock(|| create_gateway(config, files.cache), &lock)?,
    };
    if let Some(approvals) = opened.approvals {
        gateway = gateway.with_approvals(approvals);
    }
    // `approve` shows the same entries itself.
    if !matches!(command, GatewayCommand::Approve(_)) {
        review.report();
    }
    if review.has_none_to_start() && needs_servers(&command) {
        return Err(review.nothing_to_start().into());
    }
    // The other commands end soon, and read the file once.
    if matches!(command, GatewayCommand::Server(Command::Serve(_))) {
        gateway.watch_config(path.clone(), config_file::read);
        end_at_second_signal(gateway.clone());
    }
    let code = match command {
        GatewayCommand::Doctor(options) => {
            start_all(&gateway).await;
            options.reserve_names(&gateway).and_then(|()| {
                let report = DoctorReport::new(&gateway, &path, &lock, has_values);
                report.print(&options)?;
                Ok(if report.ok {
                    ExitCode::SUCCESS
                } else {
                    ExitCode::FAILURE
                })
            })
        }
        GatewayCommand::Approve(options) => approve::approve(&options, &mut review, &gateway).await,
        #[cfg(feature = "oauth")]
        GatewayCommand::Login(options) => login::login(options, &gateway).await,
        // `visit` stops the gateway itself.
        GatewayCommand::Server(Command::Tour(options)) => return visit(&options, gateway).await,
        GatewayCommand::Server(Command::Tokens(options)) => {
            read_lists(&gateway).await;
            saving::tokens(&options, &gateway)
                .await
                .map(|()| ExitCode::SUCCESS)
        }
        GatewayCommand::Server(Command::Report(options)) => {
            read_lists(&gateway).await;
            report_on(&options, &gateway)
                .await
                .map(|()| ExitCode::SUCCESS)
        }
        // A reader of the files looks for the servers behind the gateway, and not for the gateway.
        GatewayCommand::Server(Command::Export(options)) if options.is_tree() => {
            read_lists(&gateway).await;
            let server = options.texts.build(gateway.builder())?;
            AnyServer::new(&server)
                .export_groups(&options)
                .map(|()| ExitCode::SUCCESS)
        }
        GatewayCommand::Server(command) => {
            let is_check = matches!(command, Command::Check(_));
            let code = run_on_tools(command, &gateway).await;
            // A check of some servers must not pass for a check of all.
            Ok(if is_check && review.has_waiting() {
                fail(&review.not_checked())
            } else {
                code
            })
        }
    };
    // Before an error is returned, too: the processes of servers must not outlive the command.
    gateway.stop().await;
    code
}

/// Returns whether a command is of no use without a server that may start.
fn needs_servers(command: &GatewayCommand) -> bool {
    match command {
        GatewayCommand::Server(Command::Serve(_))
        | GatewayCommand::Doctor(_)
        | GatewayCommand::Approve(_) => false,
        #[cfg(feature = "oauth")]
        GatewayCommand::Login(_) => false,
        GatewayCommand::Server(_) => true,
    }
}

/// Ends the process at once at the second SIGINT or SIGTERM, with all processes of servers.
fn end_at_second_signal(gateway: Gateway) {
    // Before the task, which may be polled after the first signal.
    let mut signals = ShutdownSignals::listen();
    tokio::spawn(async move {
        // The first signal begins a shutdown that waits for calls.
        signals.next().await;
        signals.next().await;
        // `exit` drops nothing, so the processes are killed before it.
        gateway.kill();
        // 128 and the number of SIGINT, as shells report this end.
        std::process::exit(130);
    });
}

async fn visit(options: &TourOptions, gateway: Gateway) -> Result<ExitCode, CliError> {
    read_lists(&gateway).await;
    let visited = tour::tour(options, &gateway).await;
    gateway.stop().await;
    visited.map(|()| ExitCode::SUCCESS)
}

/// Writes the page of the command `report`, with the gateway's own tour.
async fn report_on(options: &ReportOptions, gateway: &Gateway) -> Result<(), CliError> {
    let is_named = options.tool.is_some();
    let visit = async |entry: &Arc<CatalogEntry>, server: AnyServer<'_>| {
        tour::gather(entry, is_named, gateway, server).await
    };
    render_report(options, gateway.builder(), visit).await
}

fn create_gateway(config: GatewayConfig, cache: Option<PathBuf>) -> Gateway {
    Gateway::with_list_cache(config, list_cache(cache))
}

/// Returns the cache of a directory, or the user's.
fn list_cache(directory: Option<PathBuf>) -> Option<ListCache> {
    match directory {
        Some(directory) => Some(ListCache::new(directory)),
        None => ListCache::of_user(),
    }
}

/// Starts every server. A bar shows the progress.
async fn start_all(gateway: &Gateway) {
    let bar = starting_bar();
    let work = gateway.refresh_all_with(|done, total| bar.set(done, total));
    bar.during(work).await;
}

/// Starts the servers with lists that are not known yet. A bar shows the progress.
async fn refresh(gateway: &Gateway) {
    let bar = starting_bar();
    let work = gateway.refresh_with(|done, total| bar.set(done, total));
    bar.during(work).await;
}

fn starting_bar() -> DelayedBar {
    DelayedBar::new("starting servers")
}

/// Reads the lists that are not known yet, and reports the servers that have none.
async fn read_lists(gateway: &Gateway) {
    refresh(gateway).await;
    for missing in missing_lists(gateway) {
        style::report(&format_args!("warning: {missing}"));
    }
    if let Some(error) = gateway.lock_write_error() {
        style::report(&format_args!(
            "warning: what is approved lasts until this command ends: {error}"
        ));
    }
}

/// The warning for HTTP without a check of tokens, if servers have the login of a person.
const LOGINS_WITHOUT_GUARD: &str = "warning: servers of this gateway have your login, and callers over HTTP need no token: \
    calls of callers without one fail at these servers, unless an entry has `share`: `process`; check tokens with `--jwt-issuer` and `--jwt-audience`";

async fn run_on_tools(command: Command, gateway: &Gateway) -> ExitCode {
    // A client must not wait for servers that start slowly: their tools are added when they are
    // known.
    let is_server = matches!(command, Command::Serve(_));
    let is_over_http = matches!(&command, Command::Serve(options) if options.serves_http());
    if !is_server {
        read_lists(gateway).await;
    }
    let compares_contracts =
        matches!(&command, Command::Check(options) if options.compares_contracts());
    let code = command
        .run_with(gateway.builder(), |server, http| {
            // Only `serve` gets here. The other commands have read the lists already.
            gateway.follow(server);
            if is_over_http && http.authenticate.is_none() && gateway.has_logins() {
                style::report(&LOGINS_WITHOUT_GUARD);
            }
            let gateway = gateway.clone();
            tokio::spawn(async move {
                gateway.refresh().await;
                missing_lists(&gateway)
                    .iter()
                    .for_each(|missing| tracing::warn!("{missing}"));
            });
            Ok(http)
        })
        .await;
    if compares_contracts {
        report_held(gateway, code)
    } else {
        code
    }
}

/// Reports the tools that are held. Their contracts are compared as approved, so the comparison
/// with a file does not contain the changes.
fn report_held(gateway: &Gateway, code: ExitCode) -> ExitCode {
    let held = gateway.held();
    if held.is_empty() {
        return code;
    }
    held_lines::render(&held)
        .iter()
        .for_each(|line| style::report(&format_args!("held: {line}")));
    let error = format!(
        "{} of servers held; `pd-gateway approve` shows the changes",
        approve::counted(&held)
    );
    fail(&error)
}

/// Returns a line for each server with lists that are not known, with the reason.
fn missing_lists(gateway: &Gateway) -> Vec<String> {
    let missing = gateway.missing_lists().into_iter();
    missing
        .map(|(name, error)| format!("`{name}` lists no tools: {error}"))
        .collect()
}
