//! What can be wrong with a registry, each in words that say what to do. Finding it is `check`'s work.

use super::skill_file::{SKILL_BYTES_MAX, SKILL_FILES_MAX};
use crate::text::escape::one_line;
use std::fmt;

/// One mistake in a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The tool at fault; empty for the registry as a whole.
    pub tool: String,
    /// Where it was declared, where that is known.
    pub origin: String,
    /// What is wrong.
    pub fault: Fault,
}

/// Under which heading a registry lists a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Heading {
    /// None: its top level.
    Top,
    /// The group of this name.
    Group(Box<str>),
    /// The bundle of this name.
    Bundle(Box<str>),
}

/// The kinds of mistake.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// A name outside `[A-Za-z0-9_.-]{1,64}`.
    #[error("its name must be 1 to 64 of `A-Z a-z 0-9 _ . -`, since clients put prefixes before it")]
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
    #[error("it has no summary; say in one line what it does")]
    NoSummary,
    /// A summary of several lines.
    #[error("its summary has more than one line; keep the first and move the rest to the description")]
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
        /// Where the other one was declared.
        other: String,
    },
    /// A related tool that the registry lacks.
    #[error("it names `{related}` as related, which this registry lacks{hint}")]
    UnknownRelated {
        /// The name.
        related: String,
        /// A guess at what was meant.
        hint: String,
    },
    /// A schema that is no schema, or whose root is no object.
    #[error("its {which} schema cannot be used: {why}")]
    BadSchema {
        /// `input` or `output`.
        which: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// An argument called like the one the gate adds.
    #[error("`disclosure_ticket` is reserved for the gate; rename that argument")]
    ReservedArgument,
    /// An argument called like one that every selective tool has.
    #[error("every selective tool has an argument `{argument}`; rename that one")]
    SelectiveArgument {
        /// The argument.
        argument: String,
    },
    /// Rows of a selective tool that have no columns, or one called `_row_id`.
    #[error("its rows cannot be told by their columns: {why}")]
    BadRows {
        /// What is wrong with them.
        why: String,
    },
    /// A map in its arguments whose keys no JSON object can have.
    #[error(
        "no call can fill the map at `{pointer}`: a key of a JSON object is a text, and serde reads this one from {expected}; take \
         a list of pairs, `Vec<(Key, Value)>`, or another key"
    )]
    ImpossibleMap {
        /// Where, as a JSON pointer into the arguments with `*` for any item or key.
        pointer: String,
        /// What serde reads a key from.
        expected: String,
    },
    /// A map in its return type whose keys no JSON object can have.
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
    /// A default that its own constraints refuse.
    #[error("the default of `{argument}` would be refused: {why}")]
    BadDefault {
        /// The argument.
        argument: String,
        /// What is wrong with it.
        why: String,
    },
    /// An example that a call would refuse.
    #[error("example {example} would be refused: {why}")]
    BadExample {
        /// Which, from 1.
        example: usize,
        /// What is wrong with it.
        why: String,
    },
    /// An `# Errors` section that names a code its error type lacks.
    #[error("its errors name `{code}`, which its error type lacks; it has {}", known.join(", "))]
    UnknownErrorCode {
        /// The code.
        code: String,
        /// The codes there are.
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
        /// What the parser said.
        why: String,
    },
    /// A group name outside the rule.
    #[error("group `{group}`: a name must be 1 to 64 of `a-z 0-9 -`, without a hyphen at an edge or two in a row")]
    BadGroupName {
        /// The name.
        group: String,
    },
    /// Two groups of one name.
    #[error("group `{group}` stands twice; group names are unique in a registry")]
    DuplicateGroup {
        /// The name.
        group: String,
    },
    /// A group in too many others.
    #[error("group `{group}` stands more than {max} groups deep; move it up")]
    DeepGroup {
        /// The name.
        group: String,
        /// How deep one may stand.
        max: usize,
    },
    /// A bundle name outside the rule.
    #[error("bundle `{bundle}`: a name must be 1 to 64 of `a-z 0-9 -`, without a hyphen at an edge or two in a row")]
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
    #[error("bundle `{bundle}` says nothing; give it a summary or instructions")]
    SilentBundle {
        /// Its name.
        bundle: String,
    },
    /// A bundle without tools.
    #[error("bundle `{bundle}` holds no tool; name one or remove the bundle")]
    EmptyBundle {
        /// Its name.
        bundle: String,
    },
    /// A tool listed by name that the registry lacks.
    #[error("{heading} lists `{tool}`, which this registry lacks{hint}")]
    UnknownMember {
        /// Where.
        heading: Heading,
        /// The name.
        tool: String,
        /// A guess at what was meant.
        hint: String,
    },
    /// A tool listed twice under one heading.
    #[error("{heading} lists `{tool}` twice; keep one")]
    RepeatedMember {
        /// Where.
        heading: Heading,
        /// Its name.
        tool: String,
    },
    /// An author's own file that a skill cannot have.
    #[error("{heading} has the file {path:?}: {why}")]
    BadSkillFile {
        /// Where.
        heading: Heading,
        /// The file's path.
        path: Box<str>,
        /// What to change.
        why: Box<str>,
    },
    /// Files of one skill that are too many or too large together.
    #[error(
        "{heading} has {files} files with {bytes} bytes; a skill has at most {SKILL_FILES_MAX} files of its own and \
         {SKILL_BYTES_MAX} bytes of them"
    )]
    LargeSkill {
        /// Where.
        heading: Heading,
        /// How many files.
        files: usize,
        /// How many bytes.
        bytes: usize,
    },
    /// Files for a group or bundle that the registry lacks.
    #[error("there is no group or bundle `{name}` to add files to{hint}")]
    UnknownHeading {
        /// The name.
        name: String,
        /// A guess at what was meant.
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

impl Fault {
    /// Whether both are about one example.
    pub(super) fn is_of_same_example(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::BadExample { example: one, .. }, Self::BadExample { example: other, .. }) => one == other,
            _ => false,
        }
    }
}

impl Problem {
    /// A fault that no single tool is guilty of.
    pub(crate) fn of_server(fault: Fault) -> Self {
        Self { tool: String::new(), origin: String::new(), fault }
    }
}

impl fmt::Display for Heading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Top => f.write_str("the top level"),
            Self::Group(name) => write!(f, "group `{name}`"),
            Self::Bundle(name) => write!(f, "bundle `{name}`"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A name or an origin may come from a file: a newline in it must not look like the next
        // problem.
        if !self.tool.is_empty() {
            write!(f, "tool `{}`", one_line(&self.tool))?;
            if !self.origin.is_empty() {
                write!(f, " ({})", one_line(&self.origin))?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&one_line(&self.fault.to_string()))
    }
}

/// Every mistake found in a registry, at once.
#[derive(Clone, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

impl Problems {
    pub(crate) fn none_of(found: Vec<Problem>) -> Result<(), Self> {
        if found.is_empty() { Ok(()) } else { Err(Self(found)) }
    }

    /// The mistakes.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.0.iter()
    }
}

impl std::error::Error for Problems {}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0.len() == 1 { "problem" } else { "problems" };
        write!(f, "the registry has {} {plural}:", self.0.len())?;
        self.0.iter().try_for_each(|problem| write!(f, "\n- {problem}"))
    }
}

// `unwrap` in a test prints this; it should read like the message.
impl fmt::Debug for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
