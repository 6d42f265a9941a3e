//! Conversion of JSON Schema to TypeScript types. A type expresses less than a schema. The rest is
//! in a doc comment, and the server validates arguments against the schema. If a type cannot be
//! exact, it accepts more than the schema, never less.

mod expression;
mod limits;
mod named;

pub(super) use named::TypeNames;

use super::{comment::DocComment, identifier::pascal};
use expression::{TypeExpression, render_key};
use pd_schema::schema_ref;
use serde_json::{Map, Value};
use std::{collections::HashSet, fmt::Write};

/// The depth to which types are written out. Deeper types are `unknown`.
const DEPTH_MAX: usize = 48;
const STEP: &str = "    ";

/// The types of one schema and of the schemas that it refers to.
pub(super) struct TypeDeclarations<'a, 'n> {
    root: &'a Value,
    names: &'n mut TypeNames,
    /// The references so far, each with the name of its type.
    references: Vec<(&'a str, String)>,
}

impl<'a, 'n> TypeDeclarations<'a, 'n> {
    pub(super) fn new(root: &'a Value, names: &'n mut TypeNames) -> Self {
        Self {
            root,
            names,
            references: Vec::new(),
        }
    }

    /// Returns the declarations of the schema's type and of all types that it refers to.
    pub(super) fn declare(mut self, name: &str) -> String {
        self.references.push(("#", name.to_owned()));
        let mut text = String::new();
        let mut next = 0;
        // The list grows while it is read, because a declaration may contain new references. An
        // index therefore takes the place of an iterator.
        while let Some((reference, name)) = self.references.get(next).cloned() {
            next += 1;
            let Some(schema) = self.target(reference) else {
                continue;
            };
            let written = self.type_of(schema, "", 0).text;
            let _ = writeln!(
                text,
                "{}export type {name} = {written};\n",
                doc_comment(schema).render("")
            );
        }
        text
    }

    fn target(&self, reference: &str) -> Option<&'a Value> {
        schema_ref::target(self.root, reference)
    }

    fn type_of(&mut self, schema: &'a Value, indent: &str, depth: usize) -> TypeExpression {
        match schema {
            Value::Bool(false) => TypeExpression::atom("never"),
            Value::Object(schema) if depth < DEPTH_MAX => {
                self.constraints(schema, indent, depth + 1)
            }
            _ => TypeExpression::unknown(),
        }
    }

    /// Combines all constraints that apply to a value at once.
    fn constraints(
        &mut self,
        schema: &'a Map<String, Value>,
        indent: &str,
        depth: usize,
    ) -> TypeExpression {
        let mut all = Vec::new();
        all.extend(schema_ref::reference(schema).map(|reference| self.reference_type(reference)));
        all.push(
            match (
                schema.get("const"),
                schema.get("enum").and_then(Value::as_array),
            ) {
                (Some(value), _) => TypeExpression::literal(value),
                (None, Some(values)) => {
                    TypeExpression::any_of(values.iter().map(TypeExpression::literal))
                }
                (None, None) => TypeExpression::any_of(
                    kinds(schema)
                        .into_iter()
                        .map(|kind| self.type_of_kind(kind, schema, indent, depth)),
                ),
            },
        );
        for key in ["anyOf", "oneOf"] {
            if let Some(branches) = schema.get(key).and_then(Value::as_array) {
                let branches: Vec<TypeExpression> = branches
                    .iter()
                    .map(|branch| self.type_of(branch, indent, depth))
                    .collect();
                all.push(TypeExpression::any_of(branches));
            }
        }
        for branch in schema
            .get("allOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            all.push(self.type_of(branch, indent, depth));
        }
        TypeExpression::all_of(all)
    }

    fn reference_type(&mut self, reference: &'a str) -> TypeExpression {
        let Some(target) = self.target(reference) else {
            return TypeExpression::unknown();
        };
        if let Some((_, name)) = self
            .references
            .iter()
            .find(|(known, _)| *known == reference)
        {
            let is_circular = self.leads_to(target, reference, &mut HashSet::new());
            return if is_circular {
                TypeExpression::unknown()
            } else {
                TypeExpression::atom(name.clone())
            };
        }
        if self.leads_to(target, reference, &mut HashSet::new()) {
            return TypeExpression::unknown();
        }
        let name = self
            .names
            .take(&pascal(reference.rsplit('/').next().unwrap_or_default()));
        self.references.push((reference, name.clone()));
        TypeExpression::atom(name)
    }

    /// Returns whether validating a value against this schema leads back to the reference with the
    /// same value. As a type alias, that would be circular (TS2456).
    fn leads_to(&self, schema: &'a Value, reference: &str, seen: &mut HashSet<&'a str>) -> bool {
        if let Some(next) = schema.as_object().and_then(schema_ref::reference) {
            let goes_on = next == reference
                || (seen.insert(next)
                    && self
                        .target(next)
                        .is_some_and(|next| self.leads_to(next, reference, seen)));
            if goes_on {
                return true;
            }
        }
        let branches = ["anyOf", "oneOf", "allOf"]
            .into_iter()
            .filter_map(|key| schema.get(key)?.as_array());
        branches
            .flatten()
            .any(|branch| self.leads_to(branch, reference, seen))
    }

