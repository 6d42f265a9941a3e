//! Translates JSON Schema into forms. Keywords without a short form are kept verbatim, so that no
//! constraint is lost.

use super::{
    ast::{MemberPresence, ObjectForm, ObjectMember, SchemaForm, json},
    comments,
    definitions::{DEPTH_MAX, SchemaDefinitions},
    disjoint,
    keywords::SchemaKeywords,
    limits, value_types,
};
use pd_schema::{nullable, schema_ref};
use rmcp::model::JsonObject;
use serde_json::Value;

/// Translates the schemas of one document.
#[derive(Debug)]
pub(super) struct SchemaReader<'a> {
    definitions: SchemaDefinitions<'a>,
}

impl<'a> SchemaReader<'a> {
    /// Creates a reader, or returns `None` if the document cannot be split into types.
    pub(super) fn new(root: &'a Value) -> Option<Self> {
        SchemaDefinitions::new(root).map(|definitions| Self { definitions })
    }

    /// Iterates over the named types.
    pub(super) fn types(&self) -> impl Iterator<Item = (&str, SchemaForm)> {
        self.definitions
            .named
            .iter()
            .map(|(_, name, schema)| (name.as_str(), self.read(schema, "", 0)))
    }

    pub(super) fn root(&self, root: &'a Value) -> SchemaForm {
        match root {
            // Arguments are never `null`, whatever the root has.
            Value::Object(object) => self
                .constraints(object, 1, false)
                .with_comment(comments::schema_comment(object, "")),
            other => self.read(other, "", 0),
        }
    }

    pub(super) fn read(&self, schema: &'a Value, name: &str, depth: usize) -> SchemaForm {
        match schema {
            Value::Bool(true) => SchemaForm::word("any"),
            Value::Bool(false) => SchemaForm::word("never"),
            Value::Object(object) if depth < DEPTH_MAX => self.read_object(object, name, depth),
            // Beyond the depth limit, verbatim JSON is longer but still exact.
            other => SchemaForm::verbatim(other),
        }
    }

    pub(super) fn read_object(
        &self,
        object: &'a JsonObject,
        name: &str,
        depth: usize,
    ) -> SchemaForm {
        let is_nullable = nullable::is_nullable(object.get("nullable"));
        self.constraints(object, depth + 1, is_nullable)
            .with_comment(comments::schema_comment(object, name))
    }

    fn constraints(&self, object: &'a JsonObject, depth: usize, is_nullable: bool) -> SchemaForm {
        let mut keywords = SchemaKeywords::new(object);
        let mut forms = Vec::new();
        forms.extend(self.reference(&mut keywords, object, depth));
        let values = values(&mut keywords);
        forms.extend(self.kinds(&mut keywords, values.as_deref(), depth));
        forms.extend(
            values.map(|values| SchemaForm::any_of(values.into_iter().map(literal).collect())),
        );
        forms.extend(self.branches(&mut keywords, depth));
        keywords.express("nullable", Value::as_bool);
        // The rest must come last: it renders the keywords that no earlier step marked.
        forms.extend(
            keywords
                .unexpressed()
                .map(|rest| SchemaForm::verbatim(&rest)),
        );
        let form = SchemaForm::all_of(forms);
        // Without other constraints, `null` is allowed already.
        if is_nullable && form != SchemaForm::word("any") {
            SchemaForm::any_of(vec![form, SchemaForm::word("null")])
        } else {
            form
        }
    }

    fn reference(
        &self,
        keywords: &mut SchemaKeywords<'a>,
        object: &'a JsonObject,
        depth: usize,
    ) -> Option<SchemaForm> {
        let reference = keywords.express("$ref", |_| schema_ref::reference(object))?;
        let target = self.definitions.target(reference)?;
        let Some(name) = self.definitions.name(reference) else {
            return Some(self.read(target, "", depth));
        };
        // A closed object in an intersection refuses the properties of the other parts. Its name
        // alone does not show that.
        let is_exact = target.get("additionalProperties") == Some(&Value::Bool(false));
        Some(SchemaForm::Named {
            name: name.to_owned(),
            is_exact,
        })
    }

