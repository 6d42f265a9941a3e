//! A command line for the binary of any server: serve, inspect, measure and try it. (Feature
//! `cli`.)
//!
//! ```no_run
//! use pd_runtime::prelude::*;
//! use std::process::ExitCode;
//!
//! # /// Say hello
//! # #[pd_tool]
//! # fn hello() -> String { "hello".into() }
//! #[tokio::main]
//! async fn main() -> ExitCode {
//!     pd_runtime::cli::main(PdServer::builder(pd_runtime::registry! { hello }, ())).await
//! }
//! ```

mod address;
pub(crate) mod any_server;
mod audit;
mod break_even;
mod card;
mod check;
#[cfg(feature = "code")]
mod code;
mod data;
mod describe;
mod export;
#[cfg(feature = "fetch")]
mod fetch;
mod find;
mod http;
pub(crate) mod json_output;
#[cfg(feature = "jwt")]
mod jwt;
mod keys;
mod limits;
mod list;
pub(crate) mod local;
pub(crate) mod log;
mod overlay;
mod parser;
pub(crate) mod progress;
pub(crate) mod report;
mod search;
mod serve;
mod sessions;
pub(crate) mod style;
pub(crate) mod tokens;
pub(crate) mod tool_names;
pub(crate) mod tour;
mod transport;
mod usage_report;

#[doc(hidden)]
pub use audit::AuditOptions;
#[doc(hidden)]
pub use card::CardOptions;
#[doc(hidden)]
pub use check::CheckOptions;
#[doc(hidden)]
pub use describe::DescribeOptions;
#[doc(hidden)]
pub use export::ExportOptions;
#[doc(hidden)]
pub use find::FindOptions;
#[doc(hidden)]
pub use list::ListOptions;
#[doc(hidden)]
pub use overlay::OverlayOptions;
pub use parser::parse;
#[doc(hidden)]
pub use report::ReportOptions;
#[doc(hidden)]
pub use serve::ServeOptions;
pub use style::report;
#[doc(hidden)]
pub use tokens::TokensOptions;
pub use tour::TourOptions;

use crate::{
    PdServer, ServerBuilder,
    registry::RegistryInfo,
    serve::HttpOptions,
    server::erased_server::ErasedServer,
    text::{escape, regular_file},
};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use rmcp::ServerHandler;
use std::{error::Error, fmt::Display, path::Path, process::ExitCode};

/// Runs the command in the process's arguments. `--help` and `--version` describe the server.
pub async fn main<S: Send + Sync + 'static, H: ServerHandler>(
    builder: ServerBuilder<S, H>,
) -> ExitCode {
    main_with(builder, |_, http| Ok(http)).await
}

/// Runs the command in the process's arguments, like [`main`], and calls `prepare` with the built
/// server before `serve` serves it, like [`Command::run_with`]. A tool of the server can then
/// change the tools that are served:
///
/// ```no_run
/// use pd_runtime::prelude::*;
/// use std::{process::ExitCode, sync::OnceLock};
///
/// #[derive(Default)]
/// struct Desk {
///     server: OnceLock<PdServer<Desk>>,
/// }
///
/// /// Open the archive, whose tools are listed from then on
/// #[pd_tool]
/// fn open_archive(desk: &Desk) -> Result<&'static str, ToolError> {
///     if let Some(server) = desk.server.get() {
///         server.replace(pd_runtime::registry! { open_archive, read_archive })?;
///     }
///     Ok("The archive is open.")
/// }
///
/// /// Read the archive
/// #[pd_tool]
/// fn read_archive(_: &Desk) -> &'static str {
///     "It is empty."
/// }
///
/// #[tokio::main]
/// async fn main() -> ExitCode {
///     let builder = PdServer::builder(pd_runtime::registry! { open_archive }, Desk::default());
///     pd_runtime::cli::main_with(builder, |server, http| {
///         // The first server is the only one, so the result does not matter.
///         let _ = server.state().server.set(server.clone());
///         Ok(http)
///     })
///     .await
/// }
/// ```
pub async fn main_with<S, H, F>(builder: ServerBuilder<S, H>, prepare: F) -> ExitCode
where
    S: Send + Sync + 'static,
    H: ServerHandler,
    F: FnOnce(&PdServer<S, H>, HttpOptions) -> Result<HttpOptions, CliError>,
{
    // First, because a worker's arguments are not part of this command line.
    #[cfg(feature = "code")]
    crate::code::run_worker_if_requested();
    #[cfg(feature = "code")]
    let builder = code::with_worker(builder);
    let matches = parser::parse_process(command_line(&builder.info()));
    match CliArguments::from_arg_matches(&matches) {
        Ok(line) => line.command.run_with(builder, prepare).await,
        Err(error) => error.exit(),
    }
}

#[derive(Parser)]
#[command(arg_required_else_help = true)]
struct CliArguments {
    #[command(subcommand)]
    command: Command,
}

