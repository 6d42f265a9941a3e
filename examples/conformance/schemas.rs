//! Tools whose arguments need more of JSON Schema than Rust's types say, or stand in a header too.

use futures::{FutureExt, future::ready};
use pd_runtime::{IntoOutput, Tool, prelude::*};
use serde_json::{Value, json};

/// A contact, reached by phone or by mail: how they are reached decides what must be there (SEP-1613, SEP-2106).
///
/// `#[pd_tool]` writes a schema for models, without `$schema` and `$defs`. This one is served as it stands here.
pub(crate) fn json_schema_2020_12_tool<S: 'static>() -> Tool<S> {
    Tool::new("json_schema_2020_12_tool", "Take arguments that need JSON Schema 2020-12", |_, _, contact| {
        ready(Value::Object(contact).to_string().into_output()).boxed()
    })
    .input_schema(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    }))
    .eager()
}

/// Clients over HTTP send the region as the header `Mcp-Param-Region` too (SEP-2243).
#[pd_tool(summary = "Take an argument that is also a header", eager)]
pub(crate) fn test_x_mcp_header(
    /// Where to look.
    #[arg(header = "Region")]
    region: String,
) -> String {
    format!("Looked in {region}.")
}