    fn type_of_kind(
        &mut self,
        kind: &str,
        schema: &'a Map<String, Value>,
        indent: &str,
        depth: usize,
    ) -> TypeExpression {
        match kind {
            "integer" | "number" => TypeExpression::atom("number"),
            "string" | "boolean" | "null" => TypeExpression::atom(kind),
            "array" => self.array(schema, indent, depth),
            "object" => self.object(schema, indent, depth),
            _ => TypeExpression::unknown(),
        }
    }

    fn array(
        &mut self,
        schema: &'a Map<String, Value>,
        indent: &str,
        depth: usize,
    ) -> TypeExpression {
        let rest = schema
            .get("items")
            .map(|items| self.type_of(items, indent, depth));
        let Some(first) = schema.get("prefixItems").and_then(Value::as_array) else {
            let item = rest
                .unwrap_or_else(TypeExpression::unknown)
                .in_parentheses();
            return TypeExpression::atom(format!("{item}[]"));
        };
        // Elements of a tuple are optional by default in JSON Schema. Only `minItems` makes the
        // first ones required.
        let least = schema
            .get("minItems")
            .and_then(Value::as_u64)
            .and_then(|least| usize::try_from(least).ok());
        let mut items = Vec::new();
        for (place, item) in first.iter().enumerate() {
            let item = self.type_of(item, indent, depth);
            let is_needed = least.is_some_and(|least| place < least);
            items.push(if is_needed {
                item.text
            } else {
                format!("{}?", item.in_parentheses())
            });
        }
        let rest = rest.unwrap_or_else(TypeExpression::unknown);
        let most = schema.get("maxItems").and_then(Value::as_u64);
        let is_closed = rest.text == "never" || most.is_some_and(|most| most <= first.len() as u64);
        items.extend((!is_closed).then(|| format!("...{}[]", rest.in_parentheses())));
        TypeExpression::atom(format!("[{}]", items.join(", ")))
    }

    fn object(
        &mut self,
        schema: &'a Map<String, Value>,
        indent: &str,
        depth: usize,
    ) -> TypeExpression {
        let known = schema.get("properties").and_then(Value::as_object);
        let required: Vec<&str> = strings(schema.get("required"));
        let inner = format!("{indent}{STEP}");
        let mut members = String::new();
        for (name, property) in known.into_iter().flatten() {
            let optional = if required.contains(&name.as_str()) {
                ""
            } else {
                "?"
            };
            let written = self.type_of(property, &inner, depth).text;
            let _ = writeln!(
                members,
                "{}{inner}{}{optional}: {written};",
                doc_comment(property).render(&inner),
                render_key(name)
            );
        }
        // A required property without a schema may have any value.
        for name in required
            .iter()
            .filter(|name| known.is_none_or(|known| !known.contains_key(**name)))
        {
            let _ = writeln!(members, "{inner}{}: unknown;", render_key(name));
        }
        match (
            members.is_empty(),
            self.other_properties(schema, indent, depth),
        ) {
            (true, Some(others)) => {
                TypeExpression::atom(format!("{{ [key: string]: {} }}", others.text))
            }
            (true, None) => TypeExpression::atom("{ [key: string]: never }"),
            // An index signature must accept the types of all named properties, so it is `unknown`.
            (false, Some(_)) if constrains_others(schema) => TypeExpression::atom(format!(
                "{{\n{members}{inner}[key: string]: unknown;\n{indent}}}"
            )),
            (false, _) => TypeExpression::atom(format!("{{\n{members}{indent}}}")),
        }
    }

    /// Returns the type of properties that are not known by name, or `None` if there can be none.
    fn other_properties(
        &mut self,
        schema: &'a Map<String, Value>,
        indent: &str,
        depth: usize,
    ) -> Option<TypeExpression> {
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let mut others: Vec<TypeExpression> = Vec::new();
        for pattern in patterns.into_iter().flat_map(Map::values) {
            others.push(self.type_of(pattern, indent, depth));
        }
        match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => {}
            Some(rest) => others.push(self.type_of(rest, indent, depth)),
            None => others.push(TypeExpression::unknown()),
        }
        (!others.is_empty()).then(|| TypeExpression::any_of(others))
    }
}

/// Returns whether the schema mentions other properties, instead of allowing them only by default.
fn constrains_others(schema: &Map<String, Value>) -> bool {
    let rest = schema.get("additionalProperties");
    schema.contains_key("patternProperties") || rest.is_some_and(|rest| *rest != Value::Bool(false))
}

/// Returns the kinds of value that a schema accepts. If it names none, they are inferred from its
/// keywords.
fn kinds(schema: &Map<String, Value>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(kinds) => strings(Some(kinds)),
        None if ["properties", "required", "patternProperties"]
            .iter()
            .any(|key| schema.contains_key(*key)) =>
        {
            vec!["object"]
        }
        None if ["items", "prefixItems"]
            .iter()
            .any(|key| schema.contains_key(*key)) =>
        {
            vec!["array"]
        }
        None => vec!["any"],
    }
}

fn strings(value: Option<&Value>) -> Vec<&str> {
    value
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// Renders the description of a schema, and the limits that a type cannot express.
fn doc_comment(schema: &Value) -> DocComment {
    let mut comment = DocComment::default();
    comment.paragraph(
        schema
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default(),
    );
    limits::tags(schema).for_each(|(name, text)| comment.tag(name, &text));
    comment
}

#[cfg(test)]
mod tests;
