//! Round trips of tables, in whole and in part.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use super::*;
use serde_json::{Value, json};

fn table() -> Table {
    let rows = json!([{"event": "Wind, \"strong\"", "area": ["CA", "NV"]}, {"event": "Flood", "since": null}, {"since": 3.5}]);
    Table::from_rows(rows.as_array().unwrap()).unwrap()
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn columns_are_all_that_any_row_has_in_order_of_appearance() {
    assert_eq!(table().columns(), ["event", "area", "since"]);
    assert_eq!(table().len(), 3);
}

#[test]
fn all_of_it_is_what_the_rows_were() {
    let mut out = String::new();
    table().write_plain(&mut out);
    assert_eq!(
        out,
        r#"[{"event":"Wind, \"strong\"","area":["CA","NV"]},{"event":"Flood","since":null},{"since":3.5}]"#
    );
}

#[test]
fn picked_rows_and_columns_come_with_their_number() {
    let table = table();
    let picked = table.select([2, 0, 9], [2, 0]);
    let mut out = String::new();
    picked.write(&mut out);
    assert_eq!(
        read(&out),
        json!([{"_row_id": 2, "since": 3.5}, {"_row_id": 0, "event": "Wind, \"strong\""}])
    );
    assert_eq!(picked.written_len(), out.len());
    assert_eq!(picked.len(), 2);
}

#[test]
fn what_is_written_in_pieces_is_what_is_written_at_once() {
    let table = Table::from_rows((0..1_000).map(|n| json!({"n": n}))).unwrap();
    let picked = table.select((0..1_000).rev(), [0]);
    let mut whole = String::new();
    let mut pieces = String::from("[");
    let mut next = Some(0);
    picked.write(&mut whole);
    while let Some(from) = next {
        let mut piece = String::new();
        next = picked.write_some(from, 100, &mut piece);
        assert!(piece.len() < 100 + 30);
        pieces.push_str(&piece);
    }
    assert_eq!(pieces + "]", whole);
    assert_eq!(picked.written_len(), whole.len());
}

#[test]
fn an_empty_table_is_an_empty_array() {
    let table = Table::new(["a"]).unwrap();
    let mut out = String::new();
    table.write_plain(&mut out);
    table.select([0], [0]).write(&mut out);
    assert_eq!(out, "[][]");
    assert!(table.is_empty() && Table::default().is_empty());
}

#[test]
fn rows_without_a_cell_are_rows() {
    let mut pushed = Table::default();
    pushed.push(Vec::<u8>::new()).unwrap();
    pushed.push(Vec::<u8>::new()).unwrap();
    for table in [Table::from_rows([json!({}), json!({})]).unwrap(), pushed] {
        let mut plain = String::new();
        let mut numbered = String::new();
        table.write_plain(&mut plain);
        table.select(0..2, []).write(&mut numbered);
        assert_eq!((table.len(), plain.as_str()), (2, "[{},{}]"));
        assert_eq!(numbered, r#"[{"_row_id":0},{"_row_id":1}]"#);
    }
}

#[test]
fn rows_that_do_not_fit_leave_the_table_as_it_was() {
    let mut table = Table::new(["a", "b"]).unwrap();
    assert_eq!(
        table.push([1]),
        Err(TableError::Width {
            cells: 1,
            columns: 2
        })
    );
    table.push([1, 2]).unwrap();
    assert_eq!(table, Table::from_rows([json!({"a": 1, "b": 2})]).unwrap());
}

#[test]
fn mistakes_are_told() {
    assert_eq!(
        Table::new(["a", "a"]),
        Err(TableError::SameColumn("a".to_owned()))
    );
    assert_eq!(Table::new(["_row_id"]), Err(TableError::RowId));
    assert_eq!(
        Table::from_rows([json!({"_row_id": 1})]),
        Err(TableError::RowId)
    );
    let Err(TableError::Row { row: 1, why }) = Table::from_rows([json!({}), json!([1])]) else {
        panic!()
    };
    assert!(why.contains("expected an object"), "{why}");
}

#[test]
fn bytes_are_read_as_what_was_written() {
    for table in [
        table(),
        Table::default(),
        Table::new(["ä"]).unwrap(),
        Table::from_rows([json!({}), json!({})]).unwrap(),
    ] {
        assert_eq!(Table::from_bytes(&table.to_bytes()), Ok(table));
    }
}

#[test]
fn foreign_bytes_are_no_table() {
    let bytes = table().to_bytes();
    for len in 0..bytes.len() {
        assert_eq!(
            Table::from_bytes(&bytes[..len]),
            Err(TableError::Unpacked),
            "{len}"
        );
    }
    for place in 0..bytes.len() - 40 {
        let mut bytes = bytes.clone();
        bytes[place] ^= 0x81;
        // Any result is fine, as long as nothing panics.
        if let Ok(table) = Table::from_bytes(&bytes) {
            table.select(0..table.len(), 0..9).write(&mut String::new());
        }
    }
}
