//! The program of an entry: where a relative path begins, and a path that contains its arguments.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// Returns the path of a program for a process with this working directory. The systems disagree
/// about where a relative path begins, so it becomes absolute. A name without a directory is looked
/// up in `PATH`.
pub(super) fn in_directory(program: String, directory: Option<&Path>) -> String {
    let Some(directory) = directory.filter(|_| has_directory(&program)) else {
        return program;
    };
    let below = program.strip_prefix("./").unwrap_or(&program);
    directory.join(below).to_string_lossy().into_owned()
}

/// Returns the first word of a program that is followed by its arguments: `npx` of `npx -y server`.
/// Returns `None` if there is a program with the spaces in its name, or if the first word is a path
/// that does not exist, because the spaces can be part of its directories.
pub(super) fn arguments_in<'p>(
    program: &'p str,
    directory: Option<&Path>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Option<&'p str> {
    let (first, _) = program.trim_start().split_once(char::is_whitespace)?;
    if path_from(directory, program).exists() {
        return None;
    }
    if has_directory(first) {
        return path_from(directory, first).is_file().then_some(first);
    }
    // Without a directory in it, the name is looked up in `PATH`, as the system would do.
    let directories = variable("PATH").unwrap_or_default();
    let is_known =
        std::env::split_paths(&directories).any(|directory| directory.join(program).is_file());
    // A path of Windows has `\`, on every system.
    (!is_known && !first.contains('\\')).then_some(first)
}

fn path_from(directory: Option<&Path>, name: &str) -> PathBuf {
    directory.map_or_else(|| name.into(), |directory| directory.join(name))
}

fn has_directory(program: &str) -> bool {
    program.contains(['/', MAIN_SEPARATOR])
}
