//! Building of tables from serializable rows.

use super::{Table, TableError};
use crate::text::finite;
use serde::{
    Deserialize, Serialize,
    de::{Deserializer, MapAccess, Visitor},
};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt};

/// The cells of a row in column order. `None` marks a missing cell.
pub(super) type RowCells<'a> = Vec<Option<&'a RawValue>>;

pub(super) fn table<R: Serialize>(rows: impl IntoIterator<Item = R>) -> Result<Table, TableError> {
    let mut table = Table::default();
    let mut texts = Vec::new();
    for row in rows {
        let why = |error: serde_json::Error| TableError::Row {
            row: texts.len(),
            why: error.to_string(),
        };
        let text = finite::to_string(&row).map_err(why)?;
        for (name, _) in &entries(&text).map_err(why)?.0 {
            if table.column(name).is_none() {
                table.add_column(name.clone().into_owned())?;
            }
        }
        texts.push(text);
    }
    // Columns are complete only after the first pass, and cells are stored in column order. Hence
    // the second pass.
    for (row, text) in texts.iter().enumerate() {
        let entries = entries(text).map_err(|error| TableError::Row {
            row,
            why: error.to_string(),
        })?;
        table.add_row(&cells(&table, entries))?;
    }
    Ok(table)
}

fn cells<'a>(table: &Table, entries: ObjectEntries<'a>) -> RowCells<'a> {
    let mut cells: RowCells<'a> = vec![None; table.columns.len()];
    for (place, (name, value)) in entries.0.into_iter().enumerate() {
        // Rows of one type have their members in the same order, so the guess avoids a search in
        // most cases.
        let guess = (table.columns.get(place).is_some_and(|known| *known == name)).then_some(place);
        if let Some(cell) = guess
            .or_else(|| table.column(&name))
            .and_then(|column| cells.get_mut(column))
        {
            // If a row repeats a member, its last value wins, as in `serde_json::Map`.
            *cell = Some(value);
        }
    }
    cells
}

fn entries(text: &str) -> serde_json::Result<ObjectEntries<'_>> {
    serde_json::from_str(text)
}

/// The members of an object in the order of its text.
pub(crate) struct ObjectEntries<'a>(pub(crate) Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for ObjectEntries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_map(EntriesVisitor)
            .map(ObjectEntries)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::with_capacity(map.size_hint().unwrap_or(0));
        while let Some((EntryName(name), value)) = map.next_entry()? {
            entries.push((name, value));
        }
        Ok(entries)
    }
}

/// A member name, borrowed unless it contains escapes.
#[derive(Deserialize)]
struct EntryName<'a>(#[serde(borrow)] Cow<'a, str>);
