//! What a selective tool may return, and in what surroundings.

#![deny(warnings)]

use pd_runtime::{Args, Table, prelude::*, tool::IntoRows};
use std::collections::HashMap;

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Row {
    name: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema, ToolArg)]
#[serde(deny_unknown_fields)]
struct Query {
    text: String,
}

/// # Examples
///
/// ```json
/// { "text": "oslo", "abstract_domains": "name" }
/// ```
#[pd_tool(summary = "Find cities by name", selective)]
fn whole(Args(query): Args<Query>) -> Json<Vec<Row>> {
    Json(vec![Row { name: query.text }])
}

/// A type of the author's own.
struct Rows(Vec<Row>);

impl IntoRows for Rows {
    fn into_rows(self) -> Result<Table, ToolError> {
        Json(self.0).into_rows()
    }

    fn into_text(self) -> Result<String, ToolError> {
        Json(self.0).into_text()
    }
}

#[pd_tool(summary = "Find all cities there are", selective)]
async fn own(call: &CallContext) -> Rows {
    let _ = call;
    Rows(Vec::new())
}

struct Store<T>(Vec<T>);

impl<T: serde::Serialize + schemars::JsonSchema + Clone + Send + Sync + 'static> Store<T> {
    #[pd_tool(summary = "List all there is", selective)]
    async fn list(&self) -> Result<Json<Vec<T>>, String> {
        Ok(Json(self.0.clone()))
    }
}

#[pd_tool(summary = "Count words of a text", selective)]
fn maps(text: String) -> Json<Vec<HashMap<String, usize>>> {
    Json(vec![HashMap::from([(text, 1)])])
}

fn main() {
    let registry: Registry<()> = pd_runtime::registry! { whole, own, maps };
    let checked = registry.check().unwrap();
    assert_eq!((checked.examples, checked.compiler_checked_examples), (1, 1));
    let generic: Registry<Store<u8>> = pd_runtime::registry! { Store::<u8>::list };
    assert!(generic.check().is_err_and(|problems| problems.to_string().contains("a row is an object")));
}
