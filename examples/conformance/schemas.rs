//! Tools whose arguments need more of JSON Schema than most, or stand in a header too.

use pd_runtime::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

/// How to reach someone: by phone or by mail, and whichever is said to be the way must be there.
///
/// What Rust's types cannot say is added to their schema (SEP-1613, SEP-2106).
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(
    extend("$schema" = "https://json-schema.org/draft/2020-12/schema"),
    extend("allOf" = [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }]),
    extend("if" = { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] }),
    extend("then" = { "required": ["phone"] }),
    extend("else" = { "required": ["email"] })
)]
pub(crate) struct Contact {
    /// Whom.
    name: Option<String>,
    /// Where they live.
    address: Option<Address>,
    /// How they want to be reached.
    contact_method: Option<ContactMethod>,
    /// A telephone number.
    phone: Option<String>,
    /// A mail address.
    email: Option<String>,
}

/// A postal address.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "address", extend("$anchor" = "addressDef"))]
struct Address {
    street: Option<String>,
    city: Option<String>,
}

/// A way to reach someone.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ContactMethod {
    Phone,
    Email,
}

/// The contact in one line.
#[pd_tool(summary = "Take arguments that need JSON Schema 2020-12", eager)]
pub(crate) fn json_schema_2020_12_tool(Args(contact): Args<Contact>) -> String {
    let city = contact.address.and_then(|address| address.city.or(address.street));
    let reached = match contact.contact_method {
        Some(ContactMethod::Email) => contact.email.or(contact.phone),
        _ => contact.phone.or(contact.email),
    };
    let known: Vec<_> = [contact.name, city, reached].into_iter().flatten().collect();
    known.join(", ")
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
