//! Translates patterns of ECMA-262 to the syntax of Rust's regex crates.
//!
//! The crates differ from ECMA-262 in what `.`, `\d`, `\w` and `\s` match, in some escapes, and in
//! which characters are literal inside and outside of a class.

use std::{iter::Peekable, str::Chars};

/// The characters that `\s` matches (ECMA-262, WhiteSpace and LineTerminator), for use in a class.
const SPACES: &str = r"\t\n\x0B\x0C\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";

/// Returns the construct that needs the feature `regex`, if a pattern contains one.
pub(super) fn needs_extension(pattern: &str) -> Option<&'static str> {
    if escapes_and_groups(pattern)
        .any(|(escape, _)| escape.is_some_and(|escape| escape.starts_with(['p', 'P'])))
    {
        return Some("a Unicode class (`\\p{…}`)");
    }
    backtracks(pattern).then_some("look-around or a back-reference")
}

/// Returns whether a pattern needs a backtracking engine. It may report a pattern that does not
/// need one, for example with `(?=` inside a character class.
pub(super) fn backtracks(pattern: &str) -> bool {
    escapes_and_groups(pattern).any(|(escape, group)| {
        escape.is_some_and(|escape| {
            escape.starts_with(|c: char| c == 'k' || ('1'..='9').contains(&c))
        }) || group.is_some_and(|group| {
            !group.starts_with([':', 'P', 'i', 'm', 's', 'x', '-']) && !is_named_group(group)
        })
    })
}

/// Iterates over the text after each `\`, and the text after each unescaped `(?`.
fn escapes_and_groups(pattern: &str) -> impl Iterator<Item = (Option<&str>, Option<&str>)> {
    let mut rest = pattern;
    std::iter::from_fn(move || {
        loop {
            let at = rest.find(['\\', '('])?;
            let candidate = rest.get(at..)?;
            let next = rest.get(at + 1..)?;
            if let Some(escape) = candidate.strip_prefix('\\') {
                // Skips the escaped character, so that `\\1` and `\(?=` are not taken for a
                // back-reference or a group.
                rest = next.get(escape.chars().next().map_or(0, char::len_utf8)..)?;
                return Some((Some(escape), None));
            }
            rest = next;
            if let Some(group) = candidate.strip_prefix("(?") {
                return Some((None, Some(group)));
            }
        }
    })
}

/// Returns whether a group is `(?<name>…)`, as opposed to `(?<=…)` and `(?<!…)`.
fn is_named_group(group: &str) -> bool {
    group
        .strip_prefix('<')
        .is_some_and(|name| !name.starts_with(['=', '!']))
}

/// Translates a pattern.
///
/// # Errors
///
/// Returns an error for escapes that ECMA-262 does not have.
pub(super) fn translate(pattern: &str) -> Result<String, String> {
    let mut translator = PatternTranslator {
        left: pattern.chars().peekable(),
        out: String::new(),
        in_class: false,
    };
    translator
        .run()
        .map_err(|why| format!("the pattern `{pattern}` is not valid: {why}"))?;
    Ok(translator.out)
}

struct PatternTranslator<'a> {
    left: Peekable<Chars<'a>>,
    out: String,
    in_class: bool,
}

