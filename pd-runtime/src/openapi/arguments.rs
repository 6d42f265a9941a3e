//! The arguments of a tool: the parameters of an operation and the properties of its body, as one
//! object, and where each goes in the request.

use super::{
    body::{BodyKind, BodyPlan, BodyShape, FormFields, with_files_as_base64},
    document::{Document, OperationPlace, missing},
    object::{Object, is_true, text_of},
    parameter::{ARGUMENTS_MAX, Parameter, example_of, parameters},
    request::{PlannedParameter, RequestPlan},
    schema::{DETAILS, SchemaConverter, SchemaDetail, any_value},
    schema_types::types_of,
    serialization::{ParameterPlace, Serialization},
};
use crate::{
    protocol::keys::TICKET_ARGUMENT,
    text::{truncate::first_chars, value_memory::memory_of_object},
};
use pd_schema::{CompiledSchema, checkable::CheckableSchema, provider_fit::NAME_MAX};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};

/// The bytes of an input schema as JSON from which a less detailed one is tried. The least detailed
/// one is taken whatever its size.
const INPUT_MAX: usize = 12 * 1024;

/// The arguments of one operation.
pub(super) struct OperationArguments {
    pub(super) schema: Object,
    pub(super) plan: RequestPlan,
    /// The examples of the document as one call, if that is valid.
    pub(super) example: Option<Value>,
    /// What the schema cannot say about the arguments.
    pub(super) note: Option<String>,
}

/// Reads the arguments of an operation. `credentials` are the parameters that carry them. A schema of
/// over `memory_max` bytes of memory loses detail.
pub(super) fn read_arguments(
    document: &Document,
    place: &OperationPlace<'_>,
    credentials: &HashSet<(ParameterPlace, String)>,
    memory_max: usize,
) -> Result<OperationArguments, String> {
    let parameters = parameters(document, place, credentials)?;
    let mut last = None;
    for detail in DETAILS {
        let arguments = ArgumentReader::new(document, detail).read(place, &parameters)?;
        let is_small = json_size(&arguments.schema) <= INPUT_MAX
            && memory_of_object(&arguments.schema) <= memory_max;
        last = Some(arguments);
        if is_small {
            break;
        }
    }
    let mut arguments = last.ok_or_else(|| "it has no arguments".to_owned())?;
    let mut planned = arguments.plan.parameters.iter();
    if planned.any(|one| one.serialization.has_names_of_members()) {
        arguments.plan.credentials = credentials.iter().cloned().collect();
    }
    let schema = Value::Object(arguments.schema);
    // A pattern of another dialect costs its check, and nothing else.
    let checked = match CompiledSchema::new(&schema) {
        Ok(_) => schema,
        Err(_) => CheckableSchema::new(&schema).schema,
    };
    arguments.schema = match checked {
        Value::Object(schema) => schema,
        _ => json_object(json!({ "type": "object" })),
    };
    let schema = Value::Object(arguments.schema.clone());
    arguments.example = arguments.example.filter(|example| {
        // The server judges formats, so an example need not have them.
        CompiledSchema::new(&schema)
            .map(CompiledSchema::with_open_formats)
            .is_ok_and(|compiled| compiled.validate(example, &[]).is_ok())
    });
    Ok(arguments)
}

fn json_size(schema: &Object) -> usize {
    serde_json::to_string(schema).map_or(usize::MAX, |text| text.len())
}

fn json_object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

struct ArgumentReader<'d> {
    document: &'d Document,
    converter: SchemaConverter<'d>,
    properties: Object,
    required: Vec<Value>,
    example: Object,
    note: Option<String>,
}

impl<'d> ArgumentReader<'d> {
    fn new(document: &'d Document, detail: SchemaDetail) -> Self {
        Self {
            document,
            converter: SchemaConverter::new(document, detail),
            properties: Object::new(),
            required: Vec::new(),
            example: Object::new(),
            note: None,
        }
    }

