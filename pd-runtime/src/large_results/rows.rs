//! The items of an array as rows: CSV (RFC 4180) for objects, and JSON for other items. CSV names
//! each column once, so it has half of the tokens of JSON.

use super::pointer_part;
use crate::text::{thousands::thousands, token_estimate::estimate_tokens};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// The rows that give the columns.
const SAMPLED: usize = 200;
/// The columns that are shown if the reader names none.
const COLUMNS_MAX: usize = 24;
/// The longest cell that is shown with others, in characters. A longer one is described, with the
/// path to read it by.
const CELL_MAX: usize = 300;

/// An array within a document.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    /// The JSON Pointer of the array.
    pub(super) path: String,
    pub(super) items: &'a [Value],
}

/// Rows as a text.
#[derive(Debug)]
pub(super) struct RenderedRows {
    pub(super) text: String,
    /// How many of the chosen rows are in it.
    pub(super) count: usize,
}

impl<'a> Rows<'a> {
    /// Returns the array that makes most of a value, if one does.
    pub(super) fn largest(value: &'a Value) -> Option<Self> {
        let mut path = String::new();
        let mut here = value;
        loop {
            match here {
                Value::Array(items) if items.len() > 1 => return Some(Self { path, items }),
                Value::Array(items) => {
                    here = items.first()?;
                    path.push_str("/0");
                }
                Value::Object(object) => {
                    let (key, member) = object.iter().max_by_key(|(_, member)| weight(member))?;
                    path.push('/');
                    path.push_str(&pointer_part(key));
                    here = member;
                }
                _ => return None,
            }
        }
    }

    /// Returns the columns of the rows: the keys of the first ones, in their order.
    pub(super) fn columns(&self) -> Vec<&'a str> {
        let mut known = HashSet::new();
        let sampled = self.items.iter().take(SAMPLED).filter_map(Value::as_object);
        sampled
            .flat_map(Map::keys)
            .map(String::as_str)
            .filter(|key| known.insert(*key))
            .collect()
    }

    /// Writes rows, at most so many tokens of them. `places` are the indexes of the rows, and
    /// `columns` the columns that the reader wants.
    pub(super) fn render(
        &self,
        places: &[usize],
        columns: Option<&[&str]>,
        tokens: usize,
    ) -> RenderedRows {
        let of_objects = places
            .iter()
            .take(SAMPLED)
            .all(|place| self.items.get(*place).is_some_and(Value::is_object));
        let own;
        let columns = match columns {
            Some(columns) => Some(columns),
            None if of_objects => {
                own = self.columns();
                Some(own.get(..COLUMNS_MAX).unwrap_or(&own))
            }
            None => None,
        };
        let mut text = match columns {
            Some(columns) => {
                let cells = columns.iter().map(|name| quoted(name));
                format!("#,{}\n", cells.collect::<Vec<_>>().join(","))
            }
            None => String::new(),
        };
        let mut used = estimate_tokens(&text);
        let mut count = 0;
        for place in places {
            let Some(item) = self.items.get(*place) else {
                break;
            };
            let line = match columns {
                Some(columns) => self.row(*place, item, columns),
                None => format!("{place}: {}\n", self.cell(*place, None, item)),
            };
            used += estimate_tokens(&line) + 1;
            if used > tokens {
                break;
            }
            text.push_str(&line);
            count += 1;
        }
        RenderedRows { text, count }
    }

    fn row(&self, place: usize, item: &Value, columns: &[&str]) -> String {
        let mut line = place.to_string();
        for column in columns {
            line.push(',');
            if let Some(value) = item.get(*column) {
                line.push_str(&quoted(&self.cell(place, Some(column), value)));
            }
        }
        line.push('\n');
        line
    }

    /// Returns a value whole, or what it is and its path.
    fn cell(&self, place: usize, column: Option<&str>, value: &Value) -> String {
        let text = match (value, column) {
            (Value::Null, Some(_)) => String::new(),
            (Value::String(text), Some(_)) => text.clone(),
            (value, _) => value.to_string(),
        };
        let length = text.chars().count();
        if length <= CELL_MAX {
            return text;
        }
        let column = column.map(|column| format!("/{}", pointer_part(column)));
        let path = format!("{}/{place}{}", self.path, column.unwrap_or_default());
        format!("({} characters at {path})", thousands(length))
    }

    /// Returns the indexes of the rows in which all terms occur.
    pub(super) fn matching(&self, terms: &[String]) -> Vec<usize> {
        let rows = self.items.iter().enumerate();
        rows.filter(|(_, item)| has_terms(item, terms))
            .map(|(place, _)| place)
            .collect()
    }
}

/// Returns whether all terms occur in a value. A term `key=value` is the value of this key.
fn has_terms(item: &Value, terms: &[String]) -> bool {
    let mut text = None;
    terms.iter().all(|term| {
        if let Some((key, wanted)) = term.split_once('=')
            && let Some((_, value)) = item
                .as_object()
                .into_iter()
                .flatten()
                .find(|(known, _)| known.to_lowercase() == key)
        {
            return plain(value).to_lowercase() == wanted;
        }
        text.get_or_insert_with(|| item.to_string().to_lowercase())
            .contains(term)
    })
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the number of values in a value, with its texts as one for each 16 bytes.
fn weight(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(weight).sum::<usize>(),
        Value::Object(object) => 1 + object.values().map(weight).sum::<usize>(),
        Value::String(text) => 1 + text.len() / 16,
        _ => 1,
    }
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}
