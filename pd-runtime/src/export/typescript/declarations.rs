//! Conversion of JSON Schema to TypeScript types. A type expresses less than a schema. The rest is
//! in a doc comment, and the server validates arguments against the schema. If a type cannot be
//! exact, it accepts more than the schema, never less.

mod expression;
mod limits;
mod named;

pub(super) use named::TypeNames;

use super::{comment::DocComment, identifier::pascal};
use expression::{TypeExpression, render_key};
use pd_schema::reader::SchemaRef;
use serde_json::Value;
use std::{collections::HashSet, fmt::Write};

/// The depth to which types are written out. Deeper types are `unknown`.
const DEPTH_MAX: usize = 48;
const STEP: &str = "    ";

/// The types of one schema and of the schemas that it refers to.
pub(super) struct TypeDeclarations<'a, 'n> {
    root: SchemaRef<'a>,
    names: &'n mut TypeNames,
    /// The references so far, each with the name of its type.
    references: Vec<(&'a str, String)>,
}

impl<'a, 'n> TypeDeclarations<'a, 'n> {
    pub(super) fn new(root: &'a Value, names: &'n mut TypeNames) -> Self {
        Self {
            root: SchemaRef::document(root),
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
            let Some(schema) = self.root.resolve(reference) else {
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

    fn type_of(&mut self, schema: SchemaRef<'a>, indent: &str, depth: usize) -> TypeExpression {
        if schema.is_false() {
            TypeExpression::atom("never")
        } else if schema.keywords().is_some() && depth < DEPTH_MAX {
            self.constraints(schema, indent, depth + 1)
        } else {
            TypeExpression::unknown()
        }
    }

    /// Combines all constraints that apply to a value at once.
    fn constraints(&mut self, schema: SchemaRef<'a>, indent: &str, depth: usize) -> TypeExpression {
        let mut all = Vec::new();
        all.extend(
            schema
                .reference()
                .map(|reference| self.reference_type(reference)),
        );
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
        let unions = [schema.any_of(), schema.one_of()];
        for branches in unions.into_iter().flatten() {
            let branches: Vec<TypeExpression> = branches
                .map(|branch| self.type_of(branch, indent, depth))
                .collect();
            all.push(TypeExpression::any_of(branches));
        }
        for branch in schema.all_of().into_iter().flatten() {
            all.push(self.type_of(branch, indent, depth));
        }
        TypeExpression::all_of(all)
    }

    fn reference_type(&mut self, reference: &'a str) -> TypeExpression {
        let Some(target) = self.root.resolve(reference) else {
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
    fn leads_to(
        &self,
        schema: SchemaRef<'a>,
        reference: &str,
        seen: &mut HashSet<&'a str>,
    ) -> bool {
        if let Some(next) = schema.reference() {
            let goes_on = next == reference
                || (seen.insert(next)
                    && self
                        .root
                        .resolve(next)
                        .is_some_and(|next| self.leads_to(next, reference, seen)));
            if goes_on {
                return true;
            }
        }
        schema
            .branches()
            .any(|branch| self.leads_to(branch, reference, seen))
    }

    fn type_of_kind(
        &mut self,
        kind: &str,
        schema: SchemaRef<'a>,
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

    fn array(&mut self, schema: SchemaRef<'a>, indent: &str, depth: usize) -> TypeExpression {
        let rest = schema
            .items()
            .map(|items| self.type_of(items, indent, depth));
        let Some(first) = schema.prefix_items() else {
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
        let count = first.len();
        let mut items = Vec::new();
        for (place, item) in first.enumerate() {
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
        let is_closed = rest.text == "never" || most.is_some_and(|most| most <= count as u64);
        items.extend((!is_closed).then(|| format!("...{}[]", rest.in_parentheses())));
        TypeExpression::atom(format!("[{}]", items.join(", ")))
    }

    fn object(&mut self, schema: SchemaRef<'a>, indent: &str, depth: usize) -> TypeExpression {
        let required: Vec<&str> = schema.required().collect();
        let inner = format!("{indent}{STEP}");
        let mut members = String::new();
        for (name, property) in schema.properties() {
            let optional = if required.contains(&name) { "" } else { "?" };
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
            .filter(|name| schema.property(name).is_none())
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
            (false, Some(_)) if schema.describes_others() => TypeExpression::atom(format!(
                "{{\n{members}{inner}[key: string]: unknown;\n{indent}}}"
            )),
            (false, _) => TypeExpression::atom(format!("{{\n{members}{indent}}}")),
        }
    }

    /// Returns the type of properties that are not known by name, or `None` if there can be none.
    fn other_properties(
        &mut self,
        schema: SchemaRef<'a>,
        indent: &str,
        depth: usize,
    ) -> Option<TypeExpression> {
        let mut others: Vec<TypeExpression> = Vec::new();
        for (_, pattern) in schema.pattern_properties() {
            others.push(self.type_of(pattern, indent, depth));
        }
        match schema.additional_properties() {
            Some(rest) if rest.is_false() => {}
            Some(rest) => others.push(self.type_of(rest, indent, depth)),
            None => others.push(TypeExpression::unknown()),
        }
        (!others.is_empty()).then(|| TypeExpression::any_of(others))
    }
}

/// Returns the kinds of value that a schema accepts. If it names none, they are inferred from its
/// keywords.
fn kinds(schema: SchemaRef<'_>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        Some(_) => Vec::new(),
        None if is_object(schema) => vec!["object"],
        None if schema.get("items").is_some() || schema.has_prefix_items() => vec!["array"],
        None => vec!["any"],
    }
}

fn is_object(schema: SchemaRef<'_>) -> bool {
    schema.has_properties() || schema.get("required").is_some() || schema.has_pattern_properties()
}

/// Renders the description of a schema, and the limits that a type cannot express.
fn doc_comment(schema: SchemaRef<'_>) -> DocComment {
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
