//! Limits on how deep a schema leads. One that leads too deep would overflow a thread's stack.
//!
//! The index of references recurses into nested objects and arrays. Compilation queues references
//! instead of following them. Validation recurses into the arguments, whose depth is bounded, and
//! at each level through all schemas that apply to the same value.

use super::node::{NodeId, SchemaKeyword, SchemaNode};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The maximum nesting of objects and arrays in a schema. Twice as many levels fit on a stack of 2
/// MiB.
pub(super) const LEVELS_MAX: usize = 75;
/// The maximum chain of schemas that apply to one value, each because of the one before. Such
/// chains fit on a stack of 2 MiB with arguments of 128 levels, the most that rmcp parses. Chains
/// of twice this length fit with 64 levels, the default limit on arguments.
pub(super) const CHAIN_MAX: usize = 16;

/// The maximum number of schemas that apply to one value, counted once for each path that leads to
/// them.
pub(super) const SCHEMAS_MAX: u64 = 10_000;

/// Checks the nesting of a document.
///
/// # Errors
///
/// Returns an error that names the exceeded limit.
pub(super) fn check_levels(root: &Value) -> Result<(), String> {
    check_levels_below(vec![root], 0)
}

/// Checks the nesting of a document, of which these are the values of the root.
///
/// # Errors
///
/// Returns an error that names the exceeded limit.
pub(super) fn check_levels_of<'a>(values: impl Iterator<Item = &'a Value>) -> Result<(), String> {
    check_levels_below(values.collect(), 1)
}

fn check_levels_below(mut level: Vec<&Value>, mut levels: usize) -> Result<(), String> {
    // Level by level: this code runs before the depth is known, so it must not recurse.
    while !level.is_empty() {
        levels += 1;
        level = level.into_iter().flat_map(nested).collect();
    }
    match levels {
        0..=LEVELS_MAX => Ok(()),
        _ => Err(format!(
            "it is nested {levels} levels deep, over the limit of {LEVELS_MAX}; move parts to `$defs`"
        )),
    }
}

/// Checks the chains of schemas that apply to one value. Returns the largest number of schemas that
/// apply to one value.
///
/// # Errors
///
/// Returns an error that names the exceeded limit.
pub(super) fn check_chains(nodes: &[SchemaNode]) -> Result<u64, String> {
    // Every node is a possible start, because arguments may reach any subschema. Nodes that were
    // walked before are only looked up, so this stays linear.
    let mut walk = ChainWalk {
        nodes,
        longest_chain: 0,
        most_paths: 0,
        is_circular: false,
        known: HashMap::new(),
        open: HashSet::new(),
    };
    (0..)
        .take(nodes.len())
        .for_each(|number| walk.start(NodeId(number)));
    match walk {
        ChainWalk { is_circular: true, .. } => {
            Err("it refers to itself without going into the value, so it constrains nothing; remove that `$ref`"
                .to_owned())
        }
        ChainWalk { longest_chain, .. } if longest_chain > CHAIN_MAX => Err(format!(
            "{longest_chain} schemas apply to one value in a chain of `$ref`, `allOf` and the like, over the limit of {CHAIN_MAX}; join some"
        )),
        ChainWalk { most_paths, .. } if most_paths > SCHEMAS_MAX => Err(format!(
            "{most_paths} schemas apply to one value through `$ref`, `anyOf` and the like, over the limit of {SCHEMAS_MAX}; share fewer branches"
        )),
        ChainWalk { most_paths, .. } => Ok(most_paths),
    }
}

/// Returns the objects and arrays directly inside a value. Values that a schema only quotes are not
/// schemas.
fn nested(value: &Value) -> Vec<&Value> {
    let inner: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(object) => object
            .iter()
            .filter(|(key, _)| !["const", "enum", "default", "examples"].contains(&key.as_str()))
            .map(|(_, inner)| inner)
            .collect(),
        _ => Vec::new(),
    };
    inner
        .into_iter()
        .filter(|inner| inner.is_object() || inner.is_array())
        .collect()
}

