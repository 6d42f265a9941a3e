//! Selective tools: what a caller is shown who chose columns, and who chose none. What becomes of the rest is the data plane's.

use crate::harness::{
    client::{Client, Era, connect, error_of},
    code, text, told,
};
use pd_runtime::{
    GateMode, Limits, PdServer, Registry, ServerBuilder, Table, prelude::*,
    selective::data_plane::DataPlane,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicUsize, Ordering},
};

/// How often the tools ran.
#[derive(Debug, Default)]
struct Weather(AtomicUsize);

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Alert {
    /// What kind of weather.
    event: &'static str,
    severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    headline: Option<&'static str>,
}

/// Weather alerts of an area.
///
/// # Examples
///
/// ```json
/// { "area": "CA", "abstract_domains": "event" }
/// ```
#[pd_tool(summary = "List weather alerts", selective)]
fn alerts(weather: &Weather, area: String) -> Result<Json<Vec<Alert>>, ToolError> {
    weather.0.fetch_add(1, Ordering::SeqCst);
    if area == "none" {
        return Err(ToolError::new("NO_AREA", "there is no such area"));
    }
    Ok(Json(vec![
        Alert {
            event: "Wind",
            severity: "minor",
            headline: Some("Gusts \"likely\""),
        },
        Alert {
            event: "Flood",
            severity: "severe",
            headline: None,
        },
    ]))
}

/// Run a stored query.
#[pd_tool(selective, blocking)]
fn query(rows: u32) -> Result<Table, ToolError> {
    let mut table = Table::new(["id", "size"])?;
    for row in 0..rows {
        table.push([json!(row), json!({ "bytes": 7 })])?;
    }
    Ok(table)
}

/// Count words.
#[pd_tool(selective)]
async fn words(empty: bool) -> Json<Vec<BTreeMap<String, u32>>> {
    let maps =
        [("one", 1), ("two", 2)].map(|(word, count)| BTreeMap::from([(word.to_owned(), count)]));
    Json(if empty { Vec::new() } else { maps.into() })
}

/// Say nothing, twice.
#[pd_tool(selective)]
async fn blank() -> Json<Vec<BTreeMap<String, u32>>> {
    Json(vec![BTreeMap::new(), BTreeMap::new()])
}

/// Ask another tool.
#[pd_tool(selective)]
async fn nested(weather: &Weather, call: &CallContext) -> Result<Table, ToolError> {
    let arguments = json!({ "area": "CA", "abstract_domains": "event", "mode": "sync" });
    let inner = registry()
        .call_with(weather, "alerts", arguments, call)
        .await?;
    let mut table = Table::new(["inner", "kept"])?;
    table.push([
        json!(inner.content[0].as_text().map(|text| text.text.len())),
        json!(call.clone().is_cancelled()),
    ])?;
    Ok(table)
}

fn registry() -> Registry<Weather> {
    pd_runtime::registry! { alerts, query, words, blank, nested }
}

fn server() -> ServerBuilder<Weather> {
    PdServer::builder(registry(), Weather::default()).gate(GateMode::Off)
}

/// A server that keeps rows, where nobody fetches them.
fn keeping() -> ServerBuilder<Weather> {
    server().data_plane(DataPlane::default().public_url("https://data.example.com"))
}

async fn client(era: Era) -> Client {
    connect(era, &keeping().build().unwrap()).await
}

/// The one text of a result, which has nothing else.
fn only_text(result: &Value) -> &str {
    assert_eq!(
        result["content"].as_array().map(Vec::len),
        Some(1),
        "{result}"
    );
    assert!(
        result.get("structuredContent").is_none() && result["isError"] != true,
        "{result}"
    );
    text(result)
}