    fn read(
        mut self,
        place: &OperationPlace<'_>,
        parameters: &[Parameter<'_>],
    ) -> Result<OperationArguments, String> {
        let mut planned = Vec::new();
        for parameter in parameters {
            planned.push(self.parameter(parameter));
        }
        self.undeclared_segments(place.path, &mut planned);
        let body = place.operation.get("requestBody");
        let body = match body.map(|body| self.document.resolve(body).ok_or(body)) {
            Some(Err(referring)) => {
                return Err(format!("its body is missing: {}", missing(referring)));
            }
            Some(Ok(body)) => body.as_object(),
            None => None,
        };
        let body = body.and_then(|body| self.body(place, body));
        let mut schema = Object::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), Value::Object(self.properties));
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(self.required));
        }
        let takes_more = body.as_ref().is_some_and(BodyPlan::takes_more);
        schema.insert("additionalProperties".to_owned(), takes_more.into());
        let definitions = self.converter.definitions();
        if !definitions.is_empty() {
            schema.insert("$defs".to_owned(), Value::Object(definitions));
        }
        let has_example = !self.example.is_empty();
        Ok(OperationArguments {
            schema,
            plan: RequestPlan {
                method: place.method,
                path: RequestPlan::path_of(place.path),
                fixed: RequestPlan::fixed_pairs(place.path),
                parameters: planned,
                credentials: Vec::new(),
                body,
            },
            example: has_example.then_some(Value::Object(self.example)),
            note: self.note,
        })
    }

    fn parameter(&mut self, parameter: &Parameter<'_>) -> PlannedParameter {
        let argument = self.unused(parameter.name, parameter.place.as_str());
        let schema = match parameter.schema() {
            Some(schema) => self.converter.convert(schema, 1),
            None => json_object(json!({ "type": "string" })),
        };
        let schema = self.described(schema, parameter.object);
        self.properties.insert(argument.clone(), schema);
        let is_required = parameter.is_required();
        if is_required {
            self.required.push(argument.as_str().into());
        }
        if let Some(example) = parameter.example(self.document) {
            self.example.insert(argument.clone(), example);
        }
        PlannedParameter {
            argument,
            name: parameter.name.to_owned(),
            place: parameter.place,
            serialization: Serialization::new(parameter.place, parameter.object),
            is_required,
        }
    }

    /// Adds the words about a parameter, which are closer to it than those of its type.
    fn described(&self, mut schema: Object, parameter: &Object) -> Value {
        if let Some(text) = text_of(parameter, "description") {
            self.converter.describe(&mut schema, text, 1);
        }
        if is_true(parameter, "deprecated") {
            schema.insert("deprecated".to_owned(), true.into());
        }
        Value::Object(schema)
    }

    /// Adds parameters that the path has and the document does not describe.
    fn undeclared_segments(&mut self, path: &str, planned: &mut Vec<PlannedParameter>) {
        for name in template_names(path) {
            let is_known =
                |one: &PlannedParameter| one.place == ParameterPlace::Path && one.name == name;
            if planned.iter().any(is_known) {
                continue;
            }
            let argument = self.unused(name, "path");
            self.properties
                .insert(argument.clone(), json!({ "type": "string" }));
            self.required.push(argument.as_str().into());
            planned.push(PlannedParameter {
                argument,
                name: name.to_owned(),
                place: ParameterPlace::Path,
                serialization: Serialization::new(ParameterPlace::Path, &Object::new()),
                is_required: true,
            });
        }
    }

    fn body(&mut self, place: &OperationPlace<'_>, body: &Object) -> Option<BodyPlan> {
        let content = body.get("content")?.as_object()?;
        let (media, media_type) = preferred(content)?;
        let kind = BodyKind::parse(media);
        let media_type = media_type.as_object()?;
        let schema = media_type.get("schema").cloned().unwrap_or_default();
        let merged = self.document.merged(&schema);
        let declared = body.get("required").and_then(Value::as_bool);
        let has_required = merged.get("required").and_then(Value::as_array);
        let has_required = has_required.is_some_and(|required| !required.is_empty());
        // Many documents leave `required` out for bodies that the server requires.
        let is_required = declared
            .unwrap_or(has_required && matches!(place.method, "post" | "put" | "patch" | "query"));
        let example = example_of(self.document, media_type).or(merged.get("example").cloned());
        let fields = FormFields::read(self.document, &merged, media_type);
        let with_files = (kind == BodyKind::Multipart && fields.has_files())
            .then(|| with_files_as_base64(self.document, &merged));
        // A reference keeps its name, unless what it leads to has changed.
        let schema = with_files.clone().map_or(schema, Value::Object);
        let merged = with_files.unwrap_or(merged);
        let shape = if kind.takes_properties() && self.is_flat(&merged) {
            self.flat(&merged, is_required, example)
        } else {
            self.whole(&schema, &merged, body, kind, is_required, example)
        };
        Some(BodyPlan {
            media: media.clone(),
            kind,
            shape,
            fields,
            is_required,
        })
    }

    /// Returns whether the properties of a body can be arguments beside the parameters.
    fn is_flat(&self, merged: &Object) -> bool {
        let types = types_of(merged);
        let Some(properties) = merged.get("properties").and_then(Value::as_object) else {
            return false;
        };
        let is_object = types.first().is_some_and(|first| first == "object");
        let has_union = !self.converter.branches(merged).is_empty();
        let names = properties.keys().map(|name| argument_name(name));
        let mut own = HashSet::new();
        is_object
            && !has_union
            && (1..=ARGUMENTS_MAX).contains(&properties.len())
            && names
                .into_iter()
                .all(|name| !self.properties.contains_key(&name) && own.insert(name))
    }

    fn flat(&mut self, merged: &Object, is_required: bool, example: Option<Value>) -> BodyShape {
        let required = merged.get("required").and_then(Value::as_array);
        let is_required = |name: &str| {
            is_required && required.is_some_and(|required| required.iter().any(|one| one == name))
        };
        self.note = required_union(merged);
        let mut properties = BTreeMap::new();
        let own = merged.get("properties").and_then(Value::as_object);
        let mut members: Vec<_> = own.into_iter().flatten().collect();
        members.sort_by_key(|(name, _)| !is_required(name));
        for (name, schema) in members {
            if is_true(&self.document.merged(schema), "readOnly") {
                continue;
            }
            let argument = argument_name(name);
            let converted = self.converter.convert(schema, 1);
            self.properties
                .insert(argument.clone(), Value::Object(converted));
            if is_required(name) {
                self.required.push(argument.as_str().into());
            }
            if let Some(value) = example.as_ref().and_then(|example| example.get(name)) {
                self.example.insert(argument.clone(), value.clone());
            }
            properties.insert(argument, name.clone());
        }
        let takes_more = match merged.get("additionalProperties") {
            Some(Value::Bool(takes_more)) => *takes_more,
            other => other.is_some(),
        };
        BodyShape::Properties {
            properties,
            takes_more,
        }
    }

    fn whole(
        &mut self,
        schema: &Value,
        merged: &Object,
        body: &Object,
        kind: BodyKind,
        is_required: bool,
        example: Option<Value>,
    ) -> BodyShape {
        let argument = self.unused("body", "request");
        let mut converted = match kind {
            _ if kind.is_structured() && !merged.is_empty() => self.converter.convert(schema, 1),
            _ if kind.is_structured() => any_value(),
            BodyKind::Binary => json_object(json!({
                "type": "string",
                "contentEncoding": "base64",
                "description": "The bytes in base64.",
            })),
            _ => json_object(json!({ "type": "string" })),
        };
        if let Some(text) = text_of(body, "description") {
            self.converter.describe(&mut converted, text, 1);
        }
        self.properties
            .insert(argument.clone(), Value::Object(converted));
        if is_required {
            self.required.push(argument.as_str().into());
        }
        if let Some(example) = example.filter(|_| kind.is_structured()) {
            self.example.insert(argument.clone(), example);
        }
        BodyShape::Whole { argument }
    }

    /// Returns the name of an argument that no other one has.
    fn unused(&self, name: &str, prefix: &str) -> String {
        let name = argument_name(name);
        if !self.properties.contains_key(&name) {
            return name;
        }
        let with_place = argument_name(&format!("{prefix}_{name}"));
        let mut candidate = with_place.clone();
        let mut number = 2_u32;
        while self.properties.contains_key(&candidate) {
            candidate = format!("{}_{number}", first_chars(&with_place, NAME_MAX - 11));
            number += 1;
        }
        candidate
    }
}