/// Returns the schemas that apply to the same value as a node because of it.
fn sibling_schemas(node: &SchemaNode) -> Vec<NodeId> {
    let mut siblings = Vec::new();
    for keyword in &node.keywords {
        match keyword {
            SchemaKeyword::Reference(target) | SchemaKeyword::Not(target) => siblings.push(*target),
            SchemaKeyword::DynamicReference { targets, otherwise } => {
                siblings.push(*otherwise);
                // `otherwise` is usually one of the targets, and one path must not count twice.
                siblings.extend(
                    targets
                        .iter()
                        .map(|(_, target)| target)
                        .filter(|target| *target != otherwise),
                );
            }
            SchemaKeyword::AllOf(branches)
            | SchemaKeyword::AnyOf(branches)
            | SchemaKeyword::OneOf(branches) => {
                siblings.extend(branches);
            }
            SchemaKeyword::If {
                test,
                then,
                otherwise,
            } => {
                siblings.extend([Some(*test), *then, *otherwise].into_iter().flatten());
            }
            SchemaKeyword::DependentSchemas(by_name) => {
                siblings.extend(by_name.iter().map(|(_, schema)| schema))
            }
            // Other keywords have no schemas, or apply them to a part of the value.
            _ => {}
        }
    }
    siblings
}

/// A depth-first search for the longest chain and the number of paths. Each node is expanded once,
/// and the search uses its own stack instead of recursion.
struct ChainWalk<'a> {
    nodes: &'a [SchemaNode],
    longest_chain: usize,
    /// The largest number of paths that begin at one node.
    most_paths: u64,
    is_circular: bool,
    /// The longest chain from each finished node, and its number of paths.
    known: HashMap<NodeId, (usize, u64)>,
    open: HashSet<NodeId>,
}

/// A node on the current path, its successors that are left, and the results so far.
struct ChainStep {
    node: NodeId,
    left: Vec<NodeId>,
    depth: usize,
    paths: u64,
}

impl ChainStep {
    /// Adds the results of a successor.
    fn add(&mut self, depth: usize, paths: u64) {
        self.depth = self.depth.max(depth + 1);
        // Path counts double with each shared level, so they may exceed any integer.
        self.paths = self.paths.saturating_add(paths);
    }
}

impl ChainWalk<'_> {
    fn start(&mut self, node: NodeId) {
        let mut path: Vec<ChainStep> = Vec::new();
        path.extend(self.open(node));
        while let Some(step) = path.last_mut() {
            match step.left.pop() {
                Some(next) => match self.known.get(&next) {
                    Some((depth, paths)) => step.add(*depth, *paths),
                    None => path.extend(self.open(next)),
                },
                None => {
                    let node = step.node;
                    let depth = step.depth;
                    let paths = step.paths;
                    path.pop();
                    self.close(node, depth, paths);
                    if let Some(before) = path.last_mut() {
                        before.add(depth, paths);
                    }
                }
            }
        }
    }

    fn open(&mut self, node: NodeId) -> Option<ChainStep> {
        if self.known.contains_key(&node) {
            return None;
        }
        // A node that is still open lies on the current path, so the schema refers back to it.
        if !self.open.insert(node) {
            self.is_circular = true;
            return None;
        }
        let left = self
            .nodes
            .get(node.0 as usize)
            .map(sibling_schemas)
            .unwrap_or_default();
        Some(ChainStep {
            node,
            left,
            depth: 0,
            paths: 1,
        })
    }

    fn close(&mut self, node: NodeId, depth: usize, paths: u64) {
        self.open.remove(&node);
        self.known.insert(node, (depth, paths));
        self.longest_chain = self.longest_chain.max(depth);
        self.most_paths = self.most_paths.max(paths);
    }
}

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
