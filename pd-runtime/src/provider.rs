//! Tools in the request JSON of model providers: one tool, and the entries that deferred tools
//! need. The caller chooses the tools of a request and their order.
//!
//! ```
//! use pd_runtime::provider::{anthropic, openai};
//! use serde_json::json;
//!
//! let schema = json!({ "type": "object", "properties": { "limit": { "type": "integer" } } });
//! let schema = schema.as_object().unwrap();
//!
//! let tool = anthropic::tool("log", "List commits", schema, true);
//! assert_eq!(tool["defer_loading"], true);
//! assert_eq!(tool["input_schema"]["type"], "object");
//!
//! let tool = openai::tool("log", "List commits", schema, false);
//! assert_eq!(tool["parameters"]["properties"]["limit"]["type"], "integer");
//! ```
//!
//! Both providers refuse a whole request because of one invalid tool, so names and schemas are
//! adapted. [`name`] keeps to the characters that both accept. A schema whose root contains
//! `oneOf`, `anyOf` or `allOf` is flattened, and the description contains the removed keywords.
//! Arguments whose names Anthropic would refuse get other names there, and [`anthropic::arguments`]
//! restores the original names.

pub mod anthropic;
pub(crate) mod fitted_name;
mod keys;
pub mod openai;
mod root;

pub(crate) use fitted_name::with_digest_suffix;
pub use fitted_name::{NAME_MAX, name};
