//! Matching of an object's key with the fields of its type.

use super::Field;
use crate::text::const_str::{contains, is_same};
use pd_schema::suggest::NearestSearch;

/// The result of looking up one key of an object.
#[derive(Clone, Copy)]
pub(super) enum KeyMatch<'a> {
    Field(&'a Field),
    /// An alias of the field with this name. serde accepts it, but the schema refuses it.
    Alias(&'a str),
    /// A probable misspelling of the field with this name.
    Misspelled(&'a str),
    Unknown,
}

impl<'a> KeyMatch<'a> {
    /// Looks up `name`. In an object that may have other fields (`open`), an unknown key is never a
    /// misspelling.
    pub(super) const fn find(name: &str, fields: &'a [Field], open: bool) -> Self {
        let mut search = NearestSearch::new(name);
        let mut rest = fields;
        while let [field, after @ ..] = rest {
            if is_same(field.name, name) {
                return Self::Field(field);
            } else if contains(field.aliases, name) {
                return Self::Alias(field.name);
            }
            search = search.consider(field.name);
            rest = after;
        }
        match search.best {
            Some(name) if !open => Self::Misspelled(name),
            _ => Self::Unknown,
        }
    }

    /// Returns whether the key gives the field its value, or will do so once the author has
    /// corrected it.
    pub(super) const fn is_for(self, field: &Field) -> bool {
        match self {
            Self::Field(own) => is_same(own.name, field.name),
            // A misspelled key must not be reported a second time as a missing field.
            Self::Alias(name) | Self::Misspelled(name) => is_same(name, field.name),
            Self::Unknown => false,
        }
    }
}
