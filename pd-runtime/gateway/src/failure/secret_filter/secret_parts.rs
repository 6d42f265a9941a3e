//! The parts of a value or an argument that are secrets.

use super::{
    SECRET_MIN, SecretFilter, is_secret_name,
    random_text::{is_of_token, is_random},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

/// The limit on names before a value, such as the two of `--header=Authorization: Bearer TOKEN`.
const NAMES_MAX: usize = 4;
/// What surrounds a word in a command or a list.
const QUOTES: [char; 9] = ['"', '\'', '`', '(', ')', '[', ']', '<', '>'];

impl SecretFilter {
    /// Adds the secrets of the arguments of a program.
    pub(super) fn add_arguments(&mut self, args: &[String]) {
        let mut before = "";
        let mut previous = "";
        for argument in args {
            if is_announced(before, previous, argument) {
                self.add_secret(argument);
            }
            (before, previous) = (previous, argument);
            self.add_text(argument);
        }
    }

    /// Adds the secrets of a value: all of it if its name says so, and otherwise what looks like a
    /// secret.
    pub(super) fn add_value(&mut self, name: &str, value: &str) {
        if is_secret_name(name) {
            self.add_secret(value);
        }
        self.add_text(value);
    }

    /// Adds a text that is a secret, and its words, because an error can repeat the token of
    /// `Bearer TOKEN` without its scheme.
    pub(super) fn add_secret(&mut self, text: &str) {
        self.add(text);
        if json(text).is_some() {
            // Its members say themselves what they are.
            return self.add_text(text);
        }
        text.split_whitespace().for_each(|word| self.add(word));
        for word in words(text) {
            self.add(word);
            // A cookie: `session=TOKEN; theme=dark`.
            self.add(word.split_once('=').map_or("", |(_, value)| value));
            self.add_credentials(word);
        }
    }

    /// Adds what a word of the scheme Basic encodes: `NAME:PASSWORD`.
    fn add_credentials(&mut self, word: &str) {
        if let Some(text) = credentials(word) {
            self.add(&text);
            self.add(text.split_once(':').map_or("", |(_, password)| password));
        }
    }

    /// Adds the parts of a text that look like secrets.
    fn add_text(&mut self, text: &str) {
        if self.add_named(text) {
            return;
        }
        if let Some((scheme, token)) = text.trim().split_once(char::is_whitespace)
            && scheme.eq_ignore_ascii_case("bearer")
            && !token.trim().contains(char::is_whitespace)
        {
            self.add_secret(token);
        }
        let mut before = "";
        let mut previous = "";
        for word in words(text) {
            if is_announced(before, previous, word) || is_secret_of(previous, word) {
                self.add_secret(word);
            }
            (before, previous) = (previous, word);
            // A text of one word was looked at.
            if word.len() < text.len() {
                self.add_named(word);
            }
        }
    }

    /// Adds the secret of a text that is a URL, JSON, a token, or one of them after names, such as
    /// `--header=Authorization: Bearer TOKEN`. Returns whether it has nothing else.
    fn add_named(&mut self, text: &str) -> bool {
        let mut rest = text.trim();
        for _ in 0..=NAMES_MAX {
            if let Some(value) = json(rest) {
                self.add_members(&value, false);
                return true;
            }
            let has_words = rest.contains(char::is_whitespace);
            if self.add_url(rest) && !has_words {
                return true;
            }
            if is_random(rest) {
                self.add_secret(rest);
                return true;
            }
            // Whichever is first: base64 ends in `=`, and a value can have a colon.
            let Some((name, value)) = rest.split_once(['=', ':']) else {
                return false;
            };
            let name = name.trim();
            if name.contains(char::is_whitespace) {
                return false;
            }
            rest = value.trim();
            // The directories of a list of paths are no names.
            let is_name = !name.contains(['/', '\\']);
            if is_name && is_secret_name(name.trim_matches(QUOTES)) && !rest.is_empty() {
                self.add_secret(rest);
                return true;
            }
        }
        false
    }

    fn add_members(&mut self, value: &Value, is_secret: bool) {
        match value {
            Value::String(text) if is_secret => self.add_secret(text),
            Value::String(text) => self.add_text(text),
            Value::Array(values) => values
                .iter()
                .for_each(|value| self.add_members(value, is_secret)),
            Value::Object(members) => {
                for (key, value) in members {
                    let has_name = key == "value" && has_secret_name(members);
                    self.add_members(value, has_name || is_secret_name(key));
                }
            }
            _ => {}
        }
    }
}

/// Iterates over the words of a command, a list or a connection string.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | '&'))
        .map(|word| word.trim_matches(QUOTES))
        .filter(|word| !word.is_empty())
}

/// Parses an object or a list.
fn json(text: &str) -> Option<Value> {
    // Checked first, because most values are neither.
    let text = text.trim();
    text.starts_with(['{', '['])
        .then(|| serde_json::from_str(text).ok())
        .flatten()
}

/// Returns whether members are those of a pair, such as `{"name": "X-API-Key", "value": "…"}`.
fn has_secret_name(members: &Map<String, Value>) -> bool {
    let mut names = ["name", "key", "header"].into_iter();
    names.any(|key| {
        members
            .get(key)
            .and_then(Value::as_str)
            .is_some_and(is_secret_name)
    })
}

/// Returns whether the two texts before a text say that it is a secret: `--token`,
/// `Authorization:`, or the same with a scheme between them.
fn is_announced(before: &str, previous: &str, text: &str) -> bool {
    let is_option =
        previous.starts_with('-') && !previous.contains(['=', ':']) && is_secret_name(previous);
    // Another option after the name, such as `--token --verbose`, is not the secret.
    is_option && !text.starts_with("--")
        || is_name_of_secret(previous) && !is_scheme(text)
        || is_name_of_secret(before) && is_scheme(previous)
}

/// Returns whether a text is a name whose value follows it, and is a secret: `Authorization:`.
fn is_name_of_secret(text: &str) -> bool {
    text.strip_suffix([':', '=']).is_some_and(is_secret_name)
}

/// Returns whether a text is a scheme of the header `Authorization`.
fn is_scheme(text: &str) -> bool {
    ["basic", "bearer", "token"]
        .iter()
        .any(|scheme| text.eq_ignore_ascii_case(scheme))
}

/// Returns whether a word after a scheme is its secret. Other texts have the words of the schemes,
/// too, so that a word of letters alone is none.
fn is_secret_of(scheme: &str, word: &str) -> bool {
    if scheme.eq_ignore_ascii_case("basic") {
        return credentials(word).is_some();
    }
    scheme.eq_ignore_ascii_case("bearer")
        && word.len() >= SECRET_MIN
        && !word.starts_with('-')
        && word.chars().all(is_of_token)
        && !word.chars().all(|letter| letter.is_ascii_alphabetic())
}

/// Returns the `NAME:PASSWORD` that a word encodes.
fn credentials(word: &str) -> Option<String> {
    let text = String::from_utf8(STANDARD.decode(word).ok()?).ok()?;
    let is_text = text.contains(':') && !text.contains(char::is_control);
    is_text.then_some(text)
}
