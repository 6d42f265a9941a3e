//! Translates JSON Schema into forms. Keywords without a short form are kept verbatim, so that no
//! constraint is lost.

use super::{
    ast::{Form, Member, Needed, Object, json},
    comments,
    definitions::{self, DEPTH_MAX, Definitions},
    disjoint,
    keywords::Keywords,
    limits, types,
};
use rmcp::model::JsonObject;
use serde_json::Value;

/// Translates the schemas of one document.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    definitions: Definitions<'a>,
}

impl<'a> Reader<'a> {
    /// Creates a reader, or returns `None` if the document cannot be split into types.
    pub(super) fn new(root: &'a Value) -> Option<Self> {
        Definitions::new(root).map(|definitions| Self { definitions })
    }

    /// Iterates over the named types.
    pub(super) fn types(&self) -> impl Iterator<Item = (&str, Form)> {
        self.definitions.named.iter().map(|(_, name, schema)| (name.as_str(), self.read(schema, "", 0)))
    }

    pub(super) fn root(&self, root: &'a Value) -> Form {
        self.read(root, "", 0)
    }

    fn read(&self, schema: &'a Value, name: &str, depth: usize) -> Form {
        match schema {
            Value::Bool(true) => Form::word("any"),
            Value::Bool(false) => Form::word("never"),
            Value::Object(object) if depth < DEPTH_MAX => {
                self.constraints(object, depth + 1).with_comment(comments::schema_comment(object, name))
            }
            // Beyond the depth limit, verbatim JSON is longer but still exact.
            other => Form::verbatim(other),
        }
    }

    fn constraints(&self, object: &'a JsonObject, depth: usize) -> Form {
        let mut keywords = Keywords::new(object);
        let mut forms = Vec::new();
        forms.extend(self.reference(&mut keywords, object, depth));
        let values = values(&mut keywords);
        forms.extend(self.kinds(&mut keywords, values.as_deref(), depth));
        forms.extend(values.map(|values| Form::any_of(values.into_iter().map(literal).collect())));
        forms.extend(self.branches(&mut keywords, depth));
        // The rest must come last: it renders the keywords that no earlier step marked.
        forms.extend(keywords.unexpressed().map(|rest| Form::verbatim(&rest)));
        Form::all_of(forms)
    }

    fn reference(&self, keywords: &mut Keywords<'a>, object: &'a JsonObject, depth: usize) -> Option<Form> {
        let reference = keywords.express("$ref", |_| definitions::reference(object))?;
        let target = self.definitions.target(reference)?;
        let Some(name) = self.definitions.name(reference) else { return Some(self.read(target, "", depth)) };
        // A closed object in an intersection refuses the properties of the other parts. Its name
        // alone does not show that.
        let is_exact = target.get("additionalProperties") == Some(&Value::Bool(false));
        Some(Form::Named { name: name.to_owned(), is_exact })
    }

    fn branches(&self, keywords: &mut Keywords<'a>, depth: usize) -> Vec<Form> {
        let read = |schemas: &'a Vec<Value>| schemas.iter().map(|schema| self.read(schema, "", depth)).collect();
        let mut forms: Vec<Form> = keywords.express("allOf", Value::as_array).map(read).unwrap_or_default();
        forms.extend(keywords.express("anyOf", Value::as_array).map(read).map(Form::any_of));
        forms.extend(keywords.express("oneOf", Value::as_array).map(|schemas| {
            // `oneOf(…)` costs extra tokens. For disjoint alternatives, a plain union means the
            // same.
            match disjoint::all_disjoint(schemas, &self.definitions) {
                true => Form::any_of(read(schemas)),
                false => Form::one_of(read(schemas)),
            }
        }));
        forms
    }

    /// Translates the type and its limits. Listed values of that type make the type redundant.
    fn kinds(&self, keywords: &mut Keywords<'a>, values: Option<&[&Value]>, depth: usize) -> Option<Form> {
        let type_names = keywords.express("type", types::type_names);
        let kinds = type_names.unwrap_or_else(|| types::implied(keywords));
        if let Some(values) = values
            && values.iter().all(|value| kinds.iter().any(|kind| types::holds(kind, value)))
            && types::implied(keywords).is_empty()
        {
            return None;
        }
        let forms: Vec<Form> = kinds.iter().map(|kind| self.of_kind(kind, keywords, depth)).collect();
        (!forms.is_empty()).then(|| Form::any_of(forms))
    }

