//! The selection in a call of a selective tool: the columns to show, and the transfer of the
//! others.

use crate::{
    registry::selective::columns::{ABSTRACT_DOMAINS, MODE, RowColumns},
    selective::table::ROW_ID,
    text::truncate::with_ellipsis,
};
use pd_schema::suggest::nearest;

use rmcp::model::JsonObject;
use std::collections::HashSet;

/// The maximum number of unknown columns in an error.
const UNKNOWN_MAX: usize = 5;
/// The maximum number of known columns in an error.
const KNOWN_MAX: usize = 200;
/// The maximum length of a name in an error, in characters.
const NAME_MAX: usize = 64;

/// A caller's selection of columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ColumnSelection {
    /// The columns to show, each once, in the caller's order.
    pub(crate) columns: Vec<String>,
    pub(crate) mode: TransferMode,
}

/// The transfer of the columns that are not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransferMode {
    /// The server stores them for the holder of their URL.
    Async,
    /// The result contains them, and the agent removes them.
    Sync,
}

impl ColumnSelection {
    /// Removes the selection from a call's arguments and returns it. The function's own arguments
    /// remain. Without named columns there is no selection, and `None` is returned.
    pub(crate) fn take(arguments: &mut JsonObject) -> Option<Self> {
        // Removed even without a selection, because the function does not have the argument.
        let mode = arguments.shift_remove(MODE);
        let selection = arguments.shift_remove(ABSTRACT_DOMAINS)?;
        let selection = selection
            .as_str()
            .map(str::trim)
            .filter(|names| !names.is_empty())?;
        // The schema has checked the mode, and `async` is its default.
        let mode = if mode.is_some_and(|mode| mode == "sync") {
            TransferMode::Sync
        } else {
            TransferMode::Async
        };
        let mut columns = parse_names(selection);
        // Every row has its number anyway, so naming it selects nothing.
        let mut seen = HashSet::from([ROW_ID.to_owned()]);
        columns.retain(|name| seen.insert(name.clone()));
        Some(Self { columns, mode })
    }

    /// Checks the selection against the columns that are known before the tool runs.
    ///
    /// # Errors
    ///
    /// Returns an error that lists the unknown columns, and the known ones.
    pub(crate) fn check(&self, columns: &RowColumns) -> Result<(), String> {
        match columns.is_open {
            true => Ok(()),
            false => self.check_against(columns.names()),
        }
    }

    /// Checks the selection against all columns of the rows.
    ///
    /// # Errors
    ///
    /// Returns the same error as [`Self::check`].
    pub(crate) fn check_against<'a>(
        &self,
        known: impl Iterator<Item = &'a str>,
    ) -> Result<(), String> {
        let known: Vec<&str> = known.collect();
        // A set for the test of each column, and the list for the order in the message.
        let names: HashSet<&str> = known.iter().copied().collect();
        let unknown: Vec<&str> = self
            .columns
            .iter()
            .map(String::as_str)
            .filter(|column| !names.contains(column))
            .collect();
        match unknown.len() {
            0 => Ok(()),
            1 => Err(format!(
                "{} is not a column of its rows, which have {}",
                render_unknown(&unknown, &known),
                render_known(&known)
            )),
            _ => Err(format!(
                "{} are not columns of its rows, which have {}",
                render_unknown(&unknown, &known),
                render_known(&known)
            )),
        }
    }
}

