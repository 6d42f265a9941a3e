//! The servers of the example `alerts` as one, and a workflow of several steps over their wide table.

use super::{
    Failure,
    arm::Arm,
    charts::{self, Charts},
    conversation::Conversation,
    feed::{self, Feed},
    workflow::{NeededTool, Task, Workflow},
};
use pd_runtime::{
    Table,
    code::CodeMode,
    prelude::*,
    selective::FetchPolicy,
    serve::{Http, HttpOptions},
};
use serde_json::{Map, Value, json};

/// Weaker earthquakes do not count.
const MAGNITUDE: f64 = 4.5;
/// The most rows that agents ask for, over the number of rows.
const ROWS: usize = 300;
const WEEK: &str = include_str!("../alerts/quakes.json");

static BY_REGION: Task = Task {
    name: "earthquakes",
    request: "Of the week's earthquakes of magnitude 4.5 and more: how many were there in each region, and how strong \
              was the strongest of each? A region is what follows the last comma of the place. Draw all of them on a map.",
    tools: &[
        NeededTool {
            words: "earthquakes of the week",
            name: "quakes",
        },
        NeededTool {
            words: "draw points on a map",
            name: "draw",
        },
    ],
    program: r#"
const quakes = await tools.quakes({ min_magnitude: 4.5, limit: 300 });
const regions = {};
for (const { place, mag } of quakes) {
  const region = place.split(", ").at(-1);
  const { count, strongest } = regions[region] ?? { count: 0, strongest: mag };
  regions[region] = { count: count + 1, strongest: Math.max(strongest, mag) };
}
const rows = quakes.map((quake, index) => ({ ...quake, _row_id: index }));
const { media } = await tools.draw({ abstract_data: JSON.stringify(rows), view: "map" });
return { regions, drawing: media };
"#,
    has_steps: true,
};

/// Both servers' states.
#[derive(Debug, Default, State)]
pub(crate) struct Observatory {
    feed: Feed,
    charts: Charts,
}

/// Counts earthquakes by region and draws them.
#[derive(Debug)]
pub(crate) struct Earthquakes;

impl Workflow for Earthquakes {
    type State = Observatory;

    fn task(&self) -> &'static Task {
        &BY_REGION
    }

    async fn server(&self, arm: Arm, mode: &CodeMode) -> Result<PdServer<Observatory>, Failure> {
        let registry = feed::registry()
            .map_state()
            .merge(charts::registry().map_state())?;
        let server = arm.apply(PdServer::builder(registry, Observatory::default()), mode);
        if arm != Arm::FindAndSelect {
            return Ok(server.build()?);
        }
        // Columns that an agent leaves out go from tool to tool over HTTP.
        let http = Http::bind("127.0.0.1:0").await?;
        let fetch = FetchPolicy::default().allow_private(http.url().trim_end_matches("/mcp"))?;
        let server = server.fetch(fetch).build()?;
        let served = server.clone();
        tokio::spawn(async move { http.serve(&served, HttpOptions::default()).await });
        while server.store_rows(Table::default()).await.is_err() {
            tokio::task::yield_now().await;
        }
        Ok(server)
    }

    async fn answer_by_calls(&self, conversation: &mut Conversation) -> Result<Value, Failure> {
        let mut arguments = json!({ "min_magnitude": MAGNITUDE, "limit": ROWS });
        if conversation.arm == Arm::FindAndSelect {
            set(&mut arguments, "abstract_domains", json!("mag,place"));
        }
        let listed = conversation.call("quakes", arguments).await?;
        let rows = listed
            .get("abstract")
            .unwrap_or(&listed)
            .as_array()
            .ok_or("the tool lists no rows")?;
        let answer = by_region(rows);
        let (columns, rows): (&[&str], _) = match conversation.arm {
            Arm::FindAndSelect => (&["_row_id"], rows.clone()),
            _ => (
                &["_row_id", "mag", "longitude", "latitude", "depth", "time"],
                numbered(rows),
            ),
        };
        let points: Vec<Value> = rows.iter().map(|row| only(row, columns)).collect();
        let mut arguments =
            json!({ "abstract_data": Value::from(points).to_string(), "view": "map" });
        if let Some(url) = listed.get("resource_url") {
            set(&mut arguments, "resource_url", url.clone());
        }
        conversation.call("draw", arguments).await?;
        Ok(answer)
    }

    fn right_answer(&self) -> Result<Value, Failure> {
        Ok(by_region(&strong_rows(MAGNITUDE)?))
    }

    fn drawn_points(&self) -> Option<usize> {
        strong_rows(MAGNITUDE).ok().map(|rows| rows.len())
    }
}

/// Returns the rows of the file that are at least so strong.
fn strong_rows(magnitude: f64) -> Result<Vec<Value>, Failure> {
    let mut rows: Vec<Value> = serde_json::from_str(WEEK)?;
    rows.retain(|row| number(row, "mag") >= magnitude);
    Ok(rows)
}

/// Counts rows by region.
fn by_region(rows: &[Value]) -> Value {
    let mut regions = Map::new();
    for row in rows {
        let place = row.get("place").and_then(Value::as_str).unwrap_or_default();
        let region = place.rsplit(", ").next().unwrap_or(place);
        let before = regions
            .get(region)
            .cloned()
            .unwrap_or_else(|| json!({ "count": 0, "strongest": 0 }));
        let strongest = number(&before, "strongest").max(number(row, "mag"));
        regions.insert(
            region.to_owned(),
            json!({ "count": number(&before, "count") as u64 + 1, "strongest": strongest }),
        );
    }
    json!({ "regions": regions })
}

fn numbered(rows: &[Value]) -> Vec<Value> {
    let number = |(index, row): (usize, &Value)| {
        let mut row = row.clone();
        set(&mut row, "_row_id", json!(index));
        row
    };
    rows.iter().enumerate().map(number).collect()
}

fn only(row: &Value, columns: &[&str]) -> Value {
    columns
        .iter()
        .filter_map(|column| Some(((*column).to_owned(), row.get(column)?.clone())))
        .collect()
}

fn number(row: &Value, column: &str) -> f64 {
    row.get(column).and_then(Value::as_f64).unwrap_or_default()
}

fn set(object: &mut Value, name: &str, value: Value) {
    object
        .as_object_mut()
        .map(|object| object.insert(name.to_owned(), value));
}
