//! The JSON that a type of std accepts, judged by the type's name. The compiler checks all other
//! types; see `const_assert`.

use crate::ty::peel;
use serde_json::Value;
use syn::{GenericArgument, PathArguments, PathSegment, Type};

/// A type of std, recognized by its name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum StdType {
    /// A type that only the compiler can resolve.
    Unknown,
    Boolean,
    Integer {
        name: String,
        min: i128,
        max: i128,
    },
    Number,
    Text,
    Character,
    Optional(Box<StdType>),
    List(Box<StdType>),
    Map(Box<StdType>),
}

/// A mismatch of a value and a type: its path, the value, and the problem.
#[derive(Debug, PartialEq)]
pub(crate) struct ValueMismatch {
    pub(crate) path: String,
    pub(crate) value: String,
    pub(crate) what: String,
}

/// Names that are assumed to be std's without a path. Redefining one of them would make code
/// unreadable.
const EVERYWHERE: &[&str] = &[
    "bool", "char", "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize", "f32",
    "f64", "String", "Option", "Vec",
];

impl StdType {
    pub(crate) fn from_type(ty: &Type) -> Self {
        match peel(ty) {
            // `<T as Trait>::Id` may be any type.
            Type::Path(path) if path.qself.is_none() => {
                let segments = &path.path.segments;
                let is_of_std = segments.len() > 1
                    && segments.first().is_some_and(|first| {
                        ["std", "core", "alloc"]
                            .iter()
                            .any(|std| first.ident == std)
                    });
                let named = segments.last().filter(|last| {
                    is_of_std
                        || (segments.len() == 1 && EVERYWHERE.iter().any(|name| last.ident == name))
                });
                named.map_or(Self::Unknown, Self::from_segment)
            }
            _ => Self::Unknown,
        }
    }

    fn from_segment(segment: &PathSegment) -> Self {
        let types = generic_types(segment);
        let name = segment.ident.to_string();
        match (name.as_str(), types.as_slice()) {
            ("bool", []) => Self::Boolean,
            ("f32" | "f64", []) => Self::Number,
            ("String" | "PathBuf", []) => Self::Text,
            ("char", []) => Self::Character,
            ("Option", [inner]) => Self::Optional(Box::new(Self::from_type(inner))),
            // serde serializes these pointers as their content.
            ("Box" | "Arc" | "Rc", [inner]) => Self::from_type(inner),
            ("Vec" | "VecDeque" | "HashSet" | "BTreeSet", [items]) => {
                Self::List(Box::new(Self::from_type(items)))
            }
            // `map_keys` judges the key type.
            ("HashMap" | "BTreeMap", [_, values]) => Self::Map(Box::new(Self::from_type(values))),
            (name, []) => integer(name).unwrap_or(Self::Unknown),
            _ => Self::Unknown,
        }
    }

    /// Returns whether the type is known completely, with nothing left to the compiler.
    pub(crate) fn is_complete(&self) -> bool {
        match self {
            Self::Unknown => false,
            Self::Optional(inner) | Self::List(inner) | Self::Map(inner) => inner.is_complete(),
            _ => true,
        }
    }

    /// Returns whether a call without the argument fails, if the argument has no default.
    pub(crate) fn is_required(&self) -> bool {
        !matches!(self, Self::Unknown | Self::Optional(_))
    }

    /// Returns the type inside `Option`s. `Option` only adds `null` and absence.
    pub(crate) fn present(&self) -> &Self {
        match self {
            Self::Optional(inner) => inner.present(),
            other => other,
        }
    }

    /// Appends every mismatch of the value at `path`.
    pub(crate) fn judge(&self, value: &Value, path: &str, misfits: &mut Vec<ValueMismatch>) {
        let mut judge = |what: String| {
            misfits.push(ValueMismatch {
                path: path.to_owned(),
                value: value.to_string(),
                what,
            })
        };
        match (self, value) {
            // An unknown type is left to the compiler.
            (Self::Unknown, _) | (Self::Optional(_), Value::Null) => {}
            (Self::Boolean, Value::Bool(_))
            | (Self::Number, Value::Number(_))
            | (Self::Text, Value::String(_)) => {}
            (Self::Character, Value::String(text)) if text.chars().count() == 1 => {}
            // `1.0` is an integer in JSON Schema, so the value decides, not its notation.
            (Self::Integer { name, min, max }, Value::Number(_)) => match whole(value) {
                Some(number) if (*min..=*max).contains(&number) => {}
                Some(_) => judge(format!("and `{name}` goes from {min} to {max}")),
                None => judge("not a whole number".to_owned()),
            },
            (Self::Optional(inner), value) => inner.judge(value, path, misfits),
            (Self::List(items), Value::Array(values)) => {
                for (index, value) in values.iter().enumerate() {
                    items.judge(value, &format!("{path}[{index}]"), misfits);
                }
            }
            (Self::Map(values), Value::Object(entries)) => {
                for (key, value) in entries {
                    values.judge(value, &format!("{path}.{key}"), misfits);
                }
            }
            (other, _) => judge(format!("not {}", other.noun())),
        }
    }

