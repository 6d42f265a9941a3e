//! One operation of a document, read into what a tool needs.

use super::{
    arguments::{OperationArguments, read_arguments},
    document::{Document, OperationPlace},
    object::{Object, is_true, text_of},
    output::{OUTPUT_LEVELS, OUTPUT_LEVELS_LEAST, output_schema},
    plain_text::{plain_line, plain_text},
    request::RequestPlan,
    security::{SecurityRequirement, SecuritySchemes},
    serialization::ParameterPlace,
};
use crate::{
    protocol::keys::GROUP_LABEL, registry::rmcp_import::summary, tool::descriptor::ToolAnnotations,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};

/// The longest description of a tool, in characters.
const DESCRIPTION_MAX: usize = 1_500;
/// The longest text about an answer, in characters.
const ANSWER_MAX: usize = 160;
/// The most statuses with a text.
const STATUSES_MAX: usize = 20;
/// The longest example in a definition, in bytes.
const EXAMPLE_MAX: usize = 600;
/// The longest tag, in characters.
const TAG_MAX: usize = 60;

/// An operation of an OpenAPI document, which is a tool.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OpenApiOperation {
    pub(super) name: String,
    summary: String,
    description: String,
    tag: Option<String>,
    is_deprecated: bool,
    input: Object,
    output: Option<Object>,
    example: Option<Value>,
    /// What the document says about statuses that are not a success, by status. `default`, `4XX`
    /// and `5XX` are keys, too.
    answers: BTreeMap<String, String>,
    pub(super) plan: RequestPlan,
    /// The media types of successful answers, for the header `Accept`.
    pub(super) accept: String,
    security: SecurityRequirement,
    /// The URL of a server of its own, which has the origin of the document's.
    pub(super) own_server: Option<String>,
}

impl OpenApiOperation {
    /// Returns the name of the tool: the `operationId`, or the method and the path, in the
    /// characters `A-Z`, `a-z`, `0-9`, `_` and `-`, at most 64 of them. No two operations of a
    /// document have the same.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the method, in upper case.
    pub fn method(&self) -> String {
        self.plan.method.to_ascii_uppercase()
    }

    /// Returns the path as the document has it, with the names of parameters in braces.
    pub fn path(&self) -> &str {
        &self.plan.path
    }

    /// Returns the first tag.
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// Returns the summary, in at most 60 characters.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// Returns the description: that of the document, with the method and the path.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns whether the document marks the operation as deprecated.
    pub const fn is_deprecated(&self) -> bool {
        self.is_deprecated
    }

    /// Returns the schema of the arguments.
    pub const fn input(&self) -> &Object {
        &self.input
    }

    /// Returns the names and types of the answer, if it is JSON with an object or an array.
    pub const fn output(&self) -> Option<&Object> {
        self.output.as_ref()
    }

    /// Returns the arguments of an example call, if the document has values for one.
    pub const fn example(&self) -> Option<&Value> {
        self.example.as_ref()
    }

    /// Returns what the document says about failures, by status.
    pub(super) const fn answers(&self) -> &BTreeMap<String, String> {
        &self.answers
    }

    pub(super) const fn security(&self) -> &SecurityRequirement {
        &self.security
    }

    /// Returns the tool as MCP lists it, with what MCP has no member for in the description.
    #[doc(hidden)]
    pub fn definition(&self) -> Value {
        let mut parts = Vec::new();
        let summary = &self.summary;
        // A gateway reads the summary from the first sentence.
        if !self.description.starts_with(summary) {
            parts.push(format!("{summary}."));
        }
        parts.push(self.description.clone());
        if !self.answers.is_empty() {
            let answers = self.answers.iter();
            let answers: Vec<_> = answers
                .map(|(status, text)| format!("{status}: {text}"))
                .collect();
            parts.push(format!("Errors: {}", answers.join("; ")));
        }
        if let Some(example) = &self.example {
            let example = example.to_string();
            if example.len() <= EXAMPLE_MAX {
                parts.push(format!("Example: `{example}`"));
            }
        }
        let annotations = self.annotations();
        let hints = [
            ("readOnlyHint", annotations.read_only),
            ("destructiveHint", annotations.destructive),
            ("idempotentHint", annotations.idempotent),
            ("openWorldHint", annotations.open_world),
        ];
        let hints: Object = hints
            .into_iter()
            .filter_map(|(name, hint)| Some((name.to_owned(), hint?.into())))
            .collect();
        let output = self.output.clone().map(Value::Object);
        let label = self.tag.as_ref().map(|tag| json!({ GROUP_LABEL: tag }));
        let members = [
            ("name", Some(self.name.as_str().into())),
            ("description", Some(parts.join("\n\n").into())),
            ("inputSchema", Some(Value::Object(self.input.clone()))),
            ("outputSchema", output),
            ("annotations", Some(Value::Object(hints))),
            ("_meta", label),
        ];
        let members = members.into_iter();
        Value::Object(
            members
                .filter_map(|(name, member)| Some((name.to_owned(), member?)))
                .collect(),
        )
    }

