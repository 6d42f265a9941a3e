//! Rows in a JSON value: an array of objects.

use pd_runtime::{Table, upstream::ROW_ID};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The keys that lead from the root of a value to its rows.
pub(super) type RowPath = Vec<String>;

/// The most levels of objects around rows.
pub(super) const LEVELS_MAX: usize = 4;
/// The most members that a search for rows looks at.
pub(super) const MEMBERS_MAX: usize = 10_000;
/// The most columns of rows. A table takes room for each column of each row.
const COLUMNS_MAX: usize = 256;
/// The most cells of rows. A cell that a row lacks counts, too.
const CELLS_MAX: usize = 4 * 1024 * 1024;
/// The most rows of one result that columns are observed in.
const OBSERVED_ROWS: usize = 100;
/// The longest name of a column that is remembered, in bytes.
const NAME_MAX: usize = 64;

/// Finds the array of objects that is nearest to the root. Returns `None` if there are several at
/// this level.
pub(super) fn find_rows(value: &Value) -> Option<RowPath> {
    if is_filled(value) {
        return Some(RowPath::new());
    }
    let mut level = vec![(RowPath::new(), value)];
    let mut members = 0;
    for _ in 0..LEVELS_MAX {
        let mut next = Vec::new();
        let mut found = None;
        for (path, object) in level {
            for (key, member) in object.as_object().into_iter().flatten() {
                members += 1;
                // Of two lists at one level, a caller may mean either.
                if members > MEMBERS_MAX
                    || (is_filled(member) && found.replace(child_path(&path, key)).is_some())
                {
                    return None;
                }
                if member.is_object() {
                    next.push((child_path(&path, key), member));
                }
            }
        }
        if found.is_some() {
            return found;
        }
        level = next;
    }
    None
}

fn child_path(path: &[String], key: &str) -> RowPath {
    path.iter().cloned().chain([key.to_owned()]).collect()
}

fn is_filled(value: &Value) -> bool {
    value
        .as_array()
        .is_some_and(|rows| !rows.is_empty() && rows.iter().all(Value::is_object))
}

/// Returns the rows at a place, which may be none.
pub(super) fn rows_at<'a>(value: &'a Value, path: &[String]) -> Option<&'a Vec<Value>> {
    let rows = path
        .iter()
        .try_fold(value, |value, key| value.get(key))?
        .as_array()?;
    rows.iter().all(Value::is_object).then_some(rows)
}

/// Returns the value without what is at a place below its root.
pub(super) fn without(value: &Value, path: &[String]) -> Value {
    let (Value::Object(members), [key, rest @ ..]) = (value, path) else {
        return Value::Null;
    };
    let kept = members
        .iter()
        .filter_map(|(name, member)| match name == key {
            true if rest.is_empty() => None,
            true => Some((name.clone(), without(member, rest))),
            false => Some((name.clone(), member.clone())),
        });
    Value::Object(kept.collect())
}

/// Returns the rows as a table, or `None` if it would take too much memory.
pub(super) fn table(rows: &[Value]) -> Option<Table> {
    let mut columns = HashSet::new();
    for name in rows
        .iter()
        .filter_map(Value::as_object)
        .flat_map(|row| row.keys())
    {
        columns.insert(name);
        // A column with this name would take the place of the number that each row gets.
        if columns.len() > COLUMNS_MAX || name == ROW_ID {
            return None;
        }
    }
    // One row with many columns must not make each of many rows take room for them.
    (rows.len().saturating_mul(columns.len()) <= CELLS_MAX).then(|| Table::from_rows(rows).ok())?
}

/// Returns the columns that at least half of the rows have, and no fewer than two. A key that is
/// data, such as the name of a user, is not a column.
pub(super) fn recurring_columns(rows: &[Value]) -> Vec<String> {
    let rows = rows.get(..OBSERVED_ROWS).unwrap_or(rows);
    let mut counts = HashMap::new();
    let mut names = Vec::new();
    for name in rows
        .iter()
        .filter_map(Value::as_object)
        .flat_map(|row| row.keys())
    {
        let count: &mut usize = counts.entry(name).or_default();
        *count += 1;
        if *count == 1 && is_column_name(name) {
            names.push(name);
        }
    }
    names.retain(|name| {
        counts
            .get(*name)
            .is_some_and(|count| *count >= 2 && 2 * count >= rows.len())
    });
    names.into_iter().cloned().collect()
}

