//! Parsing of the process's arguments, and the commands about the command line itself:
//! `completions` and `man`.

use super::{CliError, fail, is_closed_pipe};
use clap::{ArgMatches, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use std::{
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

/// The end of the help of every binary.
const EXIT_CODES: &str = "\
Exit codes:
  0  Success
  1  The command failed; the reason is on standard error
  2  The arguments are not valid";

/// The place of these commands in the help: behind the author's, before clap's own `help`.
const LISTED_LAST: usize = 900;

#[derive(Debug, Subcommand)]
#[command(about = None, long_about = None)]
enum MetaCommand {
    /// Print the completions of this command line for a shell
    #[command(after_help = INSTALLATION)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, or write the pages of all commands to a directory
    Man {
        /// The directory; created if it does not exist
        #[arg(value_name = "DIR")]
        directory: Option<PathBuf>,
    },
}

/// The end of the help of `completions`.
const INSTALLATION: &str = "\
Installation, for a program NAME:
  bash        NAME completions bash > ~/.local/share/bash-completion/completions/NAME
  zsh         NAME completions zsh > DIR/_NAME, where DIR is a directory of $fpath
  fish        NAME completions fish > ~/.config/fish/completions/NAME.fish
  powershell  NAME completions powershell | Out-String | Invoke-Expression, in $PROFILE
  elvish      eval (NAME completions elvish | slurp), in rc.elv";

/// Parses the arguments of the process, as [`Parser::parse`] does. The commands `completions` and
/// `man` are added to the command line, and describe all of it. If the arguments ask for one of
/// them, for help or for the version, this prints the answer and ends the process.
///
/// ```no_run
/// #[derive(clap::Parser)]
/// struct Line {
///     /// The directory to serve.
///     directory: std::path::PathBuf,
///     #[command(subcommand)]
///     command: pd_runtime::cli::Command,
/// }
///
/// let line: Line = pd_runtime::cli::parse();
/// ```
///
/// `completions` and `man` need none of the arguments that the parser requires, so `server
/// completions bash` works here.
pub fn parse<P: Parser>() -> P {
    let matches = parse_process(P::command());
    P::from_arg_matches(&matches).unwrap_or_else(|error| error.format(&mut P::command()).exit())
}

/// Parses the arguments of the process with this command line.
pub(super) fn parse_process(command: clap::Command) -> ArgMatches {
    let arguments: Vec<_> = env::args_os().collect();
    let command = with_exit_codes(with_meta_commands(command));
    let parsed = command.clone().try_get_matches_from(&arguments);
    match requested_meta_command(&parsed, &arguments) {
        Some(meta_command) => end(meta_command.run(command)),
        None => parsed.unwrap_or_else(|error| error.exit()),
    }
}

fn meta_commands() -> clap::Command {
    MetaCommand::augment_subcommands(clap::Command::new("meta"))
}

/// Adds the commands of this module, unless the author has commands of these names.
fn with_meta_commands(command: clap::Command) -> clap::Command {
    let is_free = |added: &&clap::Command| command.find_subcommand(added.get_name()).is_none();
    let added: Vec<_> = meta_commands().get_subcommands().filter(is_free).cloned().collect();
    command.subcommands(added.into_iter().map(|added| added.display_order(LISTED_LAST)))
}

fn with_exit_codes(command: clap::Command) -> clap::Command {
    let append = |text: &dyn std::fmt::Display| format!("{text}\n\n{EXIT_CODES}");
    let brief = command.get_after_help().map_or_else(|| EXIT_CODES.to_owned(), |text| append(text));
    let long = command.get_after_long_help().map(|text| append(text));
    let command = command.after_help(brief);
    match long {
        Some(long) => command.after_long_help(long),
        None => command,
    }
}

/// Returns the command of this module that the arguments ask for.
fn requested_meta_command(
    parsed: &Result<ArgMatches, clap::Error>,
    arguments: &[std::ffi::OsString],
) -> Option<MetaCommand> {
    match parsed {
        Ok(matches) => MetaCommand::from_arg_matches(matches).ok(),
        // The author's command line may require an argument before the command, such as a file.
        Err(error) if !error.use_stderr() => None,
        Err(_) => MetaCommand::from_arg_matches(&meta_commands().try_get_matches_from(arguments).ok()?).ok(),
    }
}

impl MetaCommand {
    fn run(&self, command: clap::Command) -> Result<(), CliError> {
        // clap borrows names for `'static`. The process ends after this command.
        let name: &'static str = program_name().leak();
        let mut command = command.name(name);
        let mut text = Vec::new();
        match self {
            Self::Completions { shell } => clap_complete::generate(*shell, &mut command, name, &mut text),
            Self::Man { directory: None } => clap_mangen::Man::new(command).render(&mut text)?,
            Self::Man { directory: Some(directory) } => write_pages(command, directory)?,
        }
        Ok(io::stdout().write_all(&text)?)
    }
}

/// Writes a page for the program, and one for each command.
fn write_pages(command: clap::Command, directory: &Path) -> Result<(), CliError> {
    fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(command, directory))
        .map_err(|error| format!("{} cannot be written: {error}", directory.display()).into())
}

/// Returns the name of the program as it was called.
fn program_name() -> String {
    let path = env::args_os().next().map(PathBuf::from).or_else(|| env::current_exe().ok()).unwrap_or_default();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.strip_suffix(env::consts::EXE_SUFFIX).map_or_else(|| name.clone(), str::to_owned)
}

fn end(result: Result<(), CliError>) -> ! {
    match result {
        Err(error) if !is_closed_pipe(error.as_ref()) => {
            let _code: ExitCode = fail(&error);
            std::process::exit(1)
        }
        _ => std::process::exit(0),
    }
}
