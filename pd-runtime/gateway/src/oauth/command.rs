//! The command that a person runs to log in, for errors.

use std::borrow::Cow;

/// The most scopes that a command names.
const SCOPES_MAX: usize = 20;
/// The longest scope that a command names.
const SCOPE_LENGTH_MAX: usize = 200;

/// Returns the command for a login at this server.
pub(super) fn login_command(server: &str, principal: Option<&str>, scopes: &[String]) -> String {
    let mut command = format!("pd-gateway login {server}");
    if let Some(principal) = principal {
        command += &format!(" --principal {}", quoted(principal));
    }
    for scope in scopes {
        command += &format!(" --scope {}", quoted(scope));
    }
    command
}

/// Returns the scopes of a text, as far as they are valid (RFC 6749, section 3.3).
pub(super) fn parse_scopes(text: &str) -> Vec<String> {
    text.split(' ')
        .filter(|scope| is_scope(scope))
        .take(SCOPES_MAX)
        .map(str::to_owned)
        .collect()
}

fn is_scope(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= SCOPE_LENGTH_MAX
        && text
            .chars()
            .all(|letter| matches!(letter, '\x21' | '\x23'..='\x5b' | '\x5d'..='\x7e'))
}

/// Returns the word as a shell reads it back. Scopes come from servers, and a person pastes the
/// command.
fn quoted(word: &str) -> Cow<'_, str> {
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(is_plain) {
        return word.into();
    }
    // A terminal would obey a control character when it shows the command.
    let word: String = word.chars().filter(|letter| !letter.is_control()).collect();
    // Within single quotes, a shell knows no escapes. So the quote ends, and begins once more.
    format!("'{}'", word.replace('\'', r"'\''")).into()
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_-.:/@%+,".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_with_texts_of_servers_is_safe_to_paste() {
        let scopes = parse_scopes("repo a\"b https://x.example/drive $(reboot) it's \u{1b}[2J");
        assert_eq!(
            scopes,
            ["repo", "https://x.example/drive", "$(reboot)", "it's"]
        );
        assert_eq!(
            login_command("web", Some("auth0|7"), &scopes),
            r"pd-gateway login web --principal 'auth0|7' --scope repo --scope https://x.example/drive --scope '$(reboot)' --scope 'it'\''s'"
        );
    }
}
