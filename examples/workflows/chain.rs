//! Servers that are not ours, behind a gateway, and a workflow from one to the next: a file, a database,
//! a graph of notes.

use super::{
    Failure,
    arm::Arm,
    conversation::Conversation,
    workflow::{NeededTool, Task, Workflow},
};
use pd_gateway::{Gateway, GatewayConfig};
use pd_runtime::{code::CodeMode, prelude::*};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Weaker earthquakes do not count.
const MAGNITUDE: f64 = 4.5;
/// The number of regions that become notes.
const NOTES: usize = 3;
const CREATE: &str = "CREATE TABLE IF NOT EXISTS quakes (region TEXT, mag REAL)";
const CLEAR: &str = "DELETE FROM quakes";
const COUNT: &str = "SELECT region, COUNT(*) AS count FROM quakes GROUP BY region ORDER BY count DESC, region LIMIT 3";

static TOOLS: [NeededTool; 5] = [
    NeededTool {
        words: "read a text file",
        name: "filesystem__read_text_file",
    },
    NeededTool {
        words: "create a table in the sqlite database",
        name: "sqlite__create_table",
    },
    NeededTool {
        words: "insert rows into the sqlite database",
        name: "sqlite__write_query",
    },
    NeededTool {
        words: "select rows of the sqlite database",
        name: "sqlite__read_query",
    },
    NeededTool {
        words: "create entities in the knowledge graph",
        name: "memory__create_entities",
    },
];

/// Copies the strong earthquakes of a file into a database, and notes the regions with most of them.
#[derive(Debug)]
pub(crate) struct FileToNotes {
    gateway: Gateway,
    /// A line for each earthquake: magnitude, depth, latitude, longitude and place, between tabs.
    file: PathBuf,
    task: &'static Task,
}

impl FileToNotes {
    /// Starts the servers of a configuration: `filesystem`, `sqlite` and `memory` among them.
    ///
    /// # Errors
    ///
    /// The configuration cannot be read.
    pub(crate) async fn start(config: &Path, file: &Path) -> Result<Self, Failure> {
        let gateway =
            Gateway::with_cache(GatewayConfig::open(config)?, config.with_extension("cache"));
        gateway.refresh().await;
        // One task a process, so the leak is bounded.
        let task = Task {
            name: "file, SQLite, notes",
            request: format!(
                "{} has an earthquake a line: magnitude, depth, latitude, longitude, place. Put region and magnitude of \
                 those of magnitude {MAGNITUDE} and more into the database's table `quakes`, instead of what is there. A \
                 region is what follows the last comma of the place. Note the {NOTES} regions with most of them as \
                 entities with their counts.",
                file.display()
            )
            .leak(),
            tools: &TOOLS,
            program: program(file).leak(),
            has_steps: true,
        };
        Ok(Self {
            gateway,
            file: file.to_owned(),
            task: Box::leak(Box::new(task)),
        })
    }

    /// Ends the servers.
    pub(crate) async fn stop(&self) {
        self.gateway.stop().await;
    }

    /// The regions of the strong earthquakes, with the magnitude of each.
    fn strong(text: &str) -> Vec<(String, f64)> {
        let row = |line: &str| {
            let mut cells = line.split('\t');
            let magnitude: f64 = cells.next()?.parse().ok()?;
            let region = cells.next_back()?.rsplit(", ").next()?.to_owned();
            (magnitude >= MAGNITUDE).then_some((region, magnitude))
        };
        text.lines().filter_map(row).collect()
    }
}

fn program(file: &Path) -> String {
    let file = json!(file);
    format!(
        r#"
const {{ content }} = await tools.filesystem__read_text_file({{ path: {file} }});
const rows = content.trim().split("\n").map((line) => line.split("\t")).filter(([mag]) => Number(mag) >= {MAGNITUDE});
const values = rows.map(([mag, , , , place]) => `('${{place.split(", ").at(-1).replaceAll("'", "''")}}', ${{mag}})`);
await tools.sqlite__create_table({{ query: "{CREATE}" }});
await tools.sqlite__write_query({{ query: "{CLEAR}" }});
await tools.sqlite__write_query({{ query: `INSERT INTO quakes VALUES ${{values.join(", ")}}` }});
const text = await tools.sqlite__read_query({{ query: "{COUNT}" }});
const regions = JSON.parse(text.replaceAll("'", '"'));
const entities = regions.map(({{ region, count }}) => ({{ name: region, entityType: "region", observations: [`${{count}} earthquakes`] }}));
await tools.memory__create_entities({{ entities }});
return {{ regions }};
"#
    )
}

impl Workflow for FileToNotes {
    type State = ();

    fn task(&self) -> &'static Task {
        self.task
    }

    async fn server(&self, arm: Arm, mode: &CodeMode) -> Result<PdServer<()>, Failure> {
        let builder = PdServer::builder(self.gateway.registry::<()>(), ());
        // Two of the servers say nothing of what their tools change.
        let mode = mode.clone().allow(TOOLS.iter().map(|tool| tool.name));
        Ok(arm.apply(builder, &mode).build()?)
    }

    async fn answer_by_calls(&self, conversation: &mut Conversation) -> Result<Value, Failure> {
        let text = conversation
            .call(TOOLS[0].name, json!({ "path": self.file }))
            .await?;
        let text = text.as_str().ok_or("the file is no text")?;
        let values = Self::strong(text);
        let values = values
            .iter()
            .map(|(region, mag)| format!("('{}', {mag})", region.replace('\'', "''")));
        let insert = format!(
            "INSERT INTO quakes VALUES {}",
            values.collect::<Vec<_>>().join(", ")
        );
        conversation
            .call("sqlite__create_table", json!({ "query": CREATE }))
            .await?;
        conversation
            .call("sqlite__write_query", json!({ "query": CLEAR }))
            .await?;
        conversation
            .call("sqlite__write_query", json!({ "query": insert }))
            .await?;
        let counted = conversation
            .call("sqlite__read_query", json!({ "query": COUNT }))
            .await?;
        // The server writes Python's notation.
        let regions: Value = match counted {
            Value::String(text) => serde_json::from_str(&text.replace('\'', "\""))?,
            rows => rows,
        };
        let entity = |row: &Value| {
            let observation = format!("{} earthquakes", row.get("count").unwrap_or(&Value::Null));
            json!({ "name": row.get("region"), "entityType": "region", "observations": [observation] })
        };
        let entities: Vec<Value> = regions
            .as_array()
            .into_iter()
            .flatten()
            .map(entity)
            .collect();
        conversation
            .call("memory__create_entities", json!({ "entities": entities }))
            .await?;
        Ok(json!({ "regions": regions }))
    }

    fn right_answer(&self) -> Result<Value, Failure> {
        let strong = Self::strong(&fs::read_to_string(&self.file)?);
        let mut counts = std::collections::BTreeMap::<_, usize>::new();
        strong
            .into_iter()
            .for_each(|(region, _)| *counts.entry(region).or_default() += 1);
        let mut counts: Vec<_> = counts.into_iter().collect();
        // The sort is stable, so regions of one count stay in the order of their names.
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts.truncate(NOTES);
        let regions = counts
            .into_iter()
            .map(|(region, count)| json!({ "region": region, "count": count }));
        Ok(json!({ "regions": regions.collect::<Vec<_>>() }))
    }
}
