//! A key of an object: which field it is, or was meant to be.

use super::Field;
use crate::text::{
    const_str::{holds, is_same},
    suggest::Search,
};

/// What a key stands for.
#[derive(Clone, Copy)]
pub(super) enum Key<'a> {
    Field(&'a Field),
    /// Another name for the field of this one: serde takes it, and the schema refuses it.
    Alias(&'a str),
    /// The field of this name, misspelt.
    Slip(&'a str),
    Stranger,
}

impl<'a> Key<'a> {
    /// Where others are welcome (`open`), none is misspelt.
    pub(super) const fn of(name: &str, fields: &'a [Field], open: bool) -> Self {
        let mut search = Search::new(name);
        let mut rest = fields;
        while let [field, after @ ..] = rest {
            if is_same(field.name, name) {
                return Self::Field(field);
            } else if holds(field.aliases, name) {
                return Self::Alias(field.name);
            }
            search = search.past(field.name);
            rest = after;
        }
        match search.best {
            Some(meant) if !open => Self::Slip(meant),
            _ => Self::Stranger,
        }
    }

    /// Whether it gives the field its value, or will when it is mended.
    pub(super) const fn is_for(self, field: &Field) -> bool {
        match self {
            Self::Field(own) => is_same(own.name, field.name),
            Self::Alias(name) | Self::Slip(name) => is_same(name, field.name),
            Self::Stranger => false,
        }
    }
}
