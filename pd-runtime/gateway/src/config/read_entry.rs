//! Reads one entry: a program or a URL, in the words of all clients.

use super::{
    entry::{HttpServer, ServerEntry, ServerTransport, StdioServer},
    entry_keys::{
        ARGS, ARGS_MAX, BEARER_TOKEN_ENV_VAR, COMMAND, CWD, DISABLED, ENABLED, ENV, ENV_FILE,
        ENV_HTTP_HEADERS, HEADERS, HTTP_HEADERS, OPENAPI, PD, URL_KEYS,
    },
    env_file::{self, EnvFile},
    error::ConfigErrorKind,
    expand::VariableExpander,
    field::{ConfigField, FieldReader},
    http_url::HttpUrl,
    pd_keys::OAUTH,
    program,
    secret::SecretText,
    setting::ReadValue,
    spanned::{SpannedData, SpannedMember, SpannedValue},
    transport_kind::TransportType,
    transport_type::type_field,
    value_rule::VariableName,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Reads one entry at a time.
#[derive(Debug)]
pub(super) struct EntryReader<'r, 't> {
    pub(super) fields: FieldReader<'r, 't>,
    expander: &'r VariableExpander<'r>,
    /// The directory of the project that the entry belongs to.
    pub(super) project: Option<&'r Path>,
    /// The variables of a disabled entry are not expanded, because they need not be set.
    pub(super) is_disabled: bool,
}

/// Returns whether an entry is switched off. Its other keys are not looked at.
pub(super) fn is_disabled(entry: &SpannedValue) -> bool {
    has_switch(entry, DISABLED.key, true) || has_switch(entry, ENABLED.key, false)
}

fn has_switch(entry: &SpannedValue, key: &str, wanted: bool) -> bool {
    match entry.get(key).map(|member| &member.value.data) {
        Some(SpannedData::Boolean(value)) => *value == wanted,
        Some(SpannedData::Text(text)) => {
            text.eq_ignore_ascii_case(if wanted { "true" } else { "false" })
        }
        // Other values do not switch an entry off. `EntryReader::read` reports them.
        _ => false,
    }
}

impl<'r, 't> EntryReader<'r, 't> {
    pub(super) fn new(
        fields: FieldReader<'r, 't>,
        expander: &'r VariableExpander<'r>,
        project: Option<&'r Path>,
        is_disabled: bool,
    ) -> Self {
        Self {
            fields,
            expander,
            project,
            is_disabled,
        }
    }

    /// Reads an entry under the name that it gets. Returns `None` if a mistake was reported that
    /// leaves no server. A disabled entry without a program or URL gets an empty command.
    pub(super) fn read(mut self, name: String, entry: &SpannedMember) -> Option<ServerEntry> {
        let root = ConfigField::root(entry);
        // Reports a key that occurs twice, or an entry that is not an object.
        self.fields.members(&root)?;
        let line = self.fields.mistakes.line(entry.offset);
        // `is_disabled` has read the values. This reports a value that is not a switch.
        for key in [DISABLED, ENABLED] {
            self.fields.read(&root, &key);
        }
        let mut settings = self.fields.settings(&root);
        let transport = self
            .transport(&root)
            .or_else(|| self.is_disabled.then(ServerTransport::empty))?;
        // After the transport, because a header of the entry excludes OAuth.
        let oauth = root.get(&PD).and_then(|pd| pd.get(&OAUTH));
        settings.oauth = oauth.and_then(|field| self.oauth(&field, &transport));
        let label = entry.key.clone();
        Some(ServerEntry {
            name,
            label,
            line,
            transport,
            is_disabled: self.is_disabled,
            settings,
            #[cfg(feature = "cli")]
            source: Default::default(),
        })
    }

    fn transport(&mut self, root: &ConfigField<'_>) -> Option<ServerTransport> {
        if let Some(document) = root.get(&OPENAPI) {
            return self.openapi(root, &document).map(ServerTransport::OpenApi);
        }
        let command = root.get(&COMMAND).map(|field| (COMMAND.key, field));
        let urls = URL_KEYS
            .iter()
            .filter_map(|key| Some((key.key, root.get(key)?)));
        let mut targets = command.into_iter().chain(urls);
        let first = targets.next();
        if let (Some((one, _)), Some((other, field))) = (&first, targets.next()) {
            self.fields
                .report(&field, ConfigErrorKind::ExclusiveKeys { one, other });
            return None;
        }
        // Reported first: a misspelled `url` explains why the entry has no transport, and
        // `report_no_transport` is silent then.
        self.fields.report_misspelled_keys(root);
        let kind = self.fields.transport_type(root);
        if kind == Some(None) {
            // The other keys mean something else then, so their mistakes would mislead.
            return None;
        }
        let Some((key, target)) = first else {
            self.fields.report_no_transport(root);
            return None;
        };
        let kind = kind.flatten();
        if key == COMMAND.key {
            self.check_type(root, kind, "url", |kind| kind == TransportType::Stdio);
            return self.stdio(root, &target).map(ServerTransport::Stdio);
        }
        self.check_type(root, kind, "command", |kind| kind != TransportType::Stdio);
        let server = self.http(root, &target)?;
        let is_sse = match kind {
            Some((_, kind)) if kind != TransportType::Remote => kind == TransportType::Sse,
            // Clients try both transports for such an entry. Servers that have both serve HTTP+SSE
            // at this path.
            _ => path(&server.url).ends_with("/sse"),
        };
        Some(if is_sse {
            ServerTransport::Sse(server)
        } else {
            ServerTransport::Http(server)
        })
    }

    /// Reports a `type` that does not fit the entry's other keys.
    fn check_type(
        &mut self,
        root: &ConfigField<'_>,
        kind: Option<(&'static str, TransportType)>,
        missing: &'static str,
        fits: impl Fn(TransportType) -> bool,
    ) {
        if let (Some((kind, transport)), Some(field)) = (kind, type_field(root))
            && !fits(transport)
        {
            self.fields
                .report(&field, ConfigErrorKind::TypeMismatch { kind, missing });
        }
    }

    fn stdio(&mut self, root: &ConfigField<'_>, command: &ConfigField<'_>) -> Option<StdioServer> {
        let args = root
            .get(&ARGS)
            .map(|field| self.args(&field))
            .unwrap_or_default();
        let cwd = root.get(&CWD).map(|field| self.path(&field));
        // The servers of a project run in its directory, wherever the gateway was started.
        let cwd = cwd.unwrap_or_else(|| self.project.map(Path::to_owned));
        let mut env = root
            .get(&ENV_FILE)
            .map(|field| self.env_file(&field))
            .unwrap_or_default();
        // The entry itself is more specific than the file that it names.
        env.extend(
            root.get(&ENV)
                .map(|field| self.env(&field))
                .unwrap_or_default(),
        );
        // Expanded after the other keys, so that their mistakes are reported beside the program's.
        let program = self.expanded_path(command)?;
        // Clients start no shell, so nothing would split the text into words.
        if !self.is_disabled
            && let Some(first) = program::arguments_in(&program, cwd.as_deref(), &|name| {
                self.expander.variable(name)
            })
        {
            self.fields.report(
                command,
                ConfigErrorKind::ArgumentsInCommand {
                    program: first.to_owned(),
                },
            );
            return None;
        }
        let command = program::in_directory(program, cwd.as_deref());
        Some(StdioServer {
            command,
            args,
            env,
            cwd,
        })
    }

    fn args(&mut self, field: &ConfigField<'_>) -> Vec<String> {
        if field.value.as_text().is_some() {
            self.fields.report(field, ConfigErrorKind::ArgumentsInText);
            return Vec::new();
        }
        let elements = self.fields.elements(field).unwrap_or_default();
        if elements.len() > ARGS_MAX {
            let advice = "pass them in a file";
            self.fields.report(
                field,
                ConfigErrorKind::TooMany {
                    what: "arguments",
                    max: ARGS_MAX,
                    advice,
                },
            );
            return Vec::new();
        }
        elements
            .iter()
            .filter_map(|element| self.plain_value(element))
            .collect()
    }

    /// Reads a text, or a number or a switch as its text.
    pub(super) fn plain_value(&mut self, field: &ConfigField<'_>) -> Option<String> {
        match &field.value.data {
            // The text of the file, because `1.50` must not become `1.5`.
            SpannedData::Number(_, text) => Some(text.clone()),
            SpannedData::Boolean(value) => Some(value.to_string()),
            _ => self.expanded(field),
        }
    }

    fn env(&mut self, field: &ConfigField<'_>) -> BTreeMap<String, SecretText> {
        let members = self.fields.members(field).unwrap_or_default();
        members
            .into_iter()
            .filter_map(|(name, member)| self.variable(name, &member))
            .collect()
    }

    /// Reads one variable. VS Code allows numbers, and `null` for a variable that is left out.
    fn variable(&mut self, name: &str, field: &ConfigField<'_>) -> Option<(String, SecretText)> {
        if name.is_empty() || name.contains(['=', '\0']) {
            self.fields.report(field, ConfigErrorKind::BadVariableName);
            return None;
        }
        let is_null = matches!(field.value.data, SpannedData::Null);
        let value = if is_null {
            None
        } else {
            self.plain_value(field)
        }?;
        Some((name.to_owned(), SecretText::new(value)))
    }

    fn env_file(&mut self, field: &ConfigField<'_>) -> BTreeMap<String, SecretText> {
        // The path of a disabled entry is not expanded, and the file need not exist.
        let Some(path) = self.path(field).filter(|_| !self.is_disabled) else {
            return BTreeMap::new();
        };
        let file = env_file::read(&path).unwrap_or_else(|kind| {
            self.fields.report(field, kind);
            EnvFile::default()
        });
        // A warning, because the server can work without the variable of one line.
        for kind in file.mistakes {
            self.fields.warn(field, kind);
        }
        file.variables
    }

    /// Reads the headers of all keys that have some.
    pub(super) fn headers(&mut self, root: &ConfigField<'_>) -> BTreeMap<String, SecretText> {
        let mut headers = BTreeMap::new();
        for setting in [HEADERS, HTTP_HEADERS, ENV_HTTP_HEADERS] {
            let Some(field) = root.get(&setting) else {
                continue;
            };
            let is_variable = setting.key == ENV_HTTP_HEADERS.key;
            for (name, member) in self.fields.members(&field).unwrap_or_default() {
                self.header(&mut headers, name, &member, is_variable);
            }
        }
        headers
    }

    fn http(&mut self, root: &ConfigField<'_>, url: &ConfigField<'_>) -> Option<HttpServer> {
        let headers = self.headers(root);
        let token = root.get(&BEARER_TOKEN_ENV_VAR).and_then(|field| {
            // The token is sent in this header, and a request can have it once only.
            self.check_new_header(&headers, "Authorization", &field);
            self.named_variable(&field)
        });
        let text = self.expanded(url)?;
        self.check_url(url, &text)?;
        Some(HttpServer {
            url: text,
            headers,
            bearer_token: token.map(SecretText::new),
        })
    }

    pub(super) fn check_url(&mut self, field: &ConfigField<'_>, url: &str) -> Option<()> {
        // The URL of a disabled entry is not expanded, and can begin with a variable.
        if self.is_disabled {
            return Some(());
        }
        HttpUrl::parse(url)
            .map_err(|why| self.fields.report(field, ConfigErrorKind::BadUrl { why }))
            .ok()
            .map(drop)
    }

    fn header(
        &mut self,
        headers: &mut BTreeMap<String, SecretText>,
        name: &str,
        field: &ConfigField<'_>,
        is_variable: bool,
    ) {
        if name.is_empty() || !name.chars().all(is_header_character) {
            return self.fields.report(field, ConfigErrorKind::BadHeaderName);
        }
        // Programs write null for an absent value, as `SpannedValue::get` reads it.
        if matches!(field.value.data, SpannedData::Null) {
            return;
        }
        self.check_new_header(headers, name, field);
        let value = if is_variable {
            self.named_variable(field)
        } else {
            self.plain_value(field)
        };
        let Some(value) = value else { return };
        // A line break in a value would begin another header.
        if value
            .chars()
            .any(|character| character.is_control() && character != '\t')
        {
            return self.fields.report(field, ConfigErrorKind::ControlCharacter);
        }
        headers.insert(name.to_owned(), SecretText::new(value));
    }

    /// Reports a header that is already there. Names of headers have no case.
    fn check_new_header(
        &mut self,
        headers: &BTreeMap<String, SecretText>,
        name: &str,
        field: &ConfigField<'_>,
    ) {
        if let Some(known) = headers
            .keys()
            .find(|known| known.eq_ignore_ascii_case(name))
        {
            self.fields
                .report(field, ConfigErrorKind::DuplicateKey { key: known.clone() });
        }
    }

    /// Returns the value of the environment variable that a field names.
    fn named_variable(&mut self, field: &ConfigField<'_>) -> Option<String> {
        let name = VariableName.read(&mut self.fields, field)?;
        if self.is_disabled {
            return None;
        }
        self.expander
            .named_variable(&name)
            .map_err(|kind| self.fields.report(field, kind))
            .ok()
    }

    pub(super) fn expanded(&mut self, field: &ConfigField<'_>) -> Option<String> {
        let text = self.fields.text(field)?;
        if self.is_disabled {
            return Some(text.to_owned());
        }
        let expanded = self
            .expander
            .expand(text, &mut |kind| self.fields.report(field, kind))?;
        self.without_nul(field, expanded)
    }

    /// Expands the text of a path that may begin with `~/`.
    fn expanded_path(&mut self, field: &ConfigField<'_>) -> Option<String> {
        let text = self.fields.nonempty_text(field)?;
        if self.is_disabled {
            return Some(text.to_owned());
        }
        let expanded = self
            .expander
            .expand_path(text, &mut |kind| self.fields.report(field, kind))?;
        self.without_nul(field, expanded)
    }

    /// Reads a path. A relative path starts from the workspace, because the gateway's own working
    /// directory is an accident of how it was started.
    pub(super) fn path(&mut self, field: &ConfigField<'_>) -> Option<PathBuf> {
        let text = self.expanded_path(field)?;
        Some(if self.is_disabled {
            PathBuf::from(text)
        } else {
            self.expander.workspace().join(text)
        })
    }

    /// The operating system ends arguments, variables and paths at a NUL character.
    fn without_nul(&mut self, field: &ConfigField<'_>, text: String) -> Option<String> {
        if text.contains('\0') {
            self.fields.report(field, ConfigErrorKind::ControlCharacter);
            return None;
        }
        Some(text)
    }
}

/// Returns whether a character can be part of a header's name (RFC 9110, `tchar`).
fn is_header_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(character)
}

/// Returns the path of a URL without a slash at its end.
fn path(url: &str) -> &str {
    url.split(['?', '#'])
        .next()
        .unwrap_or_default()
        .trim_end_matches('/')
}
