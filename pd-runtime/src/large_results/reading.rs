//! Answers about a large result: lines, rows, columns, a value by its path, or where words occur.

use super::{
    ANSWER_TOKENS, Document, pointer_part,
    rows::Rows,
    shape::{described, shape},
};
use crate::text::{thousands::thousands, token_estimate::estimate_tokens};
use serde_json::Value;
use std::ops::Range;

/// The most values that a search lists.
const HITS_MAX: usize = 50;

/// What to read.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct ReadRequest {
    /// The first and the last line, from 1.
    pub(super) lines: Option<(usize, usize)>,
    /// The first and the last row, from 0.
    pub(super) rows: Option<(usize, usize)>,
    /// The JSON Pointer (RFC 6901) of the value to read.
    pub(super) path: Option<String>,
    /// The columns of rows.
    pub(super) columns: Vec<String>,
    /// Words that lines, rows or values contain.
    pub(super) query: Option<String>,
}

/// Answers a request in at most [`ANSWER_TOKENS`].
///
/// # Errors
///
/// Returns an error with what to send instead.
pub(super) fn read(document: &Document<'_>, request: &ReadRequest) -> Result<String, String> {
    let terms = terms(request.query.as_deref().unwrap_or_default());
    // Lines are those of the text at the path, or of the whole result.
    let (inner, path) = match (&document.value, &request.path) {
        (Some(root), Some(path)) => (at_path(root, path)?, path.as_str()),
        (root, _) => (root.as_ref().unwrap_or(&Value::Null), ""),
    };
    let text = match inner {
        Value::String(text) => Some(text.as_str()),
        Value::Null if document.value.is_none() => Some(document.text),
        _ => None,
    };
    let of_text = text.map(|text| Document { text, value: None });
    if let Some((first, last)) = request.lines {
        return lines(of_text.as_ref().unwrap_or(document), first, last);
    }
    if let Some(of_text) = of_text {
        return match (terms.is_empty(), document.value.is_some()) {
            (false, _) => Ok(search_lines(&of_text, &terms)),
            (true, true) => lines(&of_text, 1, usize::MAX),
            (true, false) => {
                Err("the result is a text: name `lines`, such as \"1-40\", or a `query`".to_owned())
            }
        };
    }
    let value = inner;
    let wants_rows = request.rows.is_some() || !request.columns.is_empty();
    if !wants_rows && terms.is_empty() {
        return Ok(whole_or_shape(value, path));
    }
    let rows = rows_at(value, path);
    match rows {
        Some(rows) => read_rows(&rows, request, &terms),
        None if terms.is_empty() => Err(format!(
            "`{path}` has no rows; its shape is {}",
            shape(value, 200)
        )),
        None => Ok(search_values(value, path, &terms)),
    }
}

/// Returns the words of a query in lower case.
fn terms(query: &str) -> Vec<String> {
    query.split_whitespace().map(str::to_lowercase).collect()
}

fn at_path<'a>(root: &'a Value, path: &str) -> Result<&'a Value, String> {
    // A model writes `items/0` as well as `/items/0`.
    let slashed = if path.is_empty() || path.starts_with('/') {
        path.to_owned()
    } else {
        format!("/{path}")
    };
    root.pointer(&slashed).ok_or_else(|| {
        format!(
            "there is nothing at `{path}`; the shape is {}",
            shape(root, 200)
        )
    })
}

fn rows_at<'a>(value: &'a Value, path: &str) -> Option<Rows<'a>> {
    match value {
        Value::Array(items) => Some(Rows {
            path: path.to_owned(),
            items,
        }),
        _ => Rows::largest(value).map(|rows| Rows {
            path: format!("{path}{}", rows.path),
            ..rows
        }),
    }
}

fn lines(document: &Document<'_>, first: usize, last: usize) -> Result<String, String> {
    let all: Vec<&str> = document.lines().collect();
    let start = first.max(1) - 1;
    let chosen = all.get(start..last.min(all.len())).unwrap_or_default();
    if chosen.is_empty() {
        return Err(format!(
            "there are {0} lines: name some of them, such as \"1-{0}\"",
            all.len()
        ));
    }
    let mut used = 0;
    let fitting = chosen.iter().take_while(|line| {
        used += estimate_tokens(line) + 1;
        used <= ANSWER_TOKENS
    });
    // A piece of a line always fits, so that reading goes on.
    let count = fitting.count().max(1);
    let end = start + count;
    let more = if end < all.len() {
        format!(
            "; next: `lines`: \"{}-{}\"",
            end + 1,
            (end + count).min(all.len())
        )
    } else {
        String::new()
    };
    let text = chosen.get(..count).unwrap_or_default().concat();
    let total = thousands(all.len());
    Ok(format!(
        "[Lines {}-{end} of {total}{more}]\n{text}",
        start + 1
    ))
}

