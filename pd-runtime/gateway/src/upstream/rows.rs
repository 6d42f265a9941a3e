//! The rows in the results of upstreams, from which callers choose columns.
//!
//! A result is divided for a caller that chose columns only. The columns come from the tool's
//! output schema, or from the results that it had (`observed_columns`).

mod json_rows;
mod observed_columns;
mod output_schema;
mod row_document;

pub(crate) use observed_columns::ObservedColumns;

use crate::{config::SelectiveResults, upstream::Upstream};
use json_rows::RowPath;
use pd_runtime::upstream::{RowColumns, RowSlot, ToolSpec};
use rmcp::model::JsonObject;
use row_document::RowDocument;
use serde_json::Value;

/// Where the rows of a tool's results are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RowSource {
    /// At this place, by the tool's output schema.
    OutputSchema(RowPath),
    /// Wherever a result has them. The output schema, if there is one, describes no rows.
    Results {
        /// Whether `structuredContent` must be valid by an output schema.
        has_output_schema: bool,
    },
}

/// A tool that is selective, or becomes so when a result has rows.
#[derive(Debug)]
pub(crate) struct SelectiveTool {
    pub(crate) source: RowSource,
    /// `None` if no columns are known yet.
    columns: Option<RowColumns>,
}

impl SelectiveTool {
    /// Returns how callers may choose columns of a tool, or `None` if its settings do not allow it.
    pub(crate) fn new(
        upstream: &Upstream,
        tool: &str,
        output_schema: Option<&JsonObject>,
    ) -> Option<Self> {
        let selective = upstream.entry.settings.selective_of(tool);
        if selective == SelectiveResults::Never {
            return None;
        }
        if let Some((path, columns)) = output_schema.and_then(output_schema::find_rows) {
            return Some(Self {
                source: RowSource::OutputSchema(path),
                columns: Some(columns),
            });
        }
        let known = upstream
            .lists
            .columns
            .columns(tool)
            .map(RowColumns::from_names);
        let any = (selective == SelectiveResults::Always).then(RowColumns::default);
        let source = RowSource::Results {
            has_output_schema: output_schema.is_some(),
        };
        Some(Self {
            source,
            columns: known.or(any),
        })
    }

    /// Adds the arguments that select columns. A tool with arguments of these names stays as it is.
    pub(crate) fn add_arguments(self, about: &mut ToolSpec) {
        let is_in_schema = matches!(self.source, RowSource::OutputSchema(_));
        // The contract digest leaves such columns out, so that tickets stay valid when more are
        // seen.
        about.has_observed_columns = !is_in_schema;
        let Some(columns) = self.columns else { return };
        if !about.add_row_columns(columns) {
            tracing::debug!(
                tool = &*about.name,
                "its own arguments prevent that callers choose columns"
            );
        } else if is_in_schema {
            // A client that knows the schema would refuse the answer to a choice of columns.
            about.output_schema = None;
        }
    }
}

/// Puts the rows of a result into a slot, and returns the rest of the result. Returns `None` if the
/// result has no rows, or too many.
pub(crate) fn divide_result(result: &Value, source: &RowSource, slot: &RowSlot) -> Option<Value> {
    let document = RowDocument::find(result, source)?;
    let table = json_rows::table(document.rows())?;
    let rest = document.result_without_rows(result);
    slot.put_upstream(table, document.into_frame());
    Some(rest)
}

impl Upstream {
    /// Remembers the columns of a result if the tool's output schema has no rows.
    pub(crate) fn observe_columns(&self, tool: &str, result: &Value, source: &RowSource) {
        if matches!(source, RowSource::OutputSchema(_)) {
            return;
        }
        let Some(document) = RowDocument::find(result, source) else {
            return;
        };
        let is_new = self
            .lists
            .columns
            .add(tool, &json_rows::recurring_columns(document.rows()));
        if is_new {
            tracing::debug!(
                server = self.name(),
                tool,
                "callers may choose columns of a tool's results"
            );
            // Then `follow` makes the definitions again, with the new columns.
            self.shared.changed.send_modify(|changes| *changes += 1);
        }
    }
}
