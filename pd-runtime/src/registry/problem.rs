//! The errors of a registry. Each message contains the correction. `check` detects them.

mod registry_errors;

pub use registry_errors::RegistryErrors;

use super::skill_file::{SKILL_BYTES_MAX, SKILL_FILES_MAX};
use crate::text::escape::one_line;
use std::fmt;

/// One error in a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegistryError {
    /// The tool at fault; empty for an error of the whole registry.
    pub tool: String,
    /// The tool's source location or file; empty if it is unknown.
    pub origin: String,
    /// The kind of error.
    pub kind: RegistryErrorKind,
}

/// The part of a registry that lists a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Location {
    /// The top level.
    Top,
    /// The group of this name.
    Group(Box<str>),
    /// The bundle of this name.
    Bundle(Box<str>),
}

/// The kinds of error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryErrorKind {
    /// A name outside `[A-Za-z0-9_.-]{1,64}`.
    #[error(
        "its name has 1 to 64 characters out of `A-Z`, `a-z`, `0-9`, `_`, `.` and `-`, or OpenAI and Anthropic refuse the tool; \
         hosts put prefixes before it, so use at most 40"
    )]
    BadName,
    /// The name of a meta-tool.
    #[error(
        "this name is the meta-tool's; rename the tool, or rename or leave out the meta-tool with `meta_tools(…)`; `serve --no-meta-tools` offers none"
    )]
    ReservedName,
    /// Two meta-tools of one name.
    #[error("two meta-tools are called `{name}`; give one of them another name in `meta_tools(…)`")]
    SameMetaTool {
        /// The name.
        name: String,
    },
    /// A meta-tool's name outside `[A-Za-z0-9_.-]{1,64}`.
    #[error(
        "the meta-tool `{name}` needs a name of 1 to 64 of `A-Z a-z 0-9 _ . -`; give it another one in `meta_tools(…)`"
    )]
    BadMetaToolName {
        /// The name.
        name: String,
    },
    /// No summary.
    #[error("it has no summary; describe in one line what it does")]
    NoSummary,
    /// A summary of several lines.
    #[error(
        "its summary has more than one line; keep the first and move the rest to the description"
    )]
    SummaryLines,
    /// A summary over its limit.
    #[error("its summary is {over} characters over the limit of {max}; this part fits: \"{fits}\"")]
    SummaryTooLong {
        /// By how many characters.
        over: usize,
        /// The limit, in characters.
        max: usize,
        /// The part that fits, cut at a word.
        fits: String,
    },
    /// Two tools of one name.
    #[error("another tool has this name ({other}); rename one of them, or use `with_prefix`")]
    DuplicateTool {
        /// The source location or file of the other one.
        other: String,
    },
    /// A related tool that the registry lacks.
    #[error("it names `{related}` as related, which this registry lacks{hint}")]
    UnknownRelated {
        /// The name.
        related: String,
        /// The suggestion at the end of the message.
        hint: String,
    },
    /// Requests of `found_by` that search cannot answer, or too many of them.
    #[error("its `found_by`: {why}")]
    BadFoundBy {
        /// What is wrong, with the number of the request, and the correction.
        why: String,
    },
    /// A schema that is not valid, or that describes something other than an object.
    #[error("its {which} schema cannot be used: {why}")]
    BadSchema {
        /// `input` or `output`.
        which: &'static str,
        /// The reason.
        why: String,
    },
    /// A tool that programs may call, and that does not exist.
    #[error(
        "programs may call `{name}`, which is no tool; correct the name in `CodeMode::allow` (--code-allow)"
    )]
    UnknownCodeTool {
        /// The name.
        name: String,
    },
    /// A program as a tool, on a server that has no worker to run it.
    #[error(
        "it is a program, and the server has no worker to run programs; set `ServerBuilder::code_worker` or `code_mode`, and \
         call `pd_runtime::code::run_worker_if_requested` first in `main`"
    )]
    NoCodeWorker,
    /// Programs that cannot be read, or not be checked.
    #[error("{message}")]
    UnusablePrograms {
        /// What is wrong, with the file and the line if it is a file.
        message: String,
    },
    /// A program that names a tool that the registry lacks.
    #[error("line {line} of its program names `{name}`, which this registry lacks{hint}")]
    UnknownProgramTool {
        /// The line, from 1.
        line: u32,
        /// The name, with the names of its groups.
        name: String,
        /// The suggestion at the end of the message.
        hint: String,
    },
    /// A program that is declared as read-only, and calls a tool that is not.
    #[error(
        "line {line} of its program calls `{name}`, which is not declared as read-only; then the program is not read-only \
         either: leave out `@readonly` or `read_only()`"
    )]
    ProgramWrites {
        /// The line, from 1.
        line: u32,
        /// The tool.
        name: String,
    },
    /// A program that does not compile, or a run that differs from a recorded example.
    #[error("its program {why}")]
    BadProgram {
        /// What the program does wrong.
        why: String,
    },
    /// An argument with the name of the gate's own argument.
    #[error("`disclosure_ticket` is reserved for the gate; rename that argument")]
    ReservedArgument,
    /// An argument with the name of one that every selective tool has.
    #[error("every selective tool has an argument `{argument}`; rename that one")]
    SelectiveArgument {
        /// The argument.
        argument: String,
    },
    /// Rows of a selective tool that have no columns, or one called `_row_id`.
    #[error("its rows have no usable columns: {why}")]
    BadRows {
        /// The reason.
        why: String,
    },
    /// A map in its arguments with keys that no JSON object can have.
    #[error(
        "no call can fill the map at `{pointer}`: a key of a JSON object is a text, and serde reads this one from {expected}; take \
         a list of pairs, `Vec<(Key, Value)>`, or another key"
    )]
    ImpossibleMap {
        /// The JSON pointer into the arguments, with `*` for any item or key.
        pointer: String,
        /// The type from which serde reads a key.
        expected: String,
    },
    /// A map in the return type with keys that no JSON object can have.
    #[error(
        "no result can hold its map: a key of a JSON object is a text, and `{key}` is {kind}; write `{pairs}`, or give `{key}` the \
         schema of a text if serde writes it as one, `#[schemars(with = \"String\")]`"
    )]
    ImpossibleResultMap {
        /// The key's type.
        key: String,
        /// What the key's JSON Schema describes: "an object".
        kind: &'static str,
        /// What to write instead of the map.
        pairs: String,
    },
    /// A default that its own constraints reject.
    #[error("the default of `{argument}` would be refused: {why}")]
    BadDefault {
        /// The argument.
        argument: String,
        /// The reason.
        why: String,
    },
    /// An example that a call would reject.
    #[error("example {example} would be refused: {why}")]
    BadExample {
        /// The number of the example, from 1.
        example: usize,
        /// The reason.
        why: String,
    },
    /// An `# Errors` section that names a code its error type lacks.
    #[error("its errors name `{code}`, which its error type lacks; it has {}", known.join(", "))]
    UnknownErrorCode {
        /// The code.
        code: String,
        /// The codes of the error type.
        known: Vec<String>,
    },
    /// An icon that clients do not load.
    #[error("its icon `{src}` is not a link; write `https://…` or `data:image/png;base64,…`")]
    BadIcon {
        /// The beginning of the icon's `src`.
        src: String,
    },
    /// A `_meta` value that is not JSON.
    #[error("its `_meta` entry `{key}` is not JSON: {why}")]
    BadMeta {
        /// The key.
        key: String,
        /// The parser's message.
        why: String,
    },
    /// A view that hosts cannot render, or a tool that has none to show in it.
    #[error("its view: {why}")]
    BadView {
        /// What is wrong, and the correction.
        why: String,
    },
    /// A tool that a view calls, and that the registry lacks or keeps from views.
    #[error("its view `{file}` calls `{called}`, which {why}")]
    UncallableByView {
        /// The file of the view.
        file: &'static str,
        /// The name.
        called: String,
        /// What is wrong, and the correction.
        why: String,
    },
    /// A group name outside the rule.
    #[error(
        "group `{group}`: a name must be 1 to 64 of `a-z 0-9 -`, without a hyphen at an edge or two in a row"
    )]
    BadGroupName {
        /// The name.
        group: String,
    },
    /// Two groups of one name.
    #[error("two groups are called `{group}`; group names are unique in a registry")]
    DuplicateGroup {
        /// The name.
        group: String,
    },
    /// A group that is nested too deep.
    #[error("group `{group}` is nested more than {max} groups deep; move it up")]
    DeepGroup {
        /// The name.
        group: String,
        /// The maximum depth.
        max: usize,
    },
    /// A bundle name outside the rule.
    #[error(
        "bundle `{bundle}`: a name must be 1 to 64 of `a-z 0-9 -`, without a hyphen at an edge or two in a row"
    )]
    BadBundleName {
        /// The name.
        bundle: String,
    },
    /// A bundle with the name of a group or of another bundle.
    #[error("bundle `{bundle}`: a group or another bundle has this name; rename one of them")]
    DuplicateBundle {
        /// The name.
        bundle: String,
    },
    /// A bundle without a text.
    #[error("bundle `{bundle}` has no text; give it a summary or instructions")]
    SilentBundle {
        /// Its name.
        bundle: String,
    },
    /// A bundle without tools.
    #[error("bundle `{bundle}` has no tool; name one or remove the bundle")]
    EmptyBundle {
        /// Its name.
        bundle: String,
    },
    /// A tool listed by name that the registry lacks.
    #[error("{heading} lists `{tool}`, which this registry lacks{hint}")]
    UnknownMember {
        /// The part of the registry.
        heading: Location,
        /// The name.
        tool: String,
        /// The suggestion at the end of the message.
        hint: String,
    },
    /// A tool that is listed twice in one part.
    #[error("{heading} lists `{tool}` twice; keep one")]
    RepeatedMember {
        /// The part of the registry.
        heading: Location,
        /// Its name.
        tool: String,
    },
    /// An author's own file that a skill cannot have.
    #[error("{heading} has the file {path:?}: {why}")]
    BadSkillFile {
        /// The part of the registry.
        heading: Location,
        /// The file's path.
        path: Box<str>,
        /// The correction.
        why: Box<str>,
    },
    /// Files of one skill that are too many or too large together.
    #[error(
        "{heading} has {files} files with {bytes} bytes; a skill has at most {SKILL_FILES_MAX} files of its own and \
         {SKILL_BYTES_MAX} bytes of them"
    )]
    LargeSkill {
        /// The part of the registry.
        heading: Location,
        /// The number of files.
        files: usize,
        /// The total size, in bytes.
        bytes: usize,
    },
    /// Files for a group or bundle that the registry lacks.
    #[error("cannot add files, no such group or bundle: `{name}`{hint}")]
    UnknownHeading {
        /// The name.
        name: String,
        /// The suggestion at the end of the message.
        hint: String,
    },
    /// A name to leave out that the registry lacks.
    #[error("cannot leave out `{name}`, no tool, group or bundle is called so{hint}")]
    UnknownLeftOut {
        /// The name.
        name: String,
        /// The suggestion at the end of the message.
        hint: String,
    },
    /// A listing that costs more than its budget.
    #[error(
        "the minimal listing costs about {cost} tokens, over its budget of {budget}; shorten summaries or raise the budget"
    )]
    OverBudget {
        /// The estimate, in tokens.
        cost: usize,
        /// The budget, in tokens.
        budget: usize,
    },
}

impl RegistryErrorKind {
    /// Returns whether both errors are about the same example.
    pub(super) fn is_of_same_example(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::BadExample { example: one, .. }, Self::BadExample { example: other, .. }) => {
                one == other
            }
            _ => false,
        }
    }
}

impl RegistryError {
    /// Creates an error about the server, a group or a bundle.
    pub(crate) fn from_registry(fault: RegistryErrorKind) -> Self {
        Self {
            tool: String::new(),
            origin: String::new(),
            kind: fault,
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Top => f.write_str("the top level"),
            Self::Group(name) => write!(f, "group `{name}`"),
            Self::Bundle(name) => write!(f, "bundle `{name}`"),
        }
    }
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A name or an origin may come from a file. A newline in it must not look like the next
        // error in the list.
        if !self.tool.is_empty() {
            write!(f, "tool `{}`", one_line(&self.tool))?;
            if !self.origin.is_empty() {
                write!(f, " ({})", one_line(&self.origin))?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&one_line(&self.kind.to_string()))
    }
}