    /// Returns what the document says about a status.
    pub(super) fn meaning_of(&self, status: u16) -> Option<&str> {
        let class = format!("{}XX", status / 100);
        [status.to_string(), class, "default".to_owned()]
            .iter()
            .find_map(|key| self.answers.get(key))
            .map(String::as_str)
    }

    /// Returns what the method says about the effects of a call (RFC 9110, section 9.2).
    pub(super) fn annotations(&self) -> ToolAnnotations {
        let is_read_only = matches!(self.plan.method, "get" | "head" | "options" | "query");
        let is_idempotent = matches!(self.plan.method, "put" | "delete");
        ToolAnnotations {
            read_only: Some(is_read_only),
            // A client takes a tool for destructive if nothing is said.
            destructive: (!is_read_only).then_some(matches!(self.plan.method, "put" | "delete")),
            idempotent: is_idempotent.then_some(true),
            open_world: Some(true),
        }
    }
}

/// Reads operations, each under a name of its own.
pub(super) struct OperationReader<'d> {
    pub(super) document: &'d Document,
    pub(super) schemes: &'d SecuritySchemes,
    pub(super) credentials: HashSet<(ParameterPlace, String)>,
    pub(super) names: HashSet<String>,
}

impl<'d> OperationReader<'d> {
    /// Reads one operation.
    ///
    /// # Errors
    ///
    /// Returns why the operation cannot be a tool.
    pub(super) fn read(&mut self, place: &OperationPlace<'_>) -> Result<OpenApiOperation, String> {
        let operation = place.operation;
        let OperationArguments {
            schema,
            plan,
            example,
            note,
        } = read_arguments(self.document, place, &self.credentials, usize::MAX)?;
        let is_deprecated = is_true(operation, "deprecated");
        let (summary, description) = texts(place, is_deprecated, note);
        let tags = operation.get("tags").and_then(Value::as_array);
        let tag = tags.and_then(|tags| tags.first()?.as_str());
        let tag = tag.map(|tag| plain_line(tag, TAG_MAX));
        let responses = self.responses(place);
        let (accept, output) = responses.success(OUTPUT_LEVELS);
        Ok(OpenApiOperation {
            name: self.name(place),
            summary,
            description,
            tag: tag.filter(|tag| !tag.is_empty()),
            is_deprecated,
            input: schema,
            output,
            example,
            answers: responses.failures(),
            plan,
            accept,
            security: self.schemes.required_by(operation),
            own_server: None,
        })
    }

    fn responses<'a>(&self, place: &OperationPlace<'a>) -> Responses<'a>
    where
        'd: 'a,
    {
        Responses {
            document: self.document,
            all: place.operation.get("responses").and_then(Value::as_object),
        }
    }

    /// Reads the answer of an operation once more, with fewer levels.
    pub(super) fn reduce_output(
        &self,
        operation: &mut OpenApiOperation,
        place: &OperationPlace<'_>,
    ) {
        (_, operation.output) = self.responses(place).success(OUTPUT_LEVELS_LEAST);
    }

    /// Reads the arguments of an operation once more, with a schema of at most this many bytes of
    /// memory if one with less detail has them.
    pub(super) fn reduce(
        &self,
        operation: &mut OpenApiOperation,
        place: &OperationPlace<'_>,
        memory_max: usize,
    ) {
        let read = read_arguments(self.document, place, &self.credentials, memory_max);
        let Ok(arguments) = read else {
            return;
        };
        let texts = texts(place, operation.is_deprecated, arguments.note);
        (operation.summary, operation.description) = texts;
        operation.input = arguments.schema;
        operation.plan = arguments.plan;
        operation.example = arguments.example;
    }

    /// Returns a name that no other operation has.
    fn name(&mut self, place: &OperationPlace<'_>) -> String {
        let own = text_of(place.operation, "operationId").filter(|id| !id.trim().is_empty());
        let own = own.map_or_else(
            || format!("{}_{}", place.method, place.path),
            |id| id.trim().to_owned(),
        );
        let mut plain = String::new();
        for letter in own.chars() {
            if letter.is_ascii_alphanumeric() || letter == '-' {
                plain.push(letter);
            } else if !plain.is_empty() && !plain.ends_with('_') {
                plain.push('_');
            }
        }
        let plain = plain.trim_end_matches('_');
        let name = crate::provider::name(plain).into_owned();
        let mut candidate = name.clone();
        let mut number = 2_u32;
        while !self.names.insert(candidate.clone()) {
            let end = format!("_{number}");
            let room = crate::provider::NAME_MAX - end.len();
            let start = crate::text::truncate::first_chars(&name, room);
            candidate = format!("{start}{end}");
            number += 1;
        }
        candidate
    }
}

