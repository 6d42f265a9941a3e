//! Rows of a table, packed: what a selective tool returns, what is shown of it, and what is kept of it.

mod binary;
mod number;
mod read;
mod write;

pub(crate) use number::RowId;
#[cfg(feature = "http")]
pub(crate) use write::Picked;

use read::Cells;
#[cfg(feature = "client")]
pub(crate) use read::Entries;
use serde::Serialize;
use serde_json::value::RawValue;
use std::{fmt, ops::Range};

/// The name of a row's number, which every row is written with (MCP-SD).
pub(crate) const ROW_ID: &str = "_row_id";

/// Rows of a table: columns that are known only when the tool runs, or rows that are too many for a struct each.
///
/// A selective tool returns one where its columns are not those of a Rust type; see [`pd_tool`](macro@crate::pd_tool). A row may
/// lack a column. Rows are numbered from 0 as they were added, and written with that number as `_row_id`.
///
/// ```
/// use pd_runtime::Table;
///
/// let mut table = Table::new(["city", "high"])?;
/// table.push([serde_json::json!("Oslo"), serde_json::json!(21.5)])?;
/// assert_eq!(table.columns(), ["city", "high"]);
/// assert_eq!(table.len(), 1);
///
/// #[derive(serde::Serialize)]
/// struct Day { city: &'static str, high: f32 }
///
/// assert_eq!(Table::of([Day { city: "Oslo", high: 21.5 }])?, table);
/// # Ok::<(), pd_runtime::TableError>(())
/// ```
///
/// It is one text with the place of each cell in it, so that any rows and columns are copied out without being parsed again.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Table {
    columns: Vec<String>,
    /// The cells' JSON, one after the other.
    text: String,
    /// Where each cell ends, row by row; a cell that is missing ends where it begins.
    ends: Vec<u32>,
    /// Told apart from the cells: rows may have none.
    rows: usize,
}

/// Why something is no table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// Two columns have one name.
    #[error("there are two columns `{0}`; give each a name of its own")]
    SameColumn(String),
    /// A column has the name of a row's number.
    #[error("`_row_id` is the number that each row is given; call the column something else")]
    RowId,
    /// A row has another number of cells than the table has columns.
    #[error(
        "a row of {cells} cells does not fit {columns} columns; give one cell for each, `null` where there is nothing"
    )]
    Width {
        /// How many cells the row has.
        cells: usize,
        /// How many columns the table has.
        columns: usize,
    },
    /// A row is no JSON object, or cannot be written as JSON.
    #[error("row {row} is no object with a value for each column: {why}")]
    Row {
        /// Which row, from 0.
        row: usize,
        /// What is wrong with it.
        why: String,
    },
    /// There is more than a table holds.
    #[error("a table holds 4 GiB of JSON; return fewer rows at once")]
    TooLarge,
    /// Bytes that are no packed table.
    #[error("these bytes are no packed table")]
    Unpacked,
}

impl Table {
    /// An empty table with these columns.
    ///
    /// # Errors
    ///
    /// Two columns have one name, or one is called `_row_id`.
    pub fn new<C: Into<String>>(columns: impl IntoIterator<Item = C>) -> Result<Self, TableError> {
        let mut table = Self::default();
        for column in columns {
            let column = column.into();
            if table.column(&column).is_some() {
                return Err(TableError::SameColumn(column));
            }
            table.add_column(column)?;
        }
        Ok(table)
    }

    /// A table of these rows, each of which is written as a JSON object. Its columns are all that any row has, in the order in
    /// which they first appear.
    ///
    /// # Errors
    ///
    /// A row is written as something else, or has a column called `_row_id`.
    pub fn of<R: Serialize>(rows: impl IntoIterator<Item = R>) -> Result<Self, TableError> {
        read::table(rows)
    }

    /// Adds a row: a cell for each column, in their order.
    ///
    /// # Errors
    ///
    /// There are more or fewer cells than columns, or one cannot be written as JSON. The table is as it was before.
    pub fn push<V: Serialize>(&mut self, cells: impl IntoIterator<Item = V>) -> Result<(), TableError> {
        let why = |error: serde_json::Error| TableError::Row { row: self.len(), why: error.to_string() };
        let cells = cells.into_iter().map(|cell| serde_json::value::to_raw_value(&cell).map_err(why));
        let cells = cells.collect::<Result<Vec<_>, _>>()?;
        if cells.len() != self.columns.len() {
            return Err(TableError::Width { cells: cells.len(), columns: self.columns.len() });
        }
        let given = cells.iter().map(|cell| Some(&**cell)).collect::<Cells<'_>>();
        self.add_row(&given)
    }

    /// The columns' names.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes it holds.
    pub(crate) fn bytes(&self) -> usize {
        let names = self.columns.iter().map(|name| name.len() + size_of::<String>()).sum::<usize>();
        names + self.text.len() + self.ends.len() * size_of::<u32>()
    }

    /// Which column has this name.
    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|known| known == name)
    }

    fn add_column(&mut self, column: String) -> Result<(), TableError> {
        if column == ROW_ID {
            return Err(TableError::RowId);
        }
        self.columns.push(column);
        Ok(())
    }

    fn add_row(&mut self, cells: &[Option<&RawValue>]) -> Result<(), TableError> {
        let bytes = cells.iter().flatten().map(|cell| cell.get().len()).sum::<usize>();
        let fits = |count: usize| u32::try_from(count).map_err(|_| TableError::TooLarge);
        fits(self.text.len() + bytes)?;
        fits(self.rows + 1)?;
        for cell in cells {
            self.text.push_str(cell.map_or("", RawValue::get));
            self.ends.push(self.text.len() as u32);
        }
        self.rows += 1;
        Ok(())
    }

    /// A cell's JSON, if the row has it.
    fn cell(&self, row: usize, column: usize) -> Option<&str> {
        let place = row * self.columns.len() + column;
        let begin = place.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let Range { start, end } = begin as usize..*self.ends.get(place)? as usize;
        self.text.get(start..end).filter(|cell| !cell.is_empty())
    }
}

/// Its shape only: cells are somebody's data.
impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("columns", &self.columns).field("rows", &self.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
