//! From the Python server of the implementation guide: `server.py`, and the same server here.
//! `pd-runtime/docs/from-python.md` explains both.
//!
//! ```sh
//! cargo run --example from_python -- serve
//! cargo run --example from_python -- export --format tool-descriptions DIR
//! ```

use pd_runtime::{ServerBuilder, config::Refusal, prelude::*};
use schemars::JsonSchema;
use serde::Serialize;
use std::process::ExitCode;

/// The units, and their lengths in meters.
const UNITS: [(&str, f64); 4] = [("m", 1.0), ("km", 1000.0), ("ft", 0.3048), ("mi", 1609.344)];

#[derive(Debug, Serialize, JsonSchema)]
struct Length {
    /// The length in the unit that was wanted.
    value: f64,
    /// That unit.
    unit: String,
}

#[derive(Debug, thiserror::Error, ToolErrors)]
enum UnitError {
    /// Call list_units for the units that exist
    #[error("No such unit: {0}")]
    UnknownUnit(String),
}

/// Converts a length between metric and imperial units.
///
/// # Examples
///
/// A marathon in miles
///
/// ```json
/// { "value": 42.195, "from_unit": "km", "to_unit": "mi" }
/// ```
///
/// # Guidance
///
/// - Convert once, at the end of a calculation
///
/// # Notes
///
/// - Results are not rounded
#[pd_tool(summary = "Convert a length to another unit", read_only)]
fn convert(
    /// The length
    value: f64,
    /// The unit that the length has, such as km
    from_unit: String,
    /// The unit that the result has
    #[arg(default = "m")]
    to_unit: String,
) -> Result<Json<Length>, UnitError> {
    let meters = |unit: &str| {
        UNITS
            .iter()
            .find(|(name, _)| *name == unit)
            .map(|(_, meters)| *meters)
    };
    let from = meters(&from_unit).ok_or(UnitError::UnknownUnit(from_unit))?;
    let to = meters(&to_unit).ok_or_else(|| UnitError::UnknownUnit(to_unit.clone()))?;
    Ok(Json(Length {
        value: value * from / to,
        unit: to_unit,
    }))
}

/// Returns the names that convert accepts.
///
/// # Examples
///
/// All units
///
/// ```json
/// {}
/// ```
#[pd_tool(summary = "List the units of length", read_only)]
fn list_units() -> Json<Vec<&'static str>> {
    Json(UNITS.iter().map(|(name, _)| *name).collect())
}

/// The settings make the replies those of the guide.
fn server() -> ServerBuilder<()> {
    let registry = pd_runtime::registry! { convert, list_units };
    PdServer::builder(registry, ())
        .listing(Listing::Minimal)
        .describe_tools(false)
        .refusal(Refusal::Bare)
}

#[tokio::main]
async fn main() -> ExitCode {
    pd_runtime::cli::main(server()).await
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
mod tests {
    use super::server;
    use rmcp::{
        RoleClient, ServiceExt,
        model::{CallToolRequestParams, ReadResourceRequestParams},
        service::RunningService,
    };
    use serde_json::{Value, json};

    async fn connect() -> RunningService<RoleClient, ()> {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let handler = server().build().unwrap().handler();
        tokio::spawn(async move { handler.serve(theirs).await.unwrap().waiting().await });
        ().serve(ours).await.unwrap()
    }

    async fn descriptions(client: &RunningService<RoleClient, ()>, query: &str) -> Value {
        let uri = format!("resource:///tool_descriptions{query}");
        let read = json!(
            client
                .read_resource(ReadResourceRequestParams::new(uri))
                .await
                .unwrap()
        );
        serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap()
    }

    async fn call(client: &RunningService<RoleClient, ()>) -> Value {
        let marathon = json!({ "value": 42.195, "from_unit": "km", "to_unit": "mi" });
        let params = CallToolRequestParams::new("convert")
            .with_arguments(marathon.as_object().cloned().unwrap());
        let result = json!(client.call_tool(params).await.unwrap());
        serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
    }

    /// Asserts that `actual` has all that `expected` has.
    fn contains(actual: &Value, expected: &Value) {
        match expected {
            Value::Object(members) => members
                .iter()
                .for_each(|(name, value)| contains(&actual[name], value)),
            _ => assert_eq!(actual, expected),
        }
    }

    /// The files of the Python server are the measure: nothing in them is lost.
    #[tokio::test]
    async fn descriptions_have_all_that_the_python_server_has() {
        server().registry().check().unwrap();
        let actual = descriptions(&connect().await, "?tools=convert,list_units").await;
        let convert = serde_json::from_str(include_str!("tool_descriptions/convert.json")).unwrap();
        let list_units =
            serde_json::from_str(include_str!("tool_descriptions/list_units.json")).unwrap();
        contains(&actual["convert"], &convert);
        contains(&actual["list_units"], &list_units);
    }

    #[tokio::test]
    async fn a_description_admits_the_session_to_the_tool() {
        let client = connect().await;
        let listed = json!(client.list_all_tools().await.unwrap());
        assert_eq!(
            listed[0]["inputSchema"],
            json!({ "type": "object", "additionalProperties": true })
        );
        assert_eq!(
            descriptions(&client, "").await["error"]["code"],
            "MISSING_TOOL_SELECTION"
        );
        let refused = json!({
            "code": "TOOL_DESCRIPTION_REQUIRED",
            "message": "Tool 'convert' requires fetching its description before use.",
            "resource_uri": "resource:///tool_descriptions?tools=convert",
        });
        assert_eq!(call(&client).await["error"], refused);
        descriptions(&client, "?tools=convert").await;
        assert_eq!(call(&client).await["unit"], "mi");
    }
}