    /// Returns the phrase for error messages, as "a string".
    pub(crate) fn noun(&self) -> &'static str {
        match self {
            Self::Boolean => "`true` or `false`",
            Self::Integer { .. } => "a whole number",
            Self::Number => "a number",
            Self::Text => "a string",
            Self::Character => "a string of one character",
            Self::List(_) => "a list",
            Self::Map(_) => "an object",
            Self::Optional(inner) => inner.noun(),
            Self::Unknown => "a value of its type",
        }
    }
}

fn generic_types(segment: &PathSegment) -> Vec<&Type> {
    let PathArguments::AngleBracketed(inner) = &segment.arguments else {
        return Vec::new();
    };
    let types = inner.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.collect()
}

fn integer(name: &str) -> Option<StdType> {
    let range = |min: i128, max: i128| {
        Some(StdType::Integer {
            name: name.to_owned(),
            min,
            max,
        })
    };
    match name {
        "u8" => range(0, u8::MAX.into()),
        "u16" => range(0, u16::MAX.into()),
        "u32" => range(0, u32::MAX.into()),
        // The macro does not know the width of the target's pointers, so the wider one counts.
        "u64" | "usize" => range(0, u64::MAX.into()),
        "i8" => range(i8::MIN.into(), i8::MAX.into()),
        "i16" => range(i16::MIN.into(), i16::MAX.into()),
        "i32" => range(i32::MIN.into(), i32::MAX.into()),
        "i64" | "isize" => range(i64::MIN.into(), i64::MAX.into()),
        _ => None,
    }
}

/// Returns the number if it has no fraction. JSON Schema counts `1.0` as an integer.
fn whole(value: &Value) -> Option<i128> {
    let exact = value
        .as_i64()
        .map(i128::from)
        .or_else(|| value.as_u64().map(i128::from));
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a float beyond `i128` becomes its nearest, which no type holds"
    )]
    exact.or_else(|| {
        value
            .as_f64()
            .filter(|float| float.fract() == 0.0)
            .map(|float| float as i128)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use syn::parse_quote;

    fn misfits(ty: &Type, value: &Value) -> Vec<String> {
        let mut misfits = Vec::new();
        StdType::from_type(ty).judge(value, "x", &mut misfits);
        misfits
            .into_iter()
            .map(|ValueMismatch { path, what, .. }| format!("{path}: {what}"))
            .collect()
    }

    #[test]
    fn types_of_std_are_judged_by_their_names() {
        let cases: [(Type, Value, &[&str]); 13] = [
            (parse_quote!(u8), json!(255), &[]),
            (
                parse_quote!(u8),
                json!(256),
                &["x: and `u8` goes from 0 to 255"],
            ),
            (parse_quote!(u8), json!(1.0), &[]),
            (parse_quote!(i64), json!(1.5), &["x: not a whole number"]),
            (parse_quote!(u64), json!(u64::MAX), &[]),
            (
                parse_quote!(bool),
                json!("yes"),
                &["x: not `true` or `false`"],
            ),
            (parse_quote!(Option<String>), json!(null), &[]),
            (parse_quote!(String), json!(null), &["x: not a string"]),
            (
                parse_quote!(std::path::PathBuf),
                json!(1),
                &["x: not a string"],
            ),
            (parse_quote!(my::String), json!(1), &[]),
            (
                parse_quote!(Vec<char>),
                json!(["a", "bc", 1]),
                &[
                    "x[1]: not a string of one character",
                    "x[2]: not a string of one character",
                ],
            ),
            (
                parse_quote!(std::collections::HashMap<String, Vec<u8>>),
                json!({"a": [1, -1]}),
                &["x.a[1]: and `u8` goes from 0 to 255"],
            ),
            (parse_quote!(Filter), json!(1), &[]),
        ];
        for (ty, value, expected) in cases {
            assert_eq!(misfits(&ty, &value), expected, "{value}");
        }
    }

    #[test]
    fn a_type_of_the_author_is_left_to_the_compiler() {
        let complete = |ty: Type| StdType::from_type(&ty).is_complete();
        assert!(complete(parse_quote!(Option<Vec<u8>>)));
        assert!(!complete(parse_quote!(Option<Vec<Filter>>)));
        assert!(!complete(parse_quote!(<T as Store>::Id)));
    }
}