#[tokio::test]
async fn without_columns_the_rows_are_sent_once_as_they_are() {
    let plain = r#"[{"event":"Wind","severity":"minor","headline":"Gusts \"likely\""},{"event":"Flood","severity":"severe"}]"#;
    for era in Era::ALL {
        let client = client(era).await;
        for chosen in [
            json!({}),
            json!({ "abstract_domains": " " }),
            json!({ "abstract_domains": null, "mode": "sync" }),
        ] {
            let mut arguments = chosen.clone();
            arguments["area"] = json!("CA");
            assert_eq!(
                only_text(&client.call("alerts", arguments).await),
                plain,
                "{era:?} {chosen}"
            );
        }
        let rows = client.call("query", json!({ "rows": 2 })).await;
        assert_eq!(
            only_text(&rows),
            r#"[{"id":0,"size":{"bytes":7}},{"id":1,"size":{"bytes":7}}]"#,
            "{era:?}"
        );
    }
}

#[tokio::test]
async fn with_columns_the_answer_is_the_protocols() {
    for era in Era::ALL {
        let arguments =
            json!({ "area": "CA", "abstract_domains": "severity, event", "mode": "sync" });
        let answer = client(era).await.call("alerts", arguments).await;
        let expected = concat!(
            r#"{"total_rows":2,"columns":["event","severity","headline"],"abstract_domains":["severity","event"],"#,
            r#""body_domains":["headline"],"abstract":[{"_row_id":0,"severity":"minor","event":"Wind"},"#,
            r#"{"_row_id":1,"severity":"severe","event":"Flood"}],"#,
            r#""body":[{"_row_id":0,"headline":"Gusts \"likely\""},{"_row_id":1}]}"#,
        );
        assert_eq!(only_text(&answer), expected, "{era:?}");
    }
}

#[tokio::test]
async fn where_nothing_is_left_nothing_is_kept() {
    let client = client(Era::Session).await;
    for (tool, mut arguments) in [
        (
            "alerts",
            json!({ "area": "CA", "abstract_domains": "event,severity,headline" }),
        ),
        ("query", json!({ "rows": 0, "abstract_domains": "id" })),
        ("words", json!({ "empty": true, "abstract_domains": "one" })),
    ] {
        for (mode, key, blank) in [
            ("async", "resource_url", json!("")),
            ("sync", "body", json!([])),
        ] {
            arguments["mode"] = json!(mode);
            let answer = told(&client.call(tool, arguments.clone()).await);
            let keys: Vec<&String> = answer.as_object().unwrap().keys().collect();
            assert_eq!(
                keys,
                [
                    "total_rows",
                    "columns",
                    "abstract_domains",
                    "body_domains",
                    "abstract",
                    key
                ],
                "{answer}"
            );
            assert_eq!(answer[key], blank, "the reference's agents look for it");
        }
    }
    let numbers = client
        .call(
            "query",
            json!({ "rows": 1, "abstract_domains": "_row_id", "mode": "sync" }),
        )
        .await;
    let numbers = told(&numbers);
    assert_eq!(
        (&numbers["abstract"], &numbers["body_domains"]),
        (&json!([{ "_row_id": 0 }]), &json!(["id", "size"]))
    );
}

