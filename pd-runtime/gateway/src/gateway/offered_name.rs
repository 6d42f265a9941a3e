//! The names by which the gateway offers tools and prompts.

use crate::{config::names, upstream::Upstream};
use serde_json::Value;

/// Returns a definition under the name that this gateway offers it by.
pub(crate) fn renamed(definition: &Value, name: &str) -> Value {
    let mut definition = definition.clone();
    if let Value::Object(definition) = &mut definition {
        definition.insert("name".to_owned(), name.into());
    }
    definition
}

/// Returns the name under which a prompt of an upstream is listed.
pub(crate) fn prompt_name(upstream: &Upstream, own: &str) -> String {
    names::prefixed(&upstream.prefix(), own)
}
