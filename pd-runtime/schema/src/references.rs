//! The index of a schema document: its resources, their anchors, and the targets of references.
//!
//! JSON Schema Core 2020-12, section 8.2. A document contains one resource, and one more for each
//! subschema with `$id`. Earlier drafts differ in few keywords, which [`Dialect`] lists.

use super::{member, pointer, subschemas};
use serde_json::Value;
use std::collections::HashMap;

/// The drafts that differ in how a reference is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Drafts up to 7, which ignore the siblings of `$ref`.
    Draft7,
    /// Drafts since 2019-09, and schemas without `$schema`.
    Draft2020,
}

impl Dialect {
    fn from_schema(schema: &Value) -> Option<Self> {
        let uri = text(schema, "$schema")?;
        let is_old = ["draft-03", "draft-04", "draft-06", "draft-07"]
            .iter()
            .any(|old| uri.contains(old));
        Some(if is_old {
            Self::Draft7
        } else {
            Self::Draft2020
        })
    }
}

/// Returns the value of a keyword. Most schemas have few, so they are compared one by one.
fn keyword<'a>(schema: &'a Value, key: &str) -> Option<&'a Value> {
    member::find(schema.as_object()?, key)
}

fn text<'a>(schema: &'a Value, key: &str) -> Option<&'a str> {
    keyword(schema, key)?.as_str()
}

/// The number of a resource in its document. The document's root is the first.
pub type ResourceId = usize;

/// The name of the dynamic anchor that `"$recursiveAnchor": true` (2019-09) stands for. No
/// `$dynamicAnchor` may contain a space.
pub(super) const RECURSIVE_ANCHOR: &str = " recursive";

/// A schema with its own base URI.
#[derive(Debug)]
struct SchemaResource<'a> {
    root: &'a Value,
    base: String,
    dialect: Dialect,
    anchors: HashMap<&'a str, &'a Value>,
    dynamic_anchors: HashMap<&'a str, &'a Value>,
}

/// All resources of one schema document.
#[derive(Debug)]
pub struct ReferenceIndex<'a> {
    resources: Vec<SchemaResource<'a>>,
    by_root: HashMap<usize, ResourceId>,
    by_uri: HashMap<String, ResourceId>,
}

impl<'a> ReferenceIndex<'a> {
    /// Indexes a document. The caller bounds its depth.
    pub fn new(root: &'a Value) -> Self {
        let mut index = Self {
            resources: Vec::new(),
            by_root: HashMap::new(),
            by_uri: HashMap::new(),
        };
        index.add_resource(root, None);
        index.add_subschemas(root, 0);
        index
    }

    fn add_subschemas(&mut self, schema: &'a Value, parent: ResourceId) {
        let resource = match self.own_id(schema, parent) {
            // `new` has added the root of the document already.
            Some(_) if self.by_root.get(&address_of(schema)) != Some(&parent) => {
                self.add_resource(schema, Some(parent))
            }
            _ => parent,
        };
        self.add_anchors(schema, resource);
        for inner in subschemas::children(schema) {
            self.add_subschemas(inner, resource);
        }
    }