/// Builds the command line of a server with this name and version.
fn command_line(info: &RegistryInfo) -> clap::Command {
    let name = lasting(&info.name);
    let version = lasting(&info.version);
    let about = format!("{name} {version}, an MCP server with progressive disclosure");
    CliArguments::command()
        .name(name)
        .version(version)
        .about(lasting(&about))
}

fn lasting(text: &str) -> &'static str {
    // clap borrows its texts for `'static`. The command line is built once, so the leak is bounded.
    text.to_owned().leak()
}

/// The commands, for a binary with options of its own. [`main`] and [`main_with`] need no clap in
/// the binary. This enum is part of a `clap::Parser`:
///
/// ```
/// #[derive(clap::Parser)]
/// #[command(version)]
/// struct Line {
///     /// The directory to serve.
///     directory: std::path::PathBuf,
///     #[command(subcommand)]
///     command: pd_runtime::cli::Command,
/// }
/// ```
///
/// It parses them with [`parse`], which adds `completions` and `man` for the whole command line.
#[derive(Debug, Clone, Subcommand)]
// Without this, clap would use the doc comment above as the help of the binary.
#[command(long_about = None)]
#[non_exhaustive]
pub enum Command {
    /// Serve MCP on standard input and output, or over HTTP
    #[command(after_help = ENVIRONMENT)]
    Serve(Box<ServeOptions>),
    /// List the tools as a client first sees them
    List(ListOptions),
    /// Show full descriptions of tools
    Describe(DescribeOptions),
    /// Find tools for a request, as `find_tools` ranks them
    Find(FindOptions),
    /// Describe a tool, then call it
    #[command(after_help = "Exits with 1 if the tool reports an error.")]
    Call(CallOptions),
    /// Count the cost of each tool for a model, in o200k tokens
    Tokens(TokensOptions),
    /// Check the registry: its rules, its lints, that requests find their tools, and, with
    /// `--lock`, that no contract changed unnoticed
    #[command(after_help = CHECK_FAILURES)]
    Check(CheckOptions),
    /// Write all tools as files: to read, to install as skills, to call as code, to send to a model
    /// provider
    Export(ExportOptions),
    /// Print the document by which registries, clients or desktop hosts know the server: a server
    /// card, `server.json` or the manifest of an MCPB bundle
    Card(Box<CardOptions>),
    /// Write an HTML page with what models read of the tools, which tools search confuses, and what
    /// callers did
    Report(Box<ReportOptions>),
    /// Analyze an audit log: which tools were found and used, and why a tool was not used
    #[command(
        after_help = "Exits with 1 if the file cannot be read, and with 0 whatever it contains."
    )]
    Audit(AuditOptions),
    /// Show how a client discovers and calls a tool, with each message and its cost in tokens
    Tour(TourOptions),
}

/// The end of the help of `serve`.
const ENVIRONMENT: &str = "\
Environment:
  RUST_LOG  The log on standard error: `error`, `warn`, `info`, `debug` or `off`, also for a part of the program, as in
            `pd_runtime=debug`, which logs each description, refusal and call. By default warnings, and what this
            server reports as `info`
  NO_COLOR  No colors, if this is set and not empty; without a terminal there are none in any case";

/// The end of the help of `check`.
const CHECK_FAILURES: &str = "\
Exits with 1 if a rule is broken, a remark is denied, a request does not find its tool, a contract changed, or a program
fails its examples. Remarks that are not denied exit with 0.";

/// The tool to call, and its arguments.
#[doc(hidden)]
#[derive(Debug, Clone, Args)]
pub struct CallOptions {
    /// The tool's name
    name: String,
    /// The arguments, as a JSON object; `-` reads them from standard input
    #[arg(default_value = "{}")]
    arguments: String,
    /// Print the whole result as JSON, also that of a failed call
    #[arg(long)]
    json: bool,
}

/// The error of a failed command. The command reports it on standard error.
pub type CliError = Box<dyn Error + Send + Sync>;

impl Command {
    /// Returns whether the command may run tools, and so needs the server's state. This holds for
    /// `serve`, `call`, `tour` and `report`. The other commands show, check and export tools, or
    /// read an audit file.
    pub const fn runs_tools(&self) -> bool {
        matches!(
            self,
            Self::Serve(_) | Self::Call(_) | Self::Tour(_) | Self::Report(_)
        )
    }

