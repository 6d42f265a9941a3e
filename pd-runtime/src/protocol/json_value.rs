//! Conversion of rmcp's types to JSON values.

use bytes::{BufMut, BytesMut};
use serde::Serialize;
use serde_json::Value;

/// Converts a value of rmcp's model to JSON.
///
/// `serde_json::to_value` would compile a second serializer for each of rmcp's types. This one
/// writes text as rmcp's transport does, and so shares its code.
///
/// # Errors
///
/// Returns an error if the value has no representation in JSON.
pub fn to_value(value: &impl Serialize) -> serde_json::Result<Value> {
    let mut text = BytesMut::new();
    serde_json::to_writer((&mut text).writer(), value)?;
    // Parsing the text again costs time, but compiles no further code.
    serde_json::from_slice(&text)
}
