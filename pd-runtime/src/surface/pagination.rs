//! Pages of a list. A cursor names the entry with which the next page begins, so replacing the
//! catalog between two pages shifts no entries.

use rmcp::{ErrorData, model::JsonObject};
use serde_json::Value;

/// The most entries of one page.
pub(crate) const ENTRIES_MAX: usize = 100;
/// The prefix of this crate's cursors. Other cursors belong to the handler of the author.
const CURSOR_PREFIX: &str = "dev.pd-runtime:";

/// One page, and the cursor of the next one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CursorPage<'a, T> {
    pub(crate) entries: &'a [T],
    pub(crate) next: Option<String>,
}

/// Returns whether this crate issued the cursor.
pub(crate) fn is_own_cursor(cursor: &str) -> bool {
    cursor.starts_with(CURSOR_PREFIX)
}

/// Returns the page at this cursor, or the first one without a cursor. Names must be unique among
/// the entries.
///
/// # Errors
///
/// Returns -32602 for a cursor that names no entry, for example after a change that removed the
/// entry.
pub(crate) fn page<'a, T>(
    entries: &'a [T],
    cursor: Option<&str>,
    name: impl Fn(&T) -> &str,
) -> Result<CursorPage<'a, T>, ErrorData> {
    let begin = match cursor {
        None => Some(0),
        Some(cursor) => cursor
            .strip_prefix(CURSOR_PREFIX)
            .and_then(|first| entries.iter().position(|entry| name(entry) == first)),
    };
    let rest = begin
        .and_then(|begin| entries.get(begin..))
        .ok_or_else(|| {
            ErrorData::invalid_params("this cursor names no page; list again without one", None)
        })?;
    // A cursor exists only if an entry follows, so no client requests an empty page.
    let (entries, after) = rest.split_at(rest.len().min(ENTRIES_MAX));
    Ok(CursorPage {
        entries,
        next: after
            .first()
            .map(|entry| format!("{CURSOR_PREFIX}{}", name(entry))),
    })
}

/// Returns the cursor among a method's parameters.
///
/// # Errors
///
/// Returns -32602 for a cursor that is not a string.
pub(crate) fn cursor(params: Option<&Value>) -> Result<Option<&str>, ErrorData> {
    match params.and_then(|params| params.get("cursor")) {
        // A client may send `null` for an absent parameter.
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(cursor)) => Ok(Some(cursor)),
        Some(_) => Err(ErrorData::invalid_params("`cursor` must be a string", None)),
    }
}

/// Adds the cursor of the next page to a result.
pub(crate) fn add_next_cursor(result: &mut JsonObject, next: Option<String>) {
    if let Some(next) = next {
        result.insert("nextCursor".to_owned(), Value::String(next));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Vec<String> {
        (0..count).map(|number| number.to_string()).collect()
    }

    #[test]
    fn every_entry_stands_on_one_page() -> Result<(), ErrorData> {
        for count in [0, 1, ENTRIES_MAX, ENTRIES_MAX + 1, 3 * ENTRIES_MAX - 1] {
            let all = numbers(count);
            let mut seen = Vec::new();
            let mut cursor = None;
            loop {
                let page = page(&all, cursor.as_deref(), |name| name)?;
                assert!(page.entries.len() <= ENTRIES_MAX);
                seen.extend(page.entries.iter().cloned());
                cursor = page.next;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(seen, all);
        }
        Ok(())
    }

    #[test]
    fn a_cursor_of_another_list_is_refused() -> Result<(), ErrorData> {
        let all = numbers(200);
        assert!(page(&all, Some("100"), |name| name).is_err(), "not ours");
        assert!(
            page(&all, Some("dev.pd-runtime:200"), |name| name).is_err(),
            "gone"
        );
        assert_eq!(
            page(&all, Some("dev.pd-runtime:150"), |name| name)?
                .entries
                .len(),
            50
        );
        Ok(())
    }
}
