//! The rows of a selective call: the caller's choice of columns before the run, and afterwards the
//! rows, divided into those shown and those stored.

use super::output;
use crate::{
    disclosure::view::CallerView,
    registry::{
        selective::{
            column_selection::{ColumnSelection, TransferMode},
            columns::{ABSTRACT_DOMAINS, RowColumns},
        },
        tool_spec::ToolSpec,
    },
    selective::table::Table,
    tool::{
        context::CallContext,
        error::{IntoToolError, ToolError},
        output::ToolResult,
        row_slot::{CallRows, ResultFrame, RowSlot},
    },
};
use pd_schema::violations::SchemaViolations;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, JsonObject};
use serde_json::{Value, json};

/// A choice of columns that fits the tool, and the slot for its rows.
#[derive(Debug)]
pub(super) struct SelectiveCall<'a> {
    choice: ColumnSelection,
    about: &'a ToolSpec,
    columns: &'a RowColumns,
    tray: RowSlot,
}

/// Takes the choice of columns out of valid arguments. Returns `None` if the tool is not selective
/// or the caller made no choice.
///
/// # Errors
///
/// Returns an error if the choice names columns that rows of this tool can never have.
pub(super) fn select<'a>(
    about: &'a ToolSpec,
    arguments: &mut JsonObject,
) -> Result<Option<SelectiveCall<'a>>, SchemaViolations> {
    let Some(columns) = &about.columns else {
        return Ok(None);
    };
    let Some(choice) = ColumnSelection::take(arguments) else {
        return Ok(None);
    };
    match choice.check(columns) {
        Ok(()) => Ok(Some(SelectiveCall {
            choice,
            about,
            columns,
            tray: RowSlot::default(),
        })),
        Err(why) => Err(SchemaViolations::from_argument(ABSTRACT_DOMAINS, why)),
    }
}

impl SelectiveCall<'_> {
    /// Returns the call's context with a slot for its rows.
    pub(super) fn context(&self, context: &CallContext) -> CallContext {
        context.with_tray(Some(self.tray.clone()))
    }

    /// Checks whether the hidden rows could be handed on, as far as this is known before the tool
    /// has run.
    ///
    /// # Errors
    ///
    /// Returns an error if the rows would have to be stored and nothing can store them: the tool
    /// would have run in vain.
    pub(super) fn check(&self, view: Option<&CallerView<'_>>) -> Result<(), ToolError> {
        // Nothing has to be stored in these cases.
        if self.choice.mode == TransferMode::Sync || self.shows_all() {
            return Ok(());
        }
        view.ok_or_else(no_view)?
            .plane
            .check()
            .map_err(IntoToolError::into_tool_error)
    }

    fn shows_all(&self) -> bool {
        !self.columns.is_open
            && self
                .columns
                .names()
                .all(|column| self.choice.columns.iter().any(|chosen| chosen == column))
    }

    pub(super) fn mode(&self) -> TransferMode {
        self.choice.mode
    }

    /// Replaces the rows, if the tool returned any, by the caller's answer. Hidden columns go to
    /// the view's data plane; a call from code has none.
    ///
    /// # Errors
    ///
    /// Returns an error if the tool failed, its rows lack a chosen column, or the rows are too many
    /// to be shown or cannot be stored.
    pub(super) async fn divide(
        self,
        outcome: ToolResult,
        view: Option<&CallerView<'_>>,
    ) -> ToolResult {
        // The tool returns its rows through the slot; its own result is then only a placeholder.
        let outcome = outcome?;
        let Some(CallRows { table, frame }) = self.tray.take() else {
            return Ok(outcome);
        };
        let division = match &frame {
            Some(_) => ColumnSplit::from_upstream(&self.choice, self.columns, &table),
            None => ColumnSplit::new(&self.choice, self.columns, &table)?,
        };
        // Written by hand, because the cells are packed JSON that is copied without being parsed
        // again.
        let mut text = division.render_head(&table);
        if let Some(frame) = frame.as_ref().filter(|frame| !frame.members.is_empty()) {
            text.push_str(",\"rest\":");
            text.push_str(&json!(frame.members).to_string());
        }
        // Both members are present even if no column is hidden, and are then blank: the reference
        // implementation's agents look for them.
        match self.choice.mode {
            TransferMode::Sync if division.has_body(&table) => {
                division.write_body(&table, &mut text)
            }
            TransferMode::Sync => text.push_str(",\"body\":[]"),
            TransferMode::Async => {
                let url = if division.has_body(&table) {
                    self.store(table, text.len(), view).await?
                } else {
                    String::new()
                };
                text.push_str(",\"resource_url\":");
                text.push_str(&Value::from(url).to_string());
            }
        }
        text.push('}');
        Ok(answer(outcome, text, frame))
    }

    /// Stores the rows of an answer of this size, if the answer can be sent, and returns their URL.
    async fn store(
        &self,
        table: Table,
        bytes: usize,
        view: Option<&CallerView<'_>>,
    ) -> Result<String, ToolError> {
        let view = view.ok_or_else(no_view)?;
        // Checked before storing: rows of an answer that is too large would wait for a URL that
        // nobody has.
        output::check_size(bytes, view, self.about, Some(self.choice.mode))?;
        view.plane
            .store_rows(table, view.caller.payer())
            .await
            .map_err(IntoToolError::into_tool_error)
    }
}

