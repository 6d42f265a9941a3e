//! Validation of one JSON value against one shape.

use super::{
    Field, Shape,
    const_json::{JsonCursor, JsonKind, JsonNumber},
    key::KeyMatch,
    report::{FaultReport, PathStep, ValuePath},
};
use crate::text::const_str::contains;

/// A validation in progress and its results.
pub(super) struct ShapeValidator {
    pub(super) report: FaultReport,
    /// Whether a value of an unknown shape was met, which only serde can judge.
    pub(super) is_unsure: bool,
}

impl ShapeValidator {
    pub(super) const fn new() -> Self {
        Self {
            report: FaultReport::new(),
            is_unsure: false,
        }
    }

    /// Validates the arguments of a call. Keys that `arguments` does not contain were validated by
    /// the macro.
    pub(super) const fn example(&mut self, input: &str, arguments: &[Field]) {
        let input = JsonCursor::new(input);
        match arguments {
            [
                Field {
                    shape: Shape::Whole(Shape::Struct { fields, open }),
                    ..
                },
            ] => {
                self.object(input, fields, *open, None);
            }
            [
                Field {
                    shape: Shape::Whole(_) | Shape::Unknown,
                    ..
                },
            ] => self.is_unsure = true,
            // A tool's only argument is complete knowledge: every other key is unknown.
            [Field { is_alone: true, .. }] => self.object(input, arguments, false, None),
            // `arguments` lacks the arguments that the macro has validated, so other keys must be
            // accepted.
            _ => self.object(input, arguments, true, None),
        }
    }

    /// Validates the value at `path`.
    pub(super) const fn value(
        &mut self,
        value: JsonCursor<'_>,
        shape: &Shape,
        path: &ValuePath<'_>,
    ) {
        match shape {
            Shape::Unknown => self.is_unsure = true,
            // `check_root` and `check_wrapper` report a misplaced type at its declaration.
            Shape::Anything | Shape::Misplaced(_) => {}
            Shape::Boolean => {
                _ = self.kind(value, JsonKind::Boolean, "not `true` or `false`", path)
            }
            Shape::Number => _ = self.kind(value, JsonKind::Number, "not a number", path),
            Shape::Text => _ = self.kind(value, JsonKind::Text, "not a string", path),
            Shape::Character => self.character(value, path),
            Shape::Integer { min, max } => self.integer(value, *min, *max, path),
            Shape::Variants(names) => self.variant(value, names, path),
            Shape::Optional(inner) => self.optional(value, inner, path),
            Shape::List(items) => self.list(value, items, path),
            Shape::Tuple(items) => self.tuple(value, items, path),
            Shape::Map(values) => self.map(value, values, path),
            Shape::Struct { fields, open } => {
                if self.kind(value, JsonKind::Object, "not an object", path) {
                    self.object(value, fields, *open, Some(path));
                }
            }
            Shape::Whole(inner) => self.value(value, inner, path),
        }
    }

    /// Returns whether the value has this kind, and reports a fault otherwise.
    const fn kind(
        &mut self,
        value: JsonCursor<'_>,
        wanted: JsonKind,
        otherwise: &str,
        path: &ValuePath<'_>,
    ) -> bool {
        // `PartialEq` is not const, so the discriminants are compared.
        let fits = value.kind() as u8 == wanted as u8;
        if !fits {
            self.report.fault(value, otherwise, path);
        }
        fits
    }

    const fn character(&mut self, value: JsonCursor<'_>, path: &ValuePath<'_>) {
        const OTHERWISE: &str = "not a string of one character";
        if self.kind(value, JsonKind::Text, OTHERWISE, path)
            && let Some(text) = value.content()
            // An escaped string passes: without unescaping, its length in characters is not known.
            && !is_one_character(text)
        {
            self.report.fault(value, OTHERWISE, path);
        }
    }

    const fn integer(&mut self, value: JsonCursor<'_>, min: i128, max: i128, path: &ValuePath<'_>) {
        const OTHERWISE: &str = "not a whole number";
        if !self.kind(value, JsonKind::Number, OTHERWISE, path) {
            return;
        }
        match value.number() {
            JsonNumber::Whole(number) if number < min || number > max => {
                self.report.outside(value, min, max, path)
            }
            JsonNumber::Whole(_) => {}
            JsonNumber::Fraction => self.report.fault(value, OTHERWISE, path),
            JsonNumber::Scientific => self.is_unsure = true,
        }
    }

    const fn variant(&mut self, value: JsonCursor<'_>, names: &[&str], path: &ValuePath<'_>) {
        if self.kind(value, JsonKind::Text, "not a string", path)
            // Const code cannot unescape a word, so a word with an escape passes.
            && let Some(word) = value.content()
            && !contains(names, word)
        {
            self.report.none_of(value, word, names, path);
        }
    }

