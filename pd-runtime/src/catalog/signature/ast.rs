//! The syntax tree of a signature. The module `lower` builds it from a JSON Schema, and `render`
//! writes it.

use serde_json::Value;
use std::fmt::Write;

/// A set of JSON values.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum SchemaForm {
    /// A leaf: `string(1..200)`, `"open"`, or verbatim JSON Schema.
    Word(String),
    /// A named type. `is_exact` means that it is an object that refuses other properties.
    Named { name: String, is_exact: bool },
    /// `item[limits]`
    List {
        item: Box<SchemaForm>,
        limits: String,
    },
    /// `[item, item?, ...rest[]](limits)`
    Tuple {
        items: Vec<(SchemaForm, MemberPresence)>,
        rest: Option<Box<SchemaForm>>,
        limits: String,
    },
    /// `{name: form}`
    Object(ObjectForm),
    /// `form|form`
    AnyOf(Vec<SchemaForm>),
    /// `oneOf(form|form)`: exactly one alternative must match (JSON Schema `oneOf`).
    OneOf(Vec<SchemaForm>),
    /// `form & form`
    AllOf(Vec<SchemaForm>),
    /// A form with a comment.
    Commented(Box<SchemaForm>, String),
}

/// Whether a member is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberPresence {
    Required,
    Optional,
}

/// An object: its named properties and the others that it accepts.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ObjectForm {
    pub(super) members: Vec<ObjectMember>,
    /// Properties without a fixed name: `...`, `[key]: form`, `[/pattern/]: form`.
    pub(super) others: Vec<(String, Option<SchemaForm>)>,
    /// Whether the object refuses properties that the other part of an intersection requires.
    pub(super) is_exact: bool,
}

/// One property of an object.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ObjectMember {
    pub(super) name: String,
    pub(super) needed: MemberPresence,
    pub(super) form: SchemaForm,
    /// The default value as JSON.
    pub(super) default: Option<String>,
}

impl SchemaForm {
    pub(super) fn word(text: impl Into<String>) -> Self {
        Self::Word(text.into())
    }

    /// Creates a leaf of verbatim JSON Schema, for constraints without a shorter form.
    pub(super) fn verbatim(schema: &Value) -> Self {
        Self::Word(format!("schema({})", json(schema)))
    }

    pub(super) fn with_comment(self, about: String) -> Self {
        if about.is_empty() {
            self
        } else {
            Self::Commented(Box::new(self), about)
        }
    }

    /// Creates the union of the forms. A union inside it is flattened.
    pub(super) fn any_of(forms: Vec<Self>) -> Self {
        let flat = forms.into_iter().flat_map(|form| match form {
            Self::AnyOf(forms) => forms,
            other => vec![other],
        });
        let flat: Vec<Self> = flat.collect();
        // An empty union accepts no value.
        if flat.is_empty() {
            Self::word("never")
        } else {
            one_or(flat, Self::AnyOf)
        }
    }

    /// Creates a form of which exactly one alternative must match.
    pub(super) fn one_of(forms: Vec<Self>) -> Self {
        one_or(forms, Self::OneOf)
    }

    /// Creates the intersection of the forms, without those that another form implies.
    pub(super) fn all_of(mut forms: Vec<Self>) -> Self {
        forms.retain(|form| *form != Self::word("any"));
        let mut needed: Vec<Self> = Vec::new();
        // From the last to the first: a bare `object` is dropped if an earlier or later form
        // already requires an object. Popping keeps `forms` and `needed` as exactly the other
        // candidates.
        while let Some(form) = forms.pop() {
            let is_implied = form.is_bare()
                && form
                    .kind()
                    .is_some_and(|kind| forms.iter().chain(&needed).any(|other| other.is_of(kind)));
            if !is_implied {
                needed.insert(0, form);
            }
        }
        if needed.is_empty() {
            Self::word("any")
        } else {
            one_or(needed, Self::AllOf)
        }
    }

    /// Returns whether the form is only the name of a type, without constraints.
    fn is_bare(&self) -> bool {
        match self {
            Self::Word(text) => text.chars().all(|letter| letter.is_ascii_lowercase()),
            Self::Object(object) => object.is_any(),
            Self::List { item, limits } => limits.is_empty() && **item == Self::word("any"),
            _ => false,
        }
    }

    /// Returns the single type of the form's values, if it is evident.
    fn kind(&self) -> Option<&str> {
        match self {
            // Other literals have no evident kind here, which only costs a redundant word.
            Self::Word(text) if text.starts_with('"') => Some("string"),
            Self::Word(text) => KINDS
                .into_iter()
                .find(|kind| text.split('(').next() == Some(kind)),
            Self::List { .. } | Self::Tuple { .. } => Some("list"),
            Self::Object(_) => Some("object"),
            Self::Commented(form, _) => form.kind(),
            _ => None,
        }
    }

    fn is_of(&self, kind: &str) -> bool {
        match self {
            Self::AnyOf(forms) | Self::OneOf(forms) => forms.iter().all(|form| form.is_of(kind)),
            Self::AllOf(forms) => forms.iter().any(|form| form.is_of(kind)),
            Self::Commented(form, _) => form.is_of(kind),
            _ => self.kind() == Some(kind),
        }
    }
}

/// The names of scalar types.
const KINDS: [&str; 5] = ["string", "int", "number", "boolean", "null"];

fn one_or(forms: Vec<SchemaForm>, several: fn(Vec<SchemaForm>) -> SchemaForm) -> SchemaForm {
    <[SchemaForm; 1]>::try_from(forms).map_or_else(several, |[only]| only)
}

impl ObjectForm {
    /// Returns whether the object names no property.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty() && self.others.is_empty()
    }

    /// Returns whether every object matches.
    pub(super) fn is_any(&self) -> bool {
        self.members.is_empty()
            && self.others.iter().all(|(_, form)| form.is_none())
            && !self.is_exact
    }
}

/// Renders JSON without line breaks.
pub(super) fn json(value: &Value) -> String {
    in_line(&value.to_string())
}

/// Escapes characters that end a line or are invisible, as JSON and regular expressions do.
pub(super) fn in_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            // U+2028 and U+2029 are not control characters, but some readers break lines at them. A
            // text that starts a new line could pose as part of the declaration.
            '\u{2028}' | '\u{2029}' => _ = write!(out, "\\u{:04x}", u32::from(letter)),
            letter if letter.is_control() => _ = write!(out, "\\u{:04x}", u32::from(letter)),
            letter => out.push(letter),
        }
    }
    out
}
