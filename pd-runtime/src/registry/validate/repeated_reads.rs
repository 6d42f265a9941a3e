//! Estimates how often serde would read the parts of valid arguments. serde tries the variants of
//! an untagged enum one by one, and a variant that fails late has already read its fields. Where
//! variants share a recursive field, that takes 2 to the power of the depth, although the schema
//! validates each value once. Such values are rejected before serde reads them.

use pd_schema::{count_values, reader::SchemaRef, references::address_of, subschemas};
use serde_json::Value;
use std::collections::HashMap;

/// The number of reads that any arguments may cost.
const READS_MIN: u64 = 100_000;
/// The average number of reads of each value in larger arguments.
const READS_EACH: u64 = 16;

/// Returns whether a schema has references, by which values may be deep, and a union of several
/// branches other than `null`.
pub(super) fn may_repeat(schema: &Value) -> bool {
    let mut refers = false;
    let mut branches = false;
    subschemas::visit(schema, &mut |schema| {
        let schema = SchemaRef::document(schema);
        refers |= schema.has_reference();
        branches |= has_several(schema);
    });
    refers && branches
}

/// Returns whether `anyOf` has several branches other than `null`.
fn has_several(schema: SchemaRef<'_>) -> bool {
    let is_null = |branch: &SchemaRef<'_>| branch.get("type").is_some_and(|kind| kind == "null");
    schema
        .any_of()
        .is_some_and(|branches| branches.filter(|branch| !is_null(branch)).count() > 1)
}

/// Returns the first argument that serde would read too often, and the number of reads.
pub(super) fn repeated<'a>(schema: &Value, arguments: &'a Value) -> Option<(&'a str, u64)> {
    let mut reads = ReadCounter::default();
    let schema = SchemaRef::document(schema);
    let root_reads = reads.count(schema, arguments);
    // The whole is counted first: within the limit, no single argument is counted.
    if root_reads <= allowed(arguments) {
        return None;
    }
    let mut by_argument =
        arguments
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| {
                let count = reads.count(schema.property(name)?, value);
                (count > allowed(value)).then_some((name.as_str(), count))
            });
    Some(by_argument.next().unwrap_or(("", root_reads)))
}

fn allowed(value: &Value) -> u64 {
    READS_MIN.max(count_values(value).saturating_mul(READS_EACH))
}

/// Counts reads. Each pair of a schema and a value is counted once, so the estimate itself is not
/// exponential.
#[derive(Default)]
struct ReadCounter {
    known: HashMap<(usize, usize), u64>,
}

impl ReadCounter {
    fn count(&mut self, schema: SchemaRef<'_>, value: &Value) -> u64 {
        let Some(keywords) = schema.keywords() else {
            return 1;
        };
        // Addresses identify both, because neither moves during the count.
        let key = (std::ptr::from_ref(keywords).addr(), address_of(value));
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let count = self
            .count_parts(schema, value)
            .saturating_add(self.count_branches(schema, value))
            .saturating_add(1);
        self.known.insert(key, count);
        count
    }

    /// Counts the reads of the parts of a value. serde also reads structs from arrays, so
    /// properties are paired with items, too.
    fn count_parts(&mut self, schema: SchemaRef<'_>, value: &Value) -> u64 {
        let mut pairs = Vec::new();
        match value {
            Value::Object(object) => {
                let others = schema.additional_properties();
                pairs.extend(
                    object.iter().filter_map(|(name, inner)| {
                        Some((schema.property(name).or(others)?, inner))
                    }),
                );
            }
            Value::Array(items) => {
                let first = schema.prefix_items().into_iter().flatten().map(Some);
                let rest = schema.get("items").map(|rest| schema.at(rest));
                let schemas = first.chain(std::iter::repeat(rest));
                pairs.extend(
                    schemas
                        .zip(items)
                        .filter_map(|(schema, inner)| Some((schema?, inner))),
                );
                pairs.extend(schema.properties().map(|(_, property)| property).zip(items));
            }
            _ => {}
        }
        pairs.into_iter().fold(0, |sum, (schema, inner)| {
            self.count(schema, inner).saturating_add(sum)
        })
    }

    /// Counts the reads by subschemas of the same value. serde reads one branch of a tagged union
    /// (`oneOf`). For an untagged one (`anyOf`) it buffers the whole value, and reads one branch
    /// after the other.
    fn count_branches(&mut self, schema: SchemaRef<'_>, value: &Value) -> u64 {
        let mut sum = 0_u64;
        if let Some(target) = schema.target() {
            sum = sum.saturating_add(self.count(target, value));
        }
        let all_read = schema.all_of().into_iter().chain(schema.any_of()).flatten();
        for branch in all_read.filter(|branch| fits_kind(*branch, value)) {
            sum = sum.saturating_add(self.count(branch, value));
        }
        let tagged = schema
            .one_of()
            .into_iter()
            .flatten()
            .filter(|branch| fits_kind(*branch, value))
            .map(|branch| self.count(branch, value));
        // The branch is not known here, so the most expensive one counts.
        let tagged = tagged.max().unwrap_or(0);
        sum.saturating_add(tagged)
            .saturating_add(if has_several(schema) {
                count_values(value)
            } else {
                0
            })
    }
}

/// Returns whether a branch may accept a value of this type. An array may be a struct in serde's
/// eyes.
fn fits_kind(branch: SchemaRef<'_>, value: &Value) -> bool {
    match branch.get("type").and_then(Value::as_str) {
        Some("object") => value.is_object() || value.is_array(),
        Some("array") => value.is_array(),
        Some(_) => !value.is_object() && !value.is_array(),
        None => true,
    }
}
