//! Reads the document of an API, and what the gateway serves of it.

use crate::{
    config::{OpenApiServer, OpenApiSource},
    failure::failure_text::FailureText,
    message::wire::MessageBounds,
};
use pd_runtime::{
    openapi::{DocumentFile, OpenApi, OpenApiError, OpenApiOperation},
    upstream::{
        openapi::OpenApiCaller,
        protocol::keys::SERVER_URL,
        text::equal_lines::{group_by, render_names},
    },
};
use reqwest::Url;
use rmcp::model::ProtocolVersion;
use serde_json::{Value, json};
use std::{collections::HashMap, sync::Arc};

/// The most reasons for operations that are left out.
const NOTES_MAX: usize = 10;
/// Where the owner sets credentials, for the error of a call that was refused.
const KEY: &str = "`auth` or `headers` of its entry";

/// The tools of a document, and what calls them.
pub(super) struct ServedApi {
    pub(super) definitions: Value,
    pub(super) operations: HashMap<String, Arc<OpenApiOperation>>,
    pub(super) caller: OpenApiCaller,
    info: Value,
    /// The operations that are left out, with the reasons.
    pub(super) notes: Vec<String>,
}

impl ServedApi {
    /// Reads the document of an API. `files` gets its files, also if it cannot be read.
    pub(super) async fn read(
        server: &OpenApiServer,
        bounds: &MessageBounds,
        files: &mut Vec<DocumentFile>,
    ) -> Result<Self, FailureText> {
        let text = match &server.document {
            OpenApiSource::File(_) => String::new(),
            OpenApiSource::Url(url) => fetch(server, url).await?,
        };
        let server = server.clone();
        let response_bytes = bounds.response_bytes;
        // A large document takes seconds.
        let read = tokio::task::spawn_blocking(move || {
            let mut files = Vec::new();
            let api = match &server.document {
                OpenApiSource::File(path) => OpenApi::from_file_noting(path, &mut files),
                OpenApiSource::Url(_) => OpenApi::from_text(&text),
            };
            (
                api.and_then(|api| Self::new(api, &server, response_bytes)),
                files,
            )
        });
        let (api, read) = read
            .await
            .map_err(|_| FailureText::from("its document cannot be read"))?;
        *files = read;
        api.map_err(|error| unusable(explanation(&error)))
    }

    fn new(
        api: OpenApi,
        server: &OpenApiServer,
        response_bytes: usize,
    ) -> Result<Self, OpenApiError> {
        let mut api = api.key(KEY).response_bytes(response_bytes);
        if let OpenApiSource::Url(url) = &server.document {
            api = api.document_url(url)?;
        }
        if let Some(url) = &server.url {
            api = api.server_url(url)?;
        }
        for (name, value) in &server.headers {
            api = api.header(name, value.expose())?;
        }
        for (scheme, secret) in &server.auth {
            api = api.credential(scheme, secret.expose())?;
        }
        let caller = api.caller()?;
        let operations = api.shared_operations();
        Ok(Self {
            definitions: operations
                .iter()
                .map(|one| with_server(one.definition(), api.server_of(one)))
                .collect(),
            operations: operations
                .iter()
                .map(|one| (one.name().to_owned(), one.clone()))
                .collect(),
            caller,
            notes: left_out_notes(&api),
            info: json!({
                "name": api.title().unwrap_or("API"),
                "version": api.version().unwrap_or_default(),
            }),
        })
    }

    pub(super) fn facts(&self) -> Value {
        json!({
            "supportedVersions": [ProtocolVersion::V_2026_07_28.as_str()],
            "capabilities": { "tools": {} },
            "serverInfo": self.info,
        })
    }
}

/// Adds the server that the document names to a definition, so that the lock has it. Otherwise,
/// whoever changes the document could lead approved tools and their credentials to another server.
fn with_server(mut definition: Value, server: Option<&str>) -> Value {
    if let (Some(server), Some(members)) = (server, definition.as_object_mut()) {
        let meta = members.entry("_meta").or_insert_with(|| json!({}));
        if let Some(meta) = meta.as_object_mut() {
            meta.insert(SERVER_URL.to_owned(), server.into());
        }
    }
    definition
}

/// Renders the operations that are left out, one line for each reason.
fn left_out_notes(api: &OpenApi) -> Vec<String> {
    let groups = group_by(api.left_out(), |(_, why)| why);
    let mut notes: Vec<_> = groups
        .iter()
        .take(NOTES_MAX)
        .filter_map(|group| {
            let names = render_names(group.iter().map(|(name, _)| *name));
            let what = if group.len() == 1 {
                "is not a tool"
            } else {
                "are not tools"
            };
            let (_, why) = group.first()?;
            Some(format!("{names} {what}: {why}"))
        })
        .collect();
    let more: usize = groups.iter().skip(NOTES_MAX).map(Vec::len).sum();
    notes.extend((more > 0).then(|| format!("{more} more operations are not tools")));
    notes
}

/// Renders why a document cannot be used, with what to write in the entry.
fn explanation(error: &OpenApiError) -> String {
    match error {
        OpenApiError::ServerUrl { why } => format!(
            "the URL of the server cannot be used: {why}; set `url` of the entry to the URL of the API"
        ),
        OpenApiError::ForeignServer { document, server } => format!(
            "the document of {document} names the server {server}, of another origin; set the URL of the API in `url` of the \
             entry to allow that"
        ),
        other => other.to_string(),
    }
}

async fn fetch(server: &OpenApiServer, url: &str) -> Result<String, FailureText> {
    let headers = document_headers(server, url);
    OpenApi::fetch(url, &headers)
        .await
        .map_err(|error| unusable(error.to_string()))
}

/// Returns the headers for the request of the document. They are meant for the API, so a document
/// of another server than `url` gets none.
fn document_headers(server: &OpenApiServer, document: &str) -> Vec<(String, String)> {
    let origin = |url: &str| Url::parse(url).map(|url| url.origin()).ok();
    let own = server.url.as_deref().unwrap_or(document);
    if origin(own) != origin(document) {
        return Vec::new();
    }
    let headers = server.headers.iter();
    headers
        .map(|(name, value)| (name.clone(), value.expose().to_owned()))
        .collect()
}

/// Returns the failure of an entry or a document, which the owner reads.
fn unusable(why: String) -> FailureText {
    FailureText::from("its OpenAPI document cannot be used").with_owner_text(why)
}
