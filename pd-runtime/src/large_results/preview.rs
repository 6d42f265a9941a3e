//! What a model sees in place of a large result.

use super::{Document, rows::Rows, shape::shape, spoken};
use crate::text::{thousands::thousands, token_estimate::estimate_tokens};
use std::time::Duration;

/// The part of a preview's tokens for the shape, and for the last lines of a text.
const SHAPE_PART: usize = 3;
const TAIL_PART: usize = 4;
/// The most rows, and the rows and lines that the advice names.
const ROWS_MAX: usize = 5;
const ROWS_NEXT: usize = 20;
const LINES_NEXT: usize = 40;

/// Describes a document in at most about so many tokens: its size, what it is made of, and its
/// first values or lines, whole. It can be read for this long, and `advise` says how: by a key with
/// this value.
pub(super) fn preview(
    document: &Document<'_>,
    tokens: usize,
    life: Duration,
    advise: impl Fn(&str, &str) -> String,
) -> String {
    let size = format!(
        "The result has {} bytes, about {} tokens",
        thousands(document.text.len()),
        thousands(estimate_tokens(document.text))
    );
    let rest = format!("Nothing is lost: it can be read for {}", spoken(life));
    let Some(value) = &document.value else {
        return text(document, tokens, &size, |first| {
            let next = format!("{}-{}", first + 1, first + LINES_NEXT);
            format!("{rest}. {}", advise("lines", &next))
        });
    };
    let next = advise("rows", &format!("{ROWS_MAX}-{}", ROWS_MAX + ROWS_NEXT - 1));
    let mut out = format!(
        "[{size}, of JSON. This is its shape, with the first item of each array. {rest}. {next}]\n{}",
        shape(value, tokens / SHAPE_PART)
    );
    if let Some(rows) = Rows::largest(value) {
        let places: Vec<_> = (0..rows.items.len().min(ROWS_MAX)).collect();
        let left = tokens.saturating_sub(estimate_tokens(&out) + 20);
        let rendered = rows.render(&places, None, left);
        if rendered.count > 0 {
            let path = match rows.path.as_str() {
                "" => "the result",
                path => path,
            };
            out.push_str(&format!(
                "\n[The first {} of {} rows of {path}:]\n{}",
                rendered.count,
                thousands(rows.items.len()),
                rendered.text.trim_end()
            ));
        }
    }
    out
}

fn text(
    document: &Document<'_>,
    tokens: usize,
    size: &str,
    rest: impl Fn(usize) -> String,
) -> String {
    let lines: Vec<&str> = document.lines().collect();
    let room = tokens.saturating_sub(estimate_tokens(&rest(0)) + 60);
    let first = fitting(lines.iter(), room - room / TAIL_PART);
    let left = lines.get(first..).unwrap_or_default();
    let last = fitting(left.iter().rev(), room / TAIL_PART);
    let head = lines.get(..first).unwrap_or_default().concat();
    let tail = lines.get(lines.len() - last..).unwrap_or_default().concat();
    let mut out = format!(
        "[{size}, in {} lines. These are the first {first} and the last {last}. {}]\n{head}",
        thousands(lines.len()),
        rest(first)
    );
    if !out.ends_with('\n') {
        out.push('\n');
    }
    let hidden = lines.len() - first - last;
    out.push_str(&format!("[… {} lines …]\n", thousands(hidden)));
    out.push_str(tail.trim_end_matches('\n'));
    out
}

/// Returns how many lines have at most so many tokens.
fn fitting<'a>(lines: impl Iterator<Item = &'a &'a str>, tokens: usize) -> usize {
    let mut used = 0;
    let fitting = lines.take_while(|line| {
        used += estimate_tokens(line) + 1;
        used <= tokens
    });
    fitting.count()
}
