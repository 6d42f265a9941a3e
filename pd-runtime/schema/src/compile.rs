//! Compiles a schema document into nodes, and refuses keywords with values that JSON Schema does
//! not allow for them.

mod keyword_values;

use super::{
    format::StringFormat,
    member,
    node::{MemberSchemas, NodeId, SchemaKeyword, SchemaNode},
    pattern::SchemaPattern,
    references::{self, Dialect, RECURSIVE_ANCHOR, ReferenceIndex, ResourceId, address_of},
};
use keyword_values::{add_limits, add_values, invalid, named, size, strings, text};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Compiles the nodes of one document.
pub(super) struct SchemaCompiler<'a> {
    index: ReferenceIndex<'a>,
    by_address: HashMap<usize, NodeId>,
    /// The schemas of all nodes, in the order of their numbers.
    sources: Vec<(&'a Value, ResourceId)>,
    is_shared: Vec<bool>,
    pub(super) is_dynamic: bool,
    pub(super) has_unevaluated: bool,
    pub(super) backtracks: bool,
}

type Keywords = Map<String, Value>;

impl<'a> SchemaCompiler<'a> {
    pub(super) fn new(root: &'a Value) -> Self {
        Self {
            index: ReferenceIndex::new(root),
            by_address: HashMap::new(),
            sources: Vec::new(),
            is_shared: Vec::new(),
            is_dynamic: false,
            has_unevaluated: false,
            backtracks: false,
        }
    }

    /// Compiles all nodes that the root leads to. The root is the first.
    pub(super) fn compile(&mut self, root: &'a Value) -> Result<Vec<SchemaNode>, String> {
        self.node(root, 0);
        let mut nodes = Vec::new();
        // Compiling a node appends the nodes that it refers to, so recursion ends where every node
        // is known.
        while let Some((schema, resource)) = self.sources.get(nodes.len()).copied() {
            // Nodes keep no paths, so the place of a mistake is looked up for the error only.
            let keywords =
                self.keywords(schema, resource).map_err(|why| {
                    match references::locate(address_of(schema), root) {
                        Some(pointer) if !pointer.is_empty() => format!("{why}, at `{pointer}`"),
                        _ => why,
                    }
                })?;
            nodes.push(SchemaNode {
                keywords,
                resource,
                is_shared: false,
            });
        }
        // Known only at the end: the last reference to a node may be compiled long after the node.
        for (node, is_shared) in nodes.iter_mut().zip(&self.is_shared) {
            node.is_shared = *is_shared;
        }
        Ok(nodes)
    }

    /// Returns the node of a schema, a new one for a schema that was not met before.
    fn node(&mut self, schema: &'a Value, resource: ResourceId) -> NodeId {
        if let Some(known) = self.by_address.get(&address_of(schema)) {
            if let Some(is_shared) = self.is_shared.get_mut(known.0 as usize) {
                *is_shared = true;
            }
            return *known;
        }
        let id = NodeId(u32::try_from(self.sources.len()).unwrap_or(u32::MAX));
        self.by_address.insert(address_of(schema), id);
        self.sources
            .push((schema, self.index.resource_of(schema, resource)));
        self.is_shared.push(false);
        id
    }

    fn keywords(
        &mut self,
        schema: &'a Value,
        resource: ResourceId,
    ) -> Result<Vec<SchemaKeyword>, String> {
        let object = match schema {
            Value::Bool(true) => return Ok(Vec::new()),
            Value::Bool(false) => return Ok(vec![SchemaKeyword::Never]),
            Value::Object(object) => object,
            other => return Err(format!("a schema is an object or a boolean, not {other}")),
        };
        let mut keywords = Vec::new();
        if let Some(reference) = text(object, "$ref")? {
            keywords.push(self.reference(reference, resource)?);
            // Drafts up to 7 ignore the siblings of `$ref` (Core draft 7, section 8.3).
            if self.index.dialect(resource) == Dialect::Draft7 {
                return Ok(keywords);
            }
        }
        self.dynamic_reference(object, resource, &mut keywords)?;
        add_values(object, &mut keywords)?;
        add_limits(object, &mut keywords)?;
        self.add_strings(object, &mut keywords)?;
        self.add_members(object, resource, &mut keywords)?;
        self.add_dependencies(object, resource, &mut keywords)?;
        self.add_items(object, resource, &mut keywords)?;
        self.add_branches(object, resource, &mut keywords)?;
        // Last, because they need the results of all other keywords.
        let items = self
            .subschema(object, "unevaluatedItems", resource)
            .map(SchemaKeyword::UnevaluatedItems);
        let members = self
            .subschema(object, "unevaluatedProperties", resource)
            .map(SchemaKeyword::UnevaluatedMembers);
        self.has_unevaluated |= items.is_some() || members.is_some();
        keywords.extend(items.into_iter().chain(members));
        Ok(keywords)
    }