impl PatternTranslator<'_> {
    fn run(&mut self) -> Result<(), String> {
        while let Some(letter) = self.left.next() {
            match letter {
                '\\' => self.escape()?,
                _ if self.in_class => self.in_class(letter),
                '[' => self.open_class(),
                // ECMA-262 excludes four line terminators, Rust's crates exclude only `\n`.
                '.' => self.out.push_str(r"[^\n\r\x{2028}\x{2029}]"),
                // Rust's crates refuse braces and brackets that are not part of a construct.
                '{' if !self.is_quantifier() => self.out.push_str(r"\{"),
                '}' | ']' if !self.closes_quantifier(letter) => {
                    self.out.push('\\');
                    self.out.push(letter);
                }
                other => self.out.push(other),
            }
        }
        Ok(())
    }

    fn open_class(&mut self) {
        let is_negated = self.left.next_if_eq(&'^').is_some();
        if self.left.next_if_eq(&']').is_some() {
            // `[]` matches nothing, `[^]` everything.
            return self
                .out
                .push_str(if is_negated { r"[\s\S]" } else { r"[^\s\S]" });
        }
        self.in_class = true;
        self.out.push_str(if is_negated { "[^" } else { "[" });
    }

    fn in_class(&mut self, letter: char) {
        match letter {
            ']' => self.in_class = false,
            // Nested classes and set operations exist in Rust's syntax only.
            '[' | '&' | '~' => self.out.push('\\'),
            _ => {}
        }
        self.out.push(letter);
    }

    /// Returns whether `{` begins a quantifier such as `{2,5}`.
    fn is_quantifier(&self) -> bool {
        let inner: String = self
            .left
            .clone()
            .take_while(|letter| *letter != '}')
            .collect();
        let is_closed = self.left.clone().any(|letter| letter == '}');
        let (least, most) = inner.split_once(',').unwrap_or((&inner, ""));
        let is_number = |text: &str| text.chars().all(|letter| letter.is_ascii_digit());
        is_closed && !least.is_empty() && is_number(least) && is_number(most)
    }

    /// Returns whether `}` ends the quantifier that was written last.
    fn closes_quantifier(&self, letter: char) -> bool {
        let is_inside = |text: &str| {
            text.chars()
                .all(|letter| letter.is_ascii_digit() || letter == ',')
        };
        letter == '}'
            && self.out.rfind('{').is_some_and(|at| {
                let (before, inner) = self.out.split_at(at);
                !before.ends_with('\\') && is_inside(inner.get(1..).unwrap_or_default())
            })
    }

    fn escape(&mut self) -> Result<(), String> {
        let Some(letter) = self.left.next() else {
            return Err("it ends with a backslash".to_owned());
        };
        let class = |out: &mut String, in_class: bool, negation: &str, inner: &str| match in_class {
            true => out.push_str(inner),
            false => out.push_str(&format!("[{negation}{inner}]")),
        };
        match letter {
            'd' => class(&mut self.out, self.in_class, "", "0-9"),
            'w' => class(&mut self.out, self.in_class, "", "0-9A-Za-z_"),
            's' => class(&mut self.out, self.in_class, "", SPACES),
            // A class cannot contain a negated class, so its ASCII form has to do.
            'D' | 'W' | 'S' if self.in_class => self.push_escaped(letter),
            'D' => class(&mut self.out, false, "^", "0-9"),
            'W' => class(&mut self.out, false, "^", "0-9A-Za-z_"),
            'S' => class(&mut self.out, false, "^", SPACES),
            // Inside a class, `\b` is a backspace.
            'b' if self.in_class => self.out.push_str(r"\x08"),
            'b' | 'B' | 'n' | 'r' | 't' | 'f' | 'v' | 'k' | 'x' | '1'..='9' => {
                self.push_escaped(letter)
            }
            'p' | 'P' => self.unicode_class(letter),
            '0' => self.out.push_str(r"\x00"),
            'c' => self.control()?,
            'u' => self.unicode()?,
            other if other.is_ascii_alphanumeric() => {
                return Err(format!("`\\{other}` is not an escape"));
            }
            // ECMA-262 allows needless escapes of punctuation, such as `\/`, and Rust's crates do
            // not.
            other => self.out.push_str(&regex_lite::escape(&other.to_string())),
        }
        Ok(())
    }

    fn push_escaped(&mut self, letter: char) {
        self.out.push('\\');
        self.out.push(letter);
    }

    /// `\p{Letter}`: copied with its braces.
    fn unicode_class(&mut self, letter: char) {
        self.push_escaped(letter);
        if self.left.next_if_eq(&'{').is_some() {
            let name: String = self
                .left
                .by_ref()
                .take_while(|letter| *letter != '}')
                .collect();
            // Rust's crates have no separate name for decimal digits.
            let name = if name == "digit" { "Nd" } else { &name };
            self.out.push_str(&format!("{{{name}}}"));
        }
    }

    /// `\cA` to `\cZ`: control characters.
    fn control(&mut self) -> Result<(), String> {
        let letter = self.left.next().filter(char::is_ascii_alphabetic);
        let letter = letter.ok_or("`\\c` needs a letter after it")?;
        // ECMA-262 takes the remainder, so `\cj` and `\cJ` are the same character.
        self.push_code(u32::from(letter) % 32);
        Ok(())
    }

    /// `\u0041`, `\u{41}`, or two surrogates for one character.
    fn unicode(&mut self) -> Result<(), String> {
        if self.left.next_if_eq(&'{').is_some() {
            let digits: String = self
                .left
                .by_ref()
                .take_while(|letter| *letter != '}')
                .collect();
            let code = u32::from_str_radix(&digits, 16)
                .map_err(|_| "`\\u{…}` needs hexadecimal digits")?;
            self.push_code(code);
            return Ok(());
        }
        let first = four_digits(&mut self.left).ok_or("`\\u` needs four hexadecimal digits")?;
        let mut ahead = self.left.clone();
        let is_escape = (0xD800..0xDC00).contains(&first)
            && ahead.next() == Some('\\')
            && ahead.next() == Some('u');
        let second = if is_escape {
            four_digits(&mut ahead)
        } else {
            None
        };
        // Any other escape after a high surrogate is a character for itself.
        match second.filter(|second| (0xDC00..0xE000).contains(second)) {
            Some(second) => {
                self.left = ahead;
                self.push_code(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
            }
            None => self.push_code(first),
        }
        Ok(())
    }

    fn push_code(&mut self, code: u32) {
        self.out.push_str(&format!("\\x{{{code:X}}}"));
    }
}

