//! How do models behave before a server with progressive disclosure? Run agents through tasks on the Git server, under every
//! listing and every wording of the workflow, and see.
//!
//! ```sh
//! cargo run --release --example behaviour
//! cargo run --release --example behaviour -- --model MODEL.gguf --runtime 'llama-server --jinja -m {model} --port {port}'
//! cargo run --release --example behaviour -- --model NAME --endpoint http://127.0.0.1:8080
//! ```
//!
//! Without a model the agents are scripted: one does what the implementation guide asks for, two make its anti-patterns (fetch
//! everything first, skip fetching). A model is a GGUF file that the runtime serves on this machine, or whatever an
//! endpoint of OpenAI's chat completions serves already.
//!
//! Notice: `trial.rs` is the whole agent's loop, and `host.rs` all that a host has to do.

mod agent;
mod chat;
mod host;
mod prompted;
mod report;
mod runtime;
mod scripted;
mod setting;
mod task;
#[cfg(test)]
mod tests;
mod trial;

use agent::Agent;
use chat::Chat;
use clap::Parser;
use report::Report;
use runtime::Runtime;
use scripted::{Habit, Scripted};
use setting::{Mode, Setting, Wording};
use std::{error::Error, fs, path::PathBuf, process::ExitCode};
use task::Task;
use trial::Trial;

type Failure = Box<dyn Error + Send + Sync>;

#[derive(Debug, Parser)]
#[command(about = "Measures how agents behave before a server with progressive disclosure")]
struct Line {
    /// The repository that the tasks are about, or any directory in it
    #[arg(long, value_name = "PATH", default_value = ".")]
    repo: PathBuf,
    /// A GGUF file, or what an endpoint calls its model; without one the agents are scripted
    #[arg(long, value_name = "FILE")]
    model: Option<String>,
    /// What serves the model, with OpenAI's chat completions
    #[arg(long, value_name = "COMMAND", default_value = "llama-server --jinja -m {model} --port {port}")]
    runtime: String,
    /// An endpoint that serves the model already
    #[arg(long, value_name = "URL", requires = "model")]
    endpoint: Option<String>,
    /// Tell the model of its tools in the prompt: for models whose template knows no tools
    #[arg(long, requires = "model")]
    prompted: bool,
    /// Only these listings
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    listing: Vec<Mode>,
    /// Only these wordings of the workflow
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    wording: Vec<Wording>,
    /// Only the first so many tasks
    #[arg(long, value_name = "COUNT", default_value_t = usize::MAX, hide_default_value = true)]
    tasks: usize,
    /// How many turns an agent has for a task
    #[arg(long, value_name = "COUNT", default_value_t = 6)]
    turns: usize,
    /// Write every trial to this file, as JSON lines: the calls, and what became of them
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Line::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => pd_runtime::cli::fail(&error),
    }
}

async fn run(line: Line) -> Result<(), Failure> {
    let settings = Setting::all(&line.listing, &line.wording);
    let tasks: Vec<&Task> = Task::all().iter().take(line.tasks).collect();
    let runtime = start(&line).await?;
    let mut report = Report::default();
    for setting in &settings {
        let server = setting.server(&line.repo)?;
        for agent in agents(&line, runtime.as_ref())? {
            for task in &tasks {
                let trial = Trial::run(&*agent, task, setting, &server, line.turns).await?;
                eprintln!("{:<9} {setting}: {trial}", agent.name());
                report.add(trial);
            }
        }
    }
    print!("{report}");
    if let Some(file) = &line.json {
        fs::write(file, report.lines()).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(())
}

/// The runtime, where a model needs one.
async fn start(line: &Line) -> Result<Option<Runtime>, Failure> {
    match (&line.model, &line.endpoint) {
        (Some(model), None) => Runtime::start(&line.runtime, model).await.map(Some),
        _ => Ok(None),
    }
}

fn agents(line: &Line, runtime: Option<&Runtime>) -> Result<Vec<Box<dyn Agent>>, Failure> {
    let Some(model) = &line.model else {
        return Ok(Habit::ALL.into_iter().map(|habit| Box::new(Scripted::new(habit)) as Box<dyn Agent>).collect());
    };
    let endpoint = line.endpoint.as_deref().or(runtime.map(Runtime::url)).unwrap_or_default();
    Ok(vec![Box::new(Chat::new(endpoint, model, line.prompted)?)])
}
