//! One tool, made ready to serve: everything about it that does not depend on the caller, built once.

use super::{
    description::{self, Description},
    digest::Digest,
};
use crate::{
    descriptor::Hints,
    policy::{MinimalSchema, Policy},
    registry::{
        about::About,
        problem::{Fault, Problem},
        tool::Tool,
        validate::Validator,
    },
};
use rmcp::model::{JsonObject, MetaObject, ToolAnnotations};
use serde_json::{Value, json};
use std::{borrow::Cow, sync::Arc};

/// A tool as it is served.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Bound to its state.
    pub(crate) tool: Arc<Tool<()>>,
    /// Where it stands in the catalogue.
    pub(crate) place: usize,
    /// Whether it stands at the top level, whatever groups it stands in besides.
    pub(crate) is_top: bool,
    pub(crate) digest: Digest,
    /// `sha256:…`, as wires carry it.
    pub(crate) digest_text: Box<str>,
    pub(crate) validator: Validator,
    /// The entry of a minimal list.
    pub(crate) minimal: rmcp::model::Tool,
    pub(crate) modern: Forms,
    /// Where structured results are no objects, clients before 2026-07-28 see them wrapped.
    pub(crate) legacy: Option<Forms>,
}

/// What shows the output schema, which depends on the protocol's generation.
#[derive(Debug)]
pub(crate) struct Forms {
    /// The entry of a full list.
    pub(crate) full: rmcp::model::Tool,
    pub(crate) description: Description,
}

impl Entry {
    /// # Errors
    ///
    /// The tool's schema does not compile, or its contract cannot be written as JSON.
    pub(crate) fn new(tool: Arc<Tool<()>>, place: usize, is_top: bool, policy: &Policy) -> Result<Self, Problem> {
        let about = &tool.about;
        let unusable = |why| Problem {
            tool: about.name.to_string(),
            origin: about.origin.to_string(),
            fault: Fault::BadSchema { which: "input", why },
        };
        let validator = Validator::new(&about.input).map_err(unusable)?;
        let document = description::document(about);
        let digest = Digest::of(&Value::Object(document.clone())).map_err(|error| unusable(error.to_string()))?;
        let legacy = about.output_schema.as_deref().and_then(description::wrapped).map(|output| {
            let mut document = document.clone();
            document.insert("outputSchema".to_owned(), Value::Object(output.clone()));
            Forms::new(about, &document, Some(Arc::new(output)))
        });
        Ok(Self {
            digest,
            digest_text: digest.to_string().into(),
            validator,
            minimal: minimal(about, policy.minimal_schema),
            modern: Forms::new(about, &document, about.output_schema.clone()),
            legacy,
            place,
            is_top,
            tool,
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.tool.about.name
    }

    pub(crate) fn forms(&self, modern: bool) -> &Forms {
        self.legacy.as_ref().filter(|_| !modern).unwrap_or(&self.modern)
    }
}

impl Forms {
    fn new(about: &About, document: &JsonObject, output: Option<Arc<JsonObject>>) -> Self {
        Self { full: full(about, output), description: Description::new(document, &about.related) }
    }
}

/// Name, summary and a schema that accepts any object. Of annotations only what differs from MCP's default.
fn minimal(about: &About, schema: MinimalSchema) -> rmcp::model::Tool {
    let tool = rmcp::model::Tool::new(about.name.clone(), summary(about), minimal_schema(about, schema));
    let listed = Hints {
        read_only: about.hints.read_only.filter(|read_only| *read_only),
        destructive: about.hints.destructive.filter(|destructive| !*destructive),
        ..Hints::NONE
    };
    annotated(tool, listed, None)
}

fn summary(about: &About) -> Cow<'static, str> {
    match &about.summary {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

fn minimal_schema(about: &About, schema: MinimalSchema) -> Arc<JsonObject> {
    let mut object = JsonObject::new();
    object.insert("type".to_owned(), json!("object"));
    let stubs = header_stubs(about);
    if !stubs.is_empty() {
        object.insert("properties".to_owned(), Value::Object(stubs));
    }
    if schema == MinimalSchema::Literal {
        object.insert("additionalProperties".to_owned(), Value::Bool(true));
    }
    Arc::new(object)
}

/// Arguments that HTTP clients must copy into headers (SEP-2243) are shown, or their calls fail with -32020.
fn header_stubs(about: &About) -> JsonObject {
    let Some(Value::Object(properties)) = about.input.schema.get("properties") else { return JsonObject::new() };
    let stub = |schema: &Value| {
        let kept = ["type", "x-mcp-header"];
        let kept = kept.into_iter().filter_map(|key| Some((key.to_owned(), schema.get(key)?.clone())));
        Value::Object(kept.collect())
    };
    let with_header = properties.iter().filter(|(_, schema)| schema.get("x-mcp-header").is_some());
    with_header.map(|(name, schema)| (name.clone(), stub(schema))).collect()
}

fn full(about: &About, output: Option<Arc<JsonObject>>) -> rmcp::model::Tool {
    let text = match &about.description {
        text if text.is_empty() => about.summary.clone(),
        text => text.clone(),
    };
    let mut tool = rmcp::model::Tool::new(about.name.clone(), text, about.input.schema.clone());
    tool.title = about.title.as_ref().map(ToString::to_string);
    tool.output_schema = output;
    if !about.meta.is_empty() {
        tool.meta = Some(MetaObject(about.meta.clone()));
    }
    tool.icons.clone_from(&about.icons);
    annotated(tool, about.hints, about.annotations_title.clone())
}

fn annotated(mut tool: rmcp::model::Tool, hints: Hints, title: Option<String>) -> rmcp::model::Tool {
    if hints != Hints::NONE || title.is_some() {
        let Hints { read_only, destructive, idempotent, open_world } = hints;
        tool.annotations = Some(ToolAnnotations::from_raw(title, read_only, destructive, idempotent, open_world));
    }
    tool
}
