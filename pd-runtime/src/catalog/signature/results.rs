//! The form of results, in brief: names and kinds, two levels deep. What comes back explains itself.

use super::{
    ast::{Form, Member, Needed, Object, json},
    render::Page,
};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::cell::Cell;

/// The most that is told, in bytes.
const TEXT_MAX: usize = 400;
/// How many objects are opened, one inside the other.
const OBJECTS_MAX: usize = 2;
/// How many schemas are read, one inside the other: unions and references cost no object.
const STEPS_MAX: usize = 8;
/// How many schemas are read in all: many more than fit into the text.
const SCHEMAS_MAX: usize = 1_000;

/// What may still be read.
#[derive(Clone, Copy)]
struct Budget<'a> {
    objects: usize,
    steps: usize,
    schemas: &'a Cell<usize>,
}

/// What comes back, as it stands behind a declaration: in less detail where it would be long.
pub(super) fn text(schema: &JsonObject) -> String {
    let root = Value::Object(schema.clone());
    let in_detail = |objects| {
        let mut page = Page::default();
        page.push(": ");
        let schemas = Cell::new(SCHEMAS_MAX);
        page.form(&form(&root, &root, Budget { objects, steps: STEPS_MAX, schemas: &schemas }));
        page.text
    };
    let texts = (0..=OBJECTS_MAX).rev().map(in_detail);
    texts.into_iter().find(|text| text.len() <= TEXT_MAX).unwrap_or_default()
}

fn form(root: &Value, schema: &Value, mut budget: Budget<'_>) -> Form {
    let left = budget.steps.checked_sub(1).zip(budget.schemas.get().checked_sub(1));
    let Some((steps, schemas)) = left else { return Form::word("any") };
    budget.steps = steps;
    budget.schemas.set(schemas);
    let one = |schema: &Value| form(root, schema, budget);
    let several = |schemas: &Value| match schemas.as_array() {
        Some(schemas) => distinct(schemas.iter().map(one).collect()),
        None => Form::word("any"),
    };
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return reference.strip_prefix('#').and_then(|at| root.pointer(at)).map_or(Form::word("any"), one);
    }
    if let Some(schemas) = schema.get("anyOf").or_else(|| schema.get("oneOf")) {
        return several(schemas);
    }
    match (schema.get("const"), schema.get("enum"), schema.get("type")) {
        (Some(value), ..) => Form::Word(json(value)),
        (_, Some(Value::Array(values)), _) => distinct(values.iter().map(|value| Form::Word(json(value))).collect()),
        (.., Some(Value::String(kind))) => of_kind(root, schema, kind, budget),
        (.., Some(Value::Array(kinds))) => {
            distinct(kinds.iter().filter_map(Value::as_str).map(|kind| of_kind(root, schema, kind, budget)).collect())
        }
        _ => Form::word("any"),
    }
}

fn of_kind(root: &Value, schema: &Value, kind: &str, budget: Budget<'_>) -> Form {
    match kind {
        "integer" => Form::word("int"),
        "array" => {
            let item = schema.get("items").map_or(Form::word("any"), |items| form(root, items, budget));
            Form::List { item: Box::new(item), limits: String::new() }
        }
        "object" => object(root, schema, budget),
        other => Form::word(super::ast::in_line(other)),
    }
}

fn object(root: &Value, schema: &Value, mut budget: Budget<'_>) -> Form {
    let Some(objects) = budget.objects.checked_sub(1) else { return Form::word("object") };
    budget.objects = objects;
    let mut object = Object::default();
    let required = |name: &str| {
        let mut names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        if names.any(|one| one == name) { Needed::Required } else { Needed::Optional }
    };
    for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let (form, needed) = (form(root, schema, budget), required(name));
        object.members.push(Member { name: name.clone(), needed, form, default: None });
    }
    if let Some(rest @ Value::Object(_)) = schema.get("additionalProperties") {
        object.others.push(("key".to_owned(), Some(form(root, rest, budget))));
    }
    Form::Object(object)
}

fn distinct(forms: Vec<Form>) -> Form {
    let mut seen: Vec<Form> = Vec::new();
    let flat = forms.into_iter().flat_map(|form| match form {
        Form::AnyOf(forms) => forms,
        other => vec![other],
    });
    for form in flat {
        if !seen.contains(&form) {
            seen.push(form);
        }
    }
    Form::any_of(seen)
}