fn search_lines(document: &Document<'_>, terms: &[String]) -> String {
    let mut total = 0;
    let mut used = 0;
    let mut out = String::new();
    let mut shown = 0;
    for (place, line) in document.lines().enumerate() {
        let lower = line.to_lowercase();
        if !terms.iter().all(|term| lower.contains(term)) {
            continue;
        }
        total += 1;
        let line = format!("{}: {}\n", place + 1, line.trim_end_matches(['\n', '\r']));
        used += estimate_tokens(&line) + 1;
        if used <= ANSWER_TOKENS {
            out.push_str(&line);
            shown += 1;
        }
    }
    if total == 0 {
        return "[No line has all of these words. Lines are compared without case; try fewer words.]"
            .to_owned();
    }
    let note = if shown < total {
        "; more words show fewer"
    } else {
        ""
    };
    format!(
        "[{} lines have all of these words; these are {shown}, with their numbers{note}]\n{out}",
        thousands(total)
    )
}

fn whole_or_shape(value: &Value, path: &str) -> String {
    let text = value.to_string();
    if estimate_tokens(&text) <= ANSWER_TOKENS {
        return text;
    }
    let more = match rows_at(value, path) {
        Some(rows) => format!(
            "; {} has {} rows: name `rows`, such as \"0-9\", `columns` or a `query`",
            if rows.path.is_empty() {
                "the result"
            } else {
                &rows.path
            },
            thousands(rows.items.len())
        ),
        None => String::new(),
    };
    format!(
        "[This is the shape{more}]\n{}",
        shape(value, ANSWER_TOKENS - 200)
    )
}

fn read_rows(rows: &Rows<'_>, request: &ReadRequest, terms: &[String]) -> Result<String, String> {
    let known = rows.columns();
    let unknown: Vec<_> = request
        .columns
        .iter()
        .filter(|column| !known.contains(&column.as_str()))
        .collect();
    if let Some(column) = unknown.first() {
        return Err(format!(
            "`{column}` is not a column; the columns are {}",
            known.join(", ")
        ));
    }
    let total = rows.items.len();
    let mut places: Vec<usize> = if terms.is_empty() {
        (0..total).collect()
    } else {
        rows.matching(terms)
    };
    let found = places.len();
    if let Some(range) = request
        .rows
        .map(|(first, last)| first..last.saturating_add(1))
    {
        // Without a query these are the rows, and with one the matches.
        places = places
            .get(clamped(range, found))
            .unwrap_or_default()
            .to_vec();
    }
    let columns: Vec<&str> = request.columns.iter().map(String::as_str).collect();
    let chosen = (!columns.is_empty()).then_some(&*columns);
    let mut rendered = rows.render(&places, chosen, ANSWER_TOKENS);
    if rendered.count == 0
        && let Some(place) = places.first()
    {
        // A row of many columns is read by its path.
        let path = format!("{}/{place}", rows.path);
        let item = rows
            .items
            .get(*place)
            .map(|item| shape(item, ANSWER_TOKENS - 200));
        rendered.text = format!("{path}: {}\n", item.unwrap_or_default());
        rendered.count = 1;
    }
    let start = request.rows.map_or(0, |(first, _)| first);
    let path = if rows.path.is_empty() {
        "the result"
    } else {
        &rows.path
    };
    let what = if terms.is_empty() {
        format!("{} rows of {path}", thousands(total))
    } else {
        format!(
            "{} of {} rows of {path} match",
            thousands(found),
            thousands(total)
        )
    };
    let end = start + rendered.count;
    let more = if end < found && rendered.count > 0 {
        let last = (end + rendered.count).min(found) - 1;
        format!("; next: `rows`: \"{end}-{last}\"")
    } else {
        String::new()
    };
    Ok(format!(
        "[{what}; these are {}{more}]\n{}",
        rendered.count,
        rendered.text.trim_end()
    ))
}

fn clamped(range: Range<usize>, len: usize) -> Range<usize> {
    let start = range.start.min(len);
    start..range.end.min(len).max(start)
}

/// Lists the values below a value that contain all terms, with their paths.
fn search_values(value: &Value, path: &str, terms: &[String]) -> String {
    let mut hits = Vec::new();
    collect(value, &mut path.to_owned(), terms, &mut hits);
    let total = hits.len();
    if total == 0 {
        return "[No value has all of these words; try fewer words.]".to_owned();
    }
    let mut used = 0;
    let shown: Vec<_> = hits
        .into_iter()
        .take(HITS_MAX)
        .take_while(|line| {
            used += estimate_tokens(line) + 1;
            used <= ANSWER_TOKENS
        })
        .collect();
    format!(
        "[{} values have all of these words; these are {}, with their paths]\n{}",
        thousands(total),
        shown.len(),
        shown.join("\n")
    )
}

fn collect(value: &Value, path: &mut String, terms: &[String], hits: &mut Vec<String>) {
    let depth = path.len();
    match value {
        Value::Object(object) => {
            for (key, member) in object {
                path.push('/');
                path.push_str(&pointer_part(key));
                collect(member, path, terms, hits);
                path.truncate(depth);
            }
        }
        Value::Array(items) => {
            for (place, item) in items.iter().enumerate() {
                path.push('/');
                path.push_str(&place.to_string());
                collect(item, path, terms, hits);
                path.truncate(depth);
            }
        }
        scalar => {
            let text = scalar
                .as_str()
                .map_or_else(|| scalar.to_string(), str::to_owned);
            let text = format!("{path} {text}").to_lowercase();
            if terms.iter().all(|term| text.contains(term)) {
                hits.push(format!("{path}: {}", described(scalar)));
            }
        }
    }
}
