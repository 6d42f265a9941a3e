//! The command `doctor`.

use super::{held_json::HeldDocument, held_lines};
use crate::{Gateway, HeldTool, ServerStatus};
use clap::Args;
use pd_runtime::{
    cli::CliError,
    upstream::{
        cli::{json_output, style},
        text::{
            equal_lines::{group_by, render_names},
            escape,
        },
    },
};
use serde::Serialize;
use std::{io, path::Path};

/// The form of the report.
#[derive(Debug, Clone, Args)]
pub(super) struct DoctorOptions {
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// The name that `serve --call-tool-name` has; a tool with this name is left out
    #[arg(long, value_name = "NAME")]
    call_tool_name: Option<String>,
}

impl DoctorOptions {
    /// Reserves the names of the meta-tools that `serve` offers, so that the report has the tools
    /// that they replace.
    pub(super) fn reserve_names(&self, gateway: &Gateway) -> Result<(), CliError> {
        if let Some(name) = &self.call_tool_name {
            gateway.builder().call_tool_name(name).build()?;
        }
        Ok(())
    }
}

/// The state of the servers of a gateway.
#[derive(Debug, Serialize)]
pub(super) struct DoctorReport<'a> {
    /// Whether nothing is wrong.
    pub(super) ok: bool,
    /// The file with the servers.
    config: &'a Path,
    /// The file with the approved tools.
    lock: &'a Path,
    servers: Vec<ServerReport>,
    /// The well-known variables that are set and that a server does not get.
    withheld_variables: Vec<&'static str>,
}

/// The state of one server.
#[derive(Debug, Serialize)]
struct ServerReport {
    name: String,
    /// The name in the configuration.
    label: String,
    state: ServerState,
    error: Option<String>,
    /// The MCP version that it speaks.
    version: Option<String>,
    tools: usize,
    started_in_ms: Option<u128>,
    not_offered: Vec<LeftOutTool>,
    /// Prompts, resources and templates that are not offered.
    resources_not_offered: Vec<LeftOutTool>,
    unchecked: Vec<LeftOutTool>,
    /// What is wrong with its lists.
    notes: Vec<String>,
    held: Vec<HeldDocument>,
    #[serde(skip)]
    held_tools: Vec<HeldTool>,
}

/// The outcome of a server's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum ServerState {
    Ok,
    NeedsLogin,
    AwaitsApproval,
    Failed,
    /// The entry has a mistake.
    NotRead,
}

/// A tool that is not offered, or not checked in full, with the reason.
#[derive(Debug, Serialize)]
struct LeftOutTool {
    tool: String,
    reason: String,
}

impl<'a> DoctorReport<'a> {
    /// Reports on the servers, which were started before. `has_values` is whether the configuration
    /// lacks no value.
    pub(super) fn new(
        gateway: &Gateway,
        config: &'a Path,
        lock: &'a Path,
        has_values: bool,
    ) -> Self {
        let held = gateway.held();
        let servers: Vec<_> = gateway
            .status()
            .into_iter()
            .map(|server| {
                let own = held
                    .iter()
                    .filter(|held| held.server == server.name)
                    .cloned()
                    .collect();
                ServerReport::new(own, server)
            })
            .collect();
        // What is held counts, too, because a person must look at it.
        let ok = has_values && held.is_empty() && servers.iter().all(ServerReport::is_whole);
        Self {
            ok,
            config,
            lock,
            servers,
            withheld_variables: gateway.withheld_variables(),
        }
    }

    pub(super) fn print(&self, options: &DoctorOptions) -> Result<(), CliError> {
        if options.json {
            return json_output::print(self);
        }
        for path in [self.config, self.lock] {
            style::print(format_args!("{}\n", style::dim(path.display())))?;
        }
        let width = self
            .servers
            .iter()
            .map(|server| server.shown_name().chars().count())
            .max()
            .unwrap_or(0);
        self.servers
            .iter()
            .try_for_each(|server| server.print(width))?;
        let withheld =
            crate::transport::child_environment::render_withheld(&self.withheld_variables);
        let withheld = withheld.filter(|advice| !self.has_error_with(advice));
        Ok(withheld.map_or(Ok(()), |advice| {
            style::print(format_args!("{}\n", style::dim(advice)))
        })?)
    }

    /// Returns whether the advice was printed: the error of a process that did not start ends with
    /// it.
    fn has_error_with(&self, advice: &str) -> bool {
        self.servers
            .iter()
            .filter_map(|server| server.error.as_ref())
            .any(|error| error.contains(advice))
    }
}

