//! Limits on how deep a schema leads. Validators recurse along a schema, so one that leads too deep
//! would overflow a thread's stack.
//!
//! Compilation recurses into nested objects and arrays; it queues references instead of following
//! them. Validation recurses into the arguments, whose depth is bounded, and at each level through
//! all schemas that apply to the same value.

use crate::text::percent;
use serde_json::Value;
use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
};

/// The maximum nesting of objects and arrays in a schema. Twice as many levels fit on a stack of 2
/// MiB.
pub(crate) const LEVELS_MAX: usize = 75;
/// The maximum chain of schemas that apply to one value, each because of the one before. Such
/// chains fit on a stack of 2 MiB with arguments of 128 levels, the most that rmcp parses. Chains
/// of twice this length fit with 64 levels, the default limit on arguments.
pub(crate) const STEPS_MAX: usize = 16;

/// The maximum number of schemas that apply to one value, counted once for each path that leads to
/// them.
pub(crate) const SCHEMAS_MAX: u64 = 10_000;
/// The size of a schema after its references are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unfolded {
    pub(crate) has_references: bool,
    pub(crate) is_recursive: bool,
    /// The number of objects and arrays, counted once for each path that leads to them. Recursion
    /// is followed once.
    pub(crate) size: u64,
}

/// Checks all limits, and measures the schema.
///
/// # Errors
///
/// Returns an error that names the exceeded limit.
pub(crate) fn check(schema: &Value) -> Result<Unfolded, String> {
    let names = Names::of(schema);
    if names.levels > LEVELS_MAX {
        let text =
            format!("it is nested {} levels deep, over the limit of {LEVELS_MAX}; move parts to `$defs`", names.levels);
        return Err(text);
    }
    // Every value is a possible start, because arguments may reach any subschema. Values that were
    // walked before are only looked up, so this stays linear.
    let mut steps = Walk::default();
    names.all.iter().for_each(|value| steps.begin(value, |value| names.beside(value)));
    match steps {
        Walk { is_circular: true, .. } => {
            Err("it refers to itself without going into the value, so it says nothing; remove that `$ref`".to_owned())
        }
        Walk { deepest, .. } if deepest > STEPS_MAX => Err(format!(
            "one value is judged by {deepest} schemas in a chain of `$ref`, `allOf` and the like, over the limit of {STEPS_MAX}; join some"
        )),
        Walk { heaviest, .. } if heaviest > SCHEMAS_MAX => Err(format!(
            "one value is judged by {heaviest} schemas through `$ref`, `anyOf` and the like, over the limit of {SCHEMAS_MAX}; share fewer branches"
        )),
        _ => Ok(names.unfolded()),
    }
}

/// The keywords that refer to other schemas.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// All values in a schema, level by level, and the names by which references may address them.
struct Names<'a> {
    root: &'a Value,
    all: Vec<&'a Value>,
    levels: usize,
    anchors: HashMap<&'a str, &'a Value>,
    ids: HashMap<&'a str, &'a Value>,
}

impl<'a> Names<'a> {
    fn of(root: &'a Value) -> Self {
        let mut names = Self { root, all: Vec::new(), levels: 0, anchors: HashMap::new(), ids: HashMap::new() };
        // Breadth first, level by level: this code runs before the depth is known, so it must not
        // recurse.
        let mut level = vec![root];
        while !level.is_empty() {
            names.levels += 1;
            level.iter().for_each(|value| names.note(value));
            let next = level.iter().flat_map(|value| nested(value)).collect();
            names.all.append(&mut level);
            level = next;
        }
        names
    }

    /// Measures the schema with its references followed.
    fn unfolded(&self) -> Unfolded {
        let mut walk = Walk::default();
        let has_references = Cell::new(false);
        walk.begin(self.root, |value| {
            let referred = self.referred(value);
            has_references.set(has_references.get() || REFERENCES.iter().any(|key| value.get(*key).is_some()));
            nested(value).into_iter().chain(referred).collect()
        });
        let (has_references, is_recursive) = (has_references.get(), walk.is_circular);
        Unfolded { has_references, is_recursive, size: walk.heaviest }
    }

    fn note(&mut self, value: &'a Value) {
        let named = |key: &str| value.get(key).and_then(Value::as_str);
        self.ids.extend(named("$id").map(|id| (id.trim_end_matches('#'), value)));
        self.anchors.extend(["$anchor", "$dynamicAnchor"].into_iter().filter_map(named).map(|name| (name, value)));
    }

