//! Reduction of intra-doc links to their text. A model cannot follow them.

use super::{block::Fence, line::DocLine};

/// Reduces the links of every line outside of fences, and removes lines that only define a link.
pub(super) fn shrink(lines: Vec<DocLine>) -> Vec<DocLine> {
    let mut fence = None;
    let mut shrunk = Vec::new();
    for mut line in lines {
        let inside = fence.is_some();
        fence = Fence::after(fence, &line.text);
        if !inside {
            if defines_link(&line.text) {
                continue;
            }
            line.text = shrink_line(&line.text);
        }
        shrunk.push(line);
    }
    shrunk
}

/// Returns whether the line has the form `[text]: path::to::item`.
fn defines_link(line: &str) -> bool {
    let definition = line
        .trim_start()
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("]:"));
    definition.is_some_and(|(_, target)| is_item_path(target.trim()))
}

fn shrink_line(line: &str) -> String {
    let mut shrunk = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(['[', '`']) {
        let (before, from) = rest.split_at(at);
        shrunk.push_str(before);
        // A code span is copied as a whole, because brackets in it are code.
        let taken = if from.starts_with('`') {
            code_length(from)
        } else {
            1
        };
        // A bracket after a word or another bracket is an index (`a[i]`) or belongs to a link that
        // is kept.
        let indexes = shrunk.ends_with(|c: char| c.is_alphanumeric() || "_])\\".contains(c));
        let link = if from.starts_with('[') && !indexes {
            read_link(from)
        } else {
            None
        };
        let (text, taken) = link.unwrap_or_else(|| (from.split_at(taken).0, taken));
        shrunk.push_str(text);
        rest = from.split_at(taken).1;
    }
    shrunk + rest
}

/// Returns the length of the code span at the start of the text, or of its backticks if the span is
/// not closed.
fn code_length(text: &str) -> usize {
    let marks = text.len() - text.trim_start_matches('`').len();
    let (opening, rest) = text.split_at(marks);
    rest.find(opening).map_or(marks, |end| marks + end + marks)
}

/// Returns the text and the length of the item link at the start of the text.
fn read_link(text: &str) -> Option<(&str, usize)> {
    let (inner, after) = text.strip_prefix('[')?.split_once(']')?;
    let own = inner.len() + 2;
    let closing = match after.chars().next() {
        Some('(') => ')',
        Some('[') => ']',
        _ => return is_item_path(inner).then_some((inner, own)),
    };
    let (target, _) = after.split_at(1).1.split_once(closing)?;
    is_item_path(target).then_some((inner, own + target.len() + 2))
}

/// Returns whether rustdoc resolves the target to an item: `Repo::log`, `` `Repo` ``, `fn@log`,
/// `Self::log()`.
fn is_item_path(target: &str) -> bool {
    let target = target.trim_matches('`');
    let target = target.split_once('@').map_or(target, |(_, path)| path);
    let target = target.trim_end_matches("()").trim_end_matches('!');
    target.split("::").all(|segment| {
        segment.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && segment.chars().all(|c| c.is_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shrinks_links_to_items_only() {
        for (line, shrunk) in [
            ("see [`Repo::log`](Self::log).", "see `Repo::log`."),
            (
                "see [the log](crate::Repo::log) and [`show`]",
                "see the log and `show`",
            ),
            ("see [the log][Repo::log]", "see the log"),
            (
                "see [the site](https://example.org)",
                "see [the site](https://example.org)",
            ),
            (
                "`a[i]` and a[i] and [0, 1] and [ ] and `[x]`",
                "`a[i]` and a[i] and [0, 1] and [ ] and `[x]`",
            ),
            ("an open [ and an open `", "an open [ and an open `"),
        ] {
            assert_eq!(shrink_line(line), shrunk);
        }
    }
}