    fn reference(
        &mut self,
        reference: &str,
        resource: ResourceId,
    ) -> Result<SchemaKeyword, String> {
        let (target, home) = self.index.resolve(resource, reference).ok_or_else(|| {
            format!(
                "`$ref` to `{reference}`, which is not in this schema; copy the target to `$defs`"
            )
        })?;
        Ok(SchemaKeyword::Reference(self.node(target, home)))
    }

    fn dynamic_reference(
        &mut self,
        object: &'a Keywords,
        resource: ResourceId,
        keywords: &mut Vec<SchemaKeyword>,
    ) -> Result<(), String> {
        for key in ["$dynamicRef", "$recursiveRef"] {
            let Some(reference) = text(object, key)? else {
                continue;
            };
            let (target, home) = self
                .index
                .resolve(resource, reference)
                .ok_or_else(|| format!("`{key}` to `{reference}`, which is not in this schema"))?;
            let otherwise = self.node(target, home);
            let (own_anchor, anchor) = match key {
                "$recursiveRef" => (
                    target.get("$recursiveAnchor") == Some(&Value::Bool(true)),
                    RECURSIVE_ANCHOR,
                ),
                _ => {
                    let name = reference
                        .split_once('#')
                        .map_or("", |(_, fragment)| fragment);
                    (
                        target.get("$dynamicAnchor").and_then(Value::as_str) == Some(name),
                        name,
                    )
                }
            };
            // A reference to a place without such an anchor is an ordinary one (Core 2020-12,
            // section 8.2.3.2).
            let targets = if own_anchor {
                self.index.dynamic_targets(anchor)
            } else {
                Vec::new()
            };
            let targets: Vec<_> = targets
                .into_iter()
                .map(|(home, target)| (home, self.node(target, home)))
                .collect();
            // With one target there is nothing to choose at run time.
            self.is_dynamic |= targets.len() > 1;
            keywords.push(match targets.len() {
                0 | 1 => SchemaKeyword::Reference(otherwise),
                _ => SchemaKeyword::DynamicReference { targets, otherwise },
            });
        }
        Ok(())
    }

    fn subschema(
        &mut self,
        object: &'a Keywords,
        key: &str,
        resource: ResourceId,
    ) -> Option<NodeId> {
        Some(self.node(member::find(object, key)?, resource))
    }

    fn subschemas(
        &mut self,
        object: &'a Keywords,
        key: &str,
        resource: ResourceId,
    ) -> Result<Option<Vec<NodeId>>, String> {
        match member::find(object, key) {
            None => Ok(None),
            Some(Value::Array(list)) => Ok(Some(
                list.iter()
                    .map(|schema| self.node(schema, resource))
                    .collect(),
            )),
            Some(other) => Err(invalid(key, "an array of schemas", other)),
        }
    }

    fn pattern(&mut self, source: &str) -> Result<SchemaPattern, String> {
        let pattern = SchemaPattern::new(source)?;
        self.backtracks |= pattern.backtracks();
        Ok(pattern)
    }

    fn add_strings(
        &mut self,
        object: &'a Keywords,
        keywords: &mut Vec<SchemaKeyword>,
    ) -> Result<(), String> {
        if let Some(source) = text(object, "pattern")? {
            let pattern = self.pattern(source)?;
            keywords.push(SchemaKeyword::Pattern(pattern));
        }
        // An unknown format constrains nothing, so it is not compiled.
        let format = text(object, "format")?.and_then(StringFormat::parse);
        keywords.extend(format.map(SchemaKeyword::Format));
        Ok(())
    }

