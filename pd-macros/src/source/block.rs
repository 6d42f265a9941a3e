//! The blocks of a source file, `impl …` and `trait …` among them. A macro receives a method
//! without the block around it.

/// A block in braces.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SourceBlock {
    pub(crate) kind: BlockKind,
    /// The line and the column of the opening brace. Both begin with 1.
    start: (usize, usize),
    end: (usize, usize),
}

/// The kind of a block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum BlockKind {
    /// `impl Repo { … }`
    Inherent,
    /// `impl<'a> Repo<'a> { … }`, with the type. It may borrow for less than `'static`.
    Borrowing(String),
    /// `impl Status for Repo { … }`, with the name of the type.
    TraitImpl(String),
    /// `trait Status { … }`
    Trait,
    Other,
}

/// Returns the innermost block around a place.
pub(crate) fn innermost(blocks: &[SourceBlock], place: (usize, usize)) -> Option<&SourceBlock> {
    // Blocks nest, so the innermost is the one that begins last.
    blocks
        .iter()
        .filter(|block| block.start < place && place < block.end)
        .max_by_key(|block| block.start)
}

/// Finds all blocks of a file.
pub(crate) fn find_all(source: &str) -> Vec<SourceBlock> {
    let mut scanner = Scanner {
        rest: source,
        place: (1, 1),
    };
    let mut blocks = Vec::new();
    let mut open = Vec::new();
    // The words since the last item or block ended.
    let mut header: Vec<&str> = Vec::new();
    loop {
        let start = scanner.place;
        let Some(token) = scanner.next_token() else {
            return blocks;
        };
        match token {
            "{" => open.push((start, kind(&std::mem::take(&mut header)))),
            "}" => {
                header.clear();
                if let Some((start, kind)) = open.pop() {
                    blocks.push(SourceBlock {
                        kind,
                        start,
                        end: scanner.place,
                    });
                }
            }
            // A semicolon in brackets belongs to an array type.
            ";" if count(&header, "[") == count(&header, "]") => header.clear(),
            token => header.push(token),
        }
    }
}

fn count(header: &[&str], mark: &str) -> usize {
    header.iter().filter(|token| **token == mark).count()
}

/// Returns the kind of the block below these words.
fn kind(header: &[&str]) -> BlockKind {
    let mut words = outer_words(header).into_iter();
    // These words may precede the keyword, and do not change the kind.
    let keyword = words.find(|word| !["unsafe", "pub", "default", "auto", "const"].contains(word));
    match keyword {
        Some("trait") => BlockKind::Trait,
        Some("impl") => {
            // A bound after `where` may contain a `for`, as in `for<'a> Fn(&'a T)`.
            let words: Vec<_> = words.take_while(|word| *word != "where").collect();
            match words.iter().position(|word| *word == "for") {
                Some(at) => BlockKind::TraitImpl(words.iter().skip(at + 1).copied().collect()),
                None => borrowing_type(header).map_or(BlockKind::Inherent, BlockKind::Borrowing),
            }
        }
        _ => BlockKind::Other,
    }
}

/// Returns the type of an inherent impl with lifetimes that may be shorter than `'static`.
fn borrowing_type(header: &[&str]) -> Option<String> {
    let is_lifetime = |pair: &[&str]| matches!(pair, ["'", _]);
    let is_static = |pair: &[&str]| matches!(pair, ["'", "static"]);
    // In `impl<'a: 'static> …`, the lifetime is not shorter.
    if header.windows(2).any(is_static) {
        return None;
    }
    let after = header.iter().position(|word| *word == "impl")? + 1;
    let mut depth = 0_usize;
    let mut before = "";
    // The parameters of the impl come before its type.
    let generics = match header.get(after) {
        Some(&"<") => {
            header.iter().skip(after).position(|token| {
                match *token {
                    "<" => depth += 1,
                    ">" if before != "-" => depth -= 1,
                    _ => {}
                }
                before = token;
                depth == 0
            })? + 1
        }
        _ => 0,
    };
    let ty = header.get(after + generics..)?;
    let end = ty.iter().position(|word| *word == "where");
    let ty = ty.get(..end.unwrap_or(ty.len()))?;
    // `for<'a> fn(&'a u8)` binds its own lifetimes.
    let is_borrowing = ty.windows(2).any(is_lifetime) && !ty.contains(&"for");
    is_borrowing.then(|| ty.concat().replace(',', ", "))
}

