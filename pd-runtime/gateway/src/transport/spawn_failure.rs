//! Why a program could not be started. The system names neither the directory nor the interpreter
//! that is missing, so its error alone blames the program.

use crate::{config::StdioServer, failure::failure_text::FailureText};
use pd_runtime::upstream::text::regular_file;
use std::{
    env, fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// The bytes of a script's first line that are read.
// Linux reads as much of it (`BINPRM_BUF_SIZE`).
const FIRST_LINE_MAX: u64 = 256;

/// Explains why a program could not be started.
pub(crate) fn explain(server: &StdioServer, error: &io::Error) -> FailureText {
    let reason = directory_failure(server).unwrap_or_else(|| {
        let command = &server.command;
        let why = program_failure(server, error)
            .unwrap_or_else(|| format!("{error}; check `command` and PATH"));
        format!("`{command}` cannot be run: {why}")
    });
    FailureText::from("its program could not be started").with_owner_text(reason)
}

fn directory_failure(server: &StdioServer) -> Option<String> {
    let directory = server.cwd.as_ref()?;
    let named = |why: &str| Some(format!("`cwd` `{}` {why}", directory.display()));
    match fs::metadata(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            named("does not exist; create it, or change `cwd`")
        }
        Err(error) => named(&format!("cannot be used: {error}")),
        Ok(found) if !found.is_dir() => named("is not a directory; change `cwd`"),
        Ok(_) if !may_execute(directory) => {
            named("may not be entered; change its permissions, or `cwd`")
        }
        Ok(_) => None,
    }
}

fn program_failure(server: &StdioServer, error: &io::Error) -> Option<String> {
    let command = &server.command;
    // No shell divides the text into words.
    if command.trim() != command
        || (command.contains(char::is_whitespace) && found_programs(server).is_empty())
    {
        return Some(
            "no such program; `command` is the program alone, and its arguments belong in `args`"
                .to_owned(),
        );
    }
    let programs = found_programs(server);
    let Some(program) = programs
        .iter()
        // The system passes over a directory of this name, and looks further in PATH.
        .find(|program| program.is_file())
        .or_else(|| programs.first())
    else {
        let is_path = command.contains('/') || command.contains('\\');
        let place = if is_path {
            ""
        } else {
            " in any directory of PATH"
        };
        return (error.kind() == io::ErrorKind::NotFound)
            .then(|| format!("there is no such program{place}; check `command` and PATH"));
    };
    let shown = program.display();
    if program.is_dir() {
        return Some(format!(
            "`{shown}` is a directory; `command` must be a program"
        ));
    }
    if !may_execute(program) {
        return Some(format!("`{shown}` is not executable; run `chmod +x` on it"));
    }
    missing_interpreter(program).or_else(|| {
        const EXEC_FORMAT: i32 = 8;
        // `ENOEXEC`: the system knows neither the format of the file nor an interpreter for it.
        let is_no_program = cfg!(unix) && error.raw_os_error() == Some(EXEC_FORMAT);
        is_no_program.then(|| {
            format!(
                "`{shown}` is no program of this system, and has no first line such as `#!/bin/sh`"
            )
        })
    })
}

/// Explains what is wrong with the interpreter that a script names.
fn missing_interpreter(program: &Path) -> Option<String> {
    let mut start = Vec::new();
    // A pipe is refused, because reading it could wait for ever.
    regular_file::open(program)
        .ok()?
        .take(FIRST_LINE_MAX)
        .read_to_end(&mut start)
        .ok()?;
    let line = start
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    let text = String::from_utf8_lossy(line);
    let interpreter = text.split_whitespace().next()?.to_owned();
    let shown = program.display();
    match fs::metadata(&interpreter) {
        // `split_whitespace` has dropped the CR, which the system takes for a part of the name.
        Ok(_) if text.ends_with('\r') => Some(format!(
            "the first line of `{shown}` ends in CR LF; save the file with the line ends of Unix"
        )),
        Ok(_) if may_execute(Path::new(&interpreter)) => None,
        Ok(_) => Some(format!(
            "`{shown}` names the interpreter `{interpreter}`, which is not executable"
        )),
        Err(_) => Some(format!(
            "`{shown}` names the interpreter `{interpreter}`, which does not exist; install it"
        )),
    }
}

/// Returns the files that the command may mean, in the order in which the system looks at them.
fn found_programs(server: &StdioServer) -> Vec<PathBuf> {
    let command = Path::new(&server.command);
    if command.components().count() > 1 || command.is_absolute() {
        let path = server
            .cwd
            .as_ref()
            .map_or_else(|| command.to_owned(), |directory| directory.join(command));
        return path.exists().then_some(path).into_iter().collect();
    }
    // The PATH of the entry decides, as it does when the child is started.
    let own = server.env.get("PATH").map(|path| path.expose().into());
    let Some(path) = own.or_else(|| env::var_os("PATH")) else {
        return Vec::new();
    };
    env::split_paths(&path)
        .map(|directory| directory.join(command))
        .filter(|program| program.exists())
        .collect()
}

#[cfg(unix)]
fn may_execute(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn may_execute(_: &Path) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use std::{os::unix::fs::PermissionsExt, process::Command};

    fn explained(command: &Path, cwd: Option<&Path>) -> String {
        let server = StdioServer {
            command: command.to_str().unwrap().to_owned(),
            args: Vec::new(),
            env: Default::default(),
            cwd: cwd.map(Path::to_owned),
        };
        let mut started = Command::new(command);
        let error = cwd
            .iter()
            .fold(&mut started, |started, cwd| started.current_dir(cwd))
            .spawn()
            .unwrap_err();
        explain(&server, &error).whole()
    }

    #[test]
    fn what_is_missing_is_named() {
        let directory = env::temp_dir().join(format!("pd-spawn-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let path = |name: &str| directory.join(name);
        let write = |name: &str, text: &str, mode: u32| {
            fs::write(path(name), text).unwrap();
            fs::set_permissions(path(name), fs::Permissions::from_mode(mode)).unwrap();
        };
        write("plain", "#!/bin/sh\n", 0o644);
        write("script", "#!/no/such/shell -e\n", 0o755);
        write("crlf", "#!/bin/sh\r\n", 0o755);
        write("text", "just text", 0o755);
        let sh = Path::new("sh");
        for (command, cwd, said) in [
            (
                sh.to_owned(),
                Some(path("none")),
                "does not exist; create it, or change `cwd`",
            ),
            (
                sh.to_owned(),
                Some(path("plain")),
                "plain` is not a directory; change `cwd`",
            ),
            (
                directory.clone(),
                None,
                "is a directory; `command` must be a program",
            ),
            (
                path("plain"),
                None,
                "plain` is not executable; run `chmod +x` on it",
            ),
            (
                path("script"),
                None,
                "script` names the interpreter `/no/such/shell`, which does not exist",
            ),
            (path("crlf"), None, "crlf` ends in CR LF"),
            (path("text"), None, "has no first line such as `#!/bin/sh`"),
            (
                path("none"),
                None,
                "cannot be run: there is no such program; check `command`",
            ),
            (
                PathBuf::from("no-such-program"),
                None,
                "no such program in any directory of PATH",
            ),
            (
                PathBuf::from("npx -y server"),
                None,
                "its arguments belong in `args`",
            ),
        ] {
            let text = explained(&command, cwd.as_deref());
            assert!(text.contains(said), "{command:?}: {text}");
        }
        fs::remove_dir_all(&directory).unwrap();
    }
}
