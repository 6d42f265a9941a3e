//! A call of a selective tool: its choice before the run, and after it the rows, divided into what is shown and what is kept.

use super::output;
use crate::{
    disclosure::view::View,
    registry::{
        selective::{
            column_selection::{Choice, Mode},
            columns::{ABSTRACT_DOMAINS, Columns},
        },
        tool_spec::About,
        validate::Violations,
    },
    selective::table::Table,
    tool::{
        context::CallContext,
        error::{IntoToolError, ToolError},
        output::Outcome,
        row_slot::Tray,
    },
};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde_json::{Value, json};

/// A choice that fits the tool, and where its rows will be.
#[derive(Debug)]
pub(super) struct Selection<'a> {
    choice: Choice,
    about: &'a About,
    columns: &'a Columns,
    tray: Tray,
}

/// Takes the choice of columns out of valid arguments, if the tool is selective and its caller made one.
///
/// # Errors
///
/// It names columns that rows of this tool surely do not have.
pub(super) fn select<'a>(about: &'a About, arguments: &mut JsonObject) -> Result<Option<Selection<'a>>, Violations> {
    let Some(columns) = &about.columns else { return Ok(None) };
    let Some(choice) = Choice::take(arguments) else { return Ok(None) };
    match choice.judge(columns) {
        Ok(()) => Ok(Some(Selection { choice, about, columns, tray: Tray::default() })),
        Err(why) => Err(Violations::of_argument(ABSTRACT_DOMAINS, why)),
    }
}

impl Selection<'_> {
    /// The call with a place for its rows.
    pub(super) fn context(&self, context: &CallContext) -> CallContext {
        context.with_tray(Some(self.tray.clone()))
    }

    /// Whether what is not shown could be handed on, as far as that is known before the tool has run.
    ///
    /// # Errors
    ///
    /// It would have to be kept, and nothing can be: the tool would have run for nothing.
    pub(super) fn check(&self, view: Option<&View<'_>>) -> Result<(), ToolError> {
        if self.choice.mode == Mode::Sync || self.shows_all() {
            return Ok(());
        }
        view.ok_or_else(no_view)?.plane.check().map_err(IntoToolError::into_tool_error)
    }

    fn shows_all(&self) -> bool {
        let is_shown = |column: &str| self.choice.columns.iter().any(|shown| shown == column);
        !self.columns.is_open && self.columns.names().all(is_shown)
    }

    pub(super) fn mode(&self) -> Mode {
        self.choice.mode
    }

    /// What the caller gets in place of the rows, if there are any. What is not shown goes to the view's data plane; a call from
    /// code has none.
    ///
    /// # Errors
    ///
    /// The tool failed; its rows lack a column; they are too many to be shown, or cannot be kept.
    pub(super) async fn divide(self, outcome: Outcome, view: Option<&View<'_>>) -> Outcome {
        let outcome = outcome?;
        let Some(table) = self.tray.take() else { return Ok(outcome) };
        let division = Division::of(&self.choice, self.columns, &table)?;
        let mut text = division.shown(&table);
        // Where nothing is left, both stand there all the same, and blank: the reference's agents look for them.
        match self.choice.mode {
            Mode::Sync if division.has_body(&table) => division.write_body(&table, &mut text),
            Mode::Sync => text.push_str(",\"body\":[]"),
            Mode::Async => {
                let url =
                    if division.has_body(&table) { self.keep(table, text.len(), view).await? } else { String::new() };
                text.push_str(",\"resource_url\":");
                text.push_str(&Value::from(url).to_string());
            }
        }
        text.push('}');
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }

    /// Keeps the rows of an answer that has so many bytes, if it can be sent; gives their URL.
    async fn keep(&self, table: Table, bytes: usize, view: Option<&View<'_>>) -> Result<String, ToolError> {
        let view = view.ok_or_else(no_view)?;
        output::within(bytes, view, self.about, Some(self.choice.mode))?;
        view.plane.keep(table, view.caller.payer()).await.map_err(IntoToolError::into_tool_error)
    }
}

fn no_view() -> ToolError {
    ToolError::new("NO_DATA_PLANE", "a call from code has no data plane to keep rows on; ask for `mode`: `sync`")
}

/// All columns, and which of them are shown.
#[derive(Debug)]
struct Division<'a> {
    all: Vec<&'a str>,
    shown: Vec<&'a str>,
    body: Vec<&'a str>,
}

impl<'a> Division<'a> {
    /// Columns that the type tells stand first, whether or not a row has them.
    fn of(choice: &'a Choice, columns: &'a Columns, table: &'a Table) -> Result<Self, ToolError> {
        let mut all: Vec<&str> = columns.names().collect();
        for column in table.columns() {
            if !all.contains(&column.as_str()) {
                all.push(column);
            }
        }
        // Without rows nobody knows the columns that only rows tell.
        if !columns.is_open || !table.columns().is_empty() {
            choice.within(all.iter().copied()).map_err(|why| ToolError::invalid_argument(ABSTRACT_DOMAINS, &why))?;
        }
        let shown: Vec<&str> = choice.columns.iter().map(String::as_str).collect();
        let body = all.iter().copied().filter(|column| !shown.contains(column)).collect();
        Ok(Self { all, shown, body })
    }

    fn has_body(&self, table: &Table) -> bool {
        !table.is_empty() && self.body.iter().any(|column| table.column(column).is_some())
    }

    /// The answer up to where the body goes.
    fn shown(&self, table: &Table) -> String {
        let names = |names: &[&str]| json!(names).to_string();
        let mut text = format!(
            "{{\"total_rows\":{},\"columns\":{},\"abstract_domains\":{},\"body_domains\":{},\"abstract\":",
            table.len(),
            names(&self.all),
            names(&self.shown),
            names(&self.body),
        );
        write(table, &self.shown, &mut text);
        text
    }

    fn write_body(&self, table: &Table, text: &mut String) {
        text.push_str(",\"body\":");
        write(table, &self.body, text);
    }
}

fn write(table: &Table, columns: &[&str], text: &mut String) {
    let places = columns.iter().filter_map(|column| table.column(column));
    let picked = table.picked(0..table.len(), places);
    text.reserve(picked.written_len());
    picked.write(text);
}
