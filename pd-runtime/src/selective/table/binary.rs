//! The binary format of tables, for stores outside this process.

use super::{Table, TableError};
/// The limit on rows without cells in decoded bytes. Such rows take no space there, so their number
/// is otherwise unbounded.
const EMPTY_MAX: usize = 1 << 20;
/// The first byte: the version of the format.
const VERSION: u8 = 2;

impl Table {
    /// Encodes the table for a store. [`Table::from_bytes`] decodes it.
    pub fn to_bytes(&self) -> Vec<u8> {
        let columns = self
            .columns
            .iter()
            .map(|name| name.len() + size_of::<u32>())
            .sum::<usize>();
        // The format: a version byte; the column count, then each name with its length; the row
        // count; the cell count and the ends; the text. All numbers are little-endian `u32`.
        let mut bytes =
            Vec::with_capacity(1 + 12 + columns + self.ends.len() * 4 + self.text.len());
        bytes.push(VERSION);
        put_count(&mut bytes, self.columns.len());
        for column in &self.columns {
            put_count(&mut bytes, column.len());
            bytes.extend_from_slice(column.as_bytes());
        }
        put_count(&mut bytes, self.rows);
        put_count(&mut bytes, self.ends.len());
        bytes.extend(self.ends.iter().flat_map(|end| end.to_le_bytes()));
        bytes.extend_from_slice(self.text.as_bytes());
        bytes
    }

    /// Decodes a table that [`Table::to_bytes`] encoded.
    ///
    /// # Errors
    ///
    /// Returns [`TableError::Unpacked`] if the bytes are not a table.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TableError> {
        Self::decode(bytes).ok_or(TableError::Unpacked)
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (version, mut rest) = bytes.split_first()?;
        // Replicas of two versions may share a store during an update.
        if *version != VERSION {
            return None;
        }
        let mut columns = Vec::new();
        for _ in 0..take_count(&mut rest)? {
            let len = take_count(&mut rest)?;
            columns.push(std::str::from_utf8(rest.split_off(..len)?).ok()?.to_owned());
        }
        let rows = take_count(&mut rest)?;
        let count = take_count(&mut rest)?;
        let ends = rest.split_off(..count.checked_mul(4)?)?;
        let (ends, _) = ends.as_chunks::<4>();
        let ends = ends.iter().map(|end| u32::from_le_bytes(*end)).collect();
        let table = Self {
            columns,
            ends,
            text: std::str::from_utf8(rest).ok()?.to_owned(),
            rows,
        };
        table.is_sound().then_some(table)
    }

    /// Checks that all cell positions are valid. The bytes may come from an untrusted store, and
    /// later code slices the text without further checks.
    fn is_sound(&self) -> bool {
        let whole = self.rows.checked_mul(self.columns.len()) == Some(self.ends.len());
        // All ends are in range if they are sorted and the last one is the text's length.
        let ends = self.ends.last().map_or(0, |end| *end as usize) == self.text.len();
        let has_room = !self.columns.is_empty() || self.rows <= EMPTY_MAX;
        whole
            && has_room
            && ends
            && self.ends.is_sorted()
            && self
                .ends
                .iter()
                .all(|end| self.text.is_char_boundary(*end as usize))
    }
}

fn put_count(bytes: &mut Vec<u8>, count: usize) {
    // The cast cannot truncate: `add_row` limits a table to 4 GiB.
    bytes.extend_from_slice(&(count as u32).to_le_bytes());
}

fn take_count(rest: &mut &[u8]) -> Option<usize> {
    let (count, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    Some(u32::from_le_bytes(*count) as usize)
}