/// Puts the answer's text before what the tool's own result has left.
fn answer(outcome: CallToolResponse, text: String, frame: Option<ResultFrame>) -> CallToolResponse {
    let mut result = match outcome {
        CallToolResponse::Complete(result) => result,
        _ => CallToolResult::success(Vec::new()),
    };
    if let Some(key) = frame.and_then(|frame| frame.text_key) {
        result.structured_content = Some(json!({ key: text }));
    }
    result.content.insert(0, ContentBlock::text(text));
    result.into()
}

fn no_view() -> ToolError {
    ToolError::new(
        "NO_DATA_PLANE",
        "a call from code has no data plane to store rows on; ask for `mode`: `sync`",
    )
}

/// All columns of some rows, divided into shown and hidden ones.
#[derive(Debug)]
struct ColumnSplit<'a> {
    all: Vec<&'a str>,
    abstract_columns: Vec<&'a str>,
    body_columns: Vec<&'a str>,
    /// Chosen columns that the rows of an upstream do not have.
    unknown_columns: Vec<&'a str>,
}

impl<'a> ColumnSplit<'a> {
    /// Divides the columns. Columns of the row type come first, even if no row has them.
    fn new(
        choice: &'a ColumnSelection,
        columns: &'a RowColumns,
        table: &'a Table,
    ) -> Result<Self, ToolError> {
        let mut all: Vec<&str> = columns.names().collect();
        for column in table.columns() {
            if !all.contains(&column.as_str()) {
                all.push(column);
            }
        }
        // Columns that only rows reveal are unknown without rows, so no name is an error then.
        if !columns.is_open || !table.columns().is_empty() {
            choice
                .check_against(all.iter().copied())
                .map_err(|why| ToolError::invalid_argument(ABSTRACT_DOMAINS, &why))?;
        }
        Ok(Self::from_chosen(
            all,
            choice.columns.iter().map(String::as_str).collect(),
            Vec::new(),
        ))
    }

    /// Divides the columns of an upstream's rows. A missing column does not cause an error, because
    /// the tool has run, and a second run may do more than read. The answer names such columns.
    fn from_upstream(
        choice: &'a ColumnSelection,
        columns: &'a RowColumns,
        table: &'a Table,
    ) -> Self {
        let (chosen, unknown) = choice
            .columns
            .iter()
            .map(String::as_str)
            .partition(|column| {
                table.column(column).is_some() || columns.names().any(|known| known == *column)
            });
        // Without rows, those that were seen earlier say more than none.
        let all: Vec<&str> = match table.is_empty() {
            true => columns.names().collect(),
            false => table.columns().iter().map(String::as_str).collect(),
        };
        Self::from_chosen(all, chosen, unknown)
    }

    fn from_chosen(
        all: Vec<&'a str>,
        abstract_columns: Vec<&'a str>,
        unknown_columns: Vec<&'a str>,
    ) -> Self {
        let body_columns = all
            .iter()
            .copied()
            .filter(|column| !abstract_columns.contains(column))
            .collect();
        Self {
            all,
            abstract_columns,
            body_columns,
            unknown_columns,
        }
    }

    fn has_body(&self, table: &Table) -> bool {
        !table.is_empty()
            && self
                .body_columns
                .iter()
                .any(|column| table.column(column).is_some())
    }

    /// Renders the answer up to the place of the body.
    fn render_head(&self, table: &Table) -> String {
        let names = |names: &[&str]| json!(names).to_string();
        let mut text = format!(
            "{{\"total_rows\":{},\"columns\":{},\"abstract_domains\":{},\"body_domains\":{},",
            table.len(),
            names(&self.all),
            names(&self.abstract_columns),
            names(&self.body_columns),
        );
        if !self.unknown_columns.is_empty() {
            text.push_str(&format!(
                "\"unknown_domains\":{},",
                names(&self.unknown_columns)
            ));
        }
        text.push_str("\"abstract\":");
        write(table, &self.abstract_columns, &mut text);
        text
    }

    fn write_body(&self, table: &Table, text: &mut String) {
        text.push_str(",\"body\":");
        write(table, &self.body_columns, text);
    }
}

fn write(table: &Table, columns: &[&str], text: &mut String) {
    let places = columns.iter().filter_map(|column| table.column(column));
    let picked = table.select(0..table.len(), places);
    // The exact length is known, and large results would otherwise grow the buffer many times.
    text.reserve(picked.written_len());
    picked.write(text);
}
