//! The secrets of a server's entry, and texts without them. A child prints its token into its
//! standard error, and a server repeats a header in the body of an error.

mod random_text;
mod secret_parts;

use crate::config::{
    HttpServer, OpenApiServer, OpenApiSource, SecretText, ServerEntry, ServerTransport, StdioServer,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use reqwest::Url;
use serde_json::Value;
use std::{borrow::Cow, collections::BTreeMap, fmt};

/// The shortest secret, in bytes. Shorter values are words such as `true`, which errors need.
const SECRET_MIN: usize = 8;
/// The shortest password that is hidden in an answer without its name, in bytes.
const PASSWORD_MIN: usize = 12;
/// What a secret is replaced by.
const HIDDEN: &str = "***";

/// The texts of an entry that nobody reads.
#[derive(Clone, Default)]
pub(crate) struct SecretFilter {
    /// The longest first, so that no part of a secret remains where another one is a part of it.
    secrets: Vec<String>,
}

/// The values of an entry that a filter has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TakenValues {
    /// All values of variables and headers.
    All,
    /// Those that look like secrets or have the name of one.
    Secrets,
}

impl fmt::Debug for SecretFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretFilter")
            .field("secrets", &self.secrets.len())
            .finish()
    }
}

impl SecretFilter {
    /// Collects the secrets of an entry. `variable` returns a variable of the gateway's
    /// environment.
    pub(crate) fn new(entry: &ServerEntry, variable: impl Fn(&str) -> Option<String>) -> Self {
        Self::collect(entry, variable, TakenValues::All)
    }

    /// Collects the values of an entry that look like secrets or have the name of one. The failed
    /// result of a tool is read by a model that corrects the call. It needs the other values, such
    /// as the directory that a server allows.
    pub(crate) fn for_results(
        entry: &ServerEntry,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Self {
        Self::collect(entry, variable, TakenValues::Secrets)
    }

    fn collect(
        entry: &ServerEntry,
        variable: impl Fn(&str) -> Option<String>,
        taken: TakenValues,
    ) -> Self {
        let mut filter = Self::default();
        match &entry.transport {
            ServerTransport::Stdio(server) => {
                filter.add_process(server, taken);
                for name in &entry.settings.inherit_env {
                    // Unlike the values of `env`, most inherited ones are settings, such as a
                    // proxy, which errors need. So only what looks like a secret is one.
                    let value = variable(name).unwrap_or_default();
                    filter.add_value(name, &value);
                }
            }
            ServerTransport::Http(server) | ServerTransport::Sse(server) => {
                filter.add_server(server, taken)
            }
            ServerTransport::OpenApi(server) => filter.add_api(server, taken),
        }
        if let Some(oauth) = &entry.settings.oauth {
            let secret = oauth.client_secret.as_ref().map(SecretText::expose);
            filter.add(secret.unwrap_or_default());
        }
        filter.sort();
        filter
    }

    /// Collects the credentials of an API alone. An answer that succeeds contains them where a link
    /// to its next page has the key. Other headers have words that many answers have, such as a
    /// version, and a password without its name can be a word, too.
    pub(crate) fn from_credentials(server: &OpenApiServer) -> Self {
        let mut filter = Self::default();
        let headers = server
            .headers
            .iter()
            .filter(|(name, _)| is_secret_name(name));
        for (_, value) in headers {
            let value = value.expose();
            filter.add(value);
            value.split_whitespace().for_each(|part| filter.add(part));
        }
        for value in server.auth.values().map(SecretText::expose) {
            filter.add(value);
            if let Some((_, password)) = value.split_once(':') {
                filter.add(&STANDARD.encode(value));
                if password.len() >= PASSWORD_MIN {
                    filter.add(password);
                }
            }
        }
        filter.sort();
        filter
    }

    fn sort(&mut self) {
        self.secrets
            // Equal secrets become neighbors, as `dedup` requires.
            .sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        self.secrets.dedup();
    }

    fn add_process(&mut self, server: &StdioServer, taken: TakenValues) {
        for (name, value) in &server.env {
            let value = value.expose();
            if taken == TakenValues::All {
                self.add(value);
            }
            // An error can show the token of `Bearer TOKEN`, a member of JSON, or the password of
            // a URL alone.
            self.add_value(name, value);
        }
        self.add_arguments(&server.args);
    }

    fn add_server(&mut self, server: &HttpServer, taken: TakenValues) {
        self.add_headers(&server.headers, taken);
        if let Some(token) = &server.bearer_token {
            self.add_secret(token.expose());
        }
        self.add_url(&server.url);
    }

    fn add_headers(&mut self, headers: &BTreeMap<String, SecretText>, taken: TakenValues) {
        for (name, value) in headers {
            let value = value.expose();
            if taken == TakenValues::All {
                self.add(value);
                // `Bearer TOKEN`: servers repeat the token alone.
                value.split_whitespace().for_each(|part| self.add(part));
            }
            self.add_value(name, value);
        }
    }

    fn add_api(&mut self, server: &OpenApiServer, taken: TakenValues) {
        self.add_headers(&server.headers, taken);
        for value in server.auth.values().map(SecretText::expose) {
            self.add_secret(value);
            // The header of `NAME:PASSWORD`.
            if let Some((_, password)) = value.split_once(':') {
                self.add(password);
                self.add(&STANDARD.encode(value));
            }
        }
        self.add_url(server.url.as_deref().unwrap_or_default());
        if let OpenApiSource::Url(url) = &server.document {
            self.add_url(url);
        }
    }

    /// Adds the secrets of a URL: user information, values of the query, and random parts of the
    /// path. Returns whether the text is a URL.
    fn add_url(&mut self, text: &str) -> bool {
        let Some(url) = Url::parse(text).ok().filter(Url::has_host) else {
            return false;
        };
        let user = url.username();
        let password = url.password().unwrap_or_default();
        for part in [user, password] {
            self.add(part);
            self.add(&decoded(part));
        }
        if !user.is_empty() {
            // The header `Authorization` of the scheme Basic, which servers repeat.
            self.add(&STANDARD.encode(format!("{}:{}", decoded(user), decoded(password))));
        }
        url.query_pairs().for_each(|(_, value)| self.add(&value));
        // Also as the URL has it, because an error can repeat the URL itself.
        url.query()
            .into_iter()
            .flat_map(|query| query.split('&'))
            .for_each(|pair| {
                self.add(pair.split_once('=').map_or("", |(_, value)| value));
            });
        for segment in url.path_segments().into_iter().flatten() {
            // A slash that is escaped separates no parts of a path, but base64 has it.
            let text = decoded(segment);
            if random_text::is_random(&text.replace('/', "_")) {
                self.add(segment);
                self.add(&text);
            }
        }
        true
    }

    /// Adds a secret as it is, and as a URL, JSON or base64 contains it.
    fn add(&mut self, secret: &str) {
        // A key in one line, whose line breaks a server reads from `\n`.
        if secret.contains("-----BEGIN") && secret.contains("\\n") {
            self.add(&secret.replace("\\n", "\n"));
        }
        // Each line by itself, because standard error is read line by line.
        for line in secret
            .lines()
            .map(str::trim)
            .filter(|line| line.len() >= SECRET_MIN)
        {
            let json = Value::from(line).to_string();
            let json = json.trim_matches('"');
            // A space is `+` in a query, and `%20` in a path.
            let query: String = form_urlencoded::byte_serialize(line.as_bytes()).collect();
            let path = query.replace('+', "%20");
            self.secrets.extend([
                line.to_owned(),
                json.to_owned(),
                // As some languages escape JSON, so that it can be a part of HTML.
                json.replace('/', "\\/"),
                query,
                path,
                percent_encoding::utf8_percent_encode(line, percent_encoding::NON_ALPHANUMERIC)
                    .to_string(),
            ]);
            self.secrets.extend(base64_parts(line));
        }
    }

    /// Replaces each secret.
    pub(crate) fn hide<'a>(&self, text: &'a str) -> Cow<'a, str> {
        replaced(text, self.secrets.iter().map(String::as_str))
    }

    /// Replaces each secret, and one more, such as an access token.
    pub(crate) fn hide_with(&self, text: &str, other: Option<&SecretText>) -> String {
        let Some(other) = other
            .map(SecretText::expose)
            .filter(|other| other.len() >= SECRET_MIN)
        else {
            return self.hide(text).into_owned();
        };
        // The longest first: a secret within the token would split it, and the rest could be read.
        let (longer, others) = self
            .secrets
            .split_at(self.secrets.partition_point(|one| one.len() > other.len()));
        let others = others.iter().map(String::as_str);
        replaced(
            text,
            longer
                .iter()
                .map(String::as_str)
                .chain([other])
                .chain(others),
        )
        .into_owned()
    }

    /// Replaces each secret in the texts of a value.
    pub(crate) fn hide_in(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(hidden) = self.hide(text) {
                    *text = hidden;
                }
            }
            // The depth of parsed JSON is bounded.
            Value::Array(values) => values.iter_mut().for_each(|value| self.hide_in(value)),
            Value::Object(members) => members.values_mut().for_each(|value| self.hide_in(value)),
            _ => {}
        }
    }
}