    /// Returns the schemas that apply to the same value as `schema` because of it.
    fn beside(&self, schema: &'a Value) -> Vec<&'a Value> {
        let at = |key: &&str| schema.get(*key);
        let alone = ["not", "if", "then", "else"];
        let several = ["allOf", "anyOf", "oneOf", "dependentSchemas", "dependencies"];
        let alone = alone.iter().filter_map(at);
        alone.chain(several.iter().filter_map(at).flat_map(nested)).chain(self.referred(schema)).collect()
    }

    fn referred(&self, schema: &'a Value) -> impl Iterator<Item = &'a Value> {
        let references = REFERENCES.into_iter().filter_map(|key| schema.get(key)?.as_str());
        references.filter_map(|reference| self.meant(reference)).collect::<Vec<_>>().into_iter()
    }

    /// Resolves a reference within this schema: by `$id`, JSON pointer or anchor.
    fn meant(&self, reference: &str) -> Option<&'a Value> {
        let (id, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = if id.is_empty() { self.root } else { self.ids.get(id).copied()? };
        match fragment {
            "" => Some(resource),
            pointer if pointer.starts_with('/') => {
                resource.pointer(pointer).or_else(|| resource.pointer(&percent::decoded(pointer)?))
            }
            anchor => self.anchors.get(anchor).copied(),
        }
    }
}

/// Returns the objects and arrays directly inside a value. Values that a schema only quotes are not
/// schemas.
fn nested(value: &Value) -> Vec<&Value> {
    let is_quoted = |key: &str| ["const", "enum", "default", "examples"].contains(&key);
    let inner: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(object) => object.iter().filter(|(key, _)| !is_quoted(key)).map(|(_, inner)| inner).collect(),
        _ => Vec::new(),
    };
    inner.into_iter().filter(|inner| inner.is_object() || inner.is_array()).collect()
}

/// A depth-first search for the longest chain and the number of paths. Each value is expanded once,
/// and the search uses its own stack instead of recursion.
#[derive(Default)]
struct Walk {
    deepest: usize,
    /// The largest number of paths that begin at one value.
    heaviest: u64,
    is_circular: bool,
    /// The longest chain from each finished value and its number of paths, by the value's address.
    known: HashMap<usize, (usize, u64)>,
    open: HashSet<usize>,
}

/// A value on the current path, its successors that are left, and the results so far.
struct Step<'a> {
    place: usize,
    left: Vec<&'a Value>,
    reach: usize,
    ways: u64,
}

impl Step<'_> {
    /// Adds the results of a successor.
    fn add(&mut self, reach: usize, ways: u64) {
        self.reach = self.reach.max(reach + 1);
        // Path counts double with each shared level, so they may exceed any integer.
        self.ways = self.ways.saturating_add(ways);
    }
}

impl Walk {
    fn begin<'a>(&mut self, value: &'a Value, follow: impl Fn(&'a Value) -> Vec<&'a Value>) {
        let mut way: Vec<Step<'a>> = Vec::new();
        way.extend(self.open(value, &follow));
        while let Some(step) = way.last_mut() {
            match step.left.pop() {
                Some(next) => match self.known.get(&place(next)) {
                    Some((reach, ways)) => step.add(*reach, *ways),
                    None => way.extend(self.open(next, &follow)),
                },
                None => {
                    let (place, reach, ways) = (step.place, step.reach, step.ways);
                    way.pop();
                    self.close(place, reach, ways);
                    if let Some(before) = way.last_mut() {
                        before.add(reach, ways);
                    }
                }
            }
        }
    }

    fn open<'a>(&mut self, value: &'a Value, follow: &impl Fn(&'a Value) -> Vec<&'a Value>) -> Option<Step<'a>> {
        let place = place(value);
        if self.known.contains_key(&place) {
            return None;
        }
        // A value that is still open lies on the current path, so the schema refers back to it.
        if !self.open.insert(place) {
            self.is_circular = true;
            return None;
        }
        Some(Step { place, left: follow(value), reach: 0, ways: 1 })
    }

    fn close(&mut self, place: usize, reach: usize, ways: u64) {
        self.open.remove(&place);
        self.known.insert(place, (reach, ways));
        self.deepest = self.deepest.max(reach);
        self.heaviest = self.heaviest.max(ways);
    }
}

// The address identifies a value: the schema is borrowed for the whole check, so nothing moves.
fn place(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

#[cfg(test)]
mod tests;
