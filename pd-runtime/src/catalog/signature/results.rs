//! The type of results, in brief: names and types, two levels deep. Results explain themselves when
//! they arrive.

use super::{
    ast::{MemberPresence, ObjectForm, ObjectMember, SchemaForm, json},
    render::SignatureWriter,
};
use pd_schema::reader::SchemaRef;
use rmcp::model::JsonObject;
use serde_json::Value;
use std::cell::Cell;

/// The limit on the text, in bytes.
const TEXT_MAX: usize = 400;
/// The limit on nested objects that are shown with their members.
const OBJECTS_MAX: usize = 2;
/// The limit on nested schemas. Unions and references do not count as objects, so they need their
/// own limit.
const STEPS_MAX: usize = 8;
/// The limit on the total number of schemas. It is far more than the text can show, and it bounds
/// the time for a schema with references that multiply.
const SCHEMAS_MAX: usize = 1_000;

/// What the translation may still read.
#[derive(Clone, Copy)]
struct ReadBudget<'a> {
    objects: usize,
    steps: usize,
    schemas: &'a Cell<usize>,
}

/// Renders the result type with as many levels of detail as fit into `TEXT_MAX`.
pub(super) fn text(schema: &JsonObject) -> String {
    let root = SchemaRef::document(schema);
    // The richest form comes first, and each further one shows one level of objects less.
    let texts = (0..=OBJECTS_MAX).rev().map(|objects| {
        let mut page = SignatureWriter::default();
        page.push(": ");
        let schemas = Cell::new(SCHEMAS_MAX);
        page.form(&form(
            root,
            ReadBudget {
                objects,
                steps: STEPS_MAX,
                schemas: &schemas,
            },
        ));
        page.text
    });
    texts
        .into_iter()
        .find(|text| text.len() <= TEXT_MAX)
        .unwrap_or_default()
}

fn form(schema: SchemaRef<'_>, mut budget: ReadBudget<'_>) -> SchemaForm {
    let left = budget
        .steps
        .checked_sub(1)
        .zip(budget.schemas.get().checked_sub(1));
    // Over the budget the type becomes `any`. Results are a hint for the model, so a loss is
    // acceptable here, unlike for arguments.
    let Some((steps, schemas)) = left else {
        return SchemaForm::word("any");
    };
    budget.steps = steps;
    budget.schemas.set(schemas);
    let one = |schema: SchemaRef<'_>| form(schema, budget);
    // Keywords beside a reference or a union are left out: results are shown in brief.
    if schema.reference().is_some() {
        return schema.target().map_or(SchemaForm::word("any"), one);
    }
    if schema.has_alternatives() {
        let branches = schema.any_of().or_else(|| schema.one_of());
        return branches.map_or(SchemaForm::word("any"), |branches| {
            distinct(branches.map(one).collect())
        });
    }
    match (schema.get("const"), schema.get("enum"), schema.get("type")) {
        (Some(value), ..) => SchemaForm::Word(json(value)),
        (_, Some(Value::Array(values)), _) => distinct(
            values
                .iter()
                .map(|value| SchemaForm::Word(json(value)))
                .collect(),
        ),
        (.., Some(Value::String(kind))) => of_kind(schema, kind, budget),
        (.., Some(Value::Array(kinds))) => distinct(
            kinds
                .iter()
                .filter_map(Value::as_str)
                .map(|kind| of_kind(schema, kind, budget))
                .collect(),
        ),
        _ => SchemaForm::word("any"),
    }
}

fn of_kind(schema: SchemaRef<'_>, kind: &str, budget: ReadBudget<'_>) -> SchemaForm {
    match kind {
        "integer" => SchemaForm::word("int"),
        "array" => {
            let item = schema
                .items()
                .map_or(SchemaForm::word("any"), |items| form(items, budget));
            SchemaForm::List {
                item: Box::new(item),
                limits: String::new(),
            }
        }
        "object" => object(schema, budget),
        other => SchemaForm::word(super::ast::in_line(other)),
    }
}

fn object(schema: SchemaRef<'_>, mut budget: ReadBudget<'_>) -> SchemaForm {
    let Some(objects) = budget.objects.checked_sub(1) else {
        return SchemaForm::word("object");
    };
    budget.objects = objects;
    let mut object = ObjectForm::default();
    let required = |name: &str| {
        let is_required = schema.required().any(|one| one == name);
        if is_required {
            MemberPresence::Required
        } else {
            MemberPresence::Optional
        }
    };
    for (name, property) in schema.properties() {
        let form = form(property, budget);
        let needed = required(name);
        object.members.push(ObjectMember {
            name: name.to_owned(),
            needed,
            form,
            default: None,
        });
    }
    let others = schema.additional_properties();
    if let Some(others) = others.filter(|others| others.keywords().is_some()) {
        object
            .others
            .push(("key".to_owned(), Some(form(others, budget))));
    }
    SchemaForm::Object(object)
}

fn distinct(forms: Vec<SchemaForm>) -> SchemaForm {
    let mut seen: Vec<SchemaForm> = Vec::new();
    // Flattened first, so that duplicates inside nested unions are found, too.
    let flat = forms.into_iter().flat_map(|form| match form {
        SchemaForm::AnyOf(forms) => forms,
        other => vec![other],
    });
    for form in flat {
        if !seen.contains(&form) {
            seen.push(form);
        }
    }
    SchemaForm::any_of(seen)
}