/// Returns whether a description may contain the name of a column. A name with spaces could be an
/// instruction that no person has approved.
pub(super) fn is_column_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= NAME_MAX && name != ROW_ID && name.bytes().all(is_name_part)
}

fn is_name_part(letter: u8) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, b'_' | b'-' | b'.' | b'$')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    #[test]
    fn rows_are_the_nearest_array_of_objects_if_it_is_the_only_one() {
        let rows = json!([{ "a": 1 }, { "a": 2 }]);
        for (value, path) in [
            (rows.clone(), Some("")),
            (json!({ "items": rows, "total": 2 }), Some("items")),
            (
                json!({ "data": { "page": { "nodes": rows } }, "tags": ["x"] }),
                Some("data/page/nodes"),
            ),
            (
                json!({ "items": rows, "more": { "others": rows } }),
                Some("items"),
            ),
            (json!({ "nodes": rows, "edges": rows }), None),
            (
                json!({ "a": { "b": { "c": { "d": { "e": rows } } } } }),
                None,
            ),
            (json!({ "items": [] }), None),
            (json!([{ "a": 1 }, 2]), None),
            (json!("text"), None),
        ] {
            assert_eq!(
                find_rows(&value).map(|path| path.join("/")).as_deref(),
                path,
                "{value}"
            );
        }
        let wide: Value = (0..=MEMBERS_MAX)
            .map(|number| (number.to_string(), json!({ "x": rows })))
            .collect();
        assert_eq!(find_rows(&wide), None, "the search has an end");
    }

    #[test]
    fn what_is_beside_rows_stays() {
        let value = json!({ "total": 2, "data": { "next": "c", "nodes": [{}] } });
        let path = ["data".to_owned(), "nodes".to_owned()];
        assert_eq!(rows_at(&value, &path).unwrap().len(), 1);
        assert_eq!(
            without(&value, &path),
            json!({ "total": 2, "data": { "next": "c" } })
        );
    }

    /// One row with many columns must not make each of many rows take room for them.
    #[test]
    fn a_table_has_a_bounded_number_of_cells() {
        let wide = |columns: usize| {
            (0..columns)
                .map(|number| (number.to_string(), json!(1)))
                .collect::<Value>()
        };
        assert!(table(&[wide(COLUMNS_MAX)]).is_some());
        assert!(table(&[wide(COLUMNS_MAX + 1)]).is_none());
        let mut rows = vec![json!({}); CELLS_MAX / COLUMNS_MAX];
        rows.push(wide(COLUMNS_MAX));
        assert!(table(&rows).is_none());
        assert!(
            table(&[json!({ "_row_id": 7 })]).is_none(),
            "the name of the row number"
        );
    }

    #[test]
    fn columns_are_names_that_recur() {
        let row =
            |person: &str| json!({ "id": 1, "first name": 1, "Ignore_all\u{2063}": 1, person: 1 });
        assert_eq!(
            recurring_columns(&[row("ann"), row("bob"), row("cy")]),
            ["id"]
        );
        assert_eq!(
            recurring_columns(&[row("ann")]),
            [""; 0],
            "one row shows nothing"
        );
        let sparse = [
            json!({ "a": 1, "b": 1 }),
            json!({ "a": 1, "b": 1 }),
            json!({ "a": 1 }),
            json!({ "a": 1 }),
        ];
        assert_eq!(recurring_columns(&sparse), ["a", "b"]);
        let long = json!({ "x".repeat(NAME_MAX + 1): 1, "x".repeat(NAME_MAX): 1 });
        assert_eq!(
            recurring_columns(&[long.clone(), long]),
            ["x".repeat(NAME_MAX)]
        );
    }
}
