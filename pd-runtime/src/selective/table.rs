//! Tables of packed rows: the result of a selective tool, before it is divided into shown and
//! stored columns.

mod binary;
mod number;
mod read;
mod write;

pub(crate) use number::RowId;
#[cfg(feature = "http")]
pub(crate) use write::PickedRows;

#[cfg(feature = "client")]
pub(crate) use read::ObjectEntries;
use read::RowCells;
use serde::Serialize;
use serde_json::value::RawValue;
use std::{fmt, ops::Range};

/// The member that contains a row's number in every written row (MCP-SD).
pub const ROW_ID: &str = "_row_id";

/// Rows with columns that are known only at run time, or too many rows for one struct each.
///
/// A selective tool returns a table if no Rust type has its columns; see
/// [`pd_tool`](macro@crate::pd_tool). A row may lack a column. Rows are numbered from 0 in the
/// order in which they were added, and are written with that number as `_row_id`.
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
/// assert_eq!(Table::from_rows([Day { city: "Oslo", high: 21.5 }])?, table);
/// # Ok::<(), pd_runtime::selective::TableError>(())
/// ```
///
/// A table is one text with the position of each cell, so rows and columns can be copied out
/// without parsing.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Table {
    columns: Vec<String>,
    /// The JSON of all cells, one after the other.
    text: String,
    /// The end of each cell in `text`, row by row. A missing cell ends where it begins.
    ends: Vec<u32>,
    /// The number of rows. It cannot be derived from `ends`, because rows may have no columns.
    rows: usize,
}

/// An error of building or decoding a table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// Two columns have the same name.
    #[error("duplicate column `{0}`; give each column its own name")]
    SameColumn(String),
    /// A column has the name `_row_id`.
    #[error("`_row_id` is the number of each row; choose another name for the column")]
    RowId,
    /// The number of cells in a row differs from the number of columns.
    #[error(
        "a row of {cells} cells does not fit {columns} columns; give one cell for each, `null` where there is nothing"
    )]
    Width {
        /// The number of cells in the row.
        cells: usize,
        /// The number of columns in the table.
        columns: usize,
    },
    /// A row cannot be written as a JSON object.
    #[error("row {row} is not an object with a value for each column: {why}")]
    Row {
        /// The number of the row, from 0.
        row: usize,
        /// The problem.
        why: String,
    },
    /// The table exceeds its limit of 4 GiB.
    #[error("a table holds 4 GiB of JSON; return fewer rows at once")]
    TooLarge,
    /// The bytes are not a packed table.
    #[error("these bytes are not a packed table")]
    Unpacked,
}

impl Table {
    /// Creates an empty table with these columns.
    ///
    /// # Errors
    ///
    /// Returns an error if two columns have the same name, or if a column is called `_row_id`.
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

    /// Creates a table from rows that serialize as JSON objects. Its columns are all members of the
    /// rows, in the order of their first appearance.
    ///
    /// # Errors
    ///
    /// Returns an error if a row does not serialize as an object, or has a member called `_row_id`.
    pub fn from_rows<R: Serialize>(rows: impl IntoIterator<Item = R>) -> Result<Self, TableError> {
        read::table(rows)
    }

    /// Adds a row with one cell for each column, in column order.
    ///
    /// # Errors
    ///
    /// Returns an error if the number of cells differs from the number of columns, or if a cell
    /// cannot be written as JSON. The table is then unchanged.
    pub fn push<V: Serialize>(
        &mut self,
        cells: impl IntoIterator<Item = V>,
    ) -> Result<(), TableError> {
        let cells = cells.into_iter().map(|cell| {
            serde_json::value::to_raw_value(&cell).map_err(|error| TableError::Row {
                row: self.len(),
                why: error.to_string(),
            })
        });
        // All cells are serialized before the first one is added, so an error adds none.
        let cells = cells.collect::<Result<Vec<_>, _>>()?;
        if cells.len() != self.columns.len() {
            return Err(TableError::Width {
                cells: cells.len(),
                columns: self.columns.len(),
            });
        }
        let given = cells
            .iter()
            .map(|cell| Some(&**cell))
            .collect::<RowCells<'_>>();
        self.add_row(&given)
    }

    /// Returns the names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Returns whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the approximate memory of the table, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let names = self
            .columns
            .iter()
            .map(|name| name.len() + size_of::<String>())
            .sum::<usize>();
        names + self.text.len() + self.ends.len() * size_of::<u32>()
    }

    /// Returns the index of the column with this name.
    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|known| known == name)
    }

    fn add_column(&mut self, column: String) -> Result<(), TableError> {
        // Written rows contain `_row_id`, and an object must not have one key twice.
        if column == ROW_ID {
            return Err(TableError::RowId);
        }
        self.columns.push(column);
        Ok(())
    }

    fn add_row(&mut self, cells: &[Option<&RawValue>]) -> Result<(), TableError> {
        let bytes = cells
            .iter()
            .flatten()
            .map(|cell| cell.get().len())
            .sum::<usize>();
        let fits = |count: usize| u32::try_from(count).map_err(|_| TableError::TooLarge);
        // Checked before anything is written, so that an error leaves the table unchanged.
        fits(self.text.len() + bytes)?;
        // Rows without cells add no text, so their number has a check, too.
        fits(self.rows + 1)?;
        for cell in cells {
            self.text.push_str(cell.map_or("", RawValue::get));
            self.ends.push(self.text.len() as u32);
        }
        self.rows += 1;
        Ok(())
    }

    /// Returns the JSON of a cell, or `None` if the row lacks it.
    fn cell(&self, row: usize, column: usize) -> Option<&str> {
        let place = row * self.columns.len() + column;
        // JSON values are never empty, so an empty range can represent a missing cell.
        let begin = place
            .checked_sub(1)
            .and_then(|before| self.ends.get(before))
            .copied()
            .unwrap_or(0);
        let Range { start, end } = begin as usize..*self.ends.get(place)? as usize;
        self.text.get(start..end).filter(|cell| !cell.is_empty())
    }
}

/// Prints the shape only: cells contain user data.
impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("columns", &self.columns)
            .field("rows", &self.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