    const fn optional(&mut self, value: JsonCursor<'_>, inner: &Shape, path: &ValuePath<'_>) {
        // `Option` reads `null` as `None`, and passes all other values on.
        if !matches!(value.kind(), JsonKind::Null) {
            self.value(value, inner, path);
        }
    }

    const fn list(&mut self, value: JsonCursor<'_>, items: &Shape, path: &ValuePath<'_>) {
        if !self.kind(value, JsonKind::List, "not a list", path) {
            return;
        }
        let mut item = value.enter();
        let mut index = 0;
        while !item.at_end() {
            self.value(
                item,
                items,
                &ValuePath::new(Some(path), PathStep::Index(index)),
            );
            item = item.next();
            index += 1;
        }
    }

    const fn tuple(&mut self, value: JsonCursor<'_>, mut items: &[&Shape], path: &ValuePath<'_>) {
        if !self.kind(value, JsonKind::List, "not a list", path) {
            return;
        }
        let length = items.len();
        let mut item = value.enter();
        let mut index = 0;
        while !item.at_end() {
            if let [shape, rest @ ..] = items {
                // Items beyond the tuple's length have no shape. The length check below reports
                // them.
                self.value(
                    item,
                    shape,
                    &ValuePath::new(Some(path), PathStep::Index(index)),
                );
                items = rest;
            }
            item = item.next();
            index += 1;
        }
        if index != length {
            self.report.not_a_list_of(value, length, path);
        }
    }

    const fn map(&mut self, value: JsonCursor<'_>, values: &Shape, path: &ValuePath<'_>) {
        if !self.kind(value, JsonKind::Object, "not an object", path) {
            return;
        }
        let mut key = value.enter();
        while !key.at_end() {
            let entry = key.next();
            match key.content() {
                Some(name) => self.value(
                    entry,
                    values,
                    &ValuePath::new(Some(path), PathStep::Name(name)),
                ),
                // A key with an escape has no readable name, so faults are reported at the map.
                None => self.value(entry, values, path),
            }
            key = entry.next();
        }
    }

    const fn object(
        &mut self,
        value: JsonCursor<'_>,
        fields: &[Field],
        open: bool,
        path: Option<&ValuePath<'_>>,
    ) {
        let mut key = value.enter();
        while !key.at_end() {
            let entry = key.next();
            if let Some(name) = key.content() {
                let path = &ValuePath::new(path, PathStep::Name(name));
                match KeyMatch::find(name, fields, open) {
                    KeyMatch::Field(field) => self.field(entry, field, path),
                    KeyMatch::Alias(name) => self.report.alias(name, path),
                    KeyMatch::Misspelled(suggestion) => {
                        self.report.no_field(Some(suggestion), path)
                    }
                    KeyMatch::Unknown if open => {}
                    KeyMatch::Unknown => self.report.no_field(None, path),
                }
            }
            key = entry.next();
        }
        self.report_missing(value, fields, open, path);
    }

    const fn field(&mut self, value: JsonCursor<'_>, field: &Field, path: &ValuePath<'_>) {
        // A `null` argument of a call counts as absent. In nested values serde decides.
        let is_absent =
            path.is_outermost() && field.has_default && matches!(value.kind(), JsonKind::Null);
        if !is_absent {
            self.value(value, &field.shape, path);
        }
    }

    const fn report_missing(
        &mut self,
        object: JsonCursor<'_>,
        fields: &[Field],
        open: bool,
        path: Option<&ValuePath<'_>>,
    ) {
        let mut rest = fields;
        while let [field, after @ ..] = rest {
            if field.is_required() && !is_present(object, field, fields, open) {
                self.report
                    .missing(&ValuePath::new(path, PathStep::Name(field.name)));
            }
            rest = after;
        }
    }
}

/// Returns whether one of the object's keys is the field's, or was reported as a misspelling of it.
const fn is_present(object: JsonCursor<'_>, field: &Field, fields: &[Field], open: bool) -> bool {
    let mut key = object.enter();
    while !key.at_end() {
        // A key with an escape cannot be read here. It may be this field, so no fault is reported.
        let Some(name) = key.content() else {
            return true;
        };
        if KeyMatch::find(name, fields, open).is_for(field) {
            return true;
        }
        key = key.next().next();
    }
    false
}

const fn is_one_character(text: &str) -> bool {
    // The lead byte of a UTF-8 sequence contains the sequence's length.
    let [first, ..] = text.as_bytes() else {
        return false;
    };
    let width = match *first {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
    };
    text.len() == width
}
