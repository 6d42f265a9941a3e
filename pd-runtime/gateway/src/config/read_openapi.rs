//! Reads an entry of an API: its OpenAPI document, its URL and its credentials.

use super::{
    entry::{OpenApiServer, OpenApiSource},
    entry_keys::{AUTH, COMMAND, OPENAPI, URL, URL_KEYS},
    error::ConfigErrorKind,
    field::ConfigField,
    read_entry::EntryReader,
    secret::SecretText,
    spanned::SpannedData,
};
use std::collections::BTreeMap;

impl EntryReader<'_, '_> {
    /// Reads an API, whose document this field has.
    pub(super) fn openapi(
        &mut self,
        root: &ConfigField<'_>,
        document: &ConfigField<'_>,
    ) -> Option<OpenApiServer> {
        let others = URL_KEYS.iter().filter(|key| key.key != URL.key);
        for other in std::iter::once(&COMMAND).chain(others) {
            if let Some(field) = root.get(other) {
                let kind = ConfigErrorKind::ExclusiveKeys {
                    one: OPENAPI.key,
                    other: other.key,
                };
                self.fields.report(&field, kind);
                return None;
            }
        }
        self.fields.report_misspelled_keys(root);
        let headers = self.headers(root);
        let auth = root.get(&AUTH).map(|field| self.credentials(&field));
        let url = match root.get(&URL) {
            Some(field) => {
                let url = self.expanded(&field)?;
                self.check_url(&field, &url)?;
                Some(url)
            }
            None => None,
        };
        let server = OpenApiServer {
            document: self.document(document)?,
            url,
            headers,
            auth: auth.unwrap_or_default(),
        };
        // The document is not part of what a person approves, and whoever changes it would choose
        // the server that gets the credentials.
        if self.project.is_some()
            && server.url.is_none()
            && server.has_credentials()
            && matches!(server.document, OpenApiSource::File(_))
        {
            self.fields
                .report(document, ConfigErrorKind::CredentialsWithoutUrl);
            return None;
        }
        Some(server)
    }

    fn document(&mut self, field: &ConfigField<'_>) -> Option<OpenApiSource> {
        self.fields.nonempty_text(field)?;
        let text = self.expanded(field)?;
        if has_scheme(&text) {
            self.check_url(field, &text)?;
            return Some(OpenApiSource::Url(text));
        }
        self.path(field).map(OpenApiSource::File)
    }

    fn credentials(&mut self, field: &ConfigField<'_>) -> BTreeMap<String, SecretText> {
        let members = self.fields.members(field).unwrap_or_default();
        let mut credentials = BTreeMap::new();
        for (name, member) in members {
            // Programs write null for an absent value.
            if matches!(member.value.data, SpannedData::Null) {
                continue;
            }
            let Some(value) = self.plain_value(&member) else {
                continue;
            };
            if value.is_empty() && !self.is_disabled {
                self.fields.report(&member, ConfigErrorKind::EmptyText);
            } else if value.chars().any(char::is_control) {
                self.fields
                    .report(&member, ConfigErrorKind::ControlCharacter);
            } else {
                credentials.insert(name.to_owned(), SecretText::new(value));
            }
        }
        credentials
    }
}

fn has_scheme(text: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })
}
