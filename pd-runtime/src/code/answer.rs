//! A long answer, cut to a part that is valid JSON.

use crate::text::truncate::first_bytes;
use serde_json::Value;
use std::fmt::Write;

/// The fewest characters of a string that are worth showing.
const STRING_MIN: usize = 16;
/// The most places that a note about missing parts names.
const PLACES_MAX: usize = 8;
/// The most bytes of a place in such a note.
const POINTER_MAX: usize = 120;

/// A part of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CutAnswer {
    /// The part, as JSON.
    pub(crate) text: String,
    /// The missing parts, each with the JSON pointer of its place.
    pub(crate) missing: Vec<String>,
}

/// Cuts a value to at most `max` bytes of JSON: of an array its first items, of an object its first
/// members, of a string its beginning.
pub(crate) fn cut(value: &Value, max: usize) -> CutAnswer {
    let mut cutter = Cutter {
        text: String::new(),
        missing: Vec::new(),
        left_out: 0,
        pointer: String::new(),
    };
    cutter.write(value, max);
    if cutter.left_out > 0 {
        cutter
            .missing
            .push(format!("{} more places", cutter.left_out));
    }
    CutAnswer {
        text: cutter.text,
        missing: cutter.missing,
    }
}

/// Returns a value's JSON if it has at most `max` bytes. No more than these are written, so that
/// each level of a long answer costs the same.
fn short_json(value: &Value, max: usize) -> Option<String> {
    struct Bounded(Vec<u8>, usize);

    impl std::io::Write for Bounded {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.0.len() + bytes.len() > self.1 {
                return Err(std::io::ErrorKind::WriteZero.into());
            }
            self.0.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let mut bounded = Bounded(Vec::new(), max);
    serde_json::to_writer(&mut bounded, value).ok()?;
    String::from_utf8(bounded.0).ok()
}

struct Cutter {
    text: String,
    missing: Vec<String>,
    left_out: usize,
    pointer: String,
}

impl Cutter {
    /// Writes a value in at most `max` bytes. Returns whether nothing of it is missing.
    fn write(&mut self, value: &Value, max: usize) -> bool {
        if let Some(whole) = short_json(value, max) {
            self.text.push_str(&whole);
            return true;
        }
        match value {
            Value::Array(items) => self.write_parts(
                '[',
                ']',
                items.len(),
                "items",
                max,
                |cutter, place, room| {
                    let item = items.get(place)?;
                    Some((
                        String::new(),
                        cutter.at(&place.to_string(), |cutter| cutter.part(item, room)),
                    ))
                },
            ),
            Value::Object(members) => {
                let members: Vec<_> = members.iter().collect();
                self.write_parts(
                    '{',
                    '}',
                    members.len(),
                    "members",
                    max,
                    |cutter, place, room| {
                        let (key, member) = members.get(place)?;
                        let prefix = format!("{}:", Value::from(key.as_str()));
                        let room = room.checked_sub(prefix.len())?;
                        // RFC 6901, section 3: `~` first, so that the `~` of `~1` is not escaped
                        // again.
                        let token = key.replace('~', "~0").replace('/', "~1");
                        Some((
                            prefix,
                            cutter.at(&token, |cutter| cutter.part(member, room)),
                        ))
                    },
                )
            }
            Value::String(text) => self.write_string(text, max),
            // A number has no beginning that is worth showing. Only a whole answer gets here:
            // `part` leaves out numbers without room.
            _ => {
                self.text.push_str("null");
                self.note("the value".to_owned());
            }
        }
        false
    }

    /// Returns a value's part on its own: its text, or `None` if there is no room for a useful
    /// part.
    fn part(&mut self, value: &Value, room: usize) -> Option<(String, bool)> {
        // Brackets fit in two bytes, and the beginning of a string needs some text. Numbers are
        // shown whole.
        let fewest = match value {
            Value::Array(_) | Value::Object(_) => 2,
            Value::String(text) => (text.len() + 2).min(STRING_MIN),
            other => other.to_string().len(),
        };
        if room < fewest {
            return None;
        }
        // Written apart, because the caller first writes the comma and the key of this part.
        let before = std::mem::take(&mut self.text);
        let is_whole = self.write(value, room);
        Some((std::mem::replace(&mut self.text, before), is_whole))
    }

    fn at<T>(&mut self, token: &str, inside: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.pointer.len();
        // Writing to a string cannot fail.
        let _ = write!(self.pointer, "/{token}");
        let value = inside(self);
        self.pointer.truncate(length);
        value
    }

    fn write_parts(
        &mut self,
        open: char,
        close: char,
        count: usize,
        what: &str,
        max: usize,
        mut part: impl FnMut(&mut Self, usize, usize) -> Option<(String, Option<(String, bool)>)>,
    ) {
        let begin = self.text.len();
        self.text.push(open);
        let mut shown = 0;
        while shown < count {
            // A comma before the part, and the closing bracket after the last one.
            let used = self.text.len() - begin + usize::from(shown > 0) + 1;
            let Some((prefix, Some((text, is_whole)))) = max
                .checked_sub(used)
                .and_then(|room| part(self, shown, room))
            else {
                break;
            };
            if shown > 0 {
                self.text.push(',');
            }
            self.text.push_str(&prefix);
            self.text.push_str(&text);
            shown += 1;
            // What follows a part that is cut would be read as its neighbor.
            if !is_whole {
                break;
            }
        }
        self.text.push(close);
        if shown < count {
            self.note(format!("{} of {count} {what}", count - shown));
        }
    }

    fn write_string(&mut self, text: &str, max: usize) {
        // Two bytes are the quotes.
        let mut part = first_bytes(text, max.saturating_sub(2));
        let mut shown = Value::from(part).to_string();
        // Escapes make a string longer. A byte becomes at most six (`\u001f`), so at least a sixth
        // of the excess has to go.
        while shown.len() > max && !part.is_empty() {
            part = first_bytes(
                part,
                part.len().saturating_sub((shown.len() - max).div_ceil(6)),
            );
            shown = Value::from(part).to_string();
        }
        self.text.push_str(&shown);
        self.note(format!(
            "{} of {} bytes",
            text.len() - part.len(),
            text.len()
        ));
    }

    fn note(&mut self, what: String) {
        if self.missing.len() < PLACES_MAX {
            let place = if self.pointer.is_empty() {
                "the answer"
            } else {
                first_bytes(&self.pointer, POINTER_MAX)
            };
            self.missing.push(format!("{what} of {place}"));
        } else {
            self.left_out += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn an_answer_that_fits_is_whole() {
        let value = json!({"a": [1, 2, 3]});
        assert_eq!(
            cut(&value, 100),
            CutAnswer {
                text: value.to_string(),
                missing: Vec::new()
            }
        );
    }

    #[test]
    fn the_first_items_remain_and_the_rest_is_named() {
        let value = json!((0..100).collect::<Vec<_>>());
        let answer = cut(&value, 12);
        assert_eq!(answer.text, "[0,1,2,3,4]");
        assert_eq!(answer.missing, ["95 of 100 items of the answer"]);

        let nested = cut(
            &json!({"total": 3, "rows/all": ["a", "b".repeat(100), "c"]}),
            60,
        );
        assert_eq!(
            nested.text,
            format!(
                "{{\"total\":3,\"rows/all\":[\"a\",\"{}\"]}}",
                "b".repeat(29)
            )
        );
        assert_eq!(
            nested.missing,
            [
                "71 of 100 bytes of /rows~1all/1",
                "1 of 3 items of /rows~1all"
            ]
        );
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i32>().prop_map(Value::from),
            "[a-z\"\\\\\u{1}é]{0,40}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec(("[a-z/~]{0,6}", inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_part_is_json_within_its_limit(value in any_value(), max in 4usize..200) {
            let answer = cut(&value, max);
            prop_assert!(answer.text.len() <= max, "{} > {max}", answer.text.len());
            let part: Value = serde_json::from_str(&answer.text).unwrap();
            prop_assert_eq!(answer.missing.is_empty(), part == value);
        }
    }
}
