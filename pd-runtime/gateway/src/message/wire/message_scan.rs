//! A scan of a message's bytes: which request it answers, and how much memory its values will take.
//!
//! The scan knows strings and depth and no more of JSON, so it also reads messages that a parser
//! refuses. It takes the bytes in parts, so it reads the id of a message that is too long to keep.

/// The deepest message. serde_json refuses deeper ones.
const DEPTH_MAX: u32 = 128;
/// The bytes of a key or an id that are compared.
// The longest id, `u64::MAX`, has 20 digits.
const WORD_MAX: usize = 24;
/// The most ids of one batch.
const IDS_MAX: usize = 64;

/// The memory of an array with a few values, in bytes. A vector has room for at least four values
/// of 80 bytes.
const ARRAY: usize = 240;
/// The memory of each further value of an array.
const ELEMENT: usize = 100;
/// The memory of an object with a few members: vectors with room for three, and a hash table.
const OBJECT: usize = 380;
/// The memory of each further member of an object.
const MEMBER: usize = 130;
/// The memory of a string beside its bytes.
const STRING: usize = 32;

/// What was read of a message so far.
#[derive(Debug, Default, Clone)]
pub(crate) struct MessageScan {
    depth: u32,
    deepest: u32,
    /// One bit for each level, from the innermost: whether it is an object.
    objects: u128,
    is_in_string: bool,
    is_escaped: bool,
    /// The depth of a message's own keys: 1, or 2 in a batch.
    level: u32,
    /// The latest key or value at this depth.
    word: Vec<u8>,
    key: MessageKey,
    message: ScannedMessage,
    /// The requests that complete messages answer.
    answered: Vec<u64>,
    /// Whether a complete message is an answer without an id.
    has_unaddressed: bool,
    /// Whether a complete message has a method.
    has_method: bool,
    has_bytes: bool,
    is_json_like: bool,
    memory: usize,
}

/// A key of a message.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum MessageKey {
    /// No key, or the colon after it was not read.
    #[default]
    None,
    Id,
    Method,
    Body,
    Version,
    Other,
}

/// The keys of one message.
#[derive(Debug, Default, Clone)]
struct ScannedMessage {
    id: Option<u64>,
    has_method: bool,
    has_body: bool,
    has_version: bool,
}

impl ScannedMessage {
    /// Returns the request that the message answers. A line of a log may have an `id`, too.
    fn answers(&self) -> Option<u64> {
        self.id.filter(|_| self.is_answer())
    }

    const fn is_answer(&self) -> bool {
        !self.has_method && (self.has_body || self.has_version)
    }
}

