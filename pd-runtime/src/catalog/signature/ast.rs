//! What a signature is made of: a JSON Schema as a reader thinks of it. How one is read off a schema is in `read`, how it is
//! written in `layout`.

use serde_json::Value;
use std::fmt::Write;

/// The values that fit one place.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Form {
    /// Nothing inside: `string(1..200)`, `"open"`, or a schema as it is.
    Word(String),
    /// A type by its name, and whether it is exact as an object is.
    Named { name: String, is_exact: bool },
    /// `item[limits]`
    List { item: Box<Form>, limits: String },
    /// `[item, item?, ...rest[]](limits)`
    Tuple { items: Vec<(Form, Needed)>, rest: Option<Box<Form>>, limits: String },
    /// `{name: form}`
    Object(Object),
    /// `form|form`
    AnyOf(Vec<Form>),
    /// `oneOf(form|form)`: two that fit are one too many.
    OneOf(Vec<Form>),
    /// `form & form`
    AllOf(Vec<Form>),
    /// A form, and what is said about it.
    Told(Box<Form>, String),
}

/// Whether a part may be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Needed {
    Required,
    Optional,
}

/// An object: its properties, and what others it takes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Object {
    pub(super) members: Vec<Member>,
    /// Properties that are not known by name: `...`, `[key]: form`, `[/pattern/]: form`.
    pub(super) others: Vec<(String, Option<Form>)>,
    /// Whether it refuses the properties that a form beside it asks for.
    pub(super) is_exact: bool,
}

/// One property.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) needed: Needed,
    pub(super) form: Form,
    /// As JSON.
    pub(super) default: Option<String>,
}

impl Form {
    pub(super) fn word(text: impl Into<String>) -> Self {
        Self::Word(text.into())
    }

    /// A piece of JSON Schema that has no shorter form.
    pub(super) fn verbatim(schema: &Value) -> Self {
        Self::Word(format!("schema({})", json(schema)))
    }

    pub(super) fn told(self, about: String) -> Self {
        if about.is_empty() { self } else { Self::Told(Box::new(self), about) }
    }

    /// What fits any of them.
    pub(super) fn any_of(forms: Vec<Self>) -> Self {
        let flat = forms.into_iter().flat_map(|form| match form {
            Self::AnyOf(forms) => forms,
            other => vec![other],
        });
        let flat: Vec<Self> = flat.collect();
        if flat.is_empty() { Self::word("never") } else { one_or(flat, Self::AnyOf) }
    }

    /// What fits exactly one of them.
    pub(super) fn one_of(forms: Vec<Self>) -> Self {
        one_or(forms, Self::OneOf)
    }

    /// What fits all of them, without those that another one implies.
    pub(super) fn all_of(mut forms: Vec<Self>) -> Self {
        forms.retain(|form| *form != Self::word("any"));
        let mut said: Vec<Self> = Vec::new();
        while let Some(form) = forms.pop() {
            let is_implied = form.is_bare()
                && form.kind().is_some_and(|kind| forms.iter().chain(&said).any(|other| other.is_of(kind)));
            if !is_implied {
                said.insert(0, form);
            }
        }
        if said.is_empty() { Self::word("any") } else { one_or(said, Self::AllOf) }
    }

    /// Whether it names a kind of values and says no more.
    fn is_bare(&self) -> bool {
        match self {
            Self::Word(text) => text.chars().all(|letter| letter.is_ascii_lowercase()),
            Self::Object(object) => object.is_any(),
            Self::List { item, limits } => limits.is_empty() && **item == Self::word("any"),
            _ => false,
        }
    }

    /// The one kind of its values, if it shows.
    fn kind(&self) -> Option<&str> {
        match self {
            Self::Word(text) if text.starts_with('"') => Some("string"),
            Self::Word(text) => KINDS.into_iter().find(|kind| text.split('(').next() == Some(kind)),
            Self::List { .. } | Self::Tuple { .. } => Some("list"),
            Self::Object(_) => Some("object"),
            Self::Told(form, _) => form.kind(),
            _ => None,
        }
    }

    fn is_of(&self, kind: &str) -> bool {
        match self {
            Self::AnyOf(forms) | Self::OneOf(forms) => forms.iter().all(|form| form.is_of(kind)),
            Self::AllOf(forms) => forms.iter().any(|form| form.is_of(kind)),
            Self::Told(form, _) => form.is_of(kind),
            _ => self.kind() == Some(kind),
        }
    }
}

/// The words for the kinds of plain values.
const KINDS: [&str; 5] = ["string", "int", "number", "boolean", "null"];

fn one_or(forms: Vec<Form>, several: fn(Vec<Form>) -> Form) -> Form {
    <[Form; 1]>::try_from(forms).map_or_else(several, |[only]| only)
}

impl Object {
    /// Whether it names no property.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty() && self.others.is_empty()
    }

    /// Whether every object fits.
    pub(super) fn is_any(&self) -> bool {
        self.members.is_empty() && self.others.iter().all(|(_, form)| form.is_none()) && !self.is_exact
    }
}

/// JSON that stays in its line.
pub(super) fn json(value: &Value) -> String {
    in_line(&value.to_string())
}

/// A text without characters that end a line or cannot be seen, as JSON and regular expressions escape them.
pub(super) fn in_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\u{2028}' | '\u{2029}' => _ = write!(out, "\\u{:04x}", u32::from(letter)),
            letter if letter.is_control() => _ = write!(out, "\\u{:04x}", u32::from(letter)),
            letter => out.push(letter),
        }
    }
    out
}
