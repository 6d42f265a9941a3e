//! Reading JSON text in const functions. The text is known to be JSON: the macro has read it.

/// What is left of a JSON text.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    /// Its bytes, since only they can be told apart here.
    rest: &'a [u8],
    /// All of the text, of which they are the end.
    text: &'a str,
}

/// What kind of value stands next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Boolean,
    Number,
    Text,
    List,
    Object,
}

/// A number, as far as a type cares.
#[derive(Clone, Copy)]
pub(super) enum Number {
    /// Without a fraction; beyond `i128` it is cut.
    Whole(i128),
    Fraction,
    /// With an exponent: too much to work out here.
    Scientific,
}

impl<'a> Cursor<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { rest: text.as_bytes(), text }.past_space()
    }

    const fn at(self, rest: &'a [u8]) -> Self {
        Self { rest, text: self.text }
    }

    const fn past_space(self) -> Self {
        let mut rest = self.rest;
        while let [b' ' | b'\n' | b'\t' | b'\r', after @ ..] = rest {
            rest = after;
        }
        self.at(rest)
    }

    pub(super) const fn kind(self) -> Kind {
        match self.rest {
            [b'"', ..] => Kind::Text,
            [b'{', ..] => Kind::Object,
            [b'[', ..] => Kind::List,
            [b't' | b'f', ..] => Kind::Boolean,
            [b'n', ..] => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// Into the list or object that stands next: at its first item, or at its end.
    pub(super) const fn inside(self) -> Self {
        match self.rest {
            [_, rest @ ..] => self.at(rest).past_space(),
            [] => self,
        }
    }

    /// Whether the list or object ends here.
    pub(super) const fn at_end(self) -> bool {
        matches!(self.rest, [] | [b']' | b'}', ..])
    }

    /// Past a value, and the comma or colon behind it.
    pub(super) const fn next(self) -> Self {
        match self.past_value().past_space().rest {
            [b',' | b':', rest @ ..] => self.at(rest).past_space(),
            rest => self.at(rest),
        }
    }

    const fn past_value(self) -> Self {
        match self.kind() {
            Kind::Text => self.past_string(),
            Kind::List | Kind::Object => {
                let mut item = self.inside();
                while !item.at_end() {
                    item = item.next();
                }
                item.past_mark()
            }
            Kind::Null | Kind::Boolean | Kind::Number => self.past_word(),
        }
    }

    /// Past a closing bracket or brace.
    const fn past_mark(self) -> Self {
        match self.rest {
            [_, rest @ ..] => self.at(rest),
            [] => self,
        }
    }

    const fn past_string(self) -> Self {
        let mut rest = self.past_mark().rest;
        loop {
            match rest {
                [b'\\', _, after @ ..] => rest = after,
                [b'"', after @ ..] => return self.at(after),
                [_, after @ ..] => rest = after,
                [] => return self.at(rest),
            }
        }
    }

    const fn past_word(self) -> Self {
        let mut rest = self.rest;
        while let [b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'+' | b'-' | b'.', after @ ..] = rest {
            rest = after;
        }
        self.at(rest)
    }

    /// The text of the value that stands next, as it is written.
    pub(super) const fn written(self) -> &'a str {
        let (_, rest) = self.text.split_at(self.text.len() - self.rest.len());
        let length = self.rest.len() - self.past_value().rest.len();
        rest.split_at(length).0
    }

    /// The content of the string that stands next; `None` where an escape hides it.
    pub(super) const fn content(self) -> Option<&'a str> {
        let written = self.written();
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

    pub(super) const fn number(self) -> Number {
        let (mut rest, negative) = match self.rest {
            [b'-', digits @ ..] => (digits, true),
            digits => (digits, false),
        };
        let mut whole: i128 = 0;
        while let [digit @ b'0'..=b'9', after @ ..] = rest {
            whole = whole.saturating_mul(10).saturating_add((*digit - b'0') as i128);
            rest = after;
        }
        if let [b'.', after @ ..] = rest {
            rest = after;
            while let [digit @ b'0'..=b'9', after @ ..] = rest {
                if *digit != b'0' {
                    return Number::Fraction;
                }
                rest = after;
            }
        }
        match rest {
            [b'e' | b'E', ..] => Number::Scientific,
            _ if negative => Number::Whole(-whole),
            _ => Number::Whole(whole),
        }
    }
}