impl MessageScan {
    /// Scans further bytes.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some((&byte, after)) = rest.split_first() {
            if !self.is_in_string {
                self.take(byte);
                rest = after;
            } else if self.is_escaped {
                self.is_escaped = false;
                self.take_word(&[byte]);
                rest = after;
            } else {
                // Texts are long, so they are not read byte by byte.
                let plain = rest
                    .iter()
                    .position(|byte| matches!(byte, b'"' | b'\\'))
                    .unwrap_or(rest.len());
                let (text, after) = rest.split_at(plain);
                self.take_word(text);
                self.is_in_string = after.first() != Some(&b'"');
                self.is_escaped = after.first() == Some(&b'\\');
                rest = after.get(1..).unwrap_or_default();
            }
        }
    }

    fn is_at_level(&self) -> bool {
        self.level > 0 && self.depth == self.level && self.objects & 1 == 1
    }

    fn take_word(&mut self, part: &[u8]) {
        if self.is_at_level() {
            let room = WORD_MAX.saturating_sub(self.word.len());
            self.word
                .extend_from_slice(part.get(..room).unwrap_or(part));
        }
    }

    /// Takes a byte outside of strings.
    fn take(&mut self, byte: u8) {
        if !self.has_bytes && !byte.is_ascii_whitespace() {
            self.has_bytes = true;
            self.is_json_like = matches!(byte, b'{' | b'[');
        }
        match byte {
            b'"' => {
                self.is_in_string = true;
                self.memory += STRING;
                self.word.clear();
            }
            b'{' | b'[' => self.open(byte == b'{'),
            b'}' | b']' => self.close(),
            b',' => {
                self.memory += if self.objects & 1 == 1 {
                    MEMBER
                } else {
                    ELEMENT
                };
                if self.is_at_level() {
                    self.end_member();
                }
            }
            b':' if self.is_at_level() && self.key == MessageKey::None => {
                self.key = match self.word.as_slice() {
                    b"id" => MessageKey::Id,
                    b"method" => MessageKey::Method,
                    b"result" | b"error" => MessageKey::Body,
                    b"jsonrpc" => MessageKey::Version,
                    _ => MessageKey::Other,
                };
                self.message.has_method |= self.key == MessageKey::Method;
                self.message.has_body |= self.key == MessageKey::Body;
                self.message.has_version |= self.key == MessageKey::Version;
                self.word.clear();
            }
            byte if byte.is_ascii_whitespace() => {}
            byte => self.take_word(&[byte]),
        }
    }

    fn open(&mut self, is_object: bool) {
        self.memory += if is_object { OBJECT } else { ARRAY };
        if self.is_at_level() {
            // An object is not a valid id.
            self.word.clear();
        }
        if self.depth == 0 {
            self.level = if is_object { 1 } else { 2 };
        }
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        // 128 bits are `DEPTH_MAX` levels. Deeper levels shift bits out, but such a message is
        // refused.
        self.objects = (self.objects << 1) | u128::from(is_object);
    }

    fn close(&mut self) {
        if self.is_at_level() {
            self.end_member();
            let message = std::mem::take(&mut self.message);
            self.has_unaddressed |= message.is_answer() && message.id.is_none();
            self.has_method |= message.has_method;
            // Bounded, because a message over the limit is scanned to its end.
            if self.answered.len() < IDS_MAX {
                self.answered.extend(message.answers());
            }
        }
        // The bytes need not be JSON, so a bracket may close what none has opened.
        self.depth = self.depth.saturating_sub(1);
        self.objects >>= 1;
    }

    fn end_member(&mut self) {
        if self.key == MessageKey::Id {
            // Quotes are not part of the word, so the id `"7"` counts as 7, too.
            let digits = std::str::from_utf8(&self.word).unwrap_or_default();
            self.message.id = digits.parse().ok();
        }
        self.key = MessageKey::None;
        self.word.clear();
    }

    /// Returns the requests that the message answers, as far as it was read.
    pub(crate) fn answered(&self) -> Vec<u64> {
        self.answered
            .iter()
            .copied()
            .chain(self.message.answers())
            .collect()
    }

    /// Returns whether the bytes are an answer without an id that was read.
    pub(crate) fn is_answer_without_id(&self) -> bool {
        self.has_unaddressed || (self.message.is_answer() && self.message.id.is_none())
    }

    /// Returns whether a message is a request or a notification.
    pub(crate) const fn has_method(&self) -> bool {
        self.has_method || self.message.has_method
    }

    /// Returns whether the bytes end within an object or an array.
    pub(crate) const fn is_incomplete(&self) -> bool {
        // A line of a log may open a bracket and not close it.
        self.is_json_like && self.depth > 0
    }

    /// Returns whether the message that is not complete has a result or an error.
    pub(crate) const fn has_body(&self) -> bool {
        self.message.has_body
    }

    pub(crate) const fn is_too_deep(&self) -> bool {
        self.deepest > DEPTH_MAX
    }

    /// Returns an estimate of the memory of the parsed values, beside the bytes of their texts.
    pub(crate) const fn memory(&self) -> usize {
        self.memory
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> MessageScan {
        let mut scan = MessageScan::default();
        scan.feed(text.as_bytes());
        scan
    }

    #[test]
    fn the_id_of_an_answer_is_found_wherever_it_is() {
        for (text, ids) in [
            (
                r#"{"jsonrpc":"2.0","id":7,"result":{"id":8,"n":NaN}}"#,
                vec![7],
            ),
            (
                r#"{"result":{"id":8,"t":"\",\"id\":9,{"},"id":"7","x":1"#,
                vec![7],
            ),
            (r#"{"result":[{"result":1,"id":8}], "id" : 7 }"#, vec![7]),
            (
                r#"[{"id":1,"result":NaN},{"id":2,"error":{}},{"id":3,"method":"ping"}]"#,
                vec![1, 2],
            ),
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"x","params":NaN}"#,
                vec![],
            ),
            (r#"{"level":"info","id":7,"text":NaN}"#, vec![]),
            (r#"{"jsonrpc":"2.0","id":null,"result":NaN}"#, vec![]),
            (r#"{"jsonrpc":"2.0","id":{"a":7},"result":NaN}"#, vec![]),
            (r#"{"jsonrpc":"2.0","result":{"id":7"#, vec![]),
            ("starting \"id\": 7, {", vec![]),
        ] {
            assert_eq!(scan(text).answered(), ids, "{text}");
            let mut by_byte = MessageScan::default();
            text.as_bytes()
                .iter()
                .for_each(|byte| by_byte.feed(&[*byte]));
            assert_eq!(by_byte.answered(), ids, "{text}");
            assert_eq!(by_byte.memory(), scan(text).memory(), "{text}");
        }
    }

    #[test]
    fn an_answer_without_an_id_is_no_line_of_a_log() {
        for (text, is_answer) in [
            (r#"{"jsonrpc":"2.0","id":null,"error":NaN}"#, true),
            (r#"{"jsonrpc":"2.0","result":{"content":["#, true),
            (
                r#"{"jsonrpc":"2.0","method":"notifications/x","params":NaN}"#,
                false,
            ),
            (r#"{"level":"info","text":NaN}"#, false),
            ("{ not json", false),
            ("[warning] \"result\": none", false),
        ] {
            assert_eq!(scan(text).is_answer_without_id(), is_answer, "{text}");
        }
    }
}
