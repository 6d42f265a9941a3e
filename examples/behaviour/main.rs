//! How do models behave before a server with progressive disclosure? Run agents through tasks on
//! three servers, under every listing and every wording of the workflow, and see.
//!
//! ```sh
//! cargo run --release --example behaviour
//! cargo run --release --example behaviour -- --model MODEL.gguf --runtime 'llama-server --jinja -m {model} --port {port}'
//! cargo run --release --example behaviour -- --model NAME --endpoint http://127.0.0.1:8080 --constrained
//! ```
//!
//! Without a model the agents are scripted: one does what the implementation guide asks for, two make its anti-patterns (fetch
//! everything first, skip fetching). A model is a GGUF file that the runtime serves on this machine, or whatever an
//! endpoint of OpenAI's chat completions serves already.
//!
//! Notice: `trial.rs` is the whole agent's loop, and `host.rs` all that a host has to do. A task is
//! done when a call that does it reached the tool, as the server's audit events report it. Half of
//! the tasks are held out: texts are tuned on the others, and `--held-out` measures at the end what
//! they are worth.

mod agent;
mod call_log;
mod call_reader;
mod chat;
mod constrained;
mod expected;
mod host;
mod program;
mod prompted;
mod recorder;
mod report;
mod runtime;
mod scripted;
mod servers;
mod setting;
mod task;
#[cfg(test)]
mod tests;
mod transcript;
mod trial;

use agent::Agent;
use chat::{Chat, Dialect, Sampling};
use clap::Parser;
use indicatif::ProgressBar;
use recorder::Recorder;
use report::Report;
use runtime::Runtime;
use scripted::{Habit, Scripted};
use servers::{Site, Subject};
use setting::{Mode, Setting, Wording};
use std::{error::Error, path::PathBuf, process::ExitCode};
use task::{Task, TaskSet};
use trial::Trial;

type Failure = Box<dyn Error + Send + Sync>;

/// The seed of runs at temperature 0, which is any number.
const SEED: u64 = 7;

#[derive(Debug, Parser)]
#[command(about = "Measures how agents behave before a server with progressive disclosure")]
struct Line {
    /// A GGUF file, or what an endpoint calls its model; without one the agents are scripted
    #[arg(long, value_name = "FILE")]
    model: Option<String>,
    /// What serves the model, with OpenAI's chat completions
    #[arg(
        long,
        value_name = "COMMAND",
        default_value = "llama-server --jinja -m {model} --port {port}"
    )]
    runtime: String,
    /// An endpoint that serves the model already, or loads it now
    #[arg(long, value_name = "URL", requires = "model")]
    endpoint: Option<String>,
    /// Tell the model of its tools in the prompt: for models whose template knows no tools
    #[arg(long, requires = "model")]
    prompted: bool,
    /// Hold the model to one JSON action a turn, by a schema: a call, or an answer once a tool
    /// returned a result
    ///
    /// So the tables show what a model chooses, not how it writes.
    #[arg(long, requires = "model", conflicts_with = "prompted")]
    constrained: bool,
    /// With --constrained, let the model answer before a tool returned a result, too
    ///
    /// The tables then show how often a model gives up: small ones do so at the first refusal.
    #[arg(long, requires = "constrained")]
    early_answers: bool,
    /// Try each task so many times, with the seeds 1 to COUNT at --temperature; without it once, at
    /// temperature 0
    #[arg(long, value_name = "COUNT", requires = "model")]
    seeds: Option<u64>,
    /// The temperature of runs with --seeds
    #[arg(long, value_name = "NUMBER", default_value_t = 0.7)]
    temperature: f64,
    /// Only these listings
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    listing: Vec<Mode>,
    /// Only these wordings of the workflow; what is listed in full has none
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    wording: Vec<Wording>,
    /// Only tasks about these servers
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    server: Vec<Subject>,
    /// The tasks that are kept for the last measurement, instead of the others
    #[arg(long)]
    held_out: bool,
    /// Only the first so many tasks of each server
    #[arg(long, value_name = "COUNT", default_value_t = usize::MAX, hide_default_value = true)]
    tasks: usize,
    /// How many turns an agent has for a task
    #[arg(long, value_name = "COUNT", default_value_t = 6)]
    turns: usize,
    /// Write every trial to this file, as JSON lines: the calls, and what became of them
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write every trial to this directory, as a text: what the agent read and wrote in each turn
    #[arg(long, value_name = "DIR")]
    transcripts: Option<PathBuf>,
}

