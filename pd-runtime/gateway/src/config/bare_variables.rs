//! `$VAR` without braces, which Gemini CLI expands and other clients do not.

use super::{
    Lookup,
    spanned::{SpannedData, SpannedValue},
};
use std::path::Path;

/// The directory of Gemini CLI's files, in a project and in the user's home.
const DIRECTORY: &str = ".gemini";

/// Returns whether `$VAR` is a variable in this file.
pub(super) fn has_bare_variables(file: &Path) -> bool {
    file.parent()
        .and_then(Path::file_name)
        .is_some_and(|name| name == DIRECTORY)
}

/// Writes `$VAR` as `${VAR}` in all texts.
///
/// Gemini CLI leaves a variable that is not set as it is. Here this applies to names with small
/// letters only: `$GITHUB_TOKEN` must not be sent as a token.
pub(super) fn add_braces(value: &mut SpannedValue, variables: Lookup<'_>) {
    match &mut value.data {
        SpannedData::Text(text) => *text = with_braces(text, variables),
        SpannedData::Array(elements) => elements
            .iter_mut()
            .for_each(|element| add_braces(element, variables)),
        SpannedData::Object(members) => {
            members
                .iter_mut()
                .for_each(|member| add_braces(&mut member.value, variables));
        }
        _ => {}
    }
}

fn with_braces(text: &str, variables: Lookup<'_>) -> String {
    let mut parts = text.split('$');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |braced, part| {
        // `${VAR}` has no name directly after its `$`, so it stays as it is.
        let name: String = part
            .chars()
            .take_while(|one| one.is_ascii_alphanumeric() || *one == '_')
            .collect();
        if !is_variable(&name, variables) {
            return braced + "$" + part;
        }
        let rest = part.get(name.len()..).unwrap_or_default();
        braced + &format!("${{{name}}}{rest}")
    })
}

fn is_variable(name: &str, variables: Lookup<'_>) -> bool {
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    is_name && (variables(name).is_some() || !name.contains(|one: char| one.is_ascii_lowercase()))
}