    /// Returns the `$id` that makes a schema a separate resource.
    fn own_id(&self, schema: &'a Value, parent: ResourceId) -> Option<&'a str> {
        let id = text(schema, "$id")?;
        let dialect =
            Dialect::from_schema(schema).or_else(|| Some(self.resources.get(parent)?.dialect))?;
        // Before 2019-09 the siblings of `$ref` are ignored, and `$id` with a mere fragment is an
        // anchor.
        let is_ignored = dialect == Dialect::Draft7 && schema.get("$ref").is_some();
        (!is_ignored && !id.starts_with('#')).then_some(id)
    }

    fn add_resource(&mut self, root: &'a Value, parent: Option<ResourceId>) -> ResourceId {
        let parent = parent.and_then(|parent| self.resources.get(parent));
        let outer_base = parent.map_or("", |parent| parent.base.as_str());
        let outer_dialect = parent.map_or(Dialect::Draft2020, |parent| parent.dialect);
        let dialect = Dialect::from_schema(root).unwrap_or(outer_dialect);
        let id = text(root, "$id").unwrap_or_default();
        // A base URI has no fragment (RFC 3986, section 5.1).
        let base = join(outer_base, id.split('#').next().unwrap_or_default());
        let number = self.resources.len();
        self.by_root.insert(address_of(root), number);
        self.by_uri.insert(base.clone(), number);
        let (anchors, dynamic_anchors) = Default::default();
        self.resources.push(SchemaResource {
            root,
            base,
            dialect,
            anchors,
            dynamic_anchors,
        });
        number
    }

    fn add_anchors(&mut self, schema: &'a Value, resource: ResourceId) {
        let Some(resource) = self.resources.get_mut(resource) else {
            return;
        };
        let old = text(schema, "$id").and_then(|id| id.strip_prefix('#'));
        let dynamic = text(schema, "$dynamicAnchor");
        for name in text(schema, "$anchor").or(old).into_iter().chain(dynamic) {
            resource.anchors.insert(name, schema);
        }
        if let Some(name) = dynamic {
            resource.dynamic_anchors.insert(name, schema);
        }
        if keyword(schema, "$recursiveAnchor") == Some(&Value::Bool(true)) {
            resource.dynamic_anchors.insert(RECURSIVE_ANCHOR, schema);
        }
    }

    /// Returns the resource that a subschema of `parent` starts, or `parent`.
    pub(super) fn resource_of(&self, schema: &Value, parent: ResourceId) -> ResourceId {
        self.by_root
            .get(&address_of(schema))
            .copied()
            .unwrap_or(parent)
    }

    pub(super) fn dialect(&self, resource: ResourceId) -> Dialect {
        self.resources
            .get(resource)
            .map_or(Dialect::Draft2020, |resource| resource.dialect)
    }

    /// Resolves a reference: by `$id`, JSON pointer or anchor. References to other documents have
    /// no target, because nothing is fetched.
    pub fn resolve(&self, from: ResourceId, reference: &str) -> Option<(&'a Value, ResourceId)> {
        let (uri, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let resource = match uri {
            "" => from,
            uri => *self
                .by_uri
                .get(&join(&self.resources.get(from)?.base, uri))?,
        };
        let target = self.resources.get(resource)?;
        match fragment {
            "" => Some((target.root, resource)),
            pointer if pointer.starts_with('/') => self.at_pointer(resource, pointer),
            anchor => Some((target.anchors.get(anchor).copied()?, resource)),
        }
    }

    fn at_pointer(
        &self,
        mut resource: ResourceId,
        fragment: &str,
    ) -> Option<(&'a Value, ResourceId)> {
        let mut place = self.resources.get(resource)?.root;
        for step in pointer::steps(fragment)? {
            place = pointer::part(place, &step?)?;
            // A pointer may lead into a schema with `$id`, against which its references are
            // resolved.
            resource = self.resource_of(place, resource);
        }
        Some((place, resource))
    }

    /// Returns the schemas with a dynamic anchor, by resource.
    pub(super) fn dynamic_targets(&self, name: &str) -> Vec<(ResourceId, &'a Value)> {
        let targets = self.resources.iter().enumerate();
        targets
            .filter_map(|(number, resource)| Some((number, *resource.dynamic_anchors.get(name)?)))
            .collect()
    }
}

/// Returns the address that identifies a value of the document.
pub fn address_of(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

/// Returns the JSON pointer to the value at an address. Property names have no address here.
pub(super) fn locate(address: usize, document: &Value) -> Option<String> {
    if address_of(document) == address {
        return Some(String::new());
    }
    let inside = |step: &str, inner: &Value| Some(format!("/{step}{}", locate(address, inner)?));
    match document {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(place, item)| inside(&place.to_string(), item)),
        Value::Object(members) => members
            .iter()
            .find_map(|(name, inner)| inside(&pointer::escaped(name), inner)),
        _ => None,
    }
}

/// Resolves a URI reference against a base (RFC 3986, section 5.2).
fn join(base: &str, reference: &str) -> String {
    let scheme_end = |uri: &str| {
        // A colon behind one of the others does not end a scheme.
        let end = uri.find([':', '/', '?', '#'])?;
        (end > 0 && uri.get(end..=end) == Some(":")).then_some(end + 1)
    };
    if reference.is_empty() {
        return base.to_owned();
    }
    let Some(scheme) = scheme_end(base).filter(|_| scheme_end(reference).is_none()) else {
        return reference.to_owned();
    };
    let after_scheme = base.get(scheme..).unwrap_or_default();
    let path_start = match after_scheme.strip_prefix("//") {
        Some(authority) => scheme + 2 + authority.find('/').unwrap_or(authority.len()),
        None => scheme,
    };
    let (origin, path) = base.split_at(path_start);
    if reference.starts_with("//") {
        return format!("{}{reference}", base.get(..scheme).unwrap_or_default());
    }
    if reference.starts_with('/') {
        return format!("{origin}{}", without_dots(reference));
    }
    // A base without a path counts as `/` (RFC 3986, section 5.2.3).
    let directory = path
        .rfind('/')
        .and_then(|end| path.get(..=end))
        .unwrap_or("/");
    format!(
        "{origin}{}",
        without_dots(&format!("{directory}{reference}"))
    )
}

fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "." => {}
            // The first segment is the empty one before the leading slash, which stays.
            ".." if kept.len() > 1 => drop(kept.pop()),
            ".." => {}
            other => kept.push(other),
        }
    }
    kept.join("/")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_located_by_address() {
        let document = json!({ "a": [null, { "b/c": 1 }], "d": 1 });
        let inner = &document["a"][1]["b/c"];
        assert_eq!(
            locate(address_of(inner), &document).as_deref(),
            Some("/a/1/b~1c")
        );
        assert_eq!(
            locate(address_of(&document), &document).as_deref(),
            Some("")
        );
        assert_eq!(locate(address_of(&json!(1)), &document), None);
    }
}
