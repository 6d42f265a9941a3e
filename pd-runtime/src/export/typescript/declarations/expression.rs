//! Type expressions as text, with the precedence of their operators.

use super::super::identifier::is_plain;
use serde_json::Value;

/// A type expression. `binds` determines whether it needs parentheses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypeExpression {
    pub(super) text: String,
    binds: Precedence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Precedence {
    Atom,
    And,
    Or,
}

impl TypeExpression {
    pub(super) fn atom(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            binds: Precedence::Atom,
        }
    }

    pub(super) fn unknown() -> Self {
        Self::atom("unknown")
    }

    /// Returns the literal type of a value.
    pub(super) fn literal(value: &Value) -> Self {
        Self::atom(match value {
            Value::Array(items) => {
                let items: Vec<String> =
                    items.iter().map(|item| Self::literal(item).text).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Object(members) => {
                let members: Vec<String> = members
                    .iter()
                    .map(|(name, value)| {
                        format!("{}: {}", render_key(name), Self::literal(value).text)
                    })
                    .collect();
                format!("{{ {} }}", members.join("; "))
            }
            plain => plain.to_string(),
        })
    }

    /// Returns the text as an operand of an operator that binds more tightly.
    pub(super) fn in_parentheses(&self) -> String {
        if self.binds == Precedence::Atom {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }

    pub(super) fn any_of(types: impl IntoIterator<Item = Self>) -> Self {
        let mut distinct: Vec<Self> = Vec::new();
        for one in types {
            // A union with `unknown` is `unknown`, and `never` adds nothing.
            if one == Self::unknown() {
                return one;
            }
            if one.text != "never" && !distinct.contains(&one) {
                distinct.push(one);
            }
        }
        Self::join(distinct, " | ", Precedence::Or, "never")
    }

    pub(super) fn all_of(types: impl IntoIterator<Item = Self>) -> Self {
        let mut distinct: Vec<Self> = Vec::new();
        for one in types {
            // `unknown` is the neutral element of an intersection.
            if one != Self::unknown() && !distinct.contains(&one) {
                distinct.push(one);
            }
        }
        Self::join(distinct, " & ", Precedence::And, "unknown")
    }

    fn join(mut types: Vec<Self>, between: &str, binds: Precedence, none: &str) -> Self {
        match types.len() {
            0 => Self::atom(none),
            1 => types.remove(0),
            _ => {
                let text = types
                    .iter()
                    .map(Self::in_parentheses)
                    .collect::<Vec<_>>()
                    .join(between);
                Self { text, binds }
            }
        }
    }
}

/// Renders a property's name, in quotes if necessary.
pub(super) fn render_key(name: &str) -> String {
    if is_plain(name) {
        name.to_owned()
    } else {
        Value::from(name).to_string()
    }
}
