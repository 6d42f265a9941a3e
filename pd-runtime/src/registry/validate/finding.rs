//! An error of jsonschema with the value in the arguments that it is about.

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::Value;

/// A value in the arguments, with its pointer.
#[derive(Clone)]
pub(super) struct ArgumentValue<'a> {
    pub(super) pointer: String,
    pub(super) value: &'a Value,
}

impl<'a> ArgumentValue<'a> {
    /// Returns the value inside this one that an error is about.
    pub(super) fn inner(&self, error: &ValidationError<'_>) -> Option<Self> {
        let path = error.instance_path().to_string();
        Some(Self { value: self.value.pointer(&path)?, pointer: format!("{}{path}", self.pointer) })
    }
}

/// An error, and the value to which its path is relative.
pub(super) struct LocatedError<'e, 'a> {
    pub(super) error: ErrorHolder<'e, 'a>,
    pub(super) base: ArgumentValue<'a>,
}

/// An error that a union contains, or one of a unit that was examined afterwards.
pub(super) enum ErrorHolder<'e, 'a> {
    Borrowed(&'e ValidationError<'static>),
    Owned(ValidationError<'a>),
}

impl LocatedError<'_, '_> {
    pub(super) fn kind(&self) -> &ValidationErrorKind {
        match &self.error {
            ErrorHolder::Borrowed(error) => error.kind(),
            ErrorHolder::Owned(error) => error.kind(),
        }
    }

    pub(super) fn pointer(&self) -> String {
        let path = match &self.error {
            ErrorHolder::Borrowed(error) => error.instance_path().to_string(),
            ErrorHolder::Owned(error) => error.instance_path().to_string(),
        };
        format!("{}{path}", self.base.pointer)
    }

    /// Returns the message without the value, which may be large.
    pub(super) fn masked(&self) -> String {
        match &self.error {
            ErrorHolder::Borrowed(error) => error.masked().to_string(),
            ErrorHolder::Owned(error) => error.masked().to_string(),
        }
    }
}