/// Returns whether a file may have a [`BlockKind::Borrowing`]. It saves the search for blocks.
pub(crate) fn may_borrow(source: &str) -> bool {
    source
        .lines()
        .any(|line| line.trim_start().contains("impl") && line.contains('\''))
}

/// Returns the words outside of brackets, without attributes. In `impl From<fn() -> u8> for Repo`,
/// the arrow closes no bracket.
fn outer_words<'a>(header: &[&'a str]) -> Vec<&'a str> {
    let mut depth = 0_usize;
    let mut before = "";
    let mut words = Vec::new();
    for token in header {
        match *token {
            "<" | "(" | "[" => depth += 1,
            ">" if before == "-" || before == "=" => {}
            ">" | ")" | "]" => depth = depth.saturating_sub(1),
            // Marks of attributes, negative impls and arrows do not belong to a name.
            "#" | "!" | "-" => {}
            word if depth == 0 => words.push(word),
            _ => {}
        }
        before = token;
    }
    words
}

/// Splits a file into words and marks. Comments and literals are skipped, because they may contain
/// braces.
struct Scanner<'a> {
    rest: &'a str,
    /// The line and the column of `rest`.
    place: (usize, usize),
}

impl<'a> Scanner<'a> {
    fn next_token(&mut self) -> Option<&'a str> {
        loop {
            let first = self.rest.chars().next()?;
            let skipped = skipped_length(self.rest);
            if skipped > 0 {
                self.take(skipped);
            } else if is_word(first) {
                return Some(self.take(self.rest.find(|c| !is_word(c)).unwrap_or(self.rest.len())));
            } else {
                return Some(self.take(first.len_utf8()));
            }
        }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        for c in taken.chars() {
            self.place = if c == '\n' {
                (self.place.0 + 1, 1)
            } else {
                (self.place.0, self.place.1 + 1)
            };
        }
        self.rest = rest;
        taken
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the length of the white space, comment or literal at the start of the text, or 0.
fn skipped_length(text: &str) -> usize {
    let blank = text.len() - text.trim_start().len();
    if blank > 0 {
        return blank;
    }
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return comment_length(text);
    }
    let (prefix, quoted) = text.split_at(
        text.find(|c: char| !c.is_ascii_lowercase())
            .unwrap_or(text.len()),
    );
    match prefix {
        "r" | "br" | "cr" => raw_length(quoted).map_or(0, |length| prefix.len() + length),
        "" | "b" | "c" if quoted.starts_with('"') => prefix.len() + text_length(quoted),
        "" | "b" => char_length(quoted).map_or(0, |length| prefix.len() + length),
        _ => 0,
    }
}

/// Returns the length of a block comment. Comments nest.
fn comment_length(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if rest.starts_with("*/") {
            // The text begins with `/*`, so the depth is at least 1 here.
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    // A comment without an end goes to the end of the file.
    text.len()
}

/// Returns the length of `"…"`.
fn text_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !is_escaped => return at + 1,
            _ => is_escaped = c == '\\' && !is_escaped,
        }
    }
    text.len()
}

/// Returns the length of `#"…"#`. `r#type` is a word.
fn raw_length(text: &str) -> Option<usize> {
    let hashes = text.len() - text.trim_start_matches('#').len();
    let inside = text.get(hashes..)?.strip_prefix('"')?;
    let closing = format!("\"{}", "#".repeat(hashes));
    Some(
        inside
            .find(&closing)
            .map_or(text.len(), |end| hashes + 1 + end + closing.len()),
    )
}

