//! A set of tools and requests, as it stands in a folder.

use futures::{FutureExt, future::ready};
use pd_runtime::{IntoOutput, Tool};
use rmcp::model::Tool as Definition;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

/// Tools, and what was asked for with what would have been right.
pub(crate) struct Set {
    pub(crate) name: String,
    /// The definitions that `tools` are made from.
    pub(crate) definitions: Vec<Definition>,
    pub(crate) tools: Vec<Tool<()>>,
    pub(crate) requests: Vec<Request>,
}

/// A request and the tools that fit it.
#[derive(Clone, Deserialize)]
#[serde(try_from = "WrittenRequest")]
pub(crate) struct Request {
    pub(crate) text: String,
    /// All tools that fit it, or one of its steps.
    pub(crate) relevant: BTreeSet<String>,
    /// The tools of which one is enough, for each step. Empty if a request wants all that fit.
    pub(crate) steps: Vec<BTreeSet<String>>,
}

/// A request as a line has it.
#[derive(Deserialize)]
struct WrittenRequest {
    #[serde(alias = "query")]
    text: String,
    relevant: Option<BTreeSet<String>>,
    steps: Option<Vec<BTreeSet<String>>>,
}

impl TryFrom<WrittenRequest> for Request {
    type Error = &'static str;

    fn try_from(written: WrittenRequest) -> Result<Self, Self::Error> {
        let (relevant, steps) = match (written.relevant, written.steps) {
            (Some(relevant), None) => (relevant, Vec::new()),
            (None, Some(steps)) => (steps.iter().flatten().cloned().collect(), steps),
            _ => return Err("a request has either `relevant` or `steps`"),
        };
        Ok(Self {
            text: written.text,
            relevant,
            steps,
        })
    }
}

impl Request {
    /// Returns the share of what was wanted that these tools are.
    pub(crate) fn recall(&self, found: &[&str]) -> f64 {
        let has = |name: &String| found.contains(&name.as_str());
        let (met, wanted) = if self.steps.is_empty() {
            let met = self.relevant.iter().filter(|name| has(name)).count();
            (met, self.relevant.len())
        } else {
            let met = self.steps.iter().filter(|step| step.iter().any(has));
            (met.count(), self.steps.len())
        };
        met as f64 / wanted.max(1) as f64
    }

    /// Returns whether these tools are enough: one that fits, or one for each step.
    pub(crate) fn is_met_by(&self, found: &[&str]) -> bool {
        let recall = self.recall(found);
        if self.steps.is_empty() {
            recall > 0.0
        } else {
            recall == 1.0
        }
    }
}