#[tokio::test]
async fn unknown_columns_are_refused_before_the_tool_runs() {
    let shared: PdServer<Weather> = server().build().unwrap();
    for era in Era::ALL {
        let client = connect(era, &shared).await;
        let refused = client
            .call(
                "alerts",
                json!({ "area": "CA", "abstract_domains": "evnt,area" }),
            )
            .await;
        assert_eq!(code(&refused), "INVALID_ARGUMENTS", "{era:?}");
        let violation = &told(&refused)["error"]["violations"][0];
        assert_eq!(violation["pointer"], "/abstract_domains");
        let message = "`evnt` (did you mean `event`?), `area` are not columns of its rows, which have event, severity, headline";
        assert_eq!(violation["message"], message, "{era:?}");
    }
    assert_eq!(shared.state().0.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_tool_whose_rows_could_not_be_kept_is_not_run() {
    let shared: PdServer<Weather> = server().build().unwrap();
    let count = || shared.state().0.load(Ordering::SeqCst);
    for era in Era::ALL {
        let client = connect(era, &shared).await;
        let before = count();
        let refused = client
            .call(
                "alerts",
                json!({ "area": "CA", "abstract_domains": "event" }),
            )
            .await;
        assert_eq!(
            (code(&refused).as_str(), count()),
            ("NO_DATA_PLANE", before),
            "{era:?}"
        );
        let all = json!({ "area": "CA", "abstract_domains": "event,severity,headline" });
        assert_eq!(
            told(&client.call("alerts", all).await)["total_rows"],
            2,
            "nothing is to be kept"
        );
        let sync = json!({ "area": "CA", "abstract_domains": "event", "mode": "sync" });
        assert_eq!(told(&client.call("alerts", sync).await)["total_rows"], 2);
        assert_eq!(count(), before + 2, "{era:?}");
    }
    let weather = Weather::default();
    let call = registry()
        .call(
            &weather,
            "alerts",
            json!({ "area": "CA", "abstract_domains": "event" }),
        )
        .await;
    assert_eq!(
        (call.unwrap_err().code.as_ref(), weather.0.into_inner()),
        ("NO_DATA_PLANE", 0)
    );
}

#[tokio::test]
async fn rows_without_a_column_are_counted() {
    let answer = client(Era::Inline)
        .await
        .call("blank", json!({ "abstract_domains": "_row_id" }))
        .await;
    let answer = told(&answer);
    assert_eq!(
        (&answer["total_rows"], &answer["abstract"][1]),
        (&json!(2), &json!({ "_row_id": 1 }))
    );
}

#[tokio::test]
async fn columns_that_only_a_run_tells_are_judged_after_it() {
    let client = client(Era::Inline).await;
    let refused = client
        .call(
            "words",
            json!({ "empty": false, "abstract_domains": "twoo" }),
        )
        .await;
    assert_eq!(code(&refused), "INVALID_ARGUMENTS");
    let message = told(&refused)["error"]["message"].to_string();
    assert!(
        message.contains(
            "`twoo` (did you mean `two`?) is not a column of its rows, which have one, two"
        ),
        "{message}"
    );
    let answer = client
        .call(
            "words",
            json!({ "empty": false, "abstract_domains": "two", "mode": "sync" }),
        )
        .await;
    assert_eq!(
        told(&answer)["body"],
        json!([{ "_row_id": 0, "one": 1 }, { "_row_id": 1 }])
    );
}

#[tokio::test]
async fn a_mode_that_is_none_is_a_violation() {
    let refused = client(Era::Session)
        .await
        .call("alerts", json!({ "area": "CA", "mode": "inline" }))
        .await;
    assert_eq!(code(&refused), "INVALID_ARGUMENTS");
    assert_eq!(told(&refused)["error"]["violations"][0]["pointer"], "/mode");
}

#[tokio::test]
async fn a_failure_stays_one() {
    let client = client(Era::HttpInline).await;
    for chosen in ["", "event"] {
        let failed = client
            .call(
                "alerts",
                json!({ "area": "none", "abstract_domains": chosen, "mode": "sync" }),
            )
            .await;
        assert_eq!(code(&failed), "NO_AREA");
    }
    assert_eq!(
        error_of(client.try_call("alert", json!({})).await).code.0,
        -32602
    );
}

#[tokio::test]
async fn a_selective_tool_that_another_calls_is_divided_by_itself() {
    let answer = client(Era::Session)
        .await
        .call(
            "nested",
            json!({ "abstract_domains": "kept", "mode": "sync" }),
        )
        .await;
    let answer = told(&answer);
    assert_eq!(answer["abstract"], json!([{ "_row_id": 0, "kept": false }]));
    assert!(
        answer["body"][0]["inner"]
            .as_u64()
            .is_some_and(|length| length > 100),
        "{answer}"
    );
}

#[tokio::test]
async fn a_result_over_the_limit_says_how_to_get_less() {
    let limits = || Limits::default().response_bytes(1000);
    let client = connect(Era::Session, &keeping().limits(limits()).build().unwrap()).await;
    let sync = json!({ "abstract_domains": "_row_id", "mode": "sync" });
    for (chosen, instead) in [
        (json!({}), "name the columns you need in `abstract_domains`"),
        (
            json!({ "abstract_domains": "id" }),
            "name fewer columns in `abstract_domains`, or ask for fewer rows",
        ),
        (sync.clone(), "ask with `mode`: `async`, or for fewer rows"),
    ] {
        assert!(
            too_large(&client, &chosen).await.contains(instead),
            "{chosen}"
        );
    }
    let keeps_nothing = connect(Era::Session, &server().limits(limits()).build().unwrap()).await;
    assert!(
        too_large(&keeps_nothing, &sync)
            .await
            .contains("; ask for fewer rows")
    );
}

/// What a caller is told who gets too much.
async fn too_large(client: &Client, chosen: &Value) -> String {
    let mut arguments = chosen.clone();
    arguments["rows"] = json!(100);
    let refused = client.call("query", arguments).await;
    assert_eq!(code(&refused), "RESPONSE_TOO_LARGE", "{chosen}");
    text(&refused).to_owned()
}

#[tokio::test]
async fn the_description_names_the_columns() {
    for era in Era::ALL {
        let described = client(era).await.describe("alerts").await["alerts"].take();
        let properties = &described["inputSchema"]["properties"];
        let columns = properties["abstract_domains"]["description"]
            .as_str()
            .unwrap();
        assert!(
            columns.ends_with("Columns:\n- event: What kind of weather.\n- severity\n- headline"),
            "{columns}"
        );
        assert_eq!(properties["mode"]["default"], "async");
        assert!(described.get("outputSchema").is_none(), "{described}");
    }
}

#[tokio::test]
async fn code_calls_a_selective_tool_in_every_way_that_keeps_nothing() {
    let (registry, weather) = (registry(), Weather::default());
    registry.check().unwrap();
    let call = async |arguments: Value| registry.call(&weather, "alerts", arguments).await;
    let plain = call(json!({ "area": "CA" })).await.unwrap();
    assert!(
        plain.content[0]
            .as_text()
            .unwrap()
            .text
            .starts_with(r#"[{"event":"Wind""#)
    );
    let divided = call(json!({ "area": "CA", "abstract_domains": "event", "mode": "sync" }))
        .await
        .unwrap();
    assert!(
        divided.content[0]
            .as_text()
            .unwrap()
            .text
            .starts_with(r#"{"total_rows":2,"#)
    );
    let kept = call(json!({ "area": "CA", "abstract_domains": "event" }))
        .await
        .unwrap_err();
    assert_eq!(kept.code, "NO_DATA_PLANE");
    let unknown = call(json!({ "area": "CA", "abstract_domains": "evnt" }))
        .await
        .unwrap_err();
    assert_eq!(unknown.code, ToolError::INVALID_ARGUMENTS);
}

#[tokio::test]
async fn an_example_with_an_unknown_column_is_a_problem() {
    /// # Examples
    ///
    /// ```json
    /// { "area": "CA", "abstract_domains": "event,sevrity" }
    /// ```
    #[pd_tool(summary = "List weather alerts", selective)]
    fn misspelt(area: String) -> Json<Vec<Alert>> {
        drop(area);
        Json(Vec::new())
    }
    let registry: Registry<()> = pd_runtime::registry! { misspelt };
    let told = registry.check().unwrap_err().to_string();
    assert!(
        told.contains("example 1 would be refused: `sevrity` (did you mean `severity`?)"),
        "{told}"
    );
}
