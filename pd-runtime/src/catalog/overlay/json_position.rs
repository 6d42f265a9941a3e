//! Finds the position of a value in a JSON text by its JSON pointer. Only reports of mistakes need
//! positions, so the parser does not record them.

use pd_schema::pointer::unescaped;
use std::borrow::Cow;

/// Returns the line and column, both counted from 1, of the value that a JSON pointer (RFC 6901)
/// names in a valid JSON text. For a member, this is the position of its key. For a pointer without
/// a value, this is the position of the innermost existing parent.
pub(super) fn find(text: &str, pointer: &str) -> (usize, usize) {
    let steps: Vec<_> = pointer
        .split('/')
        .skip(1)
        .map(|step| unescaped(step.into()))
        .collect();
    let mut scanner = JsonScanner { text, at: 0 };
    scanner.skip_space();
    let offset = scanner.find(&steps, scanner.at);
    at_offset(text, offset)
}

/// Converts a byte offset to a line and a column, both counted from 1 and in characters.
pub(super) fn at_offset(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

struct JsonScanner<'a> {
    text: &'a str,
    at: usize,
}

impl JsonScanner<'_> {
    /// Returns the offset of the value that `steps` lead to from the value at `self.at`, or `best`,
    /// the offset of that value itself.
    fn find(&mut self, steps: &[Cow<'_, str>], best: usize) -> usize {
        let Some((step, rest)) = steps.split_first() else {
            return best;
        };
        let found = match self.peek() {
            Some(b'{') => self.member(step),
            Some(b'[') => step.parse().ok().and_then(|index| self.item(index)),
            _ => None,
        };
        // A missing member is reported at the innermost object that exists.
        let Some((name, value)) = found else {
            return best;
        };
        self.at = value;
        self.find(rest, name)
    }

    /// Returns the offsets of a member's key and value. If a key occurs twice, the last one counts,
    /// as for serde_json.
    fn member(&mut self, key: &str) -> Option<(usize, usize)> {
        let mut found = None;
        self.skip(b'{');
        while self.peek() == Some(b'"') {
            let start = self.at;
            self.skip_value();
            let name = self
                .text
                .get(start..self.at)
                .and_then(|name| serde_json::from_str::<String>(name).ok());
            self.skip(b':');
            if name.as_deref() == Some(key) {
                found = Some((start, self.at));
            }
            self.skip_value();
            self.skip(b',');
        }
        found
    }

    fn item(&mut self, index: usize) -> Option<(usize, usize)> {
        self.skip(b'[');
        for _ in 0..index {
            self.skip_value();
            self.skip(b',');
        }
        (self.peek() != Some(b']')).then_some((self.at, self.at))
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips white space, this byte if it comes next, and white space after it.
    fn skip(&mut self, byte: u8) {
        self.skip_space();
        if self.peek() == Some(byte) {
            self.at += 1;
        }
        self.skip_space();
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn skip_value(&mut self) {
        // The text is valid JSON, so counting brackets outside strings finds the end of any value.
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => self.skip_string(),
                b'{' | b'[' => depth += 1,
                b'}' | b']' | b',' | b':' if depth == 0 => return,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 && matches!(byte, b'"' | b'}' | b']') {
                return;
            }
        }
    }

    /// Advances to the closing quote.
    fn skip_string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.peek().filter(|byte| *byte != b'"') {
            // An escaped quote does not end the string, and neither does a quote after an escaped
            // backslash.
            self.at += if byte == b'\\' { 2 } else { 1 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{
  "name": "log", "é": [1, {"a/b": "x\"}"}, [] ],
  "twice": 1,
  "twice": {"in": true}
}"#;

    #[test]
    fn members_stand_where_their_keys_do_and_items_where_they_begin() {
        let places = [
            ("", (1, 1)),
            ("/name", (2, 3)),
            ("/é", (2, 18)),
            ("/é/0", (2, 24)),
            ("/é/1", (2, 27)),
            ("/é/1/a~1b", (2, 28)),
            ("/é/2", (2, 44)),
            ("/twice", (4, 3)),
            ("/twice/in", (4, 13)),
        ];
        for (pointer, place) in places {
            assert_eq!(find(TEXT, pointer), place, "{pointer}");
        }
    }

    #[test]
    fn what_is_not_there_is_told_of_what_is_around_it() {
        for (pointer, around) in [
            ("/no", ""),
            ("/é/3", "/é"),
            ("/é/x/y", "/é"),
            ("/name/deeper", "/name"),
            ("/twice/on", "/twice"),
        ] {
            assert_eq!(find(TEXT, pointer), find(TEXT, around), "{pointer}");
        }
        for text in ["", "{", "{\"a", "[1", "\"\\"] {
            find(text, "/a/0");
        }
    }
}
