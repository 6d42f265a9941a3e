//! The resources: text, bytes, one to subscribe to, and a template.

use crate::samples::PNG;
use pd_runtime::rmcp::{
    ErrorData,
    model::{Resource, ResourceContents, ResourceTemplate},
};
use serde_json::json;

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";
const TEMPLATE: (&str, &str) = ("test://template/", "/data");

/// The resource that clients may subscribe to. It never changes, so nothing is ever told of it.
const WATCHED: &str = "test://watched-resource";

/// All resources but those of the template.
pub(crate) fn list() -> Vec<Resource> {
    vec![
        Resource::new(TEXT, "Text")
            .with_description("A text that never changes")
            .with_mime_type("text/plain"),
        Resource::new(BINARY, "Image")
            .with_description("An image that never changes")
            .with_mime_type("image/png"),
        Resource::new(WATCHED, "Watched")
            .with_description("A text to subscribe to")
            .with_mime_type("text/plain"),
    ]
}

/// The template.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let (before, after) = TEMPLATE;
    let template = ResourceTemplate::new(format!("{before}{{id}}{after}"), "Data by id");
    vec![
        template
            .with_description("What is known under an id")
            .with_mime_type("application/json"),
    ]
}

/// The contents of one resource.
pub(crate) fn read(uri: &str) -> Result<ResourceContents, ErrorData> {
    match uri {
        TEXT => Ok(ResourceContents::text(
            "This is the content of the static text resource.",
            uri,
        )),
        BINARY => Ok(ResourceContents::blob(PNG, uri).with_mime_type("image/png")),
        WATCHED => Ok(ResourceContents::text("Nothing happened yet.", uri)),
        _ => data(uri).ok_or_else(|| unknown(uri)),
    }
}

/// There is none of this URI (SEP-2164).
fn unknown(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(
        "there is no such resource; see resources/list",
        Some(json!({ "uri": uri })),
    )
}

fn data(uri: &str) -> Option<ResourceContents> {
    let (before, after) = TEMPLATE;
    let id = uri.strip_prefix(before)?.strip_suffix(after)?;
    let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
    Some(ResourceContents::text(data.to_string(), uri).with_mime_type("application/json"))
}
