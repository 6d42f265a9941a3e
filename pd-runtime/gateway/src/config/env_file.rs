//! Reads the file of environment variables that `envFile` names (VS Code, Cursor): lines
//! `NAME=value`, empty lines, and comments that begin with `#`. Variables in values are not
//! expanded.

use super::{
    error::ConfigErrorKind,
    file::{self, FILE_BYTES_MAX},
    secret::SecretText,
};
use std::{collections::BTreeMap, path::Path};

/// Reads a file.
///
/// # Errors
///
/// Returns an error if the file cannot be read, and one for each line that is not valid. No error
/// contains text of the file.
pub(super) fn read(path: &Path) -> Result<BTreeMap<String, SecretText>, Vec<ConfigErrorKind>> {
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
    parse(path, &text)
}

fn unreadable(path: &Path, why: String) -> Vec<ConfigErrorKind> {
    vec![ConfigErrorKind::UnreadableEnvFile {
        path: path.to_owned(),
        why,
    }]
}

fn parse(path: &Path, text: &str) -> Result<BTreeMap<String, SecretText>, Vec<ConfigErrorKind>> {
    let mut variables = BTreeMap::new();
    let mut mistakes = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line_text = line.trim();
        if line_text.is_empty() || line_text.starts_with('#') {
            continue;
        }
        match parse_line(line_text) {
            Some((name, value)) => drop(variables.insert(name.to_owned(), SecretText::new(value))),
            None => mistakes.push(ConfigErrorKind::BadEnvFileLine {
                path: path.to_owned(),
                line: index + 1,
            }),
        }
    }
    if mistakes.is_empty() {
        Ok(variables)
    } else {
        Err(mistakes)
    }
}

/// Parses `NAME=value`, with an optional `export` before it and optional quotes around the value.
fn parse_line(line: &str) -> Option<(&str, String)> {
    let (name, value) = line
        .strip_prefix("export ")
        .unwrap_or(line)
        .split_once('=')?;
    let name = name.trim();
    let value = value.trim();
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    is_name.then_some(())?;
    let value = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => parse_quoted(value.get(1..)?, quote)?,
        // A comment needs a space before it, because a password can contain `#`.
        _ => value
            .split_once(" #")
            .map_or(value, |(value, _)| value.trim_end())
            .to_owned(),
    };
    // The operating system ends a variable at a NUL character.
    (!value.contains('\0')).then_some((name, value))
}

/// Parses the text after an opening quote. Escapes are read within double quotes only.
fn parse_quoted(text: &str, quote: char) -> Option<String> {
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
    let after = characters.as_str().trim_start();
    (after.is_empty() || after.starts_with('#')).then_some(value)
}