    fn of_kind(&self, kind: &str, keywords: &mut Keywords<'a>, depth: usize) -> Form {
        match kind {
            "string" => Form::Word(format!("string{}", limits::string_limits(keywords))),
            "integer" => Form::Word(format!("int{}", limits::number_limits(keywords))),
            "number" => Form::Word(format!("number{}", limits::number_limits(keywords))),
            "array" => self.list(keywords, depth),
            "object" => Form::Object(self.object(keywords, depth)),
            other => Form::word(other),
        }
    }

    fn list(&self, keywords: &mut Keywords<'a>, depth: usize) -> Form {
        if let Some(items) = keywords.express("prefixItems", Value::as_array) {
            return self.tuple(items, keywords, depth);
        }
        let item = keywords.express("items", |items| (!items.is_array()).then(|| self.read(items, "", depth)));
        Form::List { item: Box::new(item.unwrap_or(Form::word("any"))), limits: limits::list_limits(keywords) }
    }

    /// Translates a tuple. Items beyond `minItems` may be missing, and further items may follow
    /// unless the schema refuses them.
    fn tuple(&self, items: &'a [Value], keywords: &mut Keywords<'a>, depth: usize) -> Form {
        let count = |key, keywords: &mut Keywords<'a>| {
            keywords.express(key, Value::as_u64).and_then(|n| usize::try_from(n).ok())
        };
        let least = count("minItems", keywords).unwrap_or(0);
        let most = count("maxItems", keywords);
        let rest = keywords.express("items", |rest| (!rest.is_array()).then(|| self.read(rest, "", depth)));
        let is_closed = rest == Some(Form::word("never")) || most.is_some_and(|most| most <= items.len());
        let mut limits = Vec::new();
        limits.extend((least > items.len()).then(|| format!(">={least}")));
        limits.extend(most.filter(|most| *most != items.len()).map(|most| format!("<={most}")));
        limits.extend(limits::uniqueness(keywords));
        let needed = |index| if index < least { Needed::Required } else { Needed::Optional };
        Form::Tuple {
            items: items.iter().enumerate().map(|(index, item)| (self.read(item, "", depth), needed(index))).collect(),
            rest: (!is_closed).then(|| Box::new(rest.unwrap_or(Form::word("any")))),
            limits: limits::in_parentheses(&limits),
        }
    }

    fn object(&self, keywords: &mut Keywords<'a>, depth: usize) -> Object {
        let required: Vec<&str> = keywords.express("required", types::names).unwrap_or_default();
        let mut object = Object::default();
        for (name, schema) in keywords.express("properties", Value::as_object).into_iter().flatten() {
            object.members.push(self.member(name, schema, required.contains(&name.as_str()), depth));
        }
        for (pattern, schema) in keywords.express("patternProperties", Value::as_object).into_iter().flatten() {
            object.others.push((limits::expression(pattern), Some(self.read(schema, "", depth))));
        }
        self.others(keywords, &mut object, depth);
        // JSON Schema may require properties that it does not describe. A caller still has to send
        // them.
        for name in required {
            if !object.members.iter().any(|member| member.name == name) {
                let form = Form::word("any");
                object.members.push(Member { name: name.to_owned(), needed: Needed::Required, form, default: None });
            }
        }
        object
    }

    fn member(&self, name: &str, schema: &'a Value, is_required: bool, depth: usize) -> Member {
        Member {
            name: name.to_owned(),
            needed: if is_required { Needed::Required } else { Needed::Optional },
            form: self.read(schema, name, depth),
            default: schema.get("default").map(json),
        }
    }

    fn others(&self, keywords: &mut Keywords<'a>, object: &mut Object, depth: usize) {
        match keywords.express("additionalProperties", Some) {
            None => {}
            Some(Value::Bool(false)) => object.is_exact = true,
            Some(Value::Bool(true)) => object.others.push(("...".to_owned(), None)),
            Some(schema) => object.others.push(("key".to_owned(), Some(self.read(schema, "", depth)))),
        }
        // Neither adds a constraint: signatures accept only named properties anyway, and names are
        // strings.
        keywords.express("unevaluatedProperties", |rest| (rest == &Value::Bool(false)).then_some(()));
        keywords.express("propertyNames", |names| {
            let is_any =
                names.as_object().is_some_and(|names| names.iter().all(|(key, of)| key == "type" && of == "string"));
            (is_any || names == &Value::Bool(true)).then_some(())
        });
    }
}

fn values<'a>(keywords: &mut Keywords<'a>) -> Option<Vec<&'a Value>> {
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

fn literal(value: &Value) -> Form {
    Form::Word(json(value))
}