/// Returns the length of `'{'` or `'\u{7b}'`. `'a` is a lifetime.
fn char_length(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('\'')?;
    if let Some(escape) = inside.strip_prefix('\\') {
        let first = escape.chars().next()?.len_utf8();
        return escape
            .get(first..)?
            .find('\'')
            .map(|end| 1 + 1 + first + end + 1);
    }
    let letter = inside.chars().next()?.len_utf8();
    inside
        .get(letter..)?
        .starts_with('\'')
        .then_some(letter + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the kind of the block around the mark `@`.
    fn kind_at_mark(source: &str) -> Option<BlockKind> {
        let before = source.split('@').next()?;
        let (line, column) = (
            before.matches('\n').count() + 1,
            before.chars().rev().take_while(|c| *c != '\n').count(),
        );
        innermost(&find_all(source), (line, column + 1)).map(|block| block.kind.clone())
    }

    #[test]
    fn the_header_gives_the_kind() {
        for (source, kind) in [
            ("impl Repo { @ }", BlockKind::Inherent),
            (
                "impl<T: for<'a> Fn(&'a u8) -> u8> Repo<T> where T: for<'a> Copy { @ }",
                BlockKind::Inherent,
            ),
            (
                "impl<'a, T> Repo<'a, T> where T: Copy { @ }",
                BlockKind::Borrowing("Repo<'a, T>".to_owned()),
            ),
            (
                "impl<F: Fn() -> u8> a::Repo<'_, F> { @ }",
                BlockKind::Borrowing("a::Repo<'_, F>".to_owned()),
            ),
            ("impl Repo<'static> { @ }", BlockKind::Inherent),
            (
                "impl<'a> Repo<'a> where 'a: 'static { @ }",
                BlockKind::Inherent,
            ),
            ("impl Repo<for<'a> fn(&'a u8)> { @ }", BlockKind::Inherent),
            (
                "#[cfg(all())] impl Status for Repo { @ }",
                BlockKind::TraitImpl("Repo".to_owned()),
            ),
            (
                "unsafe impl<T> From<fn() -> T> for git::Repo { @ }",
                BlockKind::TraitImpl("git::Repo".to_owned()),
            ),
            (
                "impl From<[u8; 2]> for Repo { @ }",
                BlockKind::TraitImpl("Repo".to_owned()),
            ),
            (
                "pub(crate) unsafe trait Status: Sized { @ }",
                BlockKind::Trait,
            ),
            (
                "impl Status for Repo { fn a() {} } impl Repo { fn b() { } @ }",
                BlockKind::Inherent,
            ),
            ("impl Status for Repo { fn a() { @ } }", BlockKind::Other),
            ("mod a { use b::*; @ }", BlockKind::Other),
        ] {
            assert_eq!(kind_at_mark(source), Some(kind), "{source}");
        }
        assert_eq!(kind_at_mark("use a::{b}; @ fn c() {}"), None);
    }

    #[test]
    fn braces_of_comments_and_literals_are_not_blocks() {
        for odd in [
            "// {",
            "/* { /* { */ */",
            "\"{ \\\" {\"",
            "r#\"{ \" {\"#",
            "b\"{\"",
            "c\"{\"",
            "br\"{\\\"",
            "'{'",
            "b'{'",
            "'\\''",
            "'\\u{7b}'",
            "'ä'",
            "r#type",
            "&'a",
            "\"\\\\\"",
        ] {
            let source = format!("impl A for B {{ const C: u8 = {odd}\n; @ }}");
            assert_eq!(
                kind_at_mark(&source),
                Some(BlockKind::TraitImpl("B".to_owned())),
                "{odd}"
            );
        }
    }

    #[test]
    fn columns_count_characters() {
        let source = "impl A { const B: &str = \"äöü\"; } impl C for D { @ }";
        assert_eq!(
            kind_at_mark(source),
            Some(BlockKind::TraitImpl("D".to_owned()))
        );
    }
}