/// A tool, of which only the name must be there.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    name: String,
    title: Option<String>,
    description: Option<String>,
    #[serde(alias = "input_schema", alias = "parameters")]
    input_schema: Option<Map<String, Value>>,
    annotations: Option<Map<String, Value>>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum SetError {
    #[error("{} cannot be read: {source}; a set is a folder with tools.jsonl and queries.jsonl", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{}, line {line}: {source}; a line is {form}", path.display())]
    Parse {
        path: PathBuf,
        line: usize,
        source: serde_json::Error,
        form: &'static str,
    },
    #[error("{} has no lines; a line is {form}", path.display())]
    Empty { path: PathBuf, form: &'static str },
}

const TOOL: &str = r#"{"name": "…", "description": "…", "inputSchema": {…}}"#;
const REQUEST: &str = r#"{"query_id": "…", "text": "…", "relevant": ["…"]}"#;

impl Set {
    /// Reads the set in a folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, SetError> {
        let name = folder
            .file_name()
            .map_or_else(|| folder.to_string_lossy(), |name| name.to_string_lossy());
        let listed = listed(folder)?;
        let definitions = listed.into_iter().map(Listed::into_definition).collect();
        Ok(Self::new(
            name.into_owned(),
            definitions,
            lines(&folder.join("queries.jsonl"), REQUEST)?,
        ))
    }

    pub(crate) fn new(name: String, definitions: Vec<Definition>, requests: Vec<Request>) -> Self {
        let tools = definitions.iter().cloned().map(tool).collect();
        Self {
            name,
            definitions,
            tools,
            requests,
        }
    }

    /// Returns the tools and requests of all sets as one set.
    pub(crate) fn join(sets: &[Self]) -> Self {
        let definitions = sets
            .iter()
            .flat_map(|set| set.definitions.iter().cloned())
            .collect();
        let requests = sets
            .iter()
            .flat_map(|set| set.requests.iter().cloned())
            .collect();
        Self::new("all".to_owned(), definitions, requests)
    }

    /// What is odd about the set, and how it is taken.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let names: BTreeSet<&str> = self.tools.iter().map(Tool::name).collect();
        let all: Vec<&str> = names.iter().copied().collect();
        let unanswerable = |request: &&Request| !request.is_met_by(&all);
        let missed = self.requests.iter().filter(unanswerable).count();
        let twice = self.tools.len() - names.len();
        let mut remarks = Vec::new();
        if missed > 0 {
            remarks.push(format!(
                "{missed} requests name no tool of the set as relevant; they count as missed"
            ));
        }
        if twice > 0 {
            remarks.push(format!(
                "{twice} tools have the name of another; finding either is right"
            ));
        }
        remarks
    }
}

/// Reads the tools of a set: its own, or those of the lists that `catalogs.json` names.
fn listed(folder: &Path) -> Result<Vec<Listed>, SetError> {
    let catalogs = folder.join("catalogs.json");
    if !catalogs.exists() {
        return lines(&folder.join("tools.jsonl"), TOOL);
    }
    let mut all = Vec::new();
    for catalog in document::<Vec<String>>(&catalogs)? {
        all.extend(document::<Vec<Listed>>(&folder.join(catalog))?);
    }
    Ok(all)
}

fn document<T: DeserializeOwned>(path: &Path) -> Result<T, SetError> {
    let read = |source| SetError::Read {
        path: path.to_owned(),
        source,
    };
    let text = fs::read_to_string(path).map_err(read)?;
    serde_json::from_str(&text).map_err(|source| SetError::Parse {
        path: path.to_owned(),
        line: source.line(),
        source,
        form: r#"`["list.json", …]`, or a list of tools"#,
    })
}

fn lines<T: DeserializeOwned>(path: &Path, form: &'static str) -> Result<Vec<T>, SetError> {
    let text = fs::read_to_string(path).map_err(|source| SetError::Read {
        path: path.to_owned(),
        source,
    })?;
    let full = (1..)
        .zip(text.lines())
        .filter(|(_, text)| !text.trim().is_empty());
    let parse = |(line, text)| {
        serde_json::from_str(text).map_err(|source| SetError::Parse {
            path: path.to_owned(),
            line,
            source,
            form,
        })
    };
    let lines: Vec<T> = full.map(parse).collect::<Result<_, _>>()?;
    if lines.is_empty() {
        Err(SetError::Empty {
            path: path.to_owned(),
            form,
        })
    } else {
        Ok(lines)
    }
}

impl Listed {
    fn into_definition(self) -> Definition {
        let annotated =
            |annotations: Map<String, Value>| Some(annotations.get("title")?.as_str()?.to_owned());
        let schema = self.input_schema.unwrap_or_default();
        let mut definition =
            Definition::new_with_raw(self.name, self.description.map(Into::into), schema);
        definition.title = self.title.or_else(|| self.annotations.and_then(annotated));
        definition
    }
}

/// The tool as a server would have it, but that its name need not be one that clients accept.
pub(crate) fn tool(definition: Definition) -> Tool<()> {
    Tool::from_definition(definition, |(), _, _| {
        ready(json!({}).to_string().into_output()).boxed()
    })
}
