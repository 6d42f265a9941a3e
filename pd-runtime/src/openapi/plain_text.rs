//! Texts of a document as models read them: without markup that only a browser needs.

use crate::text::{
    invisible::is_invisible,
    truncate::{first_bytes, first_chars, with_ellipsis},
};

/// The bytes of a text that are read. What comes after them would be cut anyway.
const READ_MAX: usize = 16 * 1024;
/// The tags of HTML that documents have in their descriptions.
const TAGS: [&str; 18] = [
    "a", "p", "br", "b", "i", "em", "strong", "code", "ul", "ol", "li", "div", "span", "h1", "h2",
    "h3", "pre", "img",
];

/// Returns a text of at most `max` characters, without tags of HTML and without the targets of
/// links in Markdown. Each run of blank lines becomes one.
pub(super) fn plain_text(text: &str, max: usize) -> String {
    let text = first_bytes(text, READ_MAX);
    let text = without_tags(text);
    let text = without_link_targets(&text);
    let mut plain = String::with_capacity(text.len());
    let mut blank = false;
    for line in text.lines() {
        let line: String = line
            .trim_end()
            .chars()
            .filter(|letter| !letter.is_control() && !is_invisible(*letter))
            .collect();
        if line.is_empty() {
            blank = !plain.is_empty();
            continue;
        }
        if !plain.is_empty() {
            plain.push_str(if blank { "\n\n" } else { "\n" });
        }
        blank = false;
        plain.push_str(&line);
    }
    with_ellipsis(&plain, max)
}

/// Does the same for a text of one line.
pub(super) fn plain_line(text: &str, max: usize) -> String {
    let text = plain_text(text, READ_MAX);
    let words: Vec<&str> = text.split_whitespace().collect();
    with_ellipsis(&words.join(" "), max)
}

/// Returns the first sentences that fit, in one line. A first sentence that does not fit is cut.
pub(super) fn first_sentences(text: &str, max: usize) -> String {
    let line = plain_line(text, READ_MAX);
    let fits = first_chars(&line, max);
    if fits.len() == line.len() {
        return line;
    }
    // A sentence ends before a space, so that `e.g.` and `1.5` rarely end one.
    let ends = fits.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
    let mut ends = ends.filter(|end| {
        let rest = line.get(*end..).unwrap_or_default();
        let next = rest.strip_prefix(' ').and_then(|rest| rest.chars().next());
        next.is_some_and(|next| !next.is_lowercase())
    });
    match ends.next_back().and_then(|end| fits.get(..end)) {
        Some(sentences) => sentences.to_owned(),
        None => with_ellipsis(&line, max),
    }
}

/// Removes the tags of HTML. Other text in angle brackets stays, such as `<owner>`.
fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        plain.push_str(before);
        let name: String = after
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        let end = after.find('>').filter(|end| *end < 500);
        match end.and_then(|end| after.get(end + 1..)) {
            Some(next) if TAGS.contains(&name.to_ascii_lowercase().as_str()) => {
                // Paragraphs and lines stay apart.
                if matches!(name.as_str(), "p" | "br" | "li" | "div") && !plain.is_empty() {
                    plain.push('\n');
                }
                rest = next;
            }
            _ => {
                plain.push('<');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// Replaces `[text](target)` by `text`.
fn without_link_targets(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(middle) = rest.find("](") {
        let (before, after) = rest.split_at(middle);
        let target = after.get(2..).unwrap_or_default();
        let close = target.find([')', '\n', ' ']);
        let is_link = close
            .and_then(|end| target.get(end..))
            .is_some_and(|end| end.starts_with(')'));
        let open = before.rfind('[').filter(|_| is_link);
        match (open, close) {
            (Some(open), Some(close)) => {
                plain.push_str(before.get(..open).unwrap_or_default());
                plain.push_str(before.get(open + 1..).unwrap_or_default());
                rest = target.get(close + 1..).unwrap_or_default();
            }
            _ => {
                plain.push_str(before);
                plain.push_str("](");
                rest = target;
            }
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_removed_and_other_brackets_stay() {
        for (text, plain) in [
            (
                "See [the guide](https://example.com/x) and [1] (x).",
                "See the guide and [1] (x).",
            ),
            ("<p>One.</p>\n\n\n<p>Two <b>x</b></p>", "One.\n\nTwo x"),
            ("`<owner>/<repo>` is 1 < 2", "`<owner>/<repo>` is 1 < 2"),
            ("a\u{202e}b\u{0}", "ab"),
            ("[a](b c) [x](", "[a](b c) [x]("),
        ] {
            assert_eq!(plain_text(text, 1_000), plain);
        }
        for (max, kept) in [
            (40, "See e.g. this. Then that."),
            (20, "See e.g. this."),
            (9, "See e.g. …"),
        ] {
            assert_eq!(first_sentences("See e.g. this. Then that.", max), kept);
        }
        assert_eq!(plain_line("a\n\nb  c", 100), "a b c");
        assert_eq!(plain_text("abcdef", 3), "abc…");
    }
}
