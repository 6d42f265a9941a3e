//! Limits on how deep a schema leads. Validators recurse along a schema, so one that leads too deep
//! would overflow a thread's stack.
//!
//! Compilation recurses into nested objects and arrays; it queues references instead of following
//! them. Validation recurses into the arguments, whose depth is bounded, and at each level through
//! all schemas that apply to the same value.

use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

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

/// Checks all limits.
///
/// # Errors
///
/// Returns an error that names the exceeded limit.
pub(crate) fn check(schema: &Value) -> Result<(), String> {
    let names = ReferenceIndex::new(schema);
    if names.levels > LEVELS_MAX {
        let text =
            format!("it is nested {} levels deep, over the limit of {LEVELS_MAX}; move parts to `$defs`", names.levels);
        return Err(text);
    }
    // Every value is a possible start, because arguments may reach any subschema. Values that were
    // walked before are only looked up, so this stays linear.
    let mut steps = DepthWalk::default();
    names.all.iter().for_each(|value| steps.start(value, |value| names.sibling_schemas(value)));
    match steps {
        DepthWalk { is_circular: true, .. } => {
            Err("it refers to itself without going into the value, so it constrains nothing; remove that `$ref`"
                .to_owned())
        }
        DepthWalk { longest_chain, .. } if longest_chain > STEPS_MAX => Err(format!(
            "one value is judged by {longest_chain} schemas in a chain of `$ref`, `allOf` and the like, over the limit of {STEPS_MAX}; join some"
        )),
        DepthWalk { most_paths, .. } if most_paths > SCHEMAS_MAX => Err(format!(
            "one value is judged by {most_paths} schemas through `$ref`, `anyOf` and the like, over the limit of {SCHEMAS_MAX}; share fewer branches"
        )),
        _ => Ok(()),
    }
}

/// The keywords that refer to other schemas.
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// All values in a schema, level by level, and the names by which references may address them.
struct ReferenceIndex<'a> {
    root: &'a Value,
    all: Vec<&'a Value>,
    levels: usize,
    anchors: HashMap<&'a str, &'a Value>,
    ids: HashMap<&'a str, &'a Value>,
}

impl<'a> ReferenceIndex<'a> {
    fn new(root: &'a Value) -> Self {
        let mut names = Self { root, all: Vec::new(), levels: 0, anchors: HashMap::new(), ids: HashMap::new() };
        // Breadth first, level by level: this code runs before the depth is known, so it must not
        // recurse.
        let mut level = vec![root];
        while !level.is_empty() {
            names.levels += 1;
            level.iter().for_each(|value| names.index(value));
            let next = level.iter().flat_map(|value| nested(value)).collect();
            names.all.append(&mut level);
            level = next;
        }
        names
    }

    fn index(&mut self, value: &'a Value) {
        let named = |key: &str| value.get(key).and_then(Value::as_str);
        self.ids.extend(named("$id").map(|id| (id.trim_end_matches('#'), value)));
        self.anchors.extend(["$anchor", "$dynamicAnchor"].into_iter().filter_map(named).map(|name| (name, value)));
    }

    /// Returns the schemas that apply to the same value as `schema` because of it.
    fn sibling_schemas(&self, schema: &'a Value) -> Vec<&'a Value> {
        let at = |key: &&str| schema.get(*key);
        let alone = ["not", "if", "then", "else"];
        let several = ["allOf", "anyOf", "oneOf", "dependentSchemas", "dependencies"];
        let alone = alone.iter().filter_map(at);
        alone.chain(several.iter().filter_map(at).flat_map(nested)).chain(self.referenced(schema)).collect()
    }

    fn referenced(&self, schema: &'a Value) -> impl Iterator<Item = &'a Value> {
        let references = REFERENCES.into_iter().filter_map(|key| schema.get(key)?.as_str());
        references.filter_map(|reference| self.resolve(reference)).collect::<Vec<_>>().into_iter()
    }

    /// Resolves a reference within this schema: by `$id`, JSON pointer or anchor.
    fn resolve(&self, reference: &str) -> Option<&'a Value> {
        let (id, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = if id.is_empty() { self.root } else { self.ids.get(id).copied()? };
        match fragment {
            "" => Some(resource),
            pointer if pointer.starts_with('/') => {
                resource.pointer(pointer).or_else(|| resource.pointer(&percent_decode_str(pointer).decode_utf8().ok()?))
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
struct DepthWalk {
    longest_chain: usize,
    /// The largest number of paths that begin at one value.
    most_paths: u64,
    is_circular: bool,
    /// The longest chain from each finished value and its number of paths, by the value's address.
    known: HashMap<usize, (usize, u64)>,
    open: HashSet<usize>,
}

/// A value on the current path, its successors that are left, and the results so far.
struct DepthStep<'a> {
    address: usize,
    left: Vec<&'a Value>,
    depth: usize,
    paths: u64,
}

impl DepthStep<'_> {
    /// Adds the results of a successor.
    fn add(&mut self, depth: usize, paths: u64) {
        self.depth = self.depth.max(depth + 1);
        // Path counts double with each shared level, so they may exceed any integer.
        self.paths = self.paths.saturating_add(paths);
    }
}

impl DepthWalk {
    fn start<'a>(&mut self, value: &'a Value, follow: impl Fn(&'a Value) -> Vec<&'a Value>) {
        let mut path: Vec<DepthStep<'a>> = Vec::new();
        path.extend(self.open(value, &follow));
        while let Some(step) = path.last_mut() {
            match step.left.pop() {
                Some(next) => match self.known.get(&address_of(next)) {
                    Some((depth, paths)) => step.add(*depth, *paths),
                    None => path.extend(self.open(next, &follow)),
                },
                None => {
                    let (address, depth, paths) = (step.address, step.depth, step.paths);
                    path.pop();
                    self.close(address, depth, paths);
                    if let Some(before) = path.last_mut() {
                        before.add(depth, paths);
                    }
                }
            }
        }
    }

    fn open<'a>(&mut self, value: &'a Value, follow: &impl Fn(&'a Value) -> Vec<&'a Value>) -> Option<DepthStep<'a>> {
        let address = address_of(value);
        if self.known.contains_key(&address) {
            return None;
        }
        // A value that is still open lies on the current path, so the schema refers back to it.
        if !self.open.insert(address) {
            self.is_circular = true;
            return None;
        }
        Some(DepthStep { address, left: follow(value), depth: 0, paths: 1 })
    }

    fn close(&mut self, address: usize, depth: usize, paths: u64) {
        self.open.remove(&address);
        self.known.insert(address, (depth, paths));
        self.longest_chain = self.longest_chain.max(depth);
        self.most_paths = self.most_paths.max(paths);
    }
}

// The address identifies a value: the schema is borrowed for the whole check, so nothing moves.
fn address_of(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

#[cfg(test)]
mod tests;
