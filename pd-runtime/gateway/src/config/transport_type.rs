//! The kind of a server, in the words of all clients, and the mistakes about it.

use super::{
    entry_keys::{
        ARGS, COMMAND, CWD, ENV, ENV_FILE, HEADERS, HTTP_URL, OPENAPI, SERVER_URL, SOURCE,
        TYPE_KEYS, URL, URL_KEYS,
    },
    error::ConfigErrorKind,
    field::{ConfigField, FieldReader},
    in_ticks::in_ticks,
    transport_kind::{NAMED_KINDS, TransportType, kind_of_letters, letters},
};

const CLIENT_ADVICE: &str = "it is a part of its client, and no other program can start it; remove the entry here, or \
                             add `\"disabled\": true`";
/// Kinds that the gateway does not run, with what to do.
const UNUSABLE: &[(&str, &str)] = &[
    ("ws", SOCKET_ADVICE),
    ("websocket", SOCKET_ADVICE),
    ("builtin", CLIENT_ADVICE),
    ("platform", CLIENT_ADVICE),
    ("frontend", CLIENT_ADVICE),
    ("inlinepython", CLIENT_ADVICE),
    ("sdk", CLIENT_ADVICE),
    ("inmemory", CLIENT_ADVICE),
    ("extension", CLIENT_ADVICE),
    ("docker", DOCKER_ADVICE),
    ("container", DOCKER_ADVICE),
];
const SOCKET_ADVICE: &str =
    "write the server's `http://` or `https://` URL, with `\"type\": \"http\"`";
const DOCKER_ADVICE: &str =
    "write `\"command\": \"docker\", \"args\": [\"run\", \"-i\", \"--rm\", \"IMAGE\"]`";

/// Keys that are read only if they are spelled as here.
pub(super) const SPELLED_KEYS: [&str; 10] = [
    COMMAND.key,
    ARGS.key,
    ENV.key,
    ENV_FILE.key,
    CWD.key,
    URL.key,
    HTTP_URL.key,
    SERVER_URL.key,
    HEADERS.key,
    OPENAPI.key,
];

/// Returns the first key of an entry that contains its kind.
pub(super) fn type_field<'v>(root: &ConfigField<'v>) -> Option<ConfigField<'v>> {
    TYPE_KEYS.iter().find_map(|key| root.get(key))
}

impl FieldReader<'_, '_> {
    /// Reads the kind of a server. Returns `None` if no key contains one, and `Some(None)` if one
    /// was reported.
    pub(super) fn transport_type(
        &mut self,
        root: &ConfigField<'_>,
    ) -> Option<Option<(&'static str, TransportType)>> {
        let mut fields = TYPE_KEYS
            .iter()
            .filter_map(|key| Some((key.key, root.get(key)?)));
        let (one, first) = fields.next()?;
        let kind = self.read_type(&first);
        for (other, field) in fields {
            // An entry for several clients has several of these keys, which must agree.
            let again = self.read_type(&field);
            if kind
                .zip(again)
                .is_some_and(|((_, kind), (_, again))| kind != again)
            {
                self.report(&field, ConfigErrorKind::ExclusiveKeys { one, other });
                return Some(None);
            }
        }
        Some(kind)
    }

    fn read_type(&mut self, field: &ConfigField<'_>) -> Option<(&'static str, TransportType)> {
        let text = self.text(field)?;
        let letters = letters(text);
        let kind = kind_of_letters(&letters);
        if kind.is_none() {
            self.report_unusable(field, text, &letters);
        }
        kind
    }

    fn report_unusable(&mut self, field: &ConfigField<'_>, text: &str, letters: &str) {
        let value = text.to_owned();
        let kind = match UNUSABLE.iter().find(|(name, _)| *name == letters) {
            Some((_, advice)) => ConfigErrorKind::UnusableType { value, advice },
            None => ConfigErrorKind::UnknownChoice {
                value,
                choices: in_ticks(NAMED_KINDS.iter().copied()),
            },
        };
        self.report(field, kind);
    }

    /// Reports keys that differ from others in case and spaces alone: `"httpUrl "`.
    pub(super) fn report_misspelled_keys(&mut self, root: &ConfigField<'_>) {
        for member in root.value.as_object().unwrap_or_default() {
            let key = member.key.trim();
            let near = SPELLED_KEYS
                .iter()
                .find(|known| known.eq_ignore_ascii_case(key) && **known != member.key);
            // Beside the correct key, a misspelled one changes nothing.
            if let Some(near) = near.filter(|near| root.named(near).is_none()) {
                self.report_misspelled(root, &member.key, near);
            }
        }
    }

    fn report_misspelled(&mut self, root: &ConfigField<'_>, key: &str, near: &'static str) {
        let Some(field) = root.named(key) else { return };
        self.report(
            &field,
            ConfigErrorKind::MisspelledKey {
                key: key.to_owned(),
                near,
            },
        );
    }

    /// Reports an entry without a program and a URL. A mistake that explains this is enough.
    pub(super) fn report_no_transport(&mut self, root: &ConfigField<'_>) {
        let members = root.value.as_object().unwrap_or_default();
        if members
            .iter()
            .any(|member| is_misspelled_target(&member.key) && root.named(&member.key).is_some())
        {
            return;
        }
        // An entry of Zed, for which an extension knows the program.
        if let Some(source) = root.get(&SOURCE)
            && source
                .value
                .as_text()
                .is_some_and(|source| source != "custom")
        {
            let text = source.value.as_text().unwrap_or_default();
            return self.report_unusable(&source, text, &letters(text));
        }
        self.report(root, ConfigErrorKind::NoTransport);
    }
}

/// Returns whether a key is `command` or one of a URL, but in another case or with spaces around it.
fn is_misspelled_target(key: &str) -> bool {
    let mut targets = SPELLED_KEYS.iter().filter(|known| {
        [COMMAND.key, OPENAPI.key].contains(*known) || URL_KEYS.iter().any(|url| url.key == **known)
    });
    targets.any(|known| *known != key && known.eq_ignore_ascii_case(key.trim()))
}
