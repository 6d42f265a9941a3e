//! One row as it was sent: its number and its unparsed cells. Cells are parsed once the row is
//! joined.

use crate::{
    selective::table::{ROW_ID, RowId},
    text::python_json,
};
use serde::{
    Deserialize,
    de::{Deserializer, Error, MapAccess, Visitor},
};
use serde_json::value::RawValue;
use std::fmt;

/// A row of an abstract or of a body.
#[derive(Clone)]
pub(super) struct RawRow {
    pub(super) id: u64,
    pub(super) cells: Vec<(String, Box<RawValue>)>,
}

impl RawRow {
    /// Parses a JSON array of rows.
    ///
    /// # Errors
    ///
    /// Returns which element is not a row, and why.
    pub(super) fn read_all(text: &str) -> Result<Vec<Self>, String> {
        python_json::read(text, Self::read_array)
    }

    fn read_array(text: &str) -> Result<Vec<Self>, String> {
        let rows: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| {
            format!(
                "it is not a JSON array of rows: {error}; send the rows as the other tool gave them"
            )
            // Each row is parsed by itself, so that the message can name the row's position.
        })?;
        rows.into_iter()
            .enumerate()
            .map(|(place, row)| {
                let problem = |problem| format!("row {place}, counted from 0, {problem}");
                serde_json::from_str(row.get()).map_err(|error| problem(without_place(&error)))
            })
            .collect()
    }

    /// Parses one row.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not an object or has no row number.
    pub(super) fn read(text: &[u8]) -> Result<Self, String> {
        let text = str::from_utf8(text).map_err(|_| "is not UTF-8".to_owned())?;
        python_json::read(text, |text| serde_json::from_str(text))
            .map_err(|error| without_place(&error))
    }
}

/// Removes the line and column from a message. They refer to a text that the model does not see.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ")
        .next()
        .map_or_else(String::new, str::to_owned)
}

impl<'de> Deserialize<'de> for RawRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RawRowVisitor)
    }
}

/// Collects the cells of a row.
struct RawRowVisitor;

impl<'de> Visitor<'de> for RawRowVisitor {
    type Value = RawRow;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a `_row_id`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawRow, A::Error> {
        let mut id = None;
        let mut cells = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let value: Box<RawValue> = map.next_value()?;
            // The number may come at any position, because JSON objects have no order.
            if name == ROW_ID {
                id = Some(number(&value).ok_or_else(|| {
                    A::Error::custom("has a `_row_id` that is not a whole number")
                })?);
            } else {
                cells.push((name, value));
            }
        }
        let id =
            id.ok_or_else(|| A::Error::custom("has no `_row_id`; send each row with its number"))?;
        Ok(RawRow { id, cells })
    }
}

fn number(value: &RawValue) -> Option<u64> {
    let RowId(number) = serde_json::from_str(value.get()).ok()?;
    number.try_into().ok()
}
