//! The names of the style lints, which find what an experienced reviewer would criticize.
//! `registry::lint` runs them.

use std::{fmt, str::FromStr};

/// A style lint. [`Registry::lint`](crate::Registry::lint) runs the lints. A tool silences one
/// with `#[pd_tool(allow(no_usage))]` or [`Tool::allow`](crate::Tool::allow).
///
/// Each lint except `number_keys` and `refused_schema` decides by the texts alone, and reports
/// nothing if it could be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Lint {
    /// `summary_filler`: the summary begins with words that every summary could begin with.
    ///
    /// Examples are "This tool", "A tool that", "Tool to", "Use this tool to", "Allows you to" and
    /// "Used to".
    SummaryFiller,
    /// `summary_full_stop`: the summary ends with a full stop, which a list of one-line summaries
    /// does not need.
    ///
    /// Dots with a meaning, as in "etc." or "…", are accepted.
    SummaryFullStop,
    /// `summary_lists_arguments`: the summary lists the tool's arguments instead of its purpose.
    ///
    /// Without small words ("takes", "and", "the") the summary consists only of the names of at
    /// least two arguments, or of one other word and most of the arguments, which must be at least
    /// three.
    SummaryListsArguments,
    /// `summary_repeats_group`: the summary repeats the name of a group that contains the tool.
    ///
    /// The name is a label before the summary ("History: list commits"), or the summary repeats it
    /// at its end ("List history entries of the history"). A single use, as in "Search the
    /// history", is not a repetition.
    SummaryRepeatsGroup,
    /// `same_summary`: another tool has the same summary, so that a model cannot choose between
    /// them.
    ///
    /// One declaration that is served twice, with a prefix, is not reported: its names distinguish
    /// the two tools.
    SameSummary,
    /// `undocumented_argument`: a required argument has no description, neither its own nor from
    /// its type.
    UndocumentedArgument,
    /// `argument_repeats_name`: an argument's description only repeats its name: "The path." for
    /// `path`.
    ///
    /// An argument with a list of values, such as an enum, is not reported: the values explain it.
    ArgumentRepeatsName,
    /// `no_usage`: the tool has no examples, guidance or notes.
    ///
    /// A tool without arguments needs none. A tool in MCP's own format
    /// ([`Tool::from_definition`](crate::Tool::from_definition)) has no field for them.
    NoUsage,
    /// `unhinted_read`: the summary describes a tool that reads, and no annotation informs the host
    /// of it.
    ///
    /// The summary begins with List, Get, Fetch, Retrieve, Show, View, Describe, Inspect, Read,
    /// Find, Look up, Search, Count or Compare and does not continue with "and", "or" or "then".
    /// Any annotation silences the lint, including `read_only = false`.
    UnhintedRead,
    /// `read_only_writes`: the summary describes a tool that writes, and its annotation `read_only`
    /// denies that.
    ///
    /// The summary begins with Append, Create, Delete, Insert, Overwrite, Publish, Remove, Rename
    /// or Send, or with a verb that may be a noun (Drop, Edit, Set, Update, Upload, Write) and an
    /// article. Add is not reported, because it also adds numbers.
    ReadOnlyWrites,
    /// `names_scoped_tool`: a text names a tool that requires scopes, and callers without these
    /// scopes read the text.
    ///
    /// The texts belong to tools that do not require the same scopes, to groups and bundles with
    /// such a tool, and to the server's instructions. A name of letters only, such as `list`,
    /// counts only in code: `` `list` ``. The named tool can silence the lint, too. The lint does
    /// not know what a policy (`Access`) hides.
    NamesScopedTool,
    /// `internal_path`: a text names an absolute path of one machine: `/home/ada`, `/Users/ada`,
    /// `/var/log`, `C:\data`.
    ///
    /// Paths in URLs, placeholders (`/home/USER`), positions in arrays (`/home/0`), and paths that
    /// every machine has (`/etc`, `/usr`, `/tmp`) are accepted. Values in examples are not checked.
    InternalPath,
    /// `internal_host`: a text names a host of one network: an address of RFC 1918, `localhost`
    /// with a port or in a URL, or a name that ends in `.internal`, `.local`, `.corp`, `.lan` or
    /// `.intranet`.
    ///
    /// Networks (`10.0.0.0/8`), and words that may be a file, a setting or a package
    /// (`settings.local`) are accepted.
    InternalHost,
    /// `long_skill`: the `SKILL.md` of a group or bundle costs a model more than 5,000 tokens.
    ///
    /// Agent Skills recommends less, because a host loads the file as a whole. The cost is
    /// estimated from the texts, the tools and the files that the skill lists. No single tool
    /// causes it, so no tool can silence it. The warning names the group or bundle.
    LongSkill,
    /// `small_listing`: the server lists summaries, although its few small tools would cost a model
    /// less in full.
    ///
    /// The command `check` compares the estimated tokens of the minimal list and two descriptions
    /// of average size with the tokens of the full list. [`Listing::AUTO`](crate::Listing::AUTO)
    /// lists such a server in full. `Registry::lint` does not report it, because a registry has no
    /// listing. `Registry::allow` silences it.
    SmallListing,
    /// `number_keys`: no call can fill a map with numbers as keys.
    ///
    /// serde reads the key `"7"` as a number, except where it buffers the map first: in an untagged
    /// or internally tagged enum, and in a flattened field. The lint deserializes the type with
    /// such keys.
    NumberKeys,
    /// `refused_schema`: a model provider refuses the tool's input schema, and with it every
    /// request that has the tool.
    ///
    /// The reasons are a union (`anyOf`, `oneOf`, `allOf`) at the root (OpenAI, Anthropic), the
    /// name of a property outside `[A-Za-z0-9_.-]{1,64}` (Anthropic), and a property or item
    /// without a `type`, such as the schema of `serde_json::Value` (Gemini, Kimi, OpenAI's strict
    /// mode). References and the branches of unions may have the type. Each reason has a message,
    /// with what to write instead.
    RefusedSchema,
    /// `long_name`: the tool's name has more than 40 characters.
    ///
    /// Hosts add the name of the server in front, and OpenAI and Anthropic refuse names with more
    /// than 64 characters.
    LongName,
}

