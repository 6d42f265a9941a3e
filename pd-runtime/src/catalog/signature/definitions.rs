//! What `$ref` points at, and which targets get a name: those that are pointed at more than once, or hold themselves.

use crate::text::percent;
use rmcp::model::JsonObject;
use serde_json::Value;

/// How deep a schema is put into words, references included; a deeper one is shown as it is, as a whole.
pub(super) const DEPTH_MAX: usize = 48;
/// A shared schema shorter than this costs less where it is used than a name would, in bytes of JSON.
const SHORT: usize = 60;
/// Words that a type must not be called.
const TAKEN: [&str; 12] =
    ["any", "boolean", "exact", "int", "never", "null", "number", "object", "oneOf", "schema", "string", "type"];

/// The schemas that others point at.
#[derive(Debug)]
pub(super) struct Definitions<'a> {
    root: &'a Value,
    /// Reference, name and target, as they are met.
    pub(super) named: Vec<(&'a str, String, &'a Value)>,
}

impl<'a> Definitions<'a> {
    /// `None` where some reference depends on more than its pointer: then only the schema as a whole tells all.
    pub(super) fn of(root: &'a Value) -> Option<Self> {
        let met = vec![Met { reference: "#", uses: 1, is_shown: false }];
        let mut census = Census { root, met, depth: 0, is_plain: true };
        census.visit(root, true);
        if !census.is_plain {
            return None;
        }
        let mut definitions = Self { root, named: Vec::new() };
        for Met { reference, uses, is_shown } in census.met {
            match target(root, reference) {
                Some(schema) if is_shown || (uses > 1 && !is_short(schema)) => definitions.name_it(reference, schema),
                _ => {}
            }
        }
        Some(definitions)
    }

    pub(super) fn target(&self, reference: &str) -> Option<&'a Value> {
        target(self.root, reference)
    }

    pub(super) fn name(&self, reference: &str) -> Option<&str> {
        self.named.iter().find(|(known, ..)| *known == reference).map(|(_, name, _)| name.as_str())
    }

    fn name_it(&mut self, reference: &'a str, schema: &'a Value) {
        let last = reference.rsplit(['/', '#']).next().unwrap_or_default();
        let mut name: String = last.chars().map(|letter| if is_word(letter) { letter } else { '_' }).collect();
        if name.is_empty() {
            name.push_str("Args");
        }
        let is_taken = |name: &str| {
            TAKEN.contains(&name)
                || name.starts_with(|first: char| first.is_ascii_digit())
                || self.named.iter().any(|(_, known, _)| known == name)
        };
        while is_taken(&name) {
            name.insert(0, '_');
        }
        self.named.push((reference, name, schema));
    }
}

fn is_short(schema: &Value) -> bool {
    schema.get("$ref").is_none() && references(schema).is_empty() && schema.to_string().len() < SHORT
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// What a pointer inside the same document points at (RFC 6901, as a URI's fragment).
fn target<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    root.pointer(&percent::decoded(reference.strip_prefix('#')?)?)
}

/// Counts what points where.
struct Census<'a> {
    root: &'a Value,
    met: Vec<Met<'a>>,
    depth: usize,
    /// Whether every reference is a pointer into this document, and nothing is too deep to be read.
    is_plain: bool,
}

struct Met<'a> {
    reference: &'a str,
    uses: usize,
    /// Whether the reference itself stands in the text, which then owes its target.
    is_shown: bool,
}

/// Keywords whose schemas `read` puts into words, by how they hold them. Others are shown as they are.
const ONE: [&str; 2] = ["items", "additionalProperties"];
const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
const MAPS: [&str; 2] = ["properties", "patternProperties"];
const MOVES_OR_JUMPS: [&str; 5] = ["$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef"];

impl<'a> Census<'a> {
    fn visit(&mut self, schema: &'a Value, is_root: bool) {
        let Value::Object(object) = schema else { return };
        if self.depth >= DEPTH_MAX {
            self.is_plain = false;
            return;
        }
        self.depth += 1;
        self.visit_keywords(object, is_root);
        self.depth -= 1;
    }

    fn visit_keywords(&mut self, object: &'a JsonObject, is_root: bool) {
        let jumps = |key: &&str| object.contains_key(*key) && !(is_root && *key == "$id");
        self.is_plain &= !MOVES_OR_JUMPS.iter().any(jumps);
        for (key, value) in object {
            match (key.as_str(), value) {
                ("$ref", Value::String(reference)) => self.meet(reference, false),
                ("$defs" | "definitions" | "const" | "enum" | "default" | "examples", _) => {}
                (key, Value::Object(_)) if ONE.contains(&key) => self.visit(value, false),
                (key, Value::Array(schemas)) if LISTS.contains(&key) => {
                    schemas.iter().for_each(|schema| self.visit(schema, false));
                }
                (key, Value::Object(schemas)) if MAPS.contains(&key) => {
                    schemas.values().for_each(|schema| self.visit(schema, false));
                }
                _ => references(value).into_iter().for_each(|reference| self.meet(reference, true)),
            }
        }
    }

    fn meet(&mut self, reference: &'a str, is_shown: bool) {
        if let Some(met) = self.met.iter_mut().find(|met| met.reference == reference) {
            met.uses += 1;
            met.is_shown |= is_shown;
            return;
        }
        self.met.push(Met { reference, uses: 1, is_shown });
        match target(self.root, reference) {
            Some(schema) => self.visit(schema, false),
            None => self.is_plain = false,
        }
    }
}

/// Every reference inside, however deep.
fn references(value: &Value) -> Vec<&str> {
    let inside: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Object(object) => Box::new(object.values()),
        Value::Array(items) => Box::new(items.iter()),
        _ => return Vec::new(),
    };
    let own = value.as_object().and_then(reference);
    own.into_iter().chain(inside.flat_map(references)).collect()
}

/// Where a schema points.
pub(super) fn reference(schema: &JsonObject) -> Option<&str> {
    schema.get("$ref").and_then(Value::as_str)
}