    /// Runs the command. Results go to standard output, logs and errors to standard error.
    pub async fn run<S: Send + Sync + 'static, H: ServerHandler>(
        self,
        builder: ServerBuilder<S, H>,
    ) -> ExitCode {
        self.run_with(builder, |_, http| Ok(http)).await
    }

    /// Runs the command like [`run`](Self::run). The command `serve` first calls `prepare` with the
    /// built server and the HTTP options from its flags, and serves with the options that it
    /// returns; other commands do not call it. A binary can then replace the served tools, or
    /// authenticate callers:
    ///
    /// ```no_run
    /// # use pd_runtime::{cli::Command, prelude::*, serve::Authenticate};
    /// # use std::{process::ExitCode, sync::Arc, time::Duration};
    /// # fn registry() -> Registry<()> { pd_runtime::registry! {} }
    /// # async fn run(command: Command, tokens: Arc<dyn Authenticate>) -> ExitCode {
    /// command
    ///     .run_with(PdServer::builder(registry(), ()), |server, http| {
    ///         let server = server.clone();
    ///         tokio::spawn(async move {
    ///             loop {
    ///                 tokio::time::sleep(Duration::from_secs(60)).await;
    ///                 if let Err(problems) = server.replace(registry()) {
    ///                     eprintln!("{problems}");
    ///                 }
    ///             }
    ///         });
    ///         Ok(http.authenticate(tokens))
    ///     })
    ///     .await
    /// # }
    /// ```
    ///
    /// If `prepare` returns an error, the command ends before it serves anything.
    pub async fn run_with<S, H, F>(self, builder: ServerBuilder<S, H>, prepare: F) -> ExitCode
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
        F: FnOnce(&PdServer<S, H>, HttpOptions) -> Result<HttpOptions, CliError>,
    {
        match self.try_run(builder, prepare).await {
            Ok(code) => code,
            // A reader may close the pipe early, as in `list | head`. This is not a failure.
            Err(failure) if is_closed_pipe(failure.as_ref()) => ExitCode::SUCCESS,
            Err(failure) => fail(&failure),
        }
    }

    async fn try_run<S, H, F>(
        self,
        builder: ServerBuilder<S, H>,
        prepare: F,
    ) -> Result<ExitCode, CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
        F: FnOnce(&PdServer<S, H>, HttpOptions) -> Result<HttpOptions, CliError>,
    {
        match self {
            Self::Serve(options) => serve::serve(*options, builder, prepare).await?,
            Self::List(options) => {
                list::list(&options, options.texts.build(builder)?.host().as_ref())?
            }
            Self::Describe(options) => {
                describe::describe(&options, options.texts.build(builder)?.host().as_ref())?
            }
            Self::Find(options) => find::find(&options, builder)?,
            Self::Call(options) => return call(&options, builder.build()?.host().as_ref()).await,
            Self::Tokens(options) => {
                tokens::tokens(&options, options.texts.build(builder)?.host().as_ref())?
            }
            // On the builder: a registry that breaks a rule builds no server, and its mistakes are
            // what the check reports.
            Self::Check(options) => {
                let summary =
                    check::CheckSummary::new(&options, builder.registry(), builder.listed_as())?;
                #[cfg(feature = "code")]
                let summary = summary
                    .with_programs(builder.registry(), builder.worker())
                    .await?;
                summary.end(&options)?;
            }
            Self::Export(options) => {
                // A release build checks less when it builds a server, and the files would keep the
                // mistake.
                builder.registry().check()?;
                export::export(&options, options.texts.build(builder)?.host().as_ref())?;
            }
            Self::Card(options) => {
                card::card(&options, options.texts.build(builder)?.host().as_ref())?
            }
            Self::Report(options) => report::report(&options, builder, tour::gather).await?,
            Self::Audit(options) => audit::audit(&options, builder.registry())?,
            Self::Tour(options) => {
                tour::tour(&options, options.texts.build(builder)?.host().as_ref()).await?
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Calls a tool and prints the result's content. The content of a failed call goes to standard
/// error.
async fn call(options: &CallOptions, server: &dyn ErasedServer) -> Result<ExitCode, CliError> {
    let text = match options.arguments.as_str() {
        "-" => std::io::read_to_string(std::io::stdin())?,
        text => text.to_owned(),
    };
    let arguments: rmcp::model::JsonObject = serde_json::from_str(&text).map_err(|error| {
        format!(
            "the arguments are not a JSON object: {error}; write them as '{{\"key\": \"value\"}}'"
        )
    })?;
    // An unknown name is reported in the same words as by the other commands.
    tool_names::find_tool(&server.served().catalog(), &options.name)?;
    let client = local::LocalClient::connect(server).await?;
    // The gate requires that a client reads the description before the call.
    client.describe(&options.name).await?;
    let result = client.call(&options.name, arguments).await?;
    let is_error = result.is_error == Some(true);
    let text = local::text_of(&result);
    match (options.json, is_error) {
        (true, _) => json_output::print(&result)?,
        // The error of a tool is not a result, so standard output stays empty.
        (false, true) => report(&escape::json_or_lines(&text)),
        (false, false) => json_output::print_text(&text)?,
    }
    Ok(if is_error {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// Reports an error on standard error in the format of the commands, and returns the exit code of a
/// failed process. Control characters in the message are escaped.
pub fn fail(error: &dyn Display) -> ExitCode {
    report(&format_args!("error: {error}"));
    ExitCode::FAILURE
}

/// Reads a text file named on the command line.
///
/// # Errors
///
/// Returns an error if the file cannot be read, or if the path leads to a pipe or a device, which
/// might never end.
pub fn read_text(path: impl AsRef<Path>) -> std::io::Result<String> {
    regular_file::read_to_string(path.as_ref())
}

/// Returns whether a command failed because the reader of its output is gone.
#[doc(hidden)]
pub fn is_closed_pipe(failure: &(dyn Error + 'static)) -> bool {
    failure
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
