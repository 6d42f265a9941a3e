//! Prints the steps of a tour with their costs, as text or as one JSON document.

use super::TourOptions;
use crate::cli::{
    CliError, json_output, local,
    style::{self, counted, cut, saved_percent, thousands},
};

use serde::Serialize;
use serde_json::{Value, value::RawValue};

/// The maximum length of a printed message, in characters.
const WIDTH: usize = 116;

/// The steps of a tour.
#[derive(Debug, Default, Serialize)]
pub struct TourReport {
    steps: Vec<TourStep>,
    /// The tokens of all steps, results included.
    total_tokens: usize,
    /// The tool text that a model reads to choose and call one tool. `None` if nothing is gated.
    choice: Option<TourCost>,
    /// The same where the specification is served to the letter. `None` if the server does that
    /// itself, or lists everything in full.
    specification: Option<TourCost>,
    /// The recommendation of another listing.
    advice: Option<String>,
}

/// One step: its outcome, its cost, and its messages.
#[derive(Debug, Serialize)]
struct TourStep {
    name: String,
    outcome: String,
    tokens: usize,
    /// `false` for a step of another client, which the sum does not include.
    is_counted: bool,
    /// The messages of MCP, as they are sent.
    sent: Option<Box<RawValue>>,
    received: Option<Box<RawValue>>,
}

/// Tokens of tool text.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct TourCost {
    /// The tokens that a model read.
    pub read: usize,
    /// The tokens of all tools in full.
    pub full: usize,
    /// The requests of the model, with the call.
    pub turns: usize,
}

/// The form in which a tour is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TourOutput {
    Text,
    Json,
    Silent,
}

/// Prints the steps of a tour, and adds up their tokens. As JSON, it prints one document at the
/// end.
#[derive(Debug)]
pub struct TourPrinter {
    output: TourOutput,
    report: TourReport,
}

impl TourPrinter {
    /// Creates a printer with the options of the command.
    pub fn new(options: &TourOptions) -> Self {
        let output = if options.json {
            TourOutput::Json
        } else {
            TourOutput::Text
        };
        Self {
            output,
            report: TourReport::default(),
        }
    }

    /// Creates a printer that prints nothing.
    pub fn silent() -> Self {
        Self {
            output: TourOutput::Silent,
            report: TourReport::default(),
        }
    }

    /// Prints one step: its outcome, its cost, and its messages.
    pub fn print_step(
        &mut self,
        title: &str,
        gist: &str,
        cost: usize,
        client: &local::LocalClient,
    ) -> Result<(), CliError> {
        // The client returns its last exchange only, so each step takes it at once.
        let (sent, received) = client.last_exchange().unzip();
        self.report.total_tokens += cost;
        if self.output == TourOutput::Text {
            let head = format!("{}  {title:<8}  {gist}", self.report.steps.len() + 1);
            style::print(format_args!(
                "{}  {}\n",
                style::bold(head),
                style::green(counted(cost, "token"))
            ))?;
            for (arrow, message) in [("→", &sent), ("←", &received)] {
                let Some(message) = message else { continue };
                style::print(format_args!(
                    "   {} {}\n",
                    arrow,
                    style::dim(cut(&bare(message), WIDTH))
                ))?;
            }
            style::print(format_args!("\n"))?;
        }
        self.report.steps.push(TourStep {
            name: title.to_owned(),
            outcome: gist.to_owned(),
            tokens: cost,
            is_counted: true,
            sent: raw(sent),
            received: raw(received),
        });
        Ok(())
    }

    /// Takes the last step out of the sum.
    pub(super) fn discount_last_step(&mut self) {
        if let Some(step) = self.report.steps.last_mut() {
            step.is_counted = false;
            self.report.total_tokens -= step.tokens;
        }
    }

    /// Prints a remark that is not part of the JSON.
    pub fn print_note(&self, note: &str) -> Result<(), CliError> {
        if self.output == TourOutput::Text {
            style::print(format_args!("{note}\n\n"))?;
        }
        Ok(())
    }

    /// Adds what a model read to choose and call one tool, in one of the ways.
    pub(super) fn choose(&mut self, cost: TourCost) {
        // The way of the server comes first, then the way of the specification.
        match self.report.choice {
            None => self.report.choice = Some(cost),
            Some(_) => self.report.specification = Some(cost),
        }
    }

    /// Ends a tour.
    pub fn finish(
        mut self,
        choice: Option<TourCost>,
        advice: Option<String>,
    ) -> Result<TourReport, CliError> {
        self.report.choice = choice.or(self.report.choice);
        self.report.advice = advice;
        match self.output {
            TourOutput::Silent => {}
            TourOutput::Json => json_output::print(&self.report)?,
            TourOutput::Text => self.report.print_sums()?,
        }
        Ok(self.report)
    }
}

impl TourReport {
    fn print_sums(&self) -> std::io::Result<()> {
        if let Some(choice) = self.choice {
            choice.print("To choose and call one tool")?;
        }
        if let Some(specification) = self.specification {
            specification.print("By the specification to the letter")?;
        }
        style::print(format_args!(
            "Every step, results included: {}\n",
            counted(self.total_tokens, "token")
        ))?;
        self.advice
            .iter()
            .try_for_each(|advice| style::print(format_args!("{}\n", style::yellow(advice))))
    }
}

impl TourCost {
    fn print(self, way: &str) -> std::io::Result<()> {
        let share = saved_percent(self.full, self.read, 0);
        // A saving below zero is a cost, and reads better as one.
        let share = match share.strip_prefix('-') {
            Some(more) => format!("{more} % more"),
            None => format!("{share} % saved"),
        };
        style::print(format_args!(
            "{way}, a model read {} of tool text in {} instead of {}: {}\n",
            counted(self.read, "token"),
            counted(self.turns, "turn"),
            thousands(self.full),
            if self.read < self.full {
                style::green(share)
            } else {
                style::red(share)
            },
        ))
    }
}

/// Returns a message as it was sent: as values, its numbers could change their form.
fn raw(message: Option<String>) -> Option<Box<RawValue>> {
    message.and_then(|message| RawValue::from_string(message).ok())
}

/// Returns the part of a message that a model or its host reads: the text of a result, or the
/// method and parameters of a request.
fn bare(message: &str) -> String {
    let Ok(Value::Object(mut object)) = serde_json::from_str(message) else {
        return message.to_owned();
    };
    let Some(result) = object.get("result") else {
        // `_meta` and the envelope belong to the host; models never read them.
        object.retain(|key, _| key == "method" || key == "params");
        if let Some(Value::Object(params)) = object.get_mut("params") {
            params.shift_remove("_meta");
        }
        return Value::Object(object).to_string();
    };
    let text = result
        .pointer("/content/0/text")
        .or_else(|| result.pointer("/contents/0/text"));
    let text = text.and_then(Value::as_str).map(str::to_owned);
    let failed = result.get("isError").and_then(Value::as_bool) == Some(true);
    let body = text
        .or_else(|| result.get("tools").map(Value::to_string))
        .unwrap_or_else(|| result.to_string());
    if failed {
        format!("isError: {body}")
    } else {
        body
    }
}