/// Returns which properties a union requires. Providers take no union at the root of a schema.
fn required_union(merged: &Object) -> Option<String> {
    let branches = ["oneOf", "anyOf"]
        .into_iter()
        .find_map(|key| merged.get(key).and_then(Value::as_array))?;
    let alternatives = branches.iter().filter_map(|branch| {
        let names = branch.get("required")?.as_array()?.iter();
        let names = names.filter_map(|name| Some(format!("`{}`", argument_name(name.as_str()?))));
        Some(names.collect::<Vec<_>>().join(" and "))
    });
    let alternatives: Vec<_> = alternatives
        .filter(|names| !names.is_empty())
        .take(12)
        .collect();
    (!alternatives.is_empty())
        .then(|| format!("It needs one of these: {}.", alternatives.join("; ")))
}

/// Returns the media type that is sent: JSON if there is one.
fn preferred(content: &Object) -> Option<(&String, &Value)> {
    let rank = |media: &str| match BodyKind::parse(media) {
        BodyKind::Json => 0,
        BodyKind::Form => 1,
        BodyKind::Multipart => 2,
        BodyKind::Text => 3,
        BodyKind::Binary => 4,
    };
    content.iter().min_by_key(|(media, _)| rank(media))
}

/// Returns a name of a parameter or property as providers take it.
fn argument_name(name: &str) -> String {
    let mut plain = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.') {
            plain.push(letter);
        } else if !plain.is_empty() && !plain.ends_with('_') {
            // `filter[name]` becomes `filter_name`.
            plain.push('_');
        }
    }
    let is_changed = plain != name;
    let plain = if is_changed {
        plain.trim_end_matches('_')
    } else {
        &plain
    };
    match first_chars(plain, NAME_MAX) {
        "" => "value".to_owned(),
        TICKET_ARGUMENT => format!("{TICKET_ARGUMENT}_"),
        plain => plain.to_owned(),
    }
}

/// Returns the names in the braces of a path.
pub(super) fn template_names(path: &str) -> impl Iterator<Item = &str> {
    path.split('{')
        .skip(1)
        .filter_map(|part| part.split_once('}').map(|(name, _)| name))
}
