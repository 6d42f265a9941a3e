//! Reading JSON text in const functions. The text is known to be JSON: the macro has read it.

/// What is left of a JSON text.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a>(&'a [u8]);

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
        Self(text.as_bytes()).past_space()
    }

    const fn past_space(self) -> Self {
        let mut rest = self.0;
        while let [b' ' | b'\n' | b'\t' | b'\r', after @ ..] = rest {
            rest = after;
        }
        Self(rest)
    }

    pub(super) const fn kind(self) -> Kind {
        match self.0 {
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
        match self.0 {
            [_, rest @ ..] => Self(rest).past_space(),
            [] => self,
        }
    }

    /// Whether the list or object ends here.
    pub(super) const fn at_end(self) -> bool {
        matches!(self.0, [] | [b']' | b'}', ..])
    }

    /// Past a value, and the comma or colon behind it.
    pub(super) const fn next(self) -> Self {
        match self.past_value().past_space().0 {
            [b',' | b':', rest @ ..] => Self(rest).past_space(),
            rest => Self(rest),
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
        match self.0 {
            [_, rest @ ..] => Self(rest),
            [] => self,
        }
    }

    const fn past_string(self) -> Self {
        let mut rest = self.past_mark().0;
        loop {
            match rest {
                [b'\\', _, after @ ..] => rest = after,
                [b'"', after @ ..] => return Self(after),
                [_, after @ ..] => rest = after,
                [] => return Self(rest),
            }
        }
    }

    const fn past_word(self) -> Self {
        let mut rest = self.0;
        while let [b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'+' | b'-' | b'.', after @ ..] = rest {
            rest = after;
        }
        Self(rest)
    }

    /// The text of the value that stands next, as it is written.
    pub(super) const fn written(self) -> &'a str {
        let length = self.0.len() - self.past_value().0.len();
        let (value, _) = self.0.split_at(length);
        match core::str::from_utf8(value) {
            Ok(text) => text,
            Err(_) => "",
        }
    }

    /// The content of the string that stands next; `None` where an escape hides it.
    pub(super) const fn content(self) -> Option<&'a str> {
        let [b'"', inner @ .., b'"'] = self.written().as_bytes() else { return None };
        let mut rest = inner;
        while let [byte, after @ ..] = rest {
            if *byte == b'\\' {
                return None;
            }
            rest = after;
        }
        match core::str::from_utf8(inner) {
            Ok(text) => Some(text),
            Err(_) => None,
        }
    }

    pub(super) const fn number(self) -> Number {
        let (mut rest, negative) = match self.0 {
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
