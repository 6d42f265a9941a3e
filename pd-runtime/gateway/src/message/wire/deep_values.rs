//! Leaves out of an answer what is nested too deep to read, so that the rest of it is read.
//!
//! A list loses the tool with such a schema alone, and a result keeps its text.

/// The deepest message that serde_json reads.
const DEPTH_MAX: usize = 127;
/// The members of a result that are lists of entries, or of blocks. An entry loses a member.
const LISTS: [&[u8]; 7] = [
    b"tools",
    b"prompts",
    b"resources",
    b"resourceTemplates",
    b"content",
    b"contents",
    b"messages",
];

/// What stands for a value that is left out.
pub(crate) const LEFT_OUT: &str = "(left out by pd-gateway: nested over 128 deep)";

/// Returns an answer without its values that are nested too deep, or `None` if nothing is left out.
pub(super) fn without_deep_values(message: &[u8]) -> Option<Vec<u8>> {
    let mut walk = DeepValues {
        // The messages of a batch are one level deeper.
        base: usize::from(message.first() == Some(&b'[')),
        ..DeepValues::default()
    };
    let mut place = 0;
    while let Some(byte) = message.get(place) {
        place = match byte {
            b'"' => {
                let end = string_end(message, place);
                walk.take_string(message.get(place + 1..end).unwrap_or_default());
                end + 1
            }
            b'{' | b'[' => {
                walk.open(place, *byte == b'[');
                place + 1
            }
            b'}' | b']' => {
                walk.close(place);
                place + 1
            }
            _ => place + 1,
        };
    }
    if walk.left_out.is_empty() {
        return None;
    }
    let mut text = Vec::with_capacity(message.len());
    let mut copied = 0;
    for (start, end) in walk.left_out {
        text.extend_from_slice(message.get(copied..start).unwrap_or_default());
        text.push(b'"');
        text.extend_from_slice(LEFT_OUT.as_bytes());
        text.push(b'"');
        copied = end + 1;
    }
    text.extend_from_slice(message.get(copied..).unwrap_or_default());
    Some(text)
}

/// Returns the place of the quote that ends a string.
fn string_end(message: &[u8], start: usize) -> usize {
    let mut place = start + 1;
    while let Some(rest) = message.get(place..) {
        let Some(next) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')) else {
            break;
        };
        if rest.get(next) == Some(&b'"') {
            return place + next;
        }
        place += next + 2;
    }
    message.len()
}

#[derive(Debug, Default)]
struct DeepValues<'a> {
    base: usize,
    depth: usize,
    /// The latest string. Before a bracket within an object, it is the key.
    word: &'a [u8],
    /// The level of the values that are left out as a whole, in the current part of an answer.
    level: Option<usize>,
    /// Where the current one begins, and how deep it goes.
    current: Option<(usize, usize)>,
    left_out: Vec<(usize, usize)>,
}

impl<'a> DeepValues<'a> {
    fn take_string(&mut self, word: &'a [u8]) {
        if self.depth <= self.base + 2 {
            self.word = word;
        }
    }

    fn open(&mut self, place: usize, is_array: bool) {
        self.depth += 1;
        match self.depth.checked_sub(self.base) {
            Some(2) => {
                let is_answer = !is_array && matches!(self.word, b"result" | b"error");
                self.level = is_answer.then_some(self.base + 3);
            }
            Some(3) if self.level.is_some() => {
                let is_list = is_array && LISTS.contains(&self.word);
                self.level = Some(self.base + if is_list { 5 } else { 3 });
            }
            _ => {}
        }
        if self.level == Some(self.depth) {
            self.current = Some((place, self.depth));
        } else if let Some((_, deepest)) = &mut self.current {
            *deepest = self.depth.max(*deepest);
        }
    }

    fn close(&mut self, place: usize) {
        if self.level == Some(self.depth)
            && let Some((start, deepest)) = self.current.take()
            && deepest > DEPTH_MAX
        {
            self.left_out.push((start, place));
        }
        self.depth = self.depth.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::{Value, from_slice, json};

    /// Returns the message that is read of one with a deep value in place of `DEEP`.
    fn read(message: &str) -> Option<Value> {
        let deep = format!("{}{}", r#"{"a":["#.repeat(70), "]}".repeat(70));
        let message = message.replace("DEEP", &deep);
        from_slice(&without_deep_values(message.as_bytes())?).ok()
    }

    #[test]
    fn the_rest_of_an_answer_is_read() {
        for (message, rest) in [
            (
                r#"{"id":1,"result":{"tools":[{"name":"a","inputSchema":{}},{"name":"b","inputSchema":DEEP,"title":"]}"}]}}"#,
                json!({ "id": 1, "result": { "tools": [{ "name": "a", "inputSchema": {} }, { "name": "b", "inputSchema": LEFT_OUT, "title": "]}" }] } }),
            ),
            (
                r#"{"result":{"structuredContent":DEEP,"content":[{"type":"text","text":"\"a\\"}]},"id":1}"#,
                json!({ "result": { "structuredContent": LEFT_OUT, "content": [{ "type": "text", "text": "\"a\\" }] }, "id": 1 }),
            ),
            (
                r#"[{"id":1,"result":{"a":DEEP,"b":DEEP}},{"id":2,"error":{"data":DEEP}}]"#,
                json!([{ "id": 1, "result": { "a": LEFT_OUT, "b": LEFT_OUT } }, { "id": 2, "error": { "data": LEFT_OUT } }]),
            ),
        ] {
            assert_eq!(read(message), Some(rest), "{message}");
        }
        for message in [
            r#"{"id":1,"result":DEEP}"#,
            r#"{"id":1,"result":[DEEP]}"#,
            r#"{"id":1,"method":"x","params":{"a":DEEP}}"#,
            r#"{"id":1,"result":{"a":{}}}"#,
        ] {
            let read = read(message);
            let is_deep = message.contains("result\":DEEP");
            assert!(read.is_none() || is_deep, "{message}: {read:?}");
        }
    }

    #[test]
    fn no_text_of_an_answer_stops_the_walk() {
        let message = br#"{"result":{"a":"\"#;
        assert_eq!(without_deep_values(message), None);
        for end in 0..message.len() {
            assert_eq!(without_deep_values(message.get(..end).unwrap()), None);
        }
        assert_eq!(without_deep_values(b"]]}}\"\\"), None);
    }
}