/// Parses `name, other` or a JSON array of names. Models also write arrays that are not quite JSON,
/// such as `[a, 'b']`, so those are accepted.
fn parse_names(text: &str) -> Vec<String> {
    // JSON first: a comma inside a quoted name belongs to the name.
    if let Ok(names) = serde_json::from_str::<Vec<String>>(text) {
        return names
            .into_iter()
            .map(|name| name.trim().to_owned())
            .collect();
    }
    let bare = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
        .unwrap_or(text);
    let names = bare
        .split(',')
        .map(|name| name.trim().trim_matches(['"', '\'', '`']).trim());
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Renders the unknown columns, each with a suggestion.
fn render_unknown(unknown: &[&str], known: &[&str]) -> String {
    join_with_rest(
        unknown
            .iter()
            .take(UNKNOWN_MAX)
            .map(|name| match nearest(name, known) {
                Some(near) => format!("`{}` (did you mean `{near}`?)", truncate(name)),
                None => format!("`{}`", truncate(name)),
            })
            .collect(),
        unknown.len(),
    )
}

fn render_known(known: &[&str]) -> String {
    match known {
        [] => "none".to_owned(),
        _ => join_with_rest(
            known
                .iter()
                .take(KNOWN_MAX)
                .map(|name| truncate(name))
                .collect(),
            known.len(),
        ),
    }
}

fn join_with_rest(shown: Vec<String>, all: usize) -> String {
    let text = shown.join(", ");
    if all > shown.len() {
        format!("{text} and {} more", all - shown.len())
    } else {
        text
    }
}

fn truncate(name: &str) -> String {
    // A caller may send a name of any length, and the error repeats it.
    with_ellipsis(name, NAME_MAX)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::expect_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::registry::selective::columns::{RowColumn, RowColumns};
    use serde_json::{Value, json};

    fn chosen(arguments: Value) -> Option<ColumnSelection> {
        ColumnSelection::take(&mut arguments.as_object().cloned().unwrap_or_default())
    }

    fn columns(names: Value) -> Option<Vec<String>> {
        chosen(json!({ "abstract_domains": names })).map(|choice| choice.columns)
    }

    #[test]
    fn columns_are_named_in_any_way_a_model_writes_them() {
        for written in [
            "event,area",
            " event , area,",
            r#"["event","area"]"#,
            "[event, area]",
            "['event', \"area\"]",
        ] {
            assert_eq!(
                columns(json!(written)),
                Some(vec!["event".to_owned(), "area".to_owned()]),
                "{written}"
            );
        }
        assert_eq!(
            columns(json!("event,event,_row_id")),
            Some(vec!["event".to_owned()])
        );
        assert_eq!(
            columns(json!(r#"["a, b"]"#)),
            Some(vec!["a, b".to_owned()]),
            "a comma is part of a name there"
        );
    }

    #[test]
    fn nothing_named_is_no_choice_and_numbers_alone_are_one() {
        assert_eq!(
            (
                chosen(json!({})),
                columns(json!("  ")),
                chosen(json!({ "mode": "sync" }))
            ),
            (None, None, None)
        );
        for rows_alone in ["_row_id", "[]", ","] {
            assert_eq!(columns(json!(rows_alone)), Some(Vec::new()), "{rows_alone}");
        }
    }

    #[test]
    fn the_functions_own_arguments_are_left() {
        let mut arguments = json!({ "area": "CA", "abstract_domains": "event", "mode": "sync" });
        let arguments = arguments.as_object_mut().expect("an object");
        assert_eq!(
            ColumnSelection::take(arguments).map(|choice| choice.mode),
            Some(TransferMode::Sync)
        );
        assert_eq!(Value::Object(arguments.clone()), json!({ "area": "CA" }));
    }

    #[test]
    fn unknown_columns_are_told_with_what_was_meant_and_what_there_is() {
        let known = ["event", "severity"].map(|name| RowColumn {
            name: name.to_owned(),
            doc: String::new(),
            kind: "string".to_owned(),
        });
        let mut columns = RowColumns {
            known: known.to_vec(),
            is_open: false,
        };
        let judge = |columns: &RowColumns, named: &str| match chosen(
            json!({ "abstract_domains": named }),
        ) {
            Some(choice) => choice.check(columns),
            None => Ok(()),
        };
        assert_eq!(judge(&columns, "severity,event"), Ok(()));
        let told = "`sevrity` (did you mean `severity`?) is not a column of its rows, which have event, severity";
        assert_eq!(judge(&columns, "sevrity"), Err(told.to_owned()));
        let told = "`headline`, `evnt` (did you mean `event`?) are not columns of its rows, which have event, severity";
        assert_eq!(judge(&columns, "headline,event,evnt"), Err(told.to_owned()));
        columns.is_open = true;
        assert_eq!(judge(&columns, "headline"), Ok(()), "only a run tells");
    }

    #[test]
    fn what_a_caller_sent_is_repeated_within_bounds() {
        let many = (0..1000)
            .map(|number| format!("{number}{}", "x".repeat(100)))
            .collect::<Vec<_>>()
            .join(",");
        let columns = RowColumns {
            known: Vec::new(),
            is_open: false,
        };
        let told = chosen(json!({ "abstract_domains": many }))
            .and_then(|choice| choice.check(&columns).err());
        let told = told.expect("unknown columns");
        assert!(told.contains("and 995 more") && told.len() < 500, "{told}");
    }
}
