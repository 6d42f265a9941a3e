//! Rules for the keys of maps. A key of a JSON object is a string, and serde converts only some
//! types to one. This module rejects types by their tokens. The compiler checks the shape of other
//! types, or `Registry::check` tests them.

use crate::{
    errors::Errors,
    std_types::StdType,
    ty::{generics, inner_types, last_segment, peel, plain},
};
use syn::{GenericArgument, Type};

/// Names of map types. A map from another crate than std or indexmap is treated the same.
const MAPS: &[&str] = &["BTreeMap", "HashMap", "IndexMap"];

/// Reports every map key in a type that JSON cannot represent.
pub(crate) fn check(ty: &Type, errors: &mut Errors) {
    for map in MapType::find_all(ty) {
        if let KeyVerdict::Impossible(why) = map.judge() {
            errors.at(map.key, why);
        }
    }
}

/// A map inside a type: its key type and value type.
#[derive(Clone, Copy)]
pub(crate) struct MapType<'a> {
    pub(crate) key: &'a Type,
    value: &'a Type,
}

/// The verdict on a key type.
enum KeyVerdict {
    /// JSON can represent the key.
    Possible,
    /// JSON cannot represent the key. Contains the error message.
    Impossible(String),
    /// Only the compiler can decide.
    Unknown,
}

impl<'a> MapType<'a> {
    /// Finds every map in a type, also in maps.
    pub(crate) fn find_all(ty: &'a Type) -> Vec<Self> {
        let ty = peel(ty);
        let inner = inner_types(ty);
        let is_map =
            last_segment(ty).is_some_and(|segment| MAPS.iter().any(|map| segment.ident == map));
        let own = match inner.as_slice() {
            [key, value, ..] if is_map => Some(Self { key, value }),
            _ => None,
        };
        own.into_iter()
            .chain(inner.into_iter().flat_map(Self::find_all))
            .collect()
    }

    /// Returns whether only the compiler can judge the key.
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self.judge(), KeyVerdict::Unknown)
    }

    /// Judges the key by its tokens.
    fn judge(&self) -> KeyVerdict {
        self.judge_key(self.key)
    }

    fn judge_key(&self, key: &Type) -> KeyVerdict {
        match peel(key) {
            Type::Tuple(tuple) if tuple.elems.is_empty() => self.impossible("is `null`"),
            Type::Tuple(_) | Type::Array(_) | Type::Slice(_) => self.impossible("is a list"),
            Type::Path(path) if path.qself.is_none() => self.judge_named(key),
            _ => KeyVerdict::Possible,
        }
    }

    fn judge_named(&self, key: &Type) -> KeyVerdict {
        let name = last_segment(peel(key))
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default();
        let inner = generics(peel(key)).find_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        });
        match (name.as_str(), inner) {
            // serde serializes these pointers as their content.
            ("Box" | "Arc" | "Rc" | "Cow", Some(inner)) => self.judge_key(inner),
            ("Option", Some(inner)) => KeyVerdict::Impossible(format!(
                "a key of a JSON object is always there; write `{}` as the key",
                plain(inner)
            )),
            ("Vec" | "VecDeque" | "LinkedList" | "BTreeSet" | "HashSet", Some(_)) => {
                self.impossible("is a list")
            }
            ("BTreeMap" | "HashMap" | "IndexMap", Some(_)) => self.impossible("is an object"),
            // Floats implement neither `Eq` nor `Ord`, so no std map accepts them.
            ("f32" | "f64", None) => self.impossible("cannot be the key of a map in Rust"),
            // serde_json writes numbers, booleans and characters as strings when they are keys.
            _ if StdType::from_type(key).is_complete() => KeyVerdict::Possible,
            _ => KeyVerdict::Unknown,
        }
    }

    fn impossible(&self, what: &str) -> KeyVerdict {
        let key = plain(self.key);
        let pairs = self.pairs();
        KeyVerdict::Impossible(format!(
            "a key of a JSON object is a text, and `{key}` {what}; write `{pairs}`"
        ))
    }

    /// Returns the replacement for the map: `Vec<(Point, String)>`.
    pub(crate) fn pairs(&self) -> String {
        format!("Vec<({}, {})>", plain(self.key), plain(self.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn judged(ty: &Type) -> Vec<String> {
        let judge = |map: MapType<'_>| match map.judge() {
            KeyVerdict::Possible => "possible".to_owned(),
            KeyVerdict::Impossible(why) => why,
            KeyVerdict::Unknown => format!("unknown {}", map.pairs()),
        };
        MapType::find_all(ty).into_iter().map(judge).collect()
    }

    #[test]
    fn keys_are_judged_wherever_the_map_stands() {
        let list = "a key of a JSON object is a text, and `(u8, u8)` is a list; write `Vec<((u8, u8), String)>`";
        assert_eq!(
            judged(&parse_quote!(Option<Vec<HashMap<(u8, u8), String>>>)),
            [list]
        );
        assert_eq!(
            judged(&parse_quote!(
                std::collections::BTreeMap<Box<(u8, u8)>, String>
            ))
            .len(),
            1
        );
        let optional = "a key of a JSON object is always there; write `String` as the key";
        assert_eq!(
            judged(&parse_quote!(HashMap<Option<String>, u8>)),
            [optional]
        );
        assert_eq!(
            judged(&parse_quote!(HashMap<Point, u8>)),
            ["unknown Vec<(Point, u8)>"]
        );
        assert_eq!(
            judged(&parse_quote!(HashMap<String, HashMap<[u8; 2], u8>>)).len(),
            2
        );
        assert_eq!(
            judged(&parse_quote!(HashMap<String, BTreeMap<u8, HashMap<char, bool>>>)),
            ["possible"; 3]
        );
        assert!(judged(&parse_quote!(Vec<String>)).is_empty());
    }
}
