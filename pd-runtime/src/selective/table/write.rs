//! Writing of selected rows and columns as JSON: `[{"_row_id":0,"city":"Oslo"}]`.

use super::{ROW_ID, Table};
use std::ops::Deref;

/// Selected rows and columns, ready to be written. Names are quoted only once, in advance.
///
/// `T` is a reference to the table or an owner of it, as the writer needs.
#[derive(Debug)]
pub(crate) struct PickedRows<T> {
    table: T,
    rows: Vec<usize>,
    /// The index of each column, and the text before its cell: a comma, the quoted name and a
    /// colon.
    columns: Vec<(usize, String)>,
}

impl Table {
    /// Selects rows and columns in the given order. Indexes beyond the table are ignored.
    pub(crate) fn select(
        &self,
        rows: impl IntoIterator<Item = usize>,
        columns: impl IntoIterator<Item = usize>,
    ) -> PickedRows<&Self> {
        PickedRows::new(self, rows, columns)
    }

    /// Writes all rows with all columns and without row numbers, as results without selection
    /// contain them.
    pub(crate) fn write_plain(&self, out: &mut String) {
        let all = self.select(0..self.len(), 0..self.columns.len());
        out.push('[');
        for row in 0..self.len() {
            out.push_str(if row == 0 { "{" } else { ",{" });
            let before = out.len();
            all.write_cells(row, out);
            // Each prepared name starts with a comma, because `_row_id` precedes it elsewhere.
            // Remove the first one here.
            // A row that lacks every cell has no comma.
            if out.len() > before {
                out.remove(before);
            }
            out.push('}');
        }
        out.push(']');
    }
}

impl<T: Deref<Target = Table>> PickedRows<T> {
    /// Selects rows and columns like [`Table::select`], with an owner of the table.
    pub(crate) fn new(
        table: T,
        rows: impl IntoIterator<Item = usize>,
        columns: impl IntoIterator<Item = usize>,
    ) -> Self {
        let rows = rows.into_iter().filter(|row| *row < table.len()).collect();
        let columns = columns
            .into_iter()
            .filter_map(|place| Some((place, format!(",{}:", quoted(table.columns.get(place)?)))))
            .collect();
        Self {
            table,
            rows,
            columns,
        }
    }

    #[cfg(any(test, feature = "http"))]
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Writes rows from index `from` of the selection until `out` has `enough` bytes. Writes no
    /// brackets, but a comma before each row except the first. Returns the index of the next row,
    /// or `None` after the last.
    pub(crate) fn write_some(&self, from: usize, enough: usize, out: &mut String) -> Option<usize> {
        for (place, row) in self.rows.iter().enumerate().skip(from) {
            // Checked between rows, so the last row may exceed `enough`.
            if out.len() >= enough {
                return Some(place);
            }
            self.write_row(place, *row, out);
        }
        None
    }

    /// Writes the rows as a JSON array.
    pub(crate) fn write(&self, out: &mut String) {
        out.push('[');
        self.write_some(0, usize::MAX, out);
        out.push(']');
    }

    /// Returns the number of bytes that [`write`](Self::write) appends.
    pub(crate) fn written_len(&self) -> usize {
        let commas = self.rows.len().saturating_sub(1);
        "[]".len()
            + commas
            + self
                .rows
                .iter()
                .map(|row| self.row_len(*row))
                .sum::<usize>()
    }

    fn row_len(&self, row: usize) -> usize {
        let cell = |(column, name): &(usize, String)| {
            self.table
                .cell(row, *column)
                // A missing cell writes neither its name nor a comma.
                .map_or(0, |cell| name.len() + cell.len())
        };
        // Row 0 has no logarithm, but one digit.
        let number = row.checked_ilog10().unwrap_or(0) as usize + 1;
        "{\"\":}".len() + ROW_ID.len() + number + self.columns.iter().map(cell).sum::<usize>()
    }

    fn write_row(&self, place: usize, row: usize, out: &mut String) {
        out.push_str(if place == 0 { "{\"" } else { ",{\"" });
        out.push_str(ROW_ID);
        out.push_str("\":");
        out.push_str(&row.to_string());
        self.write_cells(row, out);
        out.push('}');
    }

    fn write_cells(&self, row: usize, out: &mut String) {
        for (column, name) in &self.columns {
            if let Some(cell) = self.table.cell(row, *column) {
                out.push_str(name);
                out.push_str(cell);
            }
        }
    }
}

fn quoted(name: &str) -> String {
    // `Value` escapes quotes and control characters in the name.
    serde_json::Value::from(name).to_string()
}
