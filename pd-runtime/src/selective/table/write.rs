//! Rows and columns of a table as JSON, copied out of it: `[{"_row_id":0,"city":"Oslo"}]`.

use super::{ROW_ID, Table};
use std::ops::Deref;

/// Rows and columns that were picked, ready to be written: names are quoted once.
///
/// Borrowed from its table, or the owner of it, as who writes it later needs it to be.
#[derive(Debug)]
pub(crate) struct Picked<T> {
    table: T,
    rows: Vec<usize>,
    /// Each column's place, and what stands before its cell.
    columns: Vec<(usize, String)>,
}

impl Table {
    /// These rows and columns, in the order given. Places that the table does not have are left out.
    pub(crate) fn picked(
        &self,
        rows: impl IntoIterator<Item = usize>,
        columns: impl IntoIterator<Item = usize>,
    ) -> Picked<&Self> {
        Picked::of(self, rows, columns)
    }

    /// Every row with every column, as plain results have them: without numbers.
    pub(crate) fn write_plain(&self, out: &mut String) {
        let all = self.picked(0..self.len(), 0..self.columns.len());
        out.push('[');
        for row in 0..self.len() {
            out.push_str(if row == 0 { "{" } else { ",{" });
            let before = out.len();
            all.write_cells(row, out);
            // The comma before the first cell.
            if out.len() > before {
                out.remove(before);
            }
            out.push('}');
        }
        out.push(']');
    }
}

impl<T: Deref<Target = Table>> Picked<T> {
    /// These rows and columns, as [`Table::picked`] has them.
    pub(crate) fn of(
        table: T,
        rows: impl IntoIterator<Item = usize>,
        columns: impl IntoIterator<Item = usize>,
    ) -> Self {
        let rows = rows.into_iter().filter(|row| *row < table.len()).collect();
        let named = |place: usize| Some((place, format!(",{}:", quoted(table.columns.get(place)?))));
        let columns = columns.into_iter().filter_map(named).collect();
        Self { table, rows, columns }
    }

    #[cfg(any(test, feature = "http"))]
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Writes the rows from the `from`th picked one on until there are `enough` bytes, without brackets around them but with a
    /// comma before each that is not the first; gives the number of the next row, or nothing after the last.
    pub(crate) fn write_some(&self, from: usize, enough: usize, out: &mut String) -> Option<usize> {
        for (place, row) in self.rows.iter().enumerate().skip(from) {
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

    /// How many bytes [`write`](Self::write) writes.
    pub(crate) fn written_len(&self) -> usize {
        let commas = self.rows.len().saturating_sub(1);
        "[]".len() + commas + self.rows.iter().map(|row| self.row_len(*row)).sum::<usize>()
    }

    fn row_len(&self, row: usize) -> usize {
        let cell =
            |(column, name): &(usize, String)| self.table.cell(row, *column).map_or(0, |cell| name.len() + cell.len());
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
    serde_json::Value::from(name).to_string()
}
