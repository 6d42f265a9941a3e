//! A JSON reader for const functions. The text is known to be valid JSON, because the macro has
//! parsed it.

/// The unread part of a JSON text.
#[derive(Clone, Copy)]
pub(super) struct JsonCursor<'a> {
    /// The unread bytes. Const functions can match byte slices by pattern, but not strings.
    rest: &'a [u8],
    /// The whole text. `rest` is always a suffix of it, so that a value can be returned as `&str`.
    text: &'a str,
}

/// The kind of a JSON value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonKind {
    Null,
    Boolean,
    Number,
    Text,
    List,
    Object,
}

/// A JSON number, in the detail that a type needs.
#[derive(Clone, Copy)]
pub(super) enum JsonNumber {
    /// A number without a fraction. Values beyond `i128` saturate.
    Whole(i128),
    Fraction,
    /// A number with an exponent. Const code does not evaluate it.
    Scientific,
}

impl<'a> JsonCursor<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self {
            rest: text.as_bytes(),
            text,
        }
        .skip_space()
    }

    const fn with_rest(self, rest: &'a [u8]) -> Self {
        Self {
            rest,
            text: self.text,
        }
    }

    const fn skip_space(self) -> Self {
        let mut rest = self.rest;
        while let [b' ' | b'\n' | b'\t' | b'\r', after @ ..] = rest {
            rest = after;
        }
        self.with_rest(rest)
    }

    /// Returns the kind of the next value. Its first byte determines it, because the text is valid
    /// JSON.
    pub(super) const fn kind(self) -> JsonKind {
        match self.rest {
            [b'"', ..] => JsonKind::Text,
            [b'{', ..] => JsonKind::Object,
            [b'[', ..] => JsonKind::List,
            [b't' | b'f', ..] => JsonKind::Boolean,
            [b'n', ..] => JsonKind::Null,
            _ => JsonKind::Number,
        }
    }

    /// Moves into the list or object at the cursor: to its first item, or to its end if it is
    /// empty.
    pub(super) const fn enter(self) -> Self {
        match self.rest {
            [_, rest @ ..] => self.with_rest(rest).skip_space(),
            // Valid JSON does not end here, and `at_end` stops the loops if it does.
            [] => self,
        }
    }

    /// Returns whether the list or object ends at the cursor.
    pub(super) const fn at_end(self) -> bool {
        matches!(self.rest, [] | [b']' | b'}', ..])
    }

    /// Moves past a value and the comma or colon after it.
    pub(super) const fn next(self) -> Self {
        match self.skip_value().skip_space().rest {
            [b',' | b':', rest @ ..] => self.with_rest(rest).skip_space(),
            rest => self.with_rest(rest),
        }
    }

    const fn skip_value(self) -> Self {
        match self.kind() {
            JsonKind::Text => self.skip_string(),
            JsonKind::List | JsonKind::Object => {
                let mut item = self.enter();
                while !item.at_end() {
                    item = item.next();
                }
                item.skip_mark()
            }
            JsonKind::Null | JsonKind::Boolean | JsonKind::Number => self.skip_word(),
        }
    }

    /// Moves past a closing bracket or brace, or an opening quote.
    const fn skip_mark(self) -> Self {
        match self.rest {
            [_, rest @ ..] => self.with_rest(rest),
            [] => self,
        }
    }

    const fn skip_string(self) -> Self {
        let mut rest = self.skip_mark().rest;
        loop {
            match rest {
                // An escape is two bytes long for this purpose: `\uXXXX` continues with plain
                // characters.
                [b'\\', _, after @ ..] => rest = after,
                [b'"', after @ ..] => return self.with_rest(after),
                [_, after @ ..] => rest = after,
                [] => return self.with_rest(rest),
            }
        }
    }

    const fn skip_word(self) -> Self {
        let mut rest = self.rest;
        while let [
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'+' | b'-' | b'.',
            after @ ..,
        ] = rest
        {
            rest = after;
        }
        self.with_rest(rest)
    }

    /// Returns the source text of the next value.
    pub(super) const fn source(self) -> &'a str {
        // Slicing by index is not const, `split_at` is.
        let (_, rest) = self.text.split_at(self.text.len() - self.rest.len());
        let length = self.rest.len() - self.skip_value().rest.len();
        rest.split_at(length).0
    }

    /// Returns the content of the next string, or `None` if it contains an escape. Const code has
    /// no buffer to unescape into.
    pub(super) const fn content(self) -> Option<&'a str> {
        let written = self.source();
        let mut rest = written.as_bytes();
        while let [byte, after @ ..] = rest {
            if *byte == b'\\' {
                return None;
            }
            rest = after;
        }
        let (inner, _) = written.split_at(written.len() - 1);
        Some(inner.split_at(1).1)
    }

    pub(super) const fn number(self) -> JsonNumber {
        let (mut rest, negative) = match self.rest {
            [b'-', digits @ ..] => (digits, true),
            digits => (digits, false),
        };
        let mut whole: i128 = 0;
        while let [digit @ b'0'..=b'9', after @ ..] = rest {
            // Saturates: a number beyond `i128` is also beyond every integer type, so the range
            // check still fails.
            whole = whole
                .saturating_mul(10)
                .saturating_add((*digit - b'0') as i128);
            rest = after;
        }
        if let [b'.', after @ ..] = rest {
            rest = after;
            // `2.0` counts as a whole number, as in JSON Schema.
            while let [digit @ b'0'..=b'9', after @ ..] = rest {
                if *digit != b'0' {
                    return JsonNumber::Fraction;
                }
                rest = after;
            }
        }
        match rest {
            [b'e' | b'E', ..] => JsonNumber::Scientific,
            // Saturation ends at `i128::MAX`, so the negation cannot overflow.
            _ if negative => JsonNumber::Whole(-whole),
            _ => JsonNumber::Whole(whole),
        }
    }
}