impl Lint {
    /// All lints.
    pub const ALL: &[Self] = &[
        Self::SummaryFiller,
        Self::SummaryFullStop,
        Self::SummaryListsArguments,
        Self::SummaryRepeatsGroup,
        Self::SameSummary,
        Self::UndocumentedArgument,
        Self::ArgumentRepeatsName,
        Self::NoUsage,
        Self::UnhintedRead,
        Self::ReadOnlyWrites,
        Self::NamesScopedTool,
        Self::InternalPath,
        Self::InternalHost,
        Self::LongSkill,
        Self::SmallListing,
        Self::NumberKeys,
        Self::RefusedSchema,
        Self::LongName,
    ];

    /// Returns the name that `allow(…)` and `check --deny` accept. Names are stable.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SummaryFiller => "summary_filler",
            Self::SummaryFullStop => "summary_full_stop",
            Self::SummaryListsArguments => "summary_lists_arguments",
            Self::SummaryRepeatsGroup => "summary_repeats_group",
            Self::SameSummary => "same_summary",
            Self::UndocumentedArgument => "undocumented_argument",
            Self::ArgumentRepeatsName => "argument_repeats_name",
            Self::NoUsage => "no_usage",
            Self::UnhintedRead => "unhinted_read",
            Self::ReadOnlyWrites => "read_only_writes",
            Self::NamesScopedTool => "names_scoped_tool",
            Self::InternalPath => "internal_path",
            Self::InternalHost => "internal_host",
            Self::LongSkill => "long_skill",
            Self::SmallListing => "small_listing",
            Self::NumberKeys => "number_keys",
            Self::RefusedSchema => "refused_schema",
            Self::LongName => "long_name",
        }
    }
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for an unknown lint name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no such lint: `{0}`; available: {all}", all = Lint::ALL.iter().map(|lint| lint.name()).collect::<Vec<_>>().join(", "))]
pub struct UnknownLintError(String);

impl FromStr for Lint {
    type Err = UnknownLintError;

    fn from_str(name: &str) -> Result<Self, UnknownLintError> {
        Self::ALL
            .iter()
            .copied()
            .find(|lint| lint.name() == name)
            .ok_or_else(|| UnknownLintError(name.to_owned()))
    }
}

#[cfg(test)]
#[path = "../../../pd-macros/src/lints.rs"]
mod in_macros;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_macros_know_the_same_lints() {
        let names: Vec<_> = Lint::ALL.iter().map(|lint| lint.name()).collect();
        assert_eq!(names, in_macros::LINTS);
    }

    /// Generated code contains the variant for a name in `allow(…)`.
    #[test]
    fn a_name_is_its_variant_in_snake_case() {
        for lint in Lint::ALL {
            let snake = format!("{lint:?}")
                .chars()
                .fold(String::new(), |mut snake, letter| {
                    if letter.is_uppercase() && !snake.is_empty() {
                        snake.push('_');
                    }
                    snake.extend(letter.to_lowercase());
                    snake
                });
            assert_eq!(lint.name(), snake);
        }
    }

    #[test]
    fn a_name_is_read_back() {
        assert_eq!("no_usage".parse(), Ok(Lint::NoUsage));
        let unknown = "no-usage"
            .parse::<Lint>()
            .map_err(|unknown| unknown.to_string());
        assert!(unknown.is_err_and(|why| {
            why.starts_with("no such lint: `no-usage`; available: summary_filler, ")
        }));
    }
}
