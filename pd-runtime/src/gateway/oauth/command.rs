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
    let is_valid = |scope: &&str| {
        scope.len() <= SCOPE_LENGTH_MAX
            && scope.chars().all(|letter| matches!(letter, '\x21' | '\x23'..='\x5b' | '\x5d'..='\x7e'))
    };
    text.split(' ').filter(|scope| !scope.is_empty()).filter(is_valid).take(SCOPES_MAX).map(str::to_owned).collect()
}

/// Returns the word as a shell reads it back. Scopes come from servers, and a person pastes the command.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-.:/@%+,".contains(letter);
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(is_plain) {
        return word.into();
    }
    let word: String = word.chars().filter(|letter| !letter.is_control()).collect();
    format!("'{}'", word.replace('\'', r"'\''")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_with_texts_of_servers_is_safe_to_paste() {
        let scopes = parse_scopes("repo a\"b https://x.example/drive $(reboot) it's \u{1b}[2J");
        assert_eq!(scopes, ["repo", "https://x.example/drive", "$(reboot)", "it's"]);
        assert_eq!(
            login_command("web", Some("auth0|7"), &scopes),
            r"pd-gateway login web --principal 'auth0|7' --scope repo --scope https://x.example/drive --scope '$(reboot)' --scope 'it'\''s'"
        );
    }
}
