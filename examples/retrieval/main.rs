//! Does search find the right tool? Measure it on any set of tools and requests.
//!
//! ```sh
//! cargo run --release --example retrieval -- DIR…
//! cargo run --release --example retrieval --features semantic -- --model all-MiniLM-L6-v2 DIR…
//! cargo run --release --example retrieval -- --suggest DIR…     # what `audit --suggest` improves
//! cargo run --release --example retrieval -- --confusable DIR…  # what the pairs of confusable tools explain
//! ```
//!
//! A set is a folder with `tools.jsonl` (a tool a line, as `tools/list` shows it) and `queries.jsonl` (`{"query_id", "text",
//! "relevant": ["tool", …]}`, or `"steps": [["tool", …], …]` for a request of several steps). Instead of the tools, a set may
//! have `catalogs.json`, the paths of lists of tools.
//!
//! Notice: the same `Search` that finds for a model is made here from tools that no server would accept: names in any form,
//! twice the same.

mod confusable;
mod measure;
mod set;
mod suggest;
#[cfg(test)]
mod tests;

use clap::Parser;
use indicatif::ProgressBar;
use measure::Measured;
use pd_runtime::search::{EmbedError, Embedder, Search, SearchMode};
use serde_json::{Value, json};
use set::Set;
use std::{
    env,
    error::Error,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Instant,
};

/// How many texts the model embeds before the bar moves.
const BATCH: usize = 64;

#[derive(Parser)]
#[command(about = "Measures how well search finds tools")]
struct Line {
    /// Folders with tools.jsonl and queries.jsonl
    #[arg(required = true, value_name = "DIR")]
    sets: Vec<PathBuf>,
    /// A sentence model's folder, or else what `PD_MODEL` says; needs the feature `semantic`
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// List the requests that find nothing right among the first five
    #[arg(long)]
    misses: bool,
    /// Print the measurements as one JSON document
    #[arg(long, conflicts_with_all = ["suggest", "confusable"])]
    json: bool,
    /// Measure what `audit --suggest` improves: every other request becomes an audit log, and the rest is
    /// measured with the texts before and after. With several sets, also all of them as one server
    #[arg(long, conflicts_with = "model")]
    suggest: bool,
    /// Count how many wrong first hits the pairs of confusable tools explain
    #[arg(long, conflicts_with = "suggest")]
    confusable: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(&Line::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => pd_runtime::cli::fail(&error),
    }
}

async fn run(line: &Line) -> Result<(), Box<dyn Error>> {
    let sets: Vec<Set> = line
        .sets
        .iter()
        .map(|folder| Set::read(folder))
        .collect::<Result<_, _>>()?;
    if line.suggest {
        return suggest::run(&sets).await;
    }
    if line.confusable {
        confusable::print(&sets);
        return Ok(());
    }
    let folder = line
        .model
        .clone()
        .or_else(|| env::var_os("PD_MODEL").map(PathBuf::from));
    let model = folder.as_deref().map(load).transpose()?;
    let width = sets
        .iter()
        .map(|set| set.name.chars().count())
        .max()
        .unwrap_or(0);
    if !line.json {
        println!(
            "{:width$}  tools  requests  mode     {}",
            "set",
            measure::HEAD
        );
    }
    let mut rows = Vec::new();
    for set in &sets {
        set.remarks()
            .iter()
            .for_each(|remark| eprintln!("{}: {remark}", set.name));
        let search = search(set, model.clone())?;
        for (mode, label) in modes(model.is_some()) {
            let measured = Measured::of(&set.requests, &search, mode)?;
            if line.json {
                rows.push(row(set, label, &measured, line.misses));
                continue;
            }
            println!(
                "{:width$}  {:5}  {:8}  {label:7}  {measured}",
                set.name,
                set.tools.len(),
                set.requests.len()
            );
            measured
                .misses
                .iter()
                .filter(|_| line.misses)
                .for_each(|miss| println!("  {miss}"));
        }
    }
    if line.json {
        println!("{}", json!({ "rows": rows }));
    }
    Ok(())
}

/// A row of the table as JSON.
fn row(set: &Set, mode: &str, measured: &Measured, has_misses: bool) -> Value {
    json!({
        "set": set.name,
        "tools": set.tools.len(),
        "requests": set.requests.len(),
        "mode": mode,
        "measured": measured.to_json(),
        "misses": has_misses.then_some(&measured.misses),
    })
}

fn modes(has_model: bool) -> Vec<(SearchMode, &'static str)> {
    let mut modes = vec![(SearchMode::Words, "lexical")];
    if has_model {
        modes.extend([(SearchMode::Meaning, "dense"), (SearchMode::Both, "hybrid")]);
    }
    modes
}

fn search(set: &Set, model: Option<Arc<dyn Embedder>>) -> Result<Search, Box<dyn Error>> {
    let began = Instant::now();
    let search = match model {
        Some(model) => Search::with_model(&set.tools, Arc::new(ModelWithBar(model)))?,
        None => Search::new(&set.tools),
    };
    eprintln!("{}: made ready in {:.1?}", set.name, began.elapsed());
    Ok(search)
}

/// A model that shows on terminals how many texts about tools it has embedded.
struct ModelWithBar(Arc<dyn Embedder>);

impl Embedder for ModelWithBar {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.0.embed(texts)
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let (bar, mut vectors) = (
            ProgressBar::new(texts.len() as u64),
            Vec::with_capacity(texts.len()),
        );
        for batch in texts.chunks(BATCH) {
            vectors.extend(self.0.embed_documents(batch)?);
            bar.inc(batch.len() as u64);
        }
        bar.finish_and_clear();
        Ok(vectors)
    }
}

#[cfg(feature = "semantic")]
fn load(folder: &Path) -> Result<Arc<dyn Embedder>, Box<dyn Error>> {
    Ok(Arc::new(pd_runtime::search::MiniLm::load(folder)?))
}

#[cfg(not(feature = "semantic"))]
fn load(_: &Path) -> Result<Arc<dyn Embedder>, Box<dyn Error>> {
    Err("a model needs the feature `semantic`: cargo run --release --example retrieval --features semantic -- …".into())
}
