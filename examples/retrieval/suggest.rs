//! How much the suggestions of `audit --suggest` improve search: half of a set's requests become the
//! audit log of a server, and the other half is measured with and without the suggestions.

use crate::{
    measure::{self, Measured},
    set::{self, Request, Set},
};
use clap::Parser;
use pd_runtime::{
    PdServer, Registry, Tool,
    audit::{AuditDetail, JsonLines},
    cli::Command,
    config::MetaTools,
    search::{Search, SearchMode},
};
use rmcp::{
    RoleClient, ServiceExt,
    model::{CallToolRequestParams, Tool as Definition},
    service::RunningService,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    error::Error,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The number of conversations that make each request: the least number that `audit --suggest`
/// accepts by default.
pub(crate) const CONVERSATIONS: usize = 3;

/// The capacity of a connection's pipe, in bytes.
const PIPE: usize = 1 << 16;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The search for one half of a set's requests, before and after the suggestions from the other half.
pub(crate) struct Improvement {
    pub(crate) before: Measured,
    pub(crate) after: Measured,
}

/// A directory that is removed in the end.
struct ScratchDirectory(PathBuf);

impl ScratchDirectory {
    fn new() -> Outcome<Self> {
        let number = getrandom::u64()?;
        let path = std::env::temp_dir().join(format!("pd-suggest-{number:016x}"));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for ScratchDirectory {
    fn drop(&mut self) {
        // A directory that stays behind in the system's temporary directory is no failure.
        drop(fs::remove_dir_all(&self.0));
    }
}

/// The command line of the servers in this measurement.
#[derive(Parser)]
struct ServerArguments {
    #[command(subcommand)]
    command: Command,
}

/// Measures each set with suggestions from its own requests, then all sets as one server.
pub(crate) async fn run(sets: &[Set]) -> Outcome<()> {
    let sets: Vec<Set> = sets.iter().map(as_served).collect();
    let width = sets
        .iter()
        .map(|set| set.name.chars().count())
        .max()
        .unwrap_or(0);
    let mut rows = Vec::new();
    for set in &sets {
        let Improvement { before, after } =
            measure(set, &replayed_half(set), &other_half(set)).await?;
        rows.push((set, "before", before));
        rows.push((set, "after", after));
    }
    println!(
        "\n{:width$}  tools  requests  texts   {}",
        "set",
        measure::HEAD
    );
    for (set, label, measured) in rows {
        println!(
            "{:width$}  {:5}  {:8}  {label:6}  {measured}",
            set.name,
            set.tools.len(),
            measured.requests()
        );
    }
    if sets.len() > 1 {
        run_together(&sets).await
    } else {
        Ok(())
    }
}

/// Offers the tools of all sets as one server, and measures every set after suggestions from the
/// requests of one.
async fn run_together(sets: &[Set]) -> Outcome<()> {
    let all = Set::join(sets);
    let mut lines = Vec::new();
    for logged in sets {
        let replayed = replayed_half(logged);
        let searches = SearchPair::new(&all, &replayed).await?;
        for measured in sets {
            let is_own = std::ptr::eq(measured, logged);
            let requests = if is_own {
                other_half(measured)
            } else {
                measured.requests.clone()
            };
            let Improvement { before, after } = searches.measure(&requests)?;
            let change = |limit| {
                let share = |measured: &Measured| measured.recall_at(limit).unwrap_or_default();
                format!("{:.3} → {:.3}", share(&before), share(&after))
            };
            lines.push(format!(
                "{:15}  {:15}  {}  {}",
                logged.name,
                measured.name,
                change(1),
                change(5)
            ));
        }
    }
    println!("\nall sets as one server\nlogged           measured         R@1            R@5");
    lines.iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// Returns the set with names and schemas that a server accepts.
pub(crate) fn as_served(set: &Set) -> Set {
    let is_plain =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
    let accepted = |name: &str| {
        name.chars()
            .map(|letter| if is_plain(letter) { letter } else { '_' })
            .collect::<String>()
    };
    let mut definitions = set.definitions.clone();
    for tool in &mut definitions {
        tool.name = accepted(&tool.name).into();
        Arc::make_mut(&mut tool.input_schema).insert("type".to_owned(), json!("object"));
    }
    let mut requests = set.requests.clone();
    for request in &mut requests {
        for tools in request.steps.iter_mut().chain([&mut request.relevant]) {
            *tools = tools.iter().map(|name| accepted(name)).collect();
        }
    }
    Set::new(set.name.clone(), definitions, requests)
}

/// Returns every other request: those of one tool are neighbors, so both halves have its requests.
pub(crate) fn replayed_half(set: &Set) -> Vec<Request> {
    set.requests.iter().step_by(2).cloned().collect()
}

/// Returns the requests that no log has.
pub(crate) fn other_half(set: &Set) -> Vec<Request> {
    set.requests.iter().skip(1).step_by(2).cloned().collect()
}

/// Measures some requests of a set before and after suggestions from others.
pub(crate) async fn measure(
    set: &Set,
    replayed: &[Request],
    measured: &[Request],
) -> Outcome<Improvement> {
    SearchPair::new(set, replayed).await?.measure(measured)
}

/// The search over the present texts, and over those with all suggestions.
struct SearchPair {
    before: Search,
    after: Search,
}

impl SearchPair {
    /// Serves the set's tools to clients that make these requests, and applies the suggestions from
    /// the server's audit log.
    async fn new(set: &Set, replayed: &[Request]) -> Outcome<Self> {
        let directory = ScratchDirectory::new()?;
        let (log, suggestions) = (
            directory.0.join("audit.jsonl"),
            directory.0.join("suggestions"),
        );
        serve(set, replayed, &log).await?;
        let registry = registry(set)?;
        let arguments = [
            Path::new("server"),
            Path::new("audit"),
            &log,
            Path::new("--suggest"),
            &suggestions,
        ];
        let server = PdServer::builder(self::registry(set)?, ());
        // The command reports its own errors. Without suggestions there is no directory.
        let _code = ServerArguments::try_parse_from(arguments)?
            .command
            .run(server)
            .await;
        let before = registry.search();
        let after = if suggestions.exists() {
            registry.overlaid(&suggestions)?.search()
        } else {
            registry.search()
        };
        Ok(Self { before, after })
    }

    fn measure(&self, requests: &[Request]) -> Outcome<Improvement> {
        let measure = |search: &Search| Measured::of(requests, search, SearchMode::Words);
        Ok(Improvement {
            before: measure(&self.before)?,
            after: measure(&self.after)?,
        })
    }
}

/// Returns the tools of a set as a server's. A server has each name once.
fn registry(set: &Set) -> Outcome<Registry<()>> {
    build(set.definitions.iter().cloned())
}

/// Returns the tools without required arguments, which sets of requests do not have.
fn callable_registry(set: &Set) -> Outcome<Registry<()>> {
    build(set.definitions.iter().cloned().map(|mut definition| {
        let schema = Arc::make_mut(&mut definition.input_schema);
        ["required", "anyOf", "oneOf", "allOf"]
            .into_iter()
            .for_each(|keyword| drop(schema.remove(keyword)));
        definition
    }))
}

fn build(definitions: impl Iterator<Item = Definition>) -> Outcome<Registry<()>> {
    let mut names = BTreeSet::new();
    let tools: Vec<Tool<()>> = definitions
        .filter(|tool| names.insert(tool.name.clone()))
        .map(set::tool)
        .collect();
    Ok(Registry::builder().tools(tools).build()?)
}

/// Serves the tools, and records an audit log of clients that make the requests.
async fn serve(set: &Set, requests: &[Request], log: &Path) -> Outcome<()> {
    let audit = Arc::new(JsonLines::append(log)?);
    let server = PdServer::builder(callable_registry(set)?, ())
        .meta_tools(MetaTools::all())
        .audit(audit.clone())
        .audit_detail(AuditDetail::NONE.with_queries())
        .build()?;
    let names: BTreeSet<&str> = set.tools.iter().map(Tool::name).collect();
    for request in requests {
        let Some(tool) = request
            .relevant
            .iter()
            .find(|name| names.contains(name.as_str()))
        else {
            continue;
        };
        for _ in 0..CONVERSATIONS {
            let (ours, theirs) = tokio::io::duplex(PIPE);
            let handler = server.handler();
            let serving = tokio::spawn(async move {
                if let Ok(running) = handler.serve(theirs).await {
                    drop(running.waiting().await);
                }
            });
            let client = ().serve(ours).await?;
            converse(&client, &request.text, tool).await?;
            client.cancel().await?;
            drop(serving.await);
        }
    }
    audit.flush();
    Ok(())
}

/// Searches, reads the description, and calls the tool.
async fn converse(client: &RunningService<RoleClient, ()>, query: &str, tool: &str) -> Outcome<()> {
    call(client, "find_tools", json!({ "query": query })).await?;
    call(client, "describe_tools", json!({ "names": [tool] })).await?;
    call(
        client,
        "call_tool",
        json!({ "name": tool, "arguments": {} }),
    )
    .await
}

async fn call(
    client: &RunningService<RoleClient, ()>,
    name: &'static str,
    arguments: Value,
) -> Outcome<()> {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    client
        .call_tool(CallToolRequestParams::new(name).with_arguments(arguments))
        .await?;
    Ok(())
}
