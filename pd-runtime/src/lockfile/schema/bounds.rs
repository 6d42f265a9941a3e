//! Compares bounds of numbers, lengths and counts.

use super::{ChangeEffect, SchemaComparison, place::SchemaPlace, values::types};
use crate::lockfile::render;
use rmcp::model::JsonObject;
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// Bounds of sizes, and the counted unit in singular and plural.
const SIZES: &[(&str, BoundSide, [&str; 2])] = &[
    ("minLength", BoundSide::Lower, CHARACTERS),
    ("maxLength", BoundSide::Upper, CHARACTERS),
    ("minItems", BoundSide::Lower, ITEMS),
    ("maxItems", BoundSide::Upper, ITEMS),
    ("minProperties", BoundSide::Lower, PROPERTIES),
    ("maxProperties", BoundSide::Upper, PROPERTIES),
];
const CHARACTERS: [&str; 2] = [" character", " characters"];
const ITEMS: [&str; 2] = [" item", " items"];
const PROPERTIES: [&str; 2] = [" property", " properties"];
/// Numbers have no unit.
const NOTHING: [&str; 2] = ["", ""];

const NUMBERS: &[&str] = &[
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
];

pub(super) fn is_bound(key: &str) -> bool {
    NUMBERS.contains(&key) || SIZES.iter().any(|(size, ..)| *size == key)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BoundSide {
    Lower,
    Upper,
}

/// A limit. An open bound excludes the limit itself.
#[derive(Debug, Clone, PartialEq)]
struct NumberBound {
    limit: Number,
    is_open: bool,
}

impl SchemaComparison {
    pub(super) fn bounds(&mut self, place: &SchemaPlace, old: &JsonObject, new: &JsonObject) {
        for side in [BoundSide::Lower, BoundSide::Upper] {
            self.bound(
                place,
                side,
                (number_bound(old, side), number_bound(new, side)),
                NOTHING,
            );
        }
        for (key, side, counted) in SIZES {
            self.bound(
                place,
                *side,
                (size_bound(old, key, *side), size_bound(new, key, *side)),
                *counted,
            );
        }
        self.step(place, old.get("multipleOf"), new.get("multipleOf"));
    }

    fn bound(
        &mut self,
        place: &SchemaPlace,
        side: BoundSide,
        (old, new): (Option<NumberBound>, Option<NumberBound>),
        counted: [&str; 2],
    ) {
        let effect = match (&old, &new) {
            (None, None) => return,
            (None, Some(_)) => ChangeEffect::Narrows,
            (Some(_), None) => ChangeEffect::Widens,
            (Some(old), Some(new)) => match strictness(old, new, side) {
                Ordering::Equal => return,
                Ordering::Less => ChangeEffect::Narrows,
                Ordering::Greater => ChangeEffect::Widens,
            },
        };
        let [before, now] = [old, new].map(|bound| bound.map(|bound| bound.render(side, counted)));
        self.report_change(place, before, now, effect);
    }

    fn step(&mut self, place: &SchemaPlace, old: Option<&Value>, new: Option<&Value>) {
        let effect = match (old, new) {
            (old, new) if old == new => return,
            (None, _) => ChangeEffect::Narrows,
            (_, None) => ChangeEffect::Widens,
            // Every multiple of the new step is one of the old, so fewer values fit.
            (Some(old), Some(new)) if divides(old, new) => ChangeEffect::Narrows,
            (Some(old), Some(new)) if divides(new, old) => ChangeEffect::Widens,
            _ => ChangeEffect::Unclear,
        };
        let [before, now] = [old, new]
            .map(|step| step.map(|step| format!("a multiple of {}", render::value(step))));
        self.report_change(place, before, now, effect);
    }
}

fn size_bound(schema: &JsonObject, key: &str, side: BoundSide) -> Option<NumberBound> {
    let Some(Value::Number(limit)) = schema.get(key) else {
        return None;
    };
    // A minimum size of 0 accepts every size, so writing it is not a change.
    let is_trivial = side == BoundSide::Lower && limit.as_u64() == Some(0);
    (!is_trivial).then(|| NumberBound {
        limit: limit.clone(),
        is_open: false,
    })
}

/// Returns whether each multiple of `other` is a multiple of `step`.
fn divides(step: &Value, other: &Value) -> bool {
    match (step.as_u64(), other.as_u64()) {
        (Some(step), Some(other)) => step != 0 && other.is_multiple_of(step),
        // Division of doubles is not exact, so fractions stay undecided.
        _ => false,
    }
}

/// Returns the stricter of the inclusive and the exclusive bound.
fn number_bound(schema: &JsonObject, side: BoundSide) -> Option<NumberBound> {
    let (closed, open) = match side {
        BoundSide::Lower => ("minimum", "exclusiveMinimum"),
        BoundSide::Upper => ("maximum", "exclusiveMaximum"),
    };
    let open = NumberBound::read(schema, open, true).map(|bound| bound.of_integers(schema, side));
    match (NumberBound::read(schema, closed, false), open) {
        (Some(one), Some(other)) if strictness(&one, &other, side) == Ordering::Less => Some(other),
        (Some(one), _) => Some(one),
        (None, other) => other,
    }
}

impl NumberBound {
    fn read(schema: &JsonObject, key: &str, is_open: bool) -> Option<Self> {
        match schema.get(key) {
            Some(Value::Number(limit)) => Some(Self {
                limit: limit.clone(),
                is_open,
            }),
            _ => None,
        }
    }

    /// Converts an open bound of integers to a closed one: integers above 0 are integers from 1.
    /// Otherwise a change between the two forms would look like a difference.
    fn of_integers(self, schema: &JsonObject, side: BoundSide) -> Self {
        let step = if side == BoundSide::Lower { 1 } else { -1 };
        let next = self
            .limit
            .as_i64()
            .and_then(|limit| limit.checked_add(step));
        match next {
            // A schema without `type` also accepts fractions, which lie between the integers.
            Some(next) if !types(schema).contains(&"fraction") => Self {
                limit: next.into(),
                is_open: false,
            },
            _ => self,
        }
    }

    fn render(&self, side: BoundSide, [one, several]: [&str; 2]) -> String {
        let words = match (side, self.is_open) {
            (BoundSide::Lower, false) => "at least",
            (BoundSide::Upper, false) => "at most",
            (BoundSide::Lower, true) => "above",
            (BoundSide::Upper, true) => "below",
        };
        let counted = if self.limit.as_u64() == Some(1) {
            one
        } else {
            several
        };
        format!("{words} {}{counted}", self.limit)
    }
}

/// Returns `Less` if the second bound is stricter than the first.
fn strictness(one: &NumberBound, other: &NumberBound, side: BoundSide) -> Ordering {
    let (one, other) = match side {
        BoundSide::Lower => (one, other),
        // The smaller of two upper bounds is the stricter one.
        BoundSide::Upper => (other, one),
    };
    // Of equal limits, the open one is stricter: it excludes the limit itself.
    let open = match side {
        BoundSide::Lower => one.is_open.cmp(&other.is_open),
        BoundSide::Upper => other.is_open.cmp(&one.is_open),
    };
    order(&one.limit, &other.limit).then(open)
}

fn order(one: &Number, other: &Number) -> Ordering {
    match (one.as_i128(), other.as_i128()) {
        // Compared as integers first, because different 64-bit limits may be equal as doubles.
        (Some(one), Some(other)) => one.cmp(&other),
        // JSON has no NaN, so two doubles always have an order.
        _ => one
            .as_f64()
            .partial_cmp(&other.as_f64())
            .unwrap_or(Ordering::Equal),
    }
}
