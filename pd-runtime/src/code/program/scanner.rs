//! Splits JavaScript into tokens, as far as it takes to find the tools that a program names.
//! Comments are skipped. What is not JavaScript gives some tokens, and never an error.

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// An identifier, a keyword or a number.
    Word(&'a str),
    /// A string, or a template without expressions, with an escape in none of them.
    Text(&'a str),
    /// A string with an escape, a template with expressions, or a regular expression.
    Other,
    /// Any other character.
    Mark(char),
}

/// The keywords after which `/` begins a regular expression.
const BEFORE_REGEX: [&str; 14] = [
    "return",
    "typeof",
    "case",
    "in",
    "of",
    "delete",
    "void",
    "throw",
    "new",
    "instanceof",
    "else",
    "do",
    "await",
    "yield",
];

/// Returns the tokens, each with its byte offset.
pub(super) fn scan(source: &str) -> Vec<(usize, Token<'_>)> {
    let mut scanner = Scanner {
        source,
        at: 0,
        tokens: Vec::new(),
        templates: Vec::new(),
    };
    while scanner.step().is_some() {}
    scanner.tokens
}

struct Scanner<'a> {
    source: &'a str,
    at: usize,
    tokens: Vec<(usize, Token<'a>)>,
    /// For each template that is open, the braces that are open in its expression.
    templates: Vec<usize>,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn push(&mut self, token: Token<'a>, length: usize) {
        self.tokens.push((self.at, token));
        self.at += length;
    }

    /// Reads one token, comment or space. Returns `None` at the end.
    fn step(&mut self) -> Option<()> {
        let rest = self.rest();
        let next = rest.chars().next()?;
        match next {
            _ if next.is_whitespace() => self.at += next.len_utf8(),
            // Comments before regular expressions, which begin with the same character.
            '/' if rest.starts_with("//") => self.at += rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => {
                self.at += 2 + rest
                    .get(2..)
                    .map_or(0, |rest| rest.find("*/").map_or(rest.len(), |end| end + 2))
            }
            '#' if self.at == 0 && rest.starts_with("#!") => {
                self.at += rest.find('\n').map_or(rest.len(), |place| place + 1)
            }
            '"' | '\'' => self.string(next),
            '`' => self.template(1, true),
            '/' if self.may_begin_regex() && regex_length(rest).is_some() => {
                self.push(Token::Other, regex_length(rest).unwrap_or(1));
            }
            '{' | '}' => self.brace(next),
            _ if is_word(next) => {
                let length = rest
                    .find(|character| !is_word(character))
                    .unwrap_or(rest.len());
                self.push(Token::Word(rest.get(..length).unwrap_or_default()), length);
            }
            _ => self.push(Token::Mark(next), next.len_utf8()),
        }
        Some(())
    }

    fn string(&mut self, quote: char) {
        let rest = self.rest();
        let mut is_escaped = false;
        let mut has_escape = false;
        for (place, character) in rest.char_indices().skip(1) {
            match character {
                _ if is_escaped => is_escaped = false,
                '\\' => (is_escaped, has_escape) = (true, true),
                // A string ends with its line at the latest, so that one quote hides no other line.
                '\n' => return self.push(Token::Other, place),
                _ if character == quote => {
                    let text = rest
                        .get(1..place)
                        .filter(|_| !has_escape)
                        .map_or(Token::Other, Token::Text);
                    return self.push(text, place + 1);
                }
                _ => {}
            }
        }
        self.push(Token::Other, rest.len());
    }

    /// Reads a template up to its end, or up to its next expression.
    fn template(&mut self, begin: usize, is_first: bool) {
        let rest = self.rest();
        let text = rest.get(begin..).unwrap_or_default();
        let mut is_escaped = false;
        let mut has_escape = false;
        for (place, character) in text.char_indices() {
            match character {
                _ if is_escaped => is_escaped = false,
                '\\' => (is_escaped, has_escape) = (true, true),
                '`' => {
                    let whole = text.get(..place).filter(|_| is_first && !has_escape);
                    return self.push(whole.map_or(Token::Other, Token::Text), begin + place + 1);
                }
                '$' if text.get(place..).is_some_and(|text| text.starts_with("${")) => {
                    self.templates.push(0);
                    return self.push(Token::Other, begin + place + 2);
                }
                _ => {}
            }
        }
        self.push(Token::Other, rest.len());
    }

    fn brace(&mut self, brace: char) {
        match (brace, self.templates.last_mut()) {
            // No brace is open in the expression, so this one ends it, and the template goes on.
            ('}', Some(0)) => {
                self.templates.pop();
                return self.template(1, false);
            }
            ('}', Some(open)) => *open -= 1,
            ('{', Some(open)) => *open += 1,
            _ => {}
        }
        self.push(Token::Mark(brace), 1);
    }

    /// Returns whether `/` begins a regular expression here, not a division.
    fn may_begin_regex(&self) -> bool {
        match self.tokens.last() {
            None => true,
            Some((_, Token::Word(word))) => BEFORE_REGEX.contains(word),
            // `)` and `]` end a value, which `/` divides. `}` may end a block, and a statement may
            // begin with a regular expression.
            Some((_, Token::Mark(mark))) => !matches!(mark, ')' | ']'),
            Some((_, Token::Text(_) | Token::Other)) => false,
        }
    }
}

/// Returns the length of the regular expression at the beginning of a text, without its flags.
fn regex_length(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    let mut is_in_class = false;
    for (place, character) in text.char_indices().skip(1) {
        match character {
            // ECMA-262 allows no line break in a regular expression, so this is a division.
            '\n' => return None,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => is_in_class = true,
            ']' => is_in_class = false,
            // `[/]` does not end the expression.
            '/' if !is_in_class => return Some(place + 1),
            _ => {}
        }
    }
    None
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}
