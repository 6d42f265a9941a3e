//! A table as bytes, for stores outside this process.

use super::{Table, TableError};
/// How many rows without a cell are taken from bytes, in which they take no room.
const EMPTY_MAX: usize = 1 << 20;
/// What the bytes begin with: the form they have. Another form gets another number.
const FORM: u8 = 2;

impl Table {
    /// The table as bytes, which [`Table::from_bytes`] reads: for a store that keeps it elsewhere.
    pub fn to_bytes(&self) -> Vec<u8> {
        let columns = self.columns.iter().map(|name| name.len() + size_of::<u32>()).sum::<usize>();
        let mut bytes = Vec::with_capacity(1 + 12 + columns + self.ends.len() * 4 + self.text.len());
        bytes.push(FORM);
        put(&mut bytes, self.columns.len());
        for column in &self.columns {
            put(&mut bytes, column.len());
            bytes.extend_from_slice(column.as_bytes());
        }
        put(&mut bytes, self.rows);
        put(&mut bytes, self.ends.len());
        bytes.extend(self.ends.iter().flat_map(|end| end.to_le_bytes()));
        bytes.extend_from_slice(self.text.as_bytes());
        bytes
    }

    /// The table that was written as these bytes.
    ///
    /// # Errors
    ///
    /// They are no table: [`TableError::Unpacked`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TableError> {
        Self::unpacked(bytes).ok_or(TableError::Unpacked)
    }

    fn unpacked(bytes: &[u8]) -> Option<Self> {
        let (form, mut rest) = bytes.split_first()?;
        if *form != FORM {
            return None;
        }
        let mut columns = Vec::new();
        for _ in 0..take_count(&mut rest)? {
            let len = take_count(&mut rest)?;
            columns.push(std::str::from_utf8(rest.split_off(..len)?).ok()?.to_owned());
        }
        let (rows, count) = (take_count(&mut rest)?, take_count(&mut rest)?);
        let ends = rest.split_off(..count.checked_mul(4)?)?;
        let (ends, _) = ends.as_chunks::<4>();
        let ends = ends.iter().map(|end| u32::from_le_bytes(*end)).collect();
        let table = Self { columns, ends, text: std::str::from_utf8(rest).ok()?.to_owned(), rows };
        table.is_sound().then_some(table)
    }

    /// Whether its cells are where it says: bytes may come from anywhere.
    fn is_sound(&self) -> bool {
        let whole = self.rows.checked_mul(self.columns.len()) == Some(self.ends.len());
        let ends = self.ends.last().map_or(0, |end| *end as usize) == self.text.len();
        let has_room = !self.columns.is_empty() || self.rows <= EMPTY_MAX;
        whole
            && has_room
            && ends
            && self.ends.is_sorted()
            && self.ends.iter().all(|end| self.text.is_char_boundary(*end as usize))
    }
}

fn put(bytes: &mut Vec<u8>, count: usize) {
    // A table holds no more than 4 GiB.
    bytes.extend_from_slice(&(count as u32).to_le_bytes());
}

fn take_count(rest: &mut &[u8]) -> Option<usize> {
    let (count, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    Some(u32::from_le_bytes(*count) as usize)
}