/// Returns the summary and the description of an operation.
fn texts(
    place: &OperationPlace<'_>,
    is_deprecated: bool,
    note: Option<String>,
) -> (String, String) {
    let own = |key| text_of(place.operation, key).or(text_of(place.item, key));
    let description = own("description").map(|text| plain_text(text, DESCRIPTION_MAX));
    let description = description.unwrap_or_default();
    let request = format!(
        "{} {}",
        place.method.to_ascii_uppercase(),
        plain_line(place.path, 300)
    );
    let line = own("summary").map(|text| plain_line(text, 300));
    let line = line.filter(|line| !line.is_empty());
    let short = match &line {
        Some(line) => summary::shorten(line.trim_end_matches('.')),
        None => summary::summarize(&description),
    };
    let short = if short.is_empty() {
        summary::shorten(&request)
    } else {
        short
    };
    let mut parts = Vec::new();
    if is_deprecated {
        parts.push("Deprecated.".to_owned());
    }
    // The line says nothing more where the description begins with it.
    parts.extend(
        line.filter(|line| !description.starts_with(line.trim_end_matches('.')) && *line != short),
    );
    parts.push(description);
    parts.extend(note);
    parts.push(format!("`{request}`"));
    parts.retain(|part| !part.is_empty());
    (short, parts.join("\n\n"))
}

/// The responses of an operation.
struct Responses<'d> {
    document: &'d Document,
    all: Option<&'d Object>,
}

impl<'d> Responses<'d> {
    fn each(&self) -> impl Iterator<Item = (&'d String, &'d Object)> {
        let document = self.document;
        let all = self.all.into_iter().flatten();
        all.filter_map(|(status, response)| {
            Some((status, document.resolve(response)?.as_object()?))
        })
    }

    /// Returns the header `Accept`, and the schema of the first successful answer in JSON, on so many
    /// levels.
    fn success(&self, levels: usize) -> (String, Option<Object>) {
        let mut media = Vec::new();
        let mut output = None;
        let mut successes: Vec<_> = self
            .each()
            .filter(|(status, _)| status.starts_with('2'))
            .collect();
        successes.sort_by_key(|(status, _)| status.as_str());
        for (_, response) in successes {
            let content = response.get("content").and_then(Value::as_object);
            for (own, content) in content.into_iter().flatten() {
                let is_json = own.contains("json");
                if is_json && output.is_none() {
                    let schema = content.get("schema");
                    output = schema.and_then(|schema| output_schema(self.document, schema, levels));
                }
                if super::body::is_media_type(own) && !media.contains(own) && media.len() < 4 {
                    media.push(own.clone());
                }
            }
        }
        // JSON is first, because its answers are structured.
        media.sort_by_key(|own| !own.contains("json"));
        media.push("*/*;q=0.1".to_owned());
        (media.join(", "), output)
    }

    fn failures(&self) -> BTreeMap<String, String> {
        let failures = self
            .each()
            .filter(|(status, _)| !status.starts_with(['1', '2', '3']));
        let described = failures.filter_map(|(status, response)| {
            let text = plain_line(text_of(response, "description")?, ANSWER_MAX);
            let status: String = status.chars().take(7).collect();
            let status = match &*status {
                "default" => status,
                other => other.to_ascii_uppercase(),
            };
            (!text.is_empty()).then_some((status, text))
        });
        described.take(STATUSES_MAX).collect()
    }
}
