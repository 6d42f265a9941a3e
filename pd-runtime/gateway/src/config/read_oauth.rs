//! Reads `pd.oauth` of an entry. Its texts can contain variables, because one of them is a secret.

use super::{
    entry::ServerTransport,
    error::ConfigErrorKind,
    field::ConfigField,
    pd_keys::{CLIENT_ID, CLIENT_SECRET, GRANT, OAUTH_KEYS, OAUTH_SCOPES, REDIRECT_PORT},
    read_entry::EntryReader,
    secret::SecretText,
    settings::{OAuthGrant, OAuthSettings},
};

impl EntryReader<'_, '_> {
    /// Reads the settings for access tokens of a server.
    pub(super) fn oauth(
        &mut self,
        field: &ConfigField<'_>,
        transport: &ServerTransport,
    ) -> Option<OAuthSettings> {
        self.fields.check_keys(field, OAUTH_KEYS)?;
        match transport {
            ServerTransport::Http(server) | ServerTransport::Sse(server)
                if server.has_authorization() =>
            {
                let kind = ConfigErrorKind::ExclusiveKeys {
                    one: "headers.Authorization",
                    other: "pd.oauth",
                };
                self.fields.report(field, kind);
            }
            // The document names the schemes of its server, which are no MCP authorization.
            ServerTransport::OpenApi(_) => {
                let kind = ConfigErrorKind::ExclusiveKeys {
                    one: "openapi",
                    other: "pd.oauth",
                };
                self.fields.report(field, kind);
            }
            // A process gets credentials from its environment (MCP 2025-11-25, authorization).
            ServerTransport::Stdio(_) => self
                .fields
                .report(field, ConfigErrorKind::MissingKey { needed: "url" }),
            ServerTransport::Http(_) | ServerTransport::Sse(_) => {}
        }
        let client_id = field
            .get(&CLIENT_ID)
            .and_then(|field| self.nonempty_expanded(&field));
        let client_secret = field
            .get(&CLIENT_SECRET)
            .and_then(|field| self.nonempty_expanded(&field));
        let grant = self.fields.read(field, &GRANT).unwrap_or_default();
        self.check_client(field, grant);
        Some(OAuthSettings {
            client_id,
            client_secret: client_secret.map(SecretText::new),
            scopes: self.fields.read(field, &OAUTH_SCOPES).unwrap_or_default(),
            grant,
            redirect_port: self
                .fields
                .read(field, &REDIRECT_PORT)
                .and_then(|port| port.get().try_into().ok()),
        })
    }

    fn nonempty_expanded(&mut self, field: &ConfigField<'_>) -> Option<String> {
        self.fields.nonempty_text(field)?;
        let text = self.expanded(field)?;
        // Checked once more: a variable can be set to an empty text.
        if text.is_empty() {
            self.fields.report(field, ConfigErrorKind::EmptyText);
            return None;
        }
        Some(text)
    }

    /// Reports a client that is not complete.
    fn check_client(&mut self, field: &ConfigField<'_>, grant: OAuthGrant) {
        let secret = field.get(&CLIENT_SECRET);
        if grant == OAuthGrant::ClientCredentials && secret.is_none() {
            let grant = field.get(&GRANT).unwrap_or_else(|| field.clone());
            self.fields.report(
                &grant,
                ConfigErrorKind::MissingKey {
                    needed: "clientSecret",
                },
            );
        }
        if let (Some(secret), None) = (secret, field.get(&CLIENT_ID)) {
            self.fields
                .report(&secret, ConfigErrorKind::MissingKey { needed: "clientId" });
        }
    }
}