    fn add_members(
        &mut self,
        object: &'a Keywords,
        resource: ResourceId,
        keywords: &mut Vec<SchemaKeyword>,
    ) -> Result<(), String> {
        let mut members = MemberSchemas::default();
        for (name, schema) in named(object, "properties")?.into_iter().flatten() {
            members
                .named
                .insert(name.as_str().into(), self.node(schema, resource));
        }
        for (source, schema) in named(object, "patternProperties")?.into_iter().flatten() {
            let pattern = self.pattern(source)?;
            members
                .by_pattern
                .push((pattern, self.node(schema, resource)));
        }
        members.others = self.subschema(object, "additionalProperties", resource);
        if !members.named.is_empty() || !members.by_pattern.is_empty() || members.others.is_some() {
            keywords.push(SchemaKeyword::Members(Box::new(members)));
        }
        keywords.extend(
            self.subschema(object, "propertyNames", resource)
                .map(SchemaKeyword::Names),
        );
        let required = member::find(object, "required")
            .map(|required| strings("required", required))
            .transpose()?;
        keywords.extend(
            required
                .filter(|names| !names.is_empty())
                .map(SchemaKeyword::Required),
        );
        Ok(())
    }

    /// Reads `dependencies` of drafts up to 7 as well, in which names and schemas are mixed.
    fn add_dependencies(
        &mut self,
        object: &'a Keywords,
        resource: ResourceId,
        keywords: &mut Vec<SchemaKeyword>,
    ) -> Result<(), String> {
        let mut names = Vec::new();
        let mut schemas = Vec::new();
        for key in ["dependentRequired", "dependentSchemas", "dependencies"] {
            for (name, dependency) in named(object, key)?.into_iter().flatten() {
                match dependency {
                    Value::Array(_) if key != "dependentSchemas" => {
                        names.push((name.as_str().into(), strings(key, dependency)?));
                    }
                    _ if key == "dependentRequired" => {
                        return Err(invalid(key, "arrays of names", dependency));
                    }
                    _ => schemas.push((name.as_str().into(), self.node(dependency, resource))),
                }
            }
        }
        keywords.extend((!names.is_empty()).then_some(SchemaKeyword::DependentRequired(names)));
        keywords.extend((!schemas.is_empty()).then_some(SchemaKeyword::DependentSchemas(schemas)));
        Ok(())
    }

    /// Reads `items` with an array of schemas, too. Drafts before 2020-12 had it for
    /// `prefixItems`, and servers still send it.
    fn add_items(
        &mut self,
        object: &'a Keywords,
        resource: ResourceId,
        keywords: &mut Vec<SchemaKeyword>,
    ) -> Result<(), String> {
        let old = member::find(object, "items").is_some_and(Value::is_array);
        let (prefix, rest) = if old {
            ("items", "additionalItems")
        } else {
            ("prefixItems", "items")
        };
        let prefix = self
            .subschemas(object, prefix, resource)?
            .unwrap_or_default();
        let rest = self.subschema(object, rest, resource);
        if !prefix.is_empty() || rest.is_some() {
            keywords.push(SchemaKeyword::Items { prefix, rest });
        }
        if let Some(item) = self.subschema(object, "contains", resource) {
            // Validation 2020-12, section 6.4.5.
            let least = size(object, "minContains")?.unwrap_or(1);
            keywords.push(SchemaKeyword::Contains {
                item,
                least,
                most: size(object, "maxContains")?,
            });
        }
        Ok(())
    }

    fn add_branches(
        &mut self,
        object: &'a Keywords,
        resource: ResourceId,
        keywords: &mut Vec<SchemaKeyword>,
    ) -> Result<(), String> {
        keywords.extend(
            self.subschemas(object, "allOf", resource)?
                .map(SchemaKeyword::AllOf),
        );
        keywords.extend(
            self.subschemas(object, "anyOf", resource)?
                .map(SchemaKeyword::AnyOf),
        );
        keywords.extend(
            self.subschemas(object, "oneOf", resource)?
                .map(SchemaKeyword::OneOf),
        );
        keywords.extend(
            self.subschema(object, "not", resource)
                .map(SchemaKeyword::Not),
        );
        // Without `if`, the other two have no effect (Core 2020-12, sections 10.2.2.2 and
        // 10.2.2.3).
        if let Some(test) = self.subschema(object, "if", resource) {
            let then = self.subschema(object, "then", resource);
            let otherwise = self.subschema(object, "else", resource);
            keywords.push(SchemaKeyword::If {
                test,
                then,
                otherwise,
            });
        }
        Ok(())
    }
}
