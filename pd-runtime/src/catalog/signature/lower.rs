//! Translates JSON Schema into forms. Keywords without a short form are kept verbatim, so that no
//! constraint is lost.

use super::{
    ast::{MemberPresence, ObjectForm, ObjectMember, SchemaForm, json},
    comments,
    definitions::{DEPTH_MAX, SchemaDefinitions},
    disjoint, limits, value_types,
};
use pd_schema::{
    accepted_types::constrained_types,
    nullable,
    reader::{
        SchemaRef,
        schema_part::{BranchKeyword, SchemaList},
    },
    unread::UnreadKeywords,
};
use serde_json::Value;

/// Keywords that constrain nothing. `comments` renders some of them; the others do not concern
/// callers.
const ANNOTATIONS: [&str; 12] = [
    "$schema",
    "$id",
    "$anchor",
    "$comment",
    "$vocabulary",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
];

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
            .map(|(_, name, schema)| (name.as_str(), self.read(*schema, "", 0)))
    }

    /// Translates the schema of the whole document.
    pub(super) fn root(&self) -> SchemaForm {
        let root = self.definitions.root();
        if root.keywords().is_none() {
            return self.read(root, "", 0);
        }
        // Arguments are never `null`, whatever the root has.
        self.constraints(root, 1, false)
            .with_comment(comments::schema_comment(root, ""))
    }

    pub(super) fn read(&self, schema: SchemaRef<'a>, name: &str, depth: usize) -> SchemaForm {
        if schema.keywords().is_some() && depth < DEPTH_MAX {
            return self.read_object(schema, name, depth);
        }
        match schema.value() {
            None | Some(Value::Bool(true)) => SchemaForm::word("any"),
            Some(Value::Bool(false)) => SchemaForm::word("never"),
            // Beyond the depth limit, verbatim JSON is longer but still exact.
            Some(other) => SchemaForm::verbatim(other),
        }
    }

    /// Translates a schema that is an object.
    pub(super) fn read_object(
        &self,
        schema: SchemaRef<'a>,
        name: &str,
        depth: usize,
    ) -> SchemaForm {
        let is_nullable = nullable::is_nullable(schema.get("nullable"));
        self.constraints(schema, depth + 1, is_nullable)
            .with_comment(comments::schema_comment(schema, name))
    }

    fn constraints(&self, schema: SchemaRef<'a>, depth: usize, is_nullable: bool) -> SchemaForm {
        let mut keywords = UnreadKeywords::new(schema);
        let mut forms = Vec::new();
        // Each step takes the keywords that it expresses, so that none is rendered twice.
        forms.extend(self.reference(&mut keywords, depth));
        let values = values(&mut keywords);
        forms.extend(self.kinds(&mut keywords, values.as_deref(), depth));
        forms.extend(
            values.map(|values| SchemaForm::any_of(values.into_iter().map(literal).collect())),
        );
        forms.extend(self.branches(&mut keywords, depth));
        keywords.take("nullable", Value::as_bool);
        // The rest must come last: it renders the keywords that no earlier step read.
        let rest = keywords.rest(is_annotation);
        forms.extend(rest.map(|rest| SchemaForm::verbatim(&rest)));
        let form = SchemaForm::all_of(forms);
        // Without other constraints, `null` is allowed already.
        if is_nullable && form != SchemaForm::word("any") {
            SchemaForm::any_of(vec![form, SchemaForm::word("null")])
        } else {
            form
        }
    }

    fn reference(&self, keywords: &mut UnreadKeywords<'a>, depth: usize) -> Option<SchemaForm> {
        let reference = keywords.take_reference()?;
        let target = self.definitions.target(reference)?;
        let Some(name) = self.definitions.name(reference) else {
            return Some(self.read(target, "", depth));
        };
        // A closed object in an intersection refuses the properties of the other parts. Its name
        // alone does not show that.
        let is_exact = target
            .additional_properties()
            .is_some_and(SchemaRef::is_false);
        Some(SchemaForm::Named {
            name: name.to_owned(),
            is_exact,
        })
    }

    fn branches(&self, keywords: &mut UnreadKeywords<'a>, depth: usize) -> Vec<SchemaForm> {
        let read = |schemas: SchemaList<'a>| -> Vec<SchemaForm> {
            schemas.map(|schema| self.read(schema, "", depth)).collect()
        };
        // The parts of `allOf` are parts of the same intersection as the other forms, so they need
        // no form around them.
        let all = keywords.take_branches(BranchKeyword::AllOf);
        let mut forms = all.map(read).unwrap_or_default();
        let any = keywords.take_branches(BranchKeyword::AnyOf);
        forms.extend(any.map(read).map(SchemaForm::any_of));
        let one = keywords.take_branches(BranchKeyword::OneOf);
        forms.extend(one.map(|schemas| {
            // `oneOf(…)` costs extra tokens. For disjoint alternatives, a plain union means the
            // same.
            if disjoint::all_disjoint(schemas.clone()) {
                SchemaForm::any_of(read(schemas))
            } else {
                SchemaForm::one_of(read(schemas))
            }
        }));
        forms
    }

    /// Translates the type and its limits. Listed values of that type make the type redundant.
    fn kinds(
        &self,
        keywords: &mut UnreadKeywords<'a>,
        values: Option<&[&Value]>,
        depth: usize,
    ) -> Option<SchemaForm> {
        // A `type` with an unknown name is not taken, so it is rendered verbatim.
        let type_names = keywords.take("type", value_types::type_names);
        let kinds = type_names.unwrap_or_else(|| constrained_types(keywords.schema()));
        if let Some(values) = values
            && values
                .iter()
                .all(|value| kinds.iter().any(|kind| value_types::holds(kind, value)))
            && constrained_types(keywords.schema()).is_empty()
        {
            return None;
        }
        let forms: Vec<SchemaForm> = kinds
            .iter()
            .map(|kind| self.of_kind(kind, keywords, depth))
            .collect();
        (!forms.is_empty()).then(|| SchemaForm::any_of(forms))
    }

    fn of_kind(&self, kind: &str, keywords: &mut UnreadKeywords<'a>, depth: usize) -> SchemaForm {
        match kind {
            "string" => SchemaForm::Word(format!("string{}", limits::string_limits(keywords))),
            "integer" => SchemaForm::Word(format!("int{}", limits::number_limits(keywords))),
            "number" => SchemaForm::Word(format!("number{}", limits::number_limits(keywords))),
            "array" => self.list(keywords, depth),
            "object" => SchemaForm::Object(self.object(keywords, depth)),
            other => SchemaForm::word(other),
        }
    }

    fn list(&self, keywords: &mut UnreadKeywords<'a>, depth: usize) -> SchemaForm {
        if let Some(items) = keywords.take_prefix_items() {
            return self.tuple(items, keywords, depth);
        }
        // A list in `items` is the tuple of older drafts. It stays unread, and is rendered
        // verbatim.
        let item = keywords.take_items();
        let item = item.map(|item| self.read(item, "", depth));
        SchemaForm::List {
            item: Box::new(item.unwrap_or(SchemaForm::word("any"))),
            limits: limits::list_limits(keywords),
        }
    }

    /// Translates a tuple. Items beyond `minItems` may be missing, and further items may follow
    /// unless the schema refuses them.
    fn tuple(
        &self,
        items: SchemaList<'a>,
        keywords: &mut UnreadKeywords<'a>,
        depth: usize,
    ) -> SchemaForm {
        let count = |key, keywords: &mut UnreadKeywords<'a>| {
            keywords
                .take(key, Value::as_u64)
                .and_then(|n| usize::try_from(n).ok())
        };
        let least = count("minItems", keywords).unwrap_or(0);
        let most = count("maxItems", keywords);
        let rest = keywords.take_items();
        let rest = rest.map(|rest| self.read(rest, "", depth));
        // Without further items the rest is not rendered: `[a, b]` instead of `[a, b, ...any[]]`.
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

    fn object(&self, keywords: &mut UnreadKeywords<'a>, depth: usize) -> ObjectForm {
        let required = keywords.take_required().unwrap_or_default();
        let mut object = ObjectForm::default();
        for (name, schema) in keywords.take_properties().into_iter().flatten() {
            let is_required = required.contains(&name);
            let member = self.member(name, schema, is_required, depth);
            object.members.push(member);
        }
        for (pattern, schema) in keywords.take_pattern_properties().into_iter().flatten() {
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
        schema: SchemaRef<'a>,
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

    fn others(&self, keywords: &mut UnreadKeywords<'a>, object: &mut ObjectForm, depth: usize) {
        match keywords.take_additional_properties() {
            None => {}
            Some(schema) if schema.is_false() => object.is_exact = true,
            Some(schema) if schema.is_true() => object.others.push(("...".to_owned(), None)),
            Some(schema) => object
                .others
                .push(("key".to_owned(), Some(self.read(schema, "", depth)))),
        }
        // Neither adds a constraint: signatures accept only named properties anyway, and names are
        // strings.
        keywords.take("unevaluatedProperties", |rest| {
            (rest == &Value::Bool(false)).then_some(())
        });
        keywords.take("propertyNames", |names| {
            let is_any = names.as_object().is_some_and(|names| {
                names
                    .iter()
                    .all(|(key, of)| key == "type" && of == "string")
            });
            (is_any || names == &Value::Bool(true)).then_some(())
        });
    }
}

fn values<'a>(keywords: &mut UnreadKeywords<'a>) -> Option<Vec<&'a Value>> {
    let only = keywords.take("const", Some);
    let listed = keywords.take("enum", Value::as_array);
    match (only, listed) {
        (None, None) => None,
        (Some(only), None) => Some(vec![only]),
        (None, Some(values)) => Some(values.iter().collect()),
        // `const` and `enum` together accept only a listed constant.
        (Some(only), Some(values)) => Some(values.iter().filter(|value| *value == only).collect()),
    }
}

/// Returns whether a keyword constrains nothing.
fn is_annotation(keyword: &str) -> bool {
    ANNOTATIONS.contains(&keyword) || keyword.starts_with("x-")
}

fn literal(value: &Value) -> SchemaForm {
    SchemaForm::Word(json(value))
}
