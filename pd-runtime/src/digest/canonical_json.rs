//! Canonical JSON (RFC 8785): equal values have equal bytes, so that they have equal hashes.

use serde::ser::Error;
use serde_json::{Map, Number, Value};

/// The largest integer up to which doubles are exact. RFC 8785 treats all numbers as doubles.
const WHOLE_MAX: u64 = 1 << 53;

/// A member's value, borrowed from a document or from one of its objects, so that a caller can
/// combine documents without copying.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MemberValue<'a> {
    Value(&'a Value),
    Object(&'a Map<String, Value>),
}

/// Returns the canonical bytes of a value.
///
/// # Errors
///
/// Returns an error if a number exceeds the range of a double.
pub(crate) fn bytes(value: &Value) -> serde_json::Result<Vec<u8>> {
    let mut out = Vec::with_capacity(1024);
    write(value, &mut out)?;
    Ok(out)
}

/// Returns the canonical bytes of an object.
///
/// # Errors
///
/// Returns an error if a number exceeds the range of a double.
#[cfg(any(feature = "client", feature = "lock"))]
pub(crate) fn object_bytes(object: &Map<String, Value>) -> serde_json::Result<Vec<u8>> {
    members_bytes(members(object).collect())
}

/// Returns the canonical bytes of an object with these members. Their names must differ.
///
/// # Errors
///
/// Returns an error if a number exceeds the range of a double.
pub(crate) fn members_bytes(members: Vec<(&str, MemberValue<'_>)>) -> serde_json::Result<Vec<u8>> {
    let mut out = Vec::with_capacity(1024);
    write_members(members, &mut out)?;
    Ok(out)
}

fn members(object: &Map<String, Value>) -> impl Iterator<Item = (&str, MemberValue<'_>)> {
    object
        .iter()
        .map(|(key, value)| (key.as_str(), MemberValue::Value(value)))
}

fn write(value: &Value, out: &mut Vec<u8>) -> serde_json::Result<()> {
    match value {
        Value::Object(object) => write_members(members(object).collect(), out),
        Value::Array(items) => write_array(items, out),
        Value::Number(number) => write_number(number, out),
        // serde_json escapes strings as RFC 8785 requires: only where necessary, in the shortest
        // form.
        plain => serde_json::to_writer(out, plain),
    }
}

fn write_members(
    mut members: Vec<(&str, MemberValue<'_>)>,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    // RFC 8785, section 3.2.3, sorts names by UTF-16 code units. UTF-8 order differs from it above
    // U+FFFF.
    members.sort_unstable_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    out.push(b'{');
    for (index, (key, part)) in members.into_iter().enumerate() {
        separate(index, out);
        serde_json::to_writer(&mut *out, key)?;
        out.push(b':');
        match part {
            MemberValue::Value(value) => write(value, out)?,
            MemberValue::Object(object) => write_members(self::members(object).collect(), out)?,
        }
    }
    out.push(b'}');
    Ok(())
}

fn write_array(items: &[Value], out: &mut Vec<u8>) -> serde_json::Result<()> {
    out.push(b'[');
    for (index, item) in items.iter().enumerate() {
        separate(index, out);
        write(item, out)?;
    }
    out.push(b']');
    Ok(())
}

fn separate(index: usize, out: &mut Vec<u8>) {
    if index > 0 {
        out.push(b',');
    }
}

fn write_number(number: &Number, out: &mut Vec<u8>) -> serde_json::Result<()> {
    match (number.as_i64(), number.as_f64()) {
        // Most numbers are small integers, which need no slow conversion through a double. Larger
        // ones lose digits as doubles, as the RFC demands.
        (Some(whole), _) if whole.unsigned_abs() <= WHOLE_MAX => serde_json::to_writer(out, &whole),
        // RFC 8785, section 3.2.2.3, writes doubles as ECMAScript does.
        (_, Some(double)) if double.is_finite() => {
            out.extend_from_slice(ryu_js::Buffer::new().format_finite(double).as_bytes());
            Ok(())
        }
        _ => Err(serde_json::Error::custom(format!(
            "{number} exceeds the range of a double"
        ))),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use serde_json::json;

    /// The vectors of the deterministic-groups contract.
    #[test]
    fn values_are_written_as_the_rfc_says() {
        for (value, canonical) in [
            (json!({}), "{}"),
            (
                json!({ "z": [{ "b": 2, "a": 1 }], "a": true }),
                r#"{"a":true,"z":[{"a":1,"b":2}]}"#,
            ),
            (
                json!({ "text": "line\n\t\"\\é" }),
                r#"{"text":"line\n\t\"\\é"}"#,
            ),
            (
                json!({ "c": 0.000_001, "b": 1e21, "a": -0.0 }),
                r#"{"a":0,"b":1e+21,"c":0.000001}"#,
            ),
        ] {
            assert_eq!(
                String::from_utf8(bytes(&value).unwrap()).unwrap(),
                canonical
            );
        }
    }

    /// A slower implementation of the RFC writes the same bytes for values that are easily written
    /// wrong.
    #[test]
    fn values_are_written_as_others_write_them() {
        let texts = [
            "",
            "\u{0}\u{1f}\u{7f}\u{80}\u{2028}",
            "\u{8}\u{c}\r\n\t/\"\\",
            "é😀\u{fffd}",
        ];
        let keys = json!({ "\u{e000}": 1, "😀": 2, "a\u{0}": 3, "a": 4, "": 5, "\"": 6, "é": 7, "B": { "b": [], "a": {} } });
        let wholes = [
            0,
            -1,
            9,
            i64::MAX,
            i64::MIN,
            1 << 53,
            -(1 << 53),
            (1 << 53) + 1,
            1_000_000_000_000_000,
        ];
        let floats = [
            0.1,
            -0.0,
            1.0,
            1e-7,
            1e20,
            1e21,
            123_456_789.125,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
        ];
        let value = json!([
            texts,
            keys,
            wholes,
            floats,
            u64::MAX,
            [null, true, false, [[]]]
        ]);
        assert_eq!(
            bytes(&value).unwrap(),
            serde_json_canonicalizer::to_vec(&value).unwrap()
        );
    }

    #[cfg(any(feature = "client", feature = "lock"))]
    #[test]
    fn objects_are_written_as_values_are() {
        let value = json!({ "\u{e000}": 1, "B": { "b": [], "a": {} }, "a\u{0}": 3 });
        let Value::Object(object) = &value else {
            unreachable!()
        };
        assert_eq!(object_bytes(object).unwrap(), bytes(&value).unwrap());
    }
}
