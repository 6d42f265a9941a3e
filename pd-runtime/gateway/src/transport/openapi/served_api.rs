//! Reads the document of an API, and what the gateway serves of it.

use crate::{
    config::{OpenApiServer, OpenApiSource},
    failure::failure_text::FailureText,
    message::wire::MessageBounds,
};
use pd_runtime::{
    openapi::{OpenApi, OpenApiError, OpenApiOperation},
    upstream::{
        openapi::{OpenApiCaller, TEXT_MAX},
        protocol::keys::SERVER_URL,
        text::equal_lines::{group_by, render_names},
    },
};
use reqwest::Url;
use rmcp::model::ProtocolVersion;
use serde_json::{Value, json};
use std::{collections::HashMap, path::Path, sync::Arc, time::SystemTime};
use tokio::io::AsyncReadExt;

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

/// The time and the size of a file.
pub(super) type FileStamp = (Option<SystemTime>, u64);

impl ServedApi {
    pub(super) async fn read(
        server: &OpenApiServer,
        bounds: &MessageBounds,
    ) -> Result<Self, FailureText> {
        let text = read_document(server).await?;
        let server = server.clone();
        let response_bytes = bounds.response_bytes;
        // A large document takes seconds.
        let read = tokio::task::spawn_blocking(move || Self::new(&text, &server, response_bytes));
        read.await
            .map_err(|_| FailureText::from("its document cannot be read"))?
            .map_err(|error| unusable(explanation(&error)))
    }

    fn new(
        text: &str,
        server: &OpenApiServer,
        response_bytes: usize,
    ) -> Result<Self, OpenApiError> {
        let mut api = OpenApi::from_text(text)?
            .key(KEY)
            .response_bytes(response_bytes);
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

/// Reads the text of a document.
async fn read_document(server: &OpenApiServer) -> Result<String, FailureText> {
    match &server.document {
        OpenApiSource::File(path) => read_file(path).await,
        OpenApiSource::Url(url) => {
            let headers = document_headers(server, url);
            OpenApi::fetch(url, &headers)
                .await
                .map_err(|error| unusable(error.to_string()))
        }
    }
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

async fn read_file(path: &Path) -> Result<String, FailureText> {
    let failed = |why: String| unusable(format!("{} {why}", path.display()));
    let metadata = tokio::fs::metadata(path).await;
    let metadata = metadata.map_err(|error| failed(format!("cannot be read: {error}")))?;
    // A pipe or a device might never end.
    if !metadata.is_file() {
        return Err(failed("is not a file".to_owned()));
    }
    let mut text = String::new();
    let file = tokio::fs::File::open(path).await;
    let file = file.map_err(|error| failed(format!("cannot be read: {error}")))?;
    // One byte more, so that `OpenApi::from_text` reports a file that is too long.
    let mut file = file.take(TEXT_MAX as u64 + 1);
    match file.read_to_string(&mut text).await {
        Ok(_) => Ok(text),
        Err(error) => Err(failed(format!("cannot be read: {error}"))),
    }
}

pub(super) async fn stamp_of(source: &OpenApiSource) -> Option<FileStamp> {
    let OpenApiSource::File(path) = source else {
        return None;
    };
    let metadata = tokio::fs::metadata(path).await.ok()?;
    Some((metadata.modified().ok(), metadata.len()))
}

/// Returns the failure of an entry or a document, which the owner reads.
fn unusable(why: String) -> FailureText {
    FailureText::from("its OpenAPI document cannot be used").with_owner_text(why)
}
