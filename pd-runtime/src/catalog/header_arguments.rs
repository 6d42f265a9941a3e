//! The arguments that HTTP clients copy into `Mcp-Param-*` headers (SEP-2243), as the input schema
//! of a tool marks them.

use pd_schema::reader::SchemaRef;
use rmcp::model::JsonObject;
use serde_json::Value;
use std::borrow::Cow;

/// The schema keyword that names an argument's header.
pub(super) const HEADER: &str = "x-mcp-header";

/// One marked argument.
#[derive(Debug, PartialEq, Eq)]
pub struct HeaderArgument {
    /// The property names from the root of the schema to the argument.
    pub(crate) path: Box<[Box<str>]>,
    /// The header's name without its prefix `Mcp-Param-`.
    pub header: Box<str>,
}

impl HeaderArgument {
    /// Returns the argument of a call as a header writes it; `None` for an argument that is absent,
    /// null, an object or an array.
    pub fn text<'a>(&self, arguments: Option<&'a JsonObject>) -> Option<Cow<'a, str>> {
        let (first, rest) = self.path.split_first()?;
        let first = arguments?.get(&**first)?;
        match rest
            .iter()
            .try_fold(first, |value, key| value.get(&**key))?
        {
            Value::String(text) => Some(Cow::Borrowed(text)),
            Value::Bool(flag) => Some(Cow::Owned(flag.to_string())),
            Value::Number(number) => Some(Cow::Owned(number.to_string())),
            _ => None,
        }
    }
}

/// Lists the marked arguments of an input schema in the schema's order. As in rmcp, only marks on a
/// chain of `properties` count.
pub fn header_arguments(schema: &JsonObject) -> Box<[HeaderArgument]> {
    let mut arguments = Vec::new();
    collect(SchemaRef::document(schema), &mut Vec::new(), &mut arguments);
    arguments.into()
}

fn collect<'a>(
    schema: SchemaRef<'a>,
    path: &mut Vec<&'a str>,
    arguments: &mut Vec<HeaderArgument>,
) {
    for (name, property) in schema.properties() {
        path.push(name);
        if let Some(Value::String(header)) = property.get(HEADER)
            && !header.is_empty()
        {
            let path = path.iter().map(|name| Box::from(*name)).collect();
            arguments.push(HeaderArgument {
                path,
                header: header.as_str().into(),
            });
        }
        collect(property, path, arguments);
        path.pop();
    }
}

/// Reduces a schema's properties to the marked arguments and the objects that contain them. Minimal
/// lists show these stubs, because a client that does not know the marks sends no headers.
pub(super) fn stubs(schema: &JsonObject) -> JsonObject {
    stubs_in(SchemaRef::document(schema))
}

fn stubs_in(schema: SchemaRef<'_>) -> JsonObject {
    let properties = schema.properties();
    properties
        .filter_map(|(name, property)| Some((name.to_owned(), stub(property)?)))
        .collect()
}

fn stub(schema: SchemaRef<'_>) -> Option<Value> {
    let inner = stubs_in(schema);
    if schema.get(HEADER).is_none() && inner.is_empty() {
        return None;
    }
    let kept = ["type", HEADER]
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), schema.get(key)?.clone())));
    let mut stub: JsonObject = kept.collect();
    if !inner.is_empty() {
        stub.insert("properties".to_owned(), Value::Object(inner));
    }
    Some(Value::Object(stub))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    fn schema() -> JsonObject {
        let schema = json!({ "type": "object", "properties": {
            "region": { "type": "string", "x-mcp-header": "Region", "minLength": 1 },
            "note": { "type": "string" },
            "empty": { "type": "string", "x-mcp-header": "" },
            "to": { "type": "object", "properties": {
                "city": { "type": "string", "x-mcp-header": "City" }, "street": { "type": "string" },
            } },
            "any": { "anyOf": [{ "type": "string", "x-mcp-header": "Off" }] },
        } });
        schema.as_object().cloned().unwrap()
    }

    #[test]
    fn marks_on_a_chain_of_properties_count() {
        let found = header_arguments(&schema());
        let found: Vec<_> = found
            .iter()
            .map(|argument| (argument.path.join("."), &*argument.header))
            .collect();
        assert_eq!(
            found,
            [
                ("region".to_owned(), "Region"),
                ("to.city".to_owned(), "City")
            ]
        );
    }

    #[test]
    fn stubs_keep_marks_and_what_leads_to_them() {
        let city = json!({ "city": { "type": "string", "x-mcp-header": "City" } });
        let stubs = Value::Object(stubs(&schema()));
        let expected = json!({
            "region": { "type": "string", "x-mcp-header": "Region" },
            "empty": { "type": "string", "x-mcp-header": "" },
            "to": { "type": "object", "properties": city },
        });
        assert_eq!(stubs, expected);
    }
}