#[cfg_attr(test, allow(dead_code, reason = "tests run trials"))]
fn main() -> ExitCode {
    // The server starts this program again for each run of a program.
    pd_runtime::code::run_worker_if_requested();
    let runtime = tokio::runtime::Runtime::new().map_err(Failure::from);
    match runtime.and_then(|runtime| runtime.block_on(run(Line::parse()))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => pd_runtime::cli::fail(&*error),
    }
}

async fn run(line: Line) -> Result<(), Failure> {
    let set = if line.held_out {
        TaskSet::HeldOut
    } else {
        TaskSet::Default
    };
    let tasks = Task::read(set, &line.server)?;
    let runtime = start(&line).await?;
    let agents = agents(&line, runtime.as_ref())?;
    let mut recorder = Recorder::create(line.json, line.transcripts)?;
    let mut report = Report::default();
    let settings = Setting::all(&line.listing, &line.wording);
    let bar =
        ProgressBar::new((settings.len() * count_trials(&tasks, line.tasks) * agents.len()) as u64);
    for setting in settings {
        for subject in subjects(&tasks) {
            let site = Site::build(setting, subject)?;
            let tasks = tasks
                .iter()
                .filter(|task| task.subject == subject)
                .take(line.tasks);
            // An endpoint keeps what it computed for the last request, so equal beginnings come together.
            for (agent, task) in
                tasks.flat_map(|task| agents.iter().map(move |agent| (agent, task)))
            {
                let trial = Trial::run(&**agent, task, &site, line.turns).await?;
                // A bar that is drawn on a terminal must not be torn by lines.
                bar.suspend(|| eprintln!("{:<9} {setting}, {subject}: {trial}", agent.name()));
                bar.inc(1);
                recorder.record(&trial)?;
                report.add(trial);
            }
        }
    }
    bar.finish_and_clear();
    print!("{report}");
    Ok(())
}

/// How many tasks an agent tries in one setting.
fn count_trials(tasks: &[Task], most: usize) -> usize {
    let of_subject = |subject| tasks.iter().filter(|task| task.subject == subject).count();
    subjects(tasks)
        .into_iter()
        .map(|subject| of_subject(subject).min(most))
        .sum()
}

/// The servers that the tasks are about, in the order of the tasks.
fn subjects(tasks: &[Task]) -> Vec<Subject> {
    let mut subjects: Vec<Subject> = tasks.iter().map(|task| task.subject).collect();
    subjects.dedup();
    subjects
}

/// The runtime, where a model needs one. An endpoint is one already.
async fn start(line: &Line) -> Result<Option<Runtime>, Failure> {
    match (&line.model, &line.endpoint) {
        (_, Some(endpoint)) => runtime::until_loaded(endpoint).await.map(|()| None),
        (Some(model), None) => Runtime::start(&line.runtime, model).await.map(Some),
        (None, None) => Ok(None),
    }
}

/// The scripted agents, or the model once for each seed.
fn agents(line: &Line, runtime: Option<&Runtime>) -> Result<Vec<Box<dyn Agent>>, Failure> {
    let Some(model) = &line.model else {
        return Ok(Habit::ALL
            .into_iter()
            .map(|habit| Box::new(Scripted::new(habit)) as Box<dyn Agent>)
            .collect());
    };
    let endpoint = line
        .endpoint
        .as_deref()
        .or(runtime.map(Runtime::url))
        .unwrap_or_default();
    let dialect = match (line.prompted, line.constrained) {
        (_, true) => Dialect::Constrained {
            early_answers: line.early_answers,
        },
        (true, false) => Dialect::Prompted,
        (false, false) => Dialect::Native,
    };
    let chat =
        |sampling| Ok(Box::new(Chat::new(endpoint, model, dialect, sampling)?) as Box<dyn Agent>);
    samplings(line).into_iter().map(chat).collect()
}

fn samplings(line: &Line) -> Vec<Sampling> {
    match line.seeds {
        Some(count) => (1..=count)
            .map(|seed| Sampling {
                temperature: line.temperature,
                seed,
            })
            .collect(),
        None => vec![Sampling {
            temperature: 0.0,
            seed: SEED,
        }],
    }
}