fn four_digits(letters: &mut Peekable<Chars<'_>>) -> Option<u32> {
    let digits: String = letters.by_ref().take(4).collect();
    u32::from_str_radix(&digits, 16)
        .ok()
        .filter(|_| digits.len() == 4)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn look_around_and_back_references_backtrack() {
        for pattern in [
            r"(a+)\1$",
            "^(?=a)",
            "(?!a)",
            "(?<=a)b",
            "(?<!a)b",
            r"(?<n>a)\k<n>",
            "(?>a)",
            r"\\\1",
            "((?=x))",
        ] {
            assert!(backtracks(pattern), "{pattern}");
        }
        for pattern in [
            "",
            "^a+$",
            "(a|b)",
            "(?:a)",
            "(?<year>[0-9]+)",
            "(?i)a",
            r"\d\.\(",
            r"\\d",
            r"\(?=",
            "[a-z]{1,9}",
            "é(",
            "\\",
        ] {
            assert!(!backtracks(pattern), "{pattern}");
        }
    }

    #[test]
    fn patterns_of_javascript_match_what_they_match_there() {
        for (pattern, matching, other) in [
            (r"^\d+$", "12", "٣"),
            (r"^\w$", "a", "é"),
            (r"^\s$", "\u{feff}", "a"),
            (r"^[\s\S]$", "\u{a0}", ""),
            (r"^\/v\d\/[\w\-.]+$", "/v1/a-b.c", "v1"),
            (r"^.$", "é", "\r"),
            (r"^[^]$", "\n", ""),
            (r"^a{2,3}$", "aaa", "a"),
            (r"^{a}$", "{a}", "a"),
            (r"^\{\}]$", "{}]", "{}"),
            (r"^[[&~-]$", "[", "a"),
            (r"^\cJ\u0041\u{42}\x43\0$", "\nABC\0", "A"),
            (r"^\uD83D\uDC32$", "🐲", "🐳"),
            (r"^[\b]$", "\u{8}", "b"),
            (r"^(?:x|y)(?<z>z)?$", "xz", "z"),
        ] {
            let compiled = super::super::SchemaPattern::new(pattern).unwrap();
            let is_match = |text: &str| compiled.is_match(text, &mut Default::default()).unwrap();
            assert!(is_match(matching), "{pattern} {matching:?}");
            assert!(!is_match(other), "{pattern} {other:?}");
        }
        for invalid in [
            r"\a",
            r"\Z",
            "(",
            "\\",
            r"\u00",
            "[a",
            r"\uD83D",
            r"\uD83D\u0041",
            r"\uD83D\uD83D",
        ] {
            assert!(
                super::super::SchemaPattern::new(invalid).is_err(),
                "{invalid}"
            );
        }
    }
}