fn replaced<'a, 's>(text: &'a str, secrets: impl Iterator<Item = &'s str>) -> Cow<'a, str> {
    secrets.fold(Cow::Borrowed(text), |text, secret| {
        match text.contains(secret) {
            true => Cow::Owned(text.replace(secret, HIDDEN)),
            false => text,
        }
    })
}

/// Returns what the base64 of every text around a secret contains, such as that of
/// `NAME:PASSWORD`. It depends on the number of bytes before the secret, of which three have the
/// bits of four characters.
fn base64_parts(secret: &str) -> impl Iterator<Item = String> {
    (0..3_usize).map(move |before| {
        let bytes = [&vec![0; before], secret.as_bytes()].concat();
        // The first and the last character can have bits of the texts around it.
        let first = (before * 8).div_ceil(6);
        let last = bytes.len() * 8 / 6;
        let code = STANDARD.encode(&bytes);
        code.get(first..last).unwrap_or_default().to_owned()
    })
}

fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text)
        .decode_utf8_lossy()
        .into_owned()
}

/// Returns whether the name of a variable, an option or a member says that its value is a secret.
fn is_secret_name(name: &str) -> bool {
    const WORDS: [&str; 8] = [
        "token",
        "secret",
        "passw",
        "pwd",
        "credential",
        "bearer",
        "cookie",
        "apikey",
    ];
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word))
        // At the end only, because `keyboard`, `author` and `path` are not secret.
        || ["key", "auth", "pat"].iter().any(|word| name.ends_with(word))
        || name.contains("authorization")
}

#[cfg(test)]
mod tests;