/// Returns a line for each reason: the names that have it in a form of `are`, and the reason.
fn summed_up<'a>(left_out: &'a [LeftOutTool], is: &str, are: &str) -> Vec<(String, &'a str)> {
    let groups = group_by(left_out, |left| left.reason.as_str()).into_iter();
    let lines = groups.filter_map(|group| {
        let verb = if group.len() == 1 { is } else { are };
        let names = render_names(group.iter().map(|left| left.tool.as_str()));
        Some((format!("{names} {verb}"), group.first()?.reason.as_str()))
    });
    lines.collect()
}

fn with_reasons(tools: Vec<(String, String)>) -> Vec<LeftOutTool> {
    tools
        .into_iter()
        .map(|(tool, reason)| LeftOutTool { tool, reason })
        .collect()
}

impl ServerReport {
    fn new(held_tools: Vec<HeldTool>, status: ServerStatus) -> Self {
        let state = match (&status.last_error, &status.version) {
            // First, because these servers were not started, and have an error, too.
            _ if status.is_left_out => ServerState::NotRead,
            _ if status.awaits_approval => ServerState::AwaitsApproval,
            // A version means that the server has answered.
            (None, Some(_)) => ServerState::Ok,
            _ if status.needs_login => ServerState::NeedsLogin,
            _ => ServerState::Failed,
        };
        Self {
            name: status.name,
            label: status.label,
            state,
            error: status.last_error,
            version: status.version,
            tools: status.tools,
            started_in_ms: status.started_in.map(|time| time.as_millis()),
            not_offered: with_reasons(status.left_out),
            resources_not_offered: with_reasons(status.left_out_resources),
            unchecked: with_reasons(status.unchecked),
            notes: status.notes,
            held: held_tools.iter().map(HeldDocument::new).collect(),
            held_tools,
        }
    }

    /// Returns the label, and the name beside it if no one could guess it: commands take both.
    fn shown_name(&self) -> String {
        let label = escape::one_line(&self.label);
        if label.is_ascii() {
            label.into_owned()
        } else {
            format!("{label} ({})", self.name)
        }
    }

    fn is_whole(&self) -> bool {
        self.error.is_none() && self.not_offered.is_empty()
    }

    fn print(&self, width: usize) -> io::Result<()> {
        let name = style::bold(format!("{:width$}", self.shown_name()));
        style::print(format_args!("{name}  {}\n", self.render_state()))?;
        for left_out in [&self.not_offered, &self.resources_not_offered] {
            for (names, reason) in summed_up(left_out, "is not offered:", "are not offered:") {
                let note = style::yellow(names);
                style::print(format_args!(
                    "{:width$}  {note} {}\n",
                    "",
                    escape::lines(reason)
                ))?;
            }
        }
        for (names, reason) in summed_up(&self.unchecked, "is offered, but", "are offered, but") {
            let note = style::dim(names);
            style::print(format_args!(
                "{:width$}  {note} {}\n",
                "",
                escape::lines(reason)
            ))?;
        }
        for note in &self.notes {
            style::print(format_args!(
                "{:width$}  {} {}\n",
                "",
                style::yellow("note:"),
                escape::one_line(note)
            ))?;
        }
        for line in held_lines::render(&self.held_tools) {
            style::print(format_args!(
                "{:width$}  {} {}\n",
                "",
                style::yellow("held:"),
                escape::one_line(&line)
            ))?;
        }
        Ok(())
    }

    fn render_state(&self) -> String {
        let error = escape::lines(self.error.as_deref().unwrap_or("no answer"));
        match self.state {
            ServerState::Ok => {
                let time = self
                    .started_in_ms
                    .map(|time| format!(", started in {time} ms"))
                    .unwrap_or_default();
                let version = self.version.as_deref().unwrap_or_default();
                let tools = style::counted(self.tools, "tool");
                format!(
                    "{}  {tools}, MCP {}{time}",
                    style::green("ok"),
                    escape::one_line(version)
                )
            }
            ServerState::NeedsLogin => format!("{}  {error}", style::yellow("needs login")),
            ServerState::AwaitsApproval => format!("{}  {error}", style::yellow("not approved")),
            ServerState::Failed => format!("{}  {error}", style::red("failed")),
            ServerState::NotRead => format!("{}  {error}", style::red("not read")),
        }
    }
}
