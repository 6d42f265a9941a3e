//! Reads the file of environment variables that `envFile` names (VS Code, Cursor): assignments
//! `NAME=value`, empty lines, and comments that begin with `#`. A value in quotes can have several
//! lines. Variables in values are not expanded.

use super::{
    error::ConfigErrorKind,
    file::{self, FILE_BYTES_MAX},
    secret::SecretText,
};
use std::{collections::BTreeMap, path::Path};

/// The limit on reported lines: a file of another format has a mistake in each.
const MISTAKES_MAX: usize = 20;

/// What a file has.
#[derive(Debug, Default)]
pub(super) struct EnvFile {
    pub(super) variables: BTreeMap<String, SecretText>,
    /// The first lines that are not valid. No mistake contains text of the file.
    pub(super) mistakes: Vec<ConfigErrorKind>,
}

/// Reads a file.
///
/// # Errors
///
/// Returns an error if the file cannot be read. It contains no text of the file.
pub(super) fn read(path: &Path) -> Result<EnvFile, ConfigErrorKind> {
    let bytes = match file::read_bounded(path, FILE_BYTES_MAX) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => {
            return Err(unreadable(
                path,
                format!("it has more than {FILE_BYTES_MAX} bytes"),
            ));
        }
        Err(error) => return Err(unreadable(path, error.to_string())),
    };
    // The error is dropped, because it contains the bytes of the file.
    let text =
        String::from_utf8(bytes).map_err(|_| unreadable(path, "it is not UTF-8".to_owned()))?;
    Ok(parse(path, &text))
}

fn unreadable(path: &Path, why: String) -> ConfigErrorKind {
    ConfigErrorKind::UnreadableEnvFile {
        path: path.to_owned(),
        why,
    }
}

/// Parses a text. A line that is not valid is left out alone.
fn parse(path: &Path, text: &str) -> EnvFile {
    // A line break within quotes is one character, whichever editor wrote it.
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let mut file = EnvFile::default();
    let mut rest = text.as_str();
    let mut line = 1;
    while !rest.is_empty() {
        let (first, next) = first_line(rest);
        let first = first.trim();
        let after = if first.is_empty() || first.starts_with('#') {
            next
        } else if let Some((name, value, after)) = parse_assignment(rest) {
            file.variables
                .insert(name.to_owned(), SecretText::new(value));
            after
        } else {
            if file.mistakes.len() < MISTAKES_MAX {
                file.mistakes.push(ConfigErrorKind::BadEnvFileLine {
                    path: path.to_owned(),
                    line,
                });
            }
            next
        };
        let taken = rest.len().saturating_sub(after.len());
        line += rest.get(..taken).unwrap_or_default().matches('\n').count();
        rest = after;
    }
    file
}

/// Returns the first line of a text, and the text after it.
fn first_line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// Parses `NAME=value` at the start of a text, with an optional `export` before it and optional
/// quotes around the value. Returns the name, the value, and the text after the last line of it.
fn parse_assignment(text: &str) -> Option<(&str, String, &str)> {
    let text = text.trim_start();
    let (name, value) = text
        .strip_prefix("export ")
        .unwrap_or(text)
        .split_once('=')?;
    // The next `=` can be in another line.
    (!name.contains('\n')).then_some(())?;
    let name = name.trim();
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    is_name.then_some(())?;
    let value = value.trim_start_matches(|letter: char| letter.is_whitespace() && letter != '\n');
    let (value, after) = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => parse_quoted(value.get(1..)?, quote)?,
        _ => {
            let (value, after) = first_line(value);
            // A comment needs a space before it, because a password can contain `#`.
            let value = value.split_once(" #").map_or(value, |(value, _)| value);
            (value.trim_end().to_owned(), after)
        }
    };
    // The operating system ends a variable at a NUL character.
    (!value.contains('\0')).then_some((name, value, after))
}

/// Parses the text after an opening quote. Escapes are read within double quotes only. Returns the
/// value, and the text after the line of the closing quote.
fn parse_quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.chars();
    loop {
        match characters.next()? {
            end if end == quote => break,
            '\\' if quote == '"' => value.push(match characters.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                other => other,
            }),
            character => value.push(character),
        }
    }
    let (tail, after) = first_line(characters.as_str());
    let tail = tail.trim_start();
    (tail.is_empty() || tail.starts_with('#')).then_some((value, after))
}
