//! How a server shows its tools, and how the workflow is told.

use super::servers::Subject;
use clap::ValueEnum;
use pd_runtime::{
    Listing, ServerBuilder,
    code::CodeMode,
    config::{MetaTools, Refusal},
};
use serde::Serialize;
use std::{fmt, io};

/// One way to serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct Setting {
    pub(crate) mode: Mode,
    pub(crate) wording: Wording,
}

/// What the list shows, and what else there is to call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mode {
    /// Everything in full, as without progressive disclosure.
    Full,
    /// Summaries and arguments without texts.
    Outline,
    /// Summaries; descriptions are read as a resource.
    Minimal,
    /// The same, where a refusal does not describe the tool: the specification's own.
    MinimalRefuse,
    /// Summaries; descriptions are asked for by a tool.
    Describe,
    /// What was described is listed in full.
    Reveal,
    /// The top level's tools, and tools that find, describe and call the others.
    Grouped,
    /// Nothing but tools that find, describe and call.
    Eager,
    /// In full but for clients that declare the extension; this host declares none.
    Negotiated,
    /// Nothing but tools that find, describe, and run a program that calls.
    Code,
}

/// How the agent is told of the workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Wording {
    /// Not at all, but for what stands in the list.
    None,
    /// In the server's own three lines, its `instructions`.
    Instructions,
    /// At length, in the implementation guide's words.
    Guide,
}

/// The guide's system prompt for agents (agent implementation, "Enhance system prompt").
const GUIDE: &str = "IMPORTANT - Tool Usage Workflow:
This server uses progressive disclosure. Follow this exact workflow:
1. PICK the right tool by its short description; it tells you WHAT the tool does.
2. FETCH its full description: FETCHING
3. CALL the tool with the parameters you just learned.

DO NOT fetch without naming the tool, nor fetch every tool; the short descriptions are sufficient for choosing.
You fetch the full description to learn the parameters and to authorize the tool. Fetch each tool once.";

impl Setting {
    /// Those that are asked for, or else all that differ: what is listed in full has no workflow to tell.
    pub(crate) fn all(modes: &[Mode], wordings: &[Wording]) -> Vec<Self> {
        let is_asked = |setting: &Self| {
            (modes.is_empty() || modes.contains(&setting.mode))
                && (wordings.is_empty()
                    || wordings.contains(&setting.wording)
                    || !setting.mode.discloses())
        };
        let each = |mode: Mode| {
            Wording::value_variants().iter().map(move |wording| Self {
                mode,
                wording: *wording,
            })
        };
        let is_told = |setting: &Self| setting.mode.discloses() || setting.wording == Wording::None;
        Mode::value_variants()
            .iter()
            .copied()
            .flat_map(each)
            .filter(is_told)
            .filter(is_asked)
            .collect()
    }

    /// Configures a server of this kind. Programs may call all of these tools, because tasks write.
    ///
    /// # Errors
    ///
    /// The path of this program, which is the worker, is unknown.
    pub(crate) fn apply<S: Send + Sync + 'static>(
        &self,
        server: ServerBuilder<S>,
        tools: &[String],
    ) -> io::Result<ServerBuilder<S>> {
        let server = server.listing(self.mode.listing());
        Ok(match self.mode {
            Mode::Code => server.code_mode(code_mode()?.allow(tools)),
            Mode::MinimalRefuse => server.refusal(Refusal::Bare).meta_tools(MetaTools::none()),
            Mode::Minimal | Mode::Reveal => server.meta_tools(MetaTools::none()),
            Mode::Describe | Mode::Outline => server.meta_tools(MetaTools::describing()),
            Mode::Grouped | Mode::Eager => server.meta_tools(MetaTools::searching()),
            Mode::Full | Mode::Negotiated => server,
        })
    }

    /// What the agent is told before anything else.
    pub(crate) fn system(&self, subject: Subject, instructions: Option<&str>) -> String {
        match self.wording {
            Wording::None => subject.role().to_owned(),
            Wording::Instructions => instructions.unwrap_or_default().to_owned(),
            Wording::Guide => GUIDE.replace("FETCHING", self.mode.fetching()),
        }
    }
}

impl Mode {
    /// Whether tools are to be described before they are called.
    pub(crate) fn discloses(self) -> bool {
        !matches!(self, Self::Full | Self::Negotiated)
    }

    fn listing(self) -> Listing {
        match self {
            Self::Full => Listing::Full,
            Self::Outline => Listing::Outline,
            Self::Minimal | Self::MinimalRefuse | Self::Describe => Listing::Minimal,
            Self::Reveal => Listing::Reveal,
            Self::Grouped => Listing::Grouped,
            Self::Eager | Self::Code => Listing::Eager,
            Self::Negotiated => Listing::Negotiated,
        }
    }

    fn fetching(self) -> &'static str {
        match self {
            Self::Describe => {
                "call describe_tools with its name, as in {\"names\": [\"TOOL_NAME\"]}"
            }
            Self::Grouped | Self::Eager => {
                "find it with find_tools if it is not in your list, then call describe_tools with its name; \
                 call it through call_tool, or call_read_only_tool if it only reads, if it is not in your list"
            }
            Self::Code => {
                "find it with find_tools, then call describe_tools with its name; call it as `tools.NAME({…})` in a \
                 program that run_code runs"
            }
            _ => {
                "call read_resource with {\"uri\": \"resource:///tool_descriptions?tools=TOOL_NAME\"}"
            }
        }
    }
}

#[cfg(not(test))]
fn code_mode() -> io::Result<CodeMode> {
    CodeMode::from_current_exe()
}

/// A test's own program is no worker.
#[cfg(test)]
fn code_mode() -> io::Result<CodeMode> {
    Ok(CodeMode::new(env!("CARGO_BIN_EXE_tour")))
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |value: Option<clap::builder::PossibleValue>| {
            value.map(|value| value.get_name().to_owned())
        };
        let [mode, wording] = [
            name(self.mode.to_possible_value()),
            name(self.wording.to_possible_value()),
        ];
        write!(
            f,
            "{} / {}",
            mode.unwrap_or_default(),
            wording.unwrap_or_default()
        )
    }
}
