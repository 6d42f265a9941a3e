//! The declaration of a key: its name, its values, and what it means. The parser reads keys by their
//! declarations, and the JSON Schema is made of the same ones.
//!
//! [`ConfigField::get`] takes a declaration and not a text, so the parser cannot read a key that the
//! schema lacks. The macro `settings!` lists each declaration beside it, so a declaration cannot be
//! left out of the schema.

use super::field::{ConfigField, FieldReader};
use serde_json::{Value, json};

/// The values of a key, as JSON Schema.
pub(super) trait ValueSchema: Sync {
    /// Returns a schema of draft-07. `null` is not a value: it stands for an absent key.
    fn schema(&self) -> Value;
}

/// The values of a key that need nothing but the file.
pub(super) trait ReadValue: ValueSchema {
    type Value;

    /// Reads a value, or reports why it is not valid.
    fn read(
        &self,
        fields: &mut FieldReader<'_, '_>,
        field: &ConfigField<'_>,
    ) -> Option<Self::Value>;
}

/// The values of a key that a reader with more knowledge reads, such as the values of variables.
#[derive(Clone, Copy)]
pub(super) struct SchemaOnly(pub(super) fn() -> Value);

impl ValueSchema for SchemaOnly {
    fn schema(&self) -> Value {
        (self.0)()
    }
}

/// A key, with its values.
pub(super) struct Setting<R> {
    pub(super) key: &'static str,
    pub(super) rule: R,
    text: &'static str,
    default: Option<&'static str>,
    examples: &'static [&'static str],
}

/// A key with values of any type.
pub(super) trait DeclaredKey: Sync {
    fn key(&self) -> &'static str;

    /// Returns the schema of the value, which can be `null`, with its description.
    fn property(&self) -> Value;

    /// Returns the description alone, for a place where the value is not read.
    fn description(&self) -> Value;

    #[cfg(test)]
    fn examples(&self) -> Vec<Value>;
}

impl<R> Setting<R> {
    /// Declares a key. `text` is Markdown.
    pub(super) const fn new(key: &'static str, text: &'static str, rule: R) -> Self {
        Self {
            key,
            rule,
            text,
            default: None,
            examples: &[],
        }
    }
}

impl<R: Copy> Setting<R> {
    /// Sets the value that an absent key stands for, as JSON.
    pub(super) const fn default(self, default: &'static str) -> Self {
        Self {
            default: Some(default),
            ..self
        }
    }

    /// Sets values that an editor offers, each as JSON.
    pub(super) const fn examples(self, examples: &'static [&'static str]) -> Self {
        Self { examples, ..self }
    }
}

impl<R: ValueSchema> DeclaredKey for Setting<R> {
    fn key(&self) -> &'static str {
        self.key
    }

    fn property(&self) -> Value {
        let mut property = described(self.text);
        let schema = nullable(self.rule.schema());
        merge(&mut property, schema);
        if let Some(default) = self.default {
            merge(&mut property, json!({ "default": parsed(default) }));
        }
        if !self.examples.is_empty() {
            let examples: Vec<_> = self.examples.iter().copied().map(parsed).collect();
            merge(&mut property, json!({ "examples": examples }));
        }
        property
    }

    fn description(&self) -> Value {
        described(self.text)
    }

    #[cfg(test)]
    fn examples(&self) -> Vec<Value> {
        self.examples.iter().copied().map(parsed).collect()
    }
}

impl<'v> ConfigField<'v> {
    /// Returns the member of a declared key. A member that is `null` is absent.
    pub(super) fn get<R>(&self, setting: &Setting<R>) -> Option<Self> {
        self.named(setting.key)
    }
}

impl FieldReader<'_, '_> {
    /// Reads the member of a declared key.
    pub(super) fn read<R: ReadValue>(
        &mut self,
        object: &ConfigField<'_>,
        setting: &Setting<R>,
    ) -> Option<R::Value> {
        setting.rule.read(self, &object.get(setting)?)
    }
}

/// Declares keys, and lists them.
macro_rules! settings {
    (
        $(#[$about:meta])* $list:ident;
        $(
            $(#[doc = $text:literal])+
            $name:ident: $rule:ty = $key:literal, $value:expr $(, $with:ident $argument:expr)*;
        )+
    ) => {
        $(
            $(#[doc = $text])+
            pub(in crate::config) const $name: crate::config::setting::Setting<$rule> =
                crate::config::setting::Setting::new($key, concat!($($text),+), $value)
                    $(.$with($argument))*;
        )+

        $(#[$about])*
        pub(in crate::config) const $list: &[&dyn crate::config::setting::DeclaredKey] =
            &[$(&$name),+];
    };
}
pub(super) use settings;

/// Returns the annotations of a description. VS Code renders Markdown in one of its own alone.
pub(super) fn described(text: &str) -> Value {
    let text = text.trim();
    if text.contains('`') {
        json!({ "description": text.replace('`', ""), "markdownDescription": text })
    } else {
        json!({ "description": text })
    }
}

/// Returns the schema of texts with a pattern. VS Code shows the message instead of the pattern.
pub(super) fn with_pattern(pattern: &str, message: &dyn std::fmt::Display) -> Value {
    json!({ "pattern": pattern, "patternErrorMessage": message.to_string() })
}

/// Returns the schema of an object that has declared keys alone.
pub(super) fn object_schema(keys: &[&dyn DeclaredKey]) -> Value {
    json!({ "type": "object", "properties": properties(keys), "additionalProperties": false })
}

/// Returns the schemas of declared keys, by key.
pub(super) fn properties(keys: &[&dyn DeclaredKey]) -> Value {
    keys.iter()
        .map(|declared| (declared.key().to_owned(), declared.property()))
        .collect()
}

/// Adds the members of an object to another one.
pub(super) fn merge(schema: &mut Value, members: Value) {
    if let (Value::Object(schema), Value::Object(members)) = (schema, members) {
        schema.extend(members);
    }
}

/// Returns the schema of a key that can also be `null`, as an absent one.
pub(super) fn nullable(mut schema: Value) -> Value {
    let Some(members) = schema.as_object_mut() else {
        return schema;
    };
    if members.contains_key("$ref") {
        return json!({ "anyOf": [schema, { "type": "null" }] });
    }
    match members.get_mut("type") {
        Some(Value::Array(types)) => types.push("null".into()),
        Some(one) => *one = json!([one, "null"]),
        None => {}
    }
    if let Some(Value::Array(values)) = members.get_mut("enum") {
        values.push(Value::Null);
    }
    if let Some(Value::Array(schemas)) = members.get_mut("anyOf") {
        schemas.push(json!({ "type": "null" }));
    }
    schema
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_else(|_| json.into())
}
