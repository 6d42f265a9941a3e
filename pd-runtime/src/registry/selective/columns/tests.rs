//! Tests of the columns of types, and of the arguments that select columns.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use super::*;
use crate::{
    prelude::*,
    registry::{column_arguments::row_columns, tool_spec::ToolSpec},
    selective::table::Table,
    tool::rows::IntoRows,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashMap;

fn columns<T: Serialize + JsonSchema>() -> Result<(Vec<String>, bool), String> {
    row_columns(<Json<Vec<T>>>::row_schema).map(|columns| {
        (
            columns.names().map(str::to_owned).collect(),
            columns.is_open,
        )
    })
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Alert {
    /// What kind
    /// of weather.
    ///
    /// More of it.
    event: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    area_desc: Option<String>,
    #[serde(skip)]
    #[allow(dead_code, reason = "it is skipped")]
    cache: u8,
}

#[derive(Serialize, JsonSchema)]
struct Flat {
    own: u8,
    #[serde(flatten)]
    alert: Alert,
}

#[derive(Serialize, JsonSchema)]
struct Loose {
    own: u8,
    #[serde(flatten)]
    rest: HashMap<String, u8>,
}

#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind")]
#[allow(dead_code, reason = "its schema is read")]
enum Event {
    Storm { wind: f32 },
    Flood { level: f32 },
}

/// Of itself.
#[derive(Serialize, JsonSchema)]
struct Folder {
    name: String,
    folders: Vec<Folder>,
}

#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
struct Wrapped(Folder);

#[derive(Serialize, JsonSchema)]
struct Numbered {
    _row_id: u8,
}

#[test]
fn columns_are_what_serde_writes() {
    let names = |names: &[&str], is_open| {
        Ok((
            names.iter().map(|name| (*name).to_owned()).collect(),
            is_open,
        ))
    };
    assert_eq!(columns::<Alert>(), names(&["event", "areaDesc"], false));
    assert_eq!(
        columns::<Flat>(),
        names(&["own", "event", "areaDesc"], false)
    );
    assert_eq!(columns::<Folder>(), names(&["name", "folders"], false));
    assert_eq!(columns::<Wrapped>(), names(&["name", "folders"], false));
    let tagged = columns::<Event>().expect("columns");
    assert_eq!((tagged.0.len(), tagged.1), (3, false), "{tagged:?}");
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(dead_code, reason = "its schema is read")]
enum Level {
    High,
    Low,
}

#[derive(Serialize, JsonSchema)]
struct Kinds {
    number: f64,
    count: Option<u8>,
    level: Level,
    maybe: Option<Level>,
    folder: Folder,
    all: Vec<u8>,
    any: Value,
}

#[test]
fn columns_hold_what_their_types_let_them() {
    let columns = row_columns(<Json<Vec<Kinds>>>::row_schema).expect("columns");
    let kinds: Vec<&str> = columns
        .known
        .iter()
        .map(|column| column.kind.as_str())
        .collect();
    assert_eq!(
        kinds,
        [
            "number",
            "integer | null",
            "string",
            "null | string",
            "object",
            "array",
            "any"
        ]
    );
}

#[test]
fn columns_are_open_where_only_a_run_tells() {
    assert_eq!(columns::<Loose>(), Ok((vec!["own".to_owned()], true)));
    assert_eq!(columns::<HashMap<String, u8>>(), Ok((Vec::new(), true)));
    assert_eq!(columns::<Value>(), Ok((Vec::new(), true)));
    assert_eq!(row_columns(Table::row_schema), Ok(RowColumns::default()));
}

#[test]
fn rows_are_objects_that_leave_the_number_free() {
    for told in [
        columns::<String>(),
        columns::<Option<Alert>>(),
        columns::<Vec<Alert>>(),
        columns::<(u8, u8)>(),
    ] {
        assert!(
            told.as_ref()
                .is_err_and(|why| why.starts_with("a row is an object")),
            "{told:?}"
        );
    }
    assert!(columns::<Numbered>().is_err_and(|why| why.contains("`_row_id` is the row number")));
}

/// Weather alerts.
#[pd_tool(summary = "List weather alerts", selective)]
fn alerts(
    /// A state.
    area: String,
) -> Json<Vec<Alert>> {
    Json(vec![Alert {
        event: area,
        area_desc: None,
        cache: 0,
    }])
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    mode: Option<String>,
}

#[pd_tool(summary = "List weather alerts", selective)]
fn of_struct(Args(query): Args<Query>) -> Table {
    drop(query.mode);
    Table::default()
}

fn about(registry: &Registry<()>) -> ToolSpec {
    registry.tools.first().expect("a tool").about.clone()
}

#[test]
fn a_selective_tool_takes_columns_and_mode_beside_its_own() {
    let about = about(&crate::registry! { alerts });
    let schema = Value::Object((*about.input.schema).clone());
    assert_eq!(schema["required"], json!(["area"]));
    let properties = schema["properties"]
        .as_object()
        .expect("properties")
        .keys()
        .collect::<Vec<_>>();
    assert_eq!(properties, ["area", "abstract_domains", "mode"]);
    let said = schema
        .pointer("/properties/abstract_domains/description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    assert!(
        said.ends_with("Columns:\n- event: What kind of weather.\n- areaDesc"),
        "{said}"
    );
    assert_eq!(
        schema.pointer("/properties/mode/enum"),
        Some(&json!(["async", "sync"]))
    );
    assert_eq!(about.output_schema, None);
    assert_eq!(about.input.nullable, ["abstract_domains", "mode"]);
}

#[test]
fn an_argument_of_the_same_name_is_a_problem() {
    let registry: Registry<()> = crate::registry! { of_struct };
    let told = registry.check().expect_err("a problem").to_string();
    assert!(
        told.contains("every selective tool has an argument `mode`; rename that one"),
        "{told}"
    );
}
