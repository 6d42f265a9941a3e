//! Rejects arguments that are too large or too deep to validate. They are reported like other
//! violations.

use super::size;
use crate::policy::limits::Limits;
use pd_schema::violations::SchemaViolations;
use rmcp::model::JsonObject;
use serde_json::Value;

/// Checks each argument, and returns the size of all arguments in bytes.
///
/// # Errors
///
/// Returns a violation for each argument that is too large or too deep.
pub(crate) fn check(arguments: &JsonObject, limits: &Limits) -> Result<usize, SchemaViolations> {
    // All violations are reported at once, so that one more call can correct them.
    let mut violations: Option<SchemaViolations> = None;
    let mut total = 0_usize;
    for (name, value) in arguments {
        // The depth comes first, because the size is computed by recursion: unbounded nesting would
        // overflow the stack. Most arguments are nested in nothing, and cost no call of a function.
        if (value.is_object() || value.is_array()) && !is_within(value, limits.argument_depth) {
            let levels = limits.argument_depth;
            let violations = violations.get_or_insert_with(SchemaViolations::none);
            violations.add_at(name, || {
                format!("is nested more than {levels} levels deep; send it flatter")
            });
            continue;
        }
        let bytes = size::of_value(value);
        let most = limits.argument_bytes;
        if bytes > most {
            let violations = violations.get_or_insert_with(SchemaViolations::none);
            violations.add_at(name, || {
                format!("has {bytes} bytes, over the limit of {most}; send less")
            });
        }
        total = total.saturating_add(name.len()).saturating_add(bytes);
    }
    violations.map_or(Ok(total), Err)
}

/// Returns whether objects and arrays are nested at most `levels` deep.
fn is_within(value: &Value, levels: usize) -> bool {
    let inside = |inner: &Value| {
        levels
            .checked_sub(1)
            .is_some_and(|levels| is_within(inner, levels))
    };
    match value {
        Value::Array(items) => levels > 0 && items.iter().all(inside),
        Value::Object(object) => levels > 0 && object.values().all(inside),
        _ => true,
    }
}