    fn branches(&self, keywords: &mut SchemaKeywords<'a>, depth: usize) -> Vec<SchemaForm> {
        let read = |schemas: &'a Vec<Value>| {
            schemas
                .iter()
                .map(|schema| self.read(schema, "", depth))
                .collect()
        };
        let mut forms: Vec<SchemaForm> = keywords
            .express("allOf", Value::as_array)
            .map(read)
            .unwrap_or_default();
        forms.extend(
            keywords
                .express("anyOf", Value::as_array)
                .map(read)
                .map(SchemaForm::any_of),
        );
        forms.extend(keywords.express("oneOf", Value::as_array).map(|schemas| {
            // `oneOf(…)` costs extra tokens. For disjoint alternatives, a plain union means the
            // same.
            match disjoint::all_disjoint(
                schemas.iter().map(|schema| self.definitions.schema(schema)),
            ) {
                true => SchemaForm::any_of(read(schemas)),
                false => SchemaForm::one_of(read(schemas)),
            }
        }));
        forms
    }

    /// Translates the type and its limits. Listed values of that type make the type redundant.
    fn kinds(
        &self,
        keywords: &mut SchemaKeywords<'a>,
        values: Option<&[&Value]>,
        depth: usize,
    ) -> Option<SchemaForm> {
        let type_names = keywords.express("type", value_types::type_names);
        let kinds = type_names.unwrap_or_else(|| value_types::implied(keywords));
        if let Some(values) = values
            && values
                .iter()
                .all(|value| kinds.iter().any(|kind| value_types::holds(kind, value)))
            && value_types::implied(keywords).is_empty()
        {
            return None;
        }
        let forms: Vec<SchemaForm> = kinds
            .iter()
            .map(|kind| self.of_kind(kind, keywords, depth))
            .collect();
        (!forms.is_empty()).then(|| SchemaForm::any_of(forms))
    }

    fn of_kind(&self, kind: &str, keywords: &mut SchemaKeywords<'a>, depth: usize) -> SchemaForm {
        match kind {
            "string" => SchemaForm::Word(format!("string{}", limits::string_limits(keywords))),
            "integer" => SchemaForm::Word(format!("int{}", limits::number_limits(keywords))),
            "number" => SchemaForm::Word(format!("number{}", limits::number_limits(keywords))),
            "array" => self.list(keywords, depth),
            "object" => SchemaForm::Object(self.object(keywords, depth)),
            other => SchemaForm::word(other),
        }
    }

    fn list(&self, keywords: &mut SchemaKeywords<'a>, depth: usize) -> SchemaForm {
        if let Some(items) = keywords.express("prefixItems", Value::as_array) {
            return self.tuple(items, keywords, depth);
        }
        let item = keywords.express("items", |items| {
            (!items.is_array()).then(|| self.read(items, "", depth))
        });
        SchemaForm::List {
            item: Box::new(item.unwrap_or(SchemaForm::word("any"))),
            limits: limits::list_limits(keywords),
        }
    }

    /// Translates a tuple. Items beyond `minItems` may be missing, and further items may follow
    /// unless the schema refuses them.
    fn tuple(
        &self,
        items: &'a [Value],
        keywords: &mut SchemaKeywords<'a>,
        depth: usize,
    ) -> SchemaForm {
        let count = |key, keywords: &mut SchemaKeywords<'a>| {
            keywords
                .express(key, Value::as_u64)
                .and_then(|n| usize::try_from(n).ok())
        };
        let least = count("minItems", keywords).unwrap_or(0);
        let most = count("maxItems", keywords);
        let rest = keywords.express("items", |rest| {
            (!rest.is_array()).then(|| self.read(rest, "", depth))
        });
        let is_closed =
            rest == Some(SchemaForm::word("never")) || most.is_some_and(|most| most <= items.len());
        let mut limits = Vec::new();
        limits.extend((least > items.len()).then(|| format!(">={least}")));
        limits.extend(
            most.filter(|most| *most != items.len())
                .map(|most| format!("<={most}")),
        );
        limits.extend(limits::uniqueness(keywords));
        SchemaForm::Tuple {
            items: items
                .iter()
                .enumerate()
                .map(|(index, item)| {
                    (
                        self.read(item, "", depth),
                        if index < least {
                            MemberPresence::Required
                        } else {
                            MemberPresence::Optional
                        },
                    )
                })
                .collect(),
            rest: (!is_closed).then(|| Box::new(rest.unwrap_or(SchemaForm::word("any")))),
            limits: limits::in_parentheses(&limits),
        }
    }

    fn object(&self, keywords: &mut SchemaKeywords<'a>, depth: usize) -> ObjectForm {
        let required: Vec<&str> = keywords
            .express("required", value_types::names)
            .unwrap_or_default();
        let mut object = ObjectForm::default();
        for (name, schema) in keywords
            .express("properties", Value::as_object)
            .into_iter()
            .flatten()
        {
            object.members.push(self.member(
                name,
                schema,
                required.contains(&name.as_str()),
                depth,
            ));
        }
        for (pattern, schema) in keywords
            .express("patternProperties", Value::as_object)
            .into_iter()
            .flatten()
        {
            object.others.push((
                limits::expression(pattern),
                Some(self.read(schema, "", depth)),
            ));
        }
        self.others(keywords, &mut object, depth);
        // JSON Schema may require properties that it does not describe. A caller still has to send
        // them.
        for name in required {
            if !object.members.iter().any(|member| member.name == name) {
                let form = SchemaForm::word("any");
                object.members.push(ObjectMember {
                    name: name.to_owned(),
                    needed: MemberPresence::Required,
                    form,
                    default: None,
                });
            }
        }
        object
    }

    fn member(
        &self,
        name: &str,
        schema: &'a Value,
        is_required: bool,
        depth: usize,
    ) -> ObjectMember {
        ObjectMember {
            name: name.to_owned(),
            needed: if is_required {
                MemberPresence::Required
            } else {
                MemberPresence::Optional
            },
            form: self.read(schema, name, depth),
            default: schema.get("default").map(json),
        }
    }

    fn others(&self, keywords: &mut SchemaKeywords<'a>, object: &mut ObjectForm, depth: usize) {
        match keywords.express("additionalProperties", Some) {
            None => {}
            Some(Value::Bool(false)) => object.is_exact = true,
            Some(Value::Bool(true)) => object.others.push(("...".to_owned(), None)),
            Some(schema) => object
                .others
                .push(("key".to_owned(), Some(self.read(schema, "", depth)))),
        }
        // Neither adds a constraint: signatures accept only named properties anyway, and names are
        // strings.
        keywords.express("unevaluatedProperties", |rest| {
            (rest == &Value::Bool(false)).then_some(())
        });
        keywords.express("propertyNames", |names| {
            let is_any = names.as_object().is_some_and(|names| {
                names
                    .iter()
                    .all(|(key, of)| key == "type" && of == "string")
            });
            (is_any || names == &Value::Bool(true)).then_some(())
        });
    }
}

fn values<'a>(keywords: &mut SchemaKeywords<'a>) -> Option<Vec<&'a Value>> {
    let only = keywords.express("const", Some);
    let listed = keywords.express("enum", Value::as_array);
    match (only, listed) {
        (None, None) => None,
        (Some(only), None) => Some(vec![only]),
        (None, Some(values)) => Some(values.iter().collect()),
        // `const` and `enum` together accept only a listed constant.
        (Some(only), Some(values)) => Some(values.iter().filter(|value| *value == only).collect()),
    }
}

fn literal(value: &Value) -> SchemaForm {
    SchemaForm::Word(json(value))
}
