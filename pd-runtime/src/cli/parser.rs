//! Parsing of the process's arguments, and the commands about the command line itself:
//! `completions` and `man`.

use super::{CliError, fail, is_closed_pipe};
use clap::{ArgMatches, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use clap_mangen::Man;
use std::{
    env,
    ffi::OsString,
    fs,
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
Installation, for a program NAME, into a directory that exists:
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
    let added = meta_commands(&command);
    let listed = added
        .get_subcommands()
        .cloned()
        .map(|added| added.display_order(LISTED_LAST));
    let command = with_exit_codes(command.subcommands(listed));
    // Cloned, because parsing consumes the command line that `completions` and `man` describe.
    let parsed = command.clone().try_get_matches_from(&arguments);
    match requested_meta_command(&parsed, &arguments, &added) {
        Some(meta_command) => end(meta_command.run(command)),
        None => parsed.unwrap_or_else(|error| error.exit()),
    }
}

/// Returns a command line of this module's commands, without those that the author has by the same
/// names.
fn meta_commands(author: &clap::Command) -> clap::Command {
    let all = MetaCommand::augment_subcommands(clap::Command::new("meta"));
    let free = all
        .get_subcommands()
        .filter(|added| author.find_subcommand(added.get_name()).is_none());
    clap::Command::new("meta").subcommands(free.cloned().collect::<Vec<_>>())
}

fn with_exit_codes(command: clap::Command) -> clap::Command {
    let brief = command
        .get_after_help()
        .map_or_else(|| EXIT_CODES.to_owned(), |text| append_exit_codes(text));
    // Without a long text, clap shows the brief one with `--help`, too.
    let long = command
        .get_after_long_help()
        .map(|text| append_exit_codes(text));
    let command = command.after_help(brief);
    match long {
        Some(long) => command.after_long_help(long),
        None => command,
    }
}

fn append_exit_codes(text: &dyn std::fmt::Display) -> String {
    format!("{text}\n\n{EXIT_CODES}")
}

/// Returns the command of this module that the arguments ask for.
fn requested_meta_command(
    parsed: &Result<ArgMatches, clap::Error>,
    arguments: &[OsString],
    added: &clap::Command,
) -> Option<MetaCommand> {
    let matches = match parsed {
        Ok(matches) => matches.clone(),
        // Help and version are answers, which clap prints.
        Err(error) if !error.use_stderr() => return None,
        // The author's command line may require an argument before the command, such as a file.
        Err(_) => added.clone().try_get_matches_from(arguments).ok()?,
    };
    // A command of the author's with the same name has other arguments.
    added.find_subcommand(matches.subcommand_name()?)?;
    MetaCommand::from_arg_matches(&matches).ok()
}

impl MetaCommand {
    fn run(&self, command: clap::Command) -> Result<(), CliError> {
        // clap borrows names for `'static`. The process ends after this command.
        let name: &'static str = program_name().leak();
        let mut command = command.name(name);
        let mut text = Vec::new();
        match self {
            Self::Completions { shell } => {
                clap_complete::generate(*shell, &mut command, name, &mut text)
            }
            Self::Man { directory } => {
                // clap's own `help` has no page.
                let mut command = command.disable_help_subcommand(true);
                command.build();
                match directory {
                    None => text = render_page(&Man::new(command))?,
                    Some(directory) => write_directory(&command, directory)?,
                }
            }
        }
        Ok(io::stdout().write_all(&text)?)
    }
}

/// Writes a page for the program, and one for each command.
fn write_directory(command: &clap::Command, directory: &Path) -> Result<(), CliError> {
    fs::create_dir_all(directory)
        .and_then(|()| write_pages(command, directory))
        .map_err(|error| format!("{} cannot be written: {error}", directory.display()).into())
}

fn write_pages(command: &clap::Command, directory: &Path) -> io::Result<()> {
    let listed = command
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    listed
        .into_iter()
        .try_for_each(|command| write_pages(command, directory))?;
    let page = Man::new(command.clone());
    fs::write(directory.join(page.get_filename()), render_page(&page)?)
}

/// Renders a page in ASCII. troff reads other characters as Latin-1, unless `man` converts the
/// page.
fn render_page(page: &Man) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    page.render(&mut text)?;
    Ok(String::from_utf8_lossy(&text)
        .chars()
        .map(escape_for_troff)
        .collect::<String>()
        .into_bytes())
}

fn escape_for_troff(letter: char) -> String {
    match letter {
        _ if letter.is_ascii() => letter.to_string(),
        _ => format!("\\[u{:04X}]", u32::from(letter)),
    }
}

/// Returns the name of the program as it was called.
fn program_name() -> String {
    let path = env::args_os()
        .next()
        .map(PathBuf::from)
        .or_else(|| env::current_exe().ok())
        .unwrap_or_default();
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    name.strip_suffix(env::consts::EXE_SUFFIX)
        .map_or_else(|| name.clone(), str::to_owned)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn requested(author: clap::Command, words: &[&str]) -> Option<MetaCommand> {
        let added = meta_commands(&author);
        let command = author.subcommands(added.get_subcommands().cloned());
        let arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
        requested_meta_command(
            &command.try_get_matches_from(&arguments),
            &arguments,
            &added,
        )
    }

    /// Returns a command line that needs a file before the command.
    fn author() -> clap::Command {
        clap::Command::new("server").arg(clap::Arg::new("file").required(true))
    }

    #[test]
    fn completions_need_none_of_the_required_arguments() {
        assert!(matches!(
            requested(author(), &["server", "completions", "bash"]),
            Some(MetaCommand::Completions { shell: Shell::Bash })
        ));
        assert!(matches!(
            requested(author(), &["server", "man"]),
            Some(MetaCommand::Man { directory: None })
        ));
        assert!(requested(author(), &["server", "completions"]).is_none());
        assert!(requested(author(), &["server", "tools.json"]).is_none());
    }

    #[test]
    fn a_command_of_the_author_keeps_its_name_and_its_arguments() {
        let own = clap::Command::new("man").arg(clap::Arg::new("section").required(true));
        assert!(
            requested(
                author().subcommand(own.clone()),
                &["server", "file", "man", "1"]
            )
            .is_none()
        );
        assert!(requested(author().subcommand(own), &["server", "man"]).is_none());
    }
}
