//! Estimates how often serde would read the parts of valid arguments. serde tries the variants of
//! an untagged enum one by one, and a variant that fails late has already read its fields. Where
//! variants share a recursive field, that takes 2 to the power of the depth, although the schema
//! validates each value once. Such values are rejected before serde reads them.

use crate::{
    schema::{count_values, subschemas},
    text::percent,
};
use serde_json::Value;
use std::collections::HashMap;

/// The number of reads that any arguments may cost.
const READS_MIN: u64 = 100_000;
/// The average number of reads of each value in larger arguments.
const READS_EACH: u64 = 16;

/// Returns whether a schema has references, by which values may be deep, and a union of several
/// branches other than `null`.
pub(super) fn may_repeat(schema: &Value) -> bool {
    let (mut refers, mut branches) = (false, false);
    subschemas::visit(schema, &mut |schema| {
        refers |= schema.get("$ref").is_some();
        let several = schema.get("anyOf").and_then(Value::as_array);
        branches |= several.is_some_and(|several| several.iter().filter(|branch| !is_null(branch)).count() > 1);
    });
    refers && branches
}

fn is_null(branch: &Value) -> bool {
    branch.get("type").is_some_and(|kind| kind == "null")
}

/// Returns the first argument that serde would read too often, and the number of reads.
pub(super) fn repeated<'a>(schema: &Value, arguments: &'a Value) -> Option<(&'a str, u64)> {
    let mut reads = ReadCounter { root: schema, known: HashMap::new() };
    let root_reads = reads.count(schema, arguments);
    if root_reads <= allowed(arguments) {
        return None;
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut by_argument = arguments.as_object().into_iter().flatten().filter_map(|(name, value)| {
        let count = reads.count(properties?.get(name)?, value);
        (count > allowed(value)).then_some((name.as_str(), count))
    });
    Some(by_argument.next().unwrap_or(("", root_reads)))
}

fn allowed(value: &Value) -> u64 {
    READS_MIN.max(count_values(value).saturating_mul(READS_EACH))
}

/// Counts reads. Each pair of a schema and a value is counted once, so the estimate itself is not
/// exponential.
struct ReadCounter<'a> {
    root: &'a Value,
    known: HashMap<(usize, usize), u64>,
}

impl ReadCounter<'_> {
    fn count(&mut self, schema: &Value, value: &Value) -> u64 {
        let key = (std::ptr::from_ref(schema).addr(), std::ptr::from_ref(value).addr());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let count =
            self.count_parts(schema, value).saturating_add(self.count_branches(schema, value)).saturating_add(1);
        self.known.insert(key, count);
        count
    }

    /// Counts the reads of the parts of a value. serde also reads structs from arrays, so
    /// properties are paired with items, too.
    fn count_parts(&mut self, schema: &Value, value: &Value) -> u64 {
        let properties = schema.get("properties").and_then(Value::as_object);
        let mut pairs = Vec::new();
        match value {
            Value::Object(object) => {
                let others = schema.get("additionalProperties");
                let part = |(name, inner)| Some((properties.and_then(|known| known.get(name)).or(others)?, inner));
                pairs.extend(object.iter().filter_map(part));
            }
            Value::Array(items) => {
                let first = schema.get("prefixItems").and_then(Value::as_array);
                let part =
                    |(place, inner)| Some((first.and_then(|first| first.get(place)).or(schema.get("items"))?, inner));
                pairs.extend(items.iter().enumerate().filter_map(part));
                pairs.extend(properties.into_iter().flat_map(|known| known.values()).zip(items));
            }
            _ => {}
        }
        pairs.into_iter().fold(0, |sum, (schema, inner)| self.count(schema, inner).saturating_add(sum))
    }

    /// Counts the reads by subschemas of the same value. serde reads one branch of a tagged union
    /// (`oneOf`). For an untagged one (`anyOf`) it buffers the whole value, and reads one branch
    /// after the other.
    fn count_branches(&mut self, schema: &Value, value: &Value) -> u64 {
        let list = |key: &str| schema.get(key).and_then(Value::as_array).into_iter().flatten();
        let mut sum = 0_u64;
        if let Some(target) = schema.get("$ref").and_then(Value::as_str).and_then(|reference| self.target(reference)) {
            sum = sum.saturating_add(self.count(target, value));
        }
        for branch in list("allOf").chain(list("anyOf")).filter(|branch| fits_kind(branch, value)) {
            sum = sum.saturating_add(self.count(branch, value));
        }
        let tagged = list("oneOf").filter(|branch| fits_kind(branch, value)).map(|branch| self.count(branch, value));
        // The branch is not known here, so the most expensive one counts.
        let tagged = tagged.max().unwrap_or(0);
        let is_buffered = list("anyOf").filter(|branch| !is_null(branch)).count() > 1;
        sum.saturating_add(tagged).saturating_add(if is_buffered { count_values(value) } else { 0 })
    }
}

impl<'a> ReadCounter<'a> {
    fn target(&self, reference: &str) -> Option<&'a Value> {
        let pointer = reference.strip_prefix('#')?;
        self.root.pointer(pointer).or_else(|| self.root.pointer(&percent::decode(pointer)?))
    }
}

/// Returns whether a branch may accept a value of this type. An array may be a struct in serde's
/// eyes.
fn fits_kind(branch: &Value, value: &Value) -> bool {
    match branch.get("type").and_then(Value::as_str) {
        Some("object") => value.is_object() || value.is_array(),
        Some("array") => value.is_array(),
        Some(_) => !value.is_object() && !value.is_array(),
        None => true,
    }
}
