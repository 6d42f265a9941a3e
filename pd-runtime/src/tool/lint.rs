//! The lints of taste: what an experienced reviewer would remark, by name. `registry::taste` finds it.

use std::{fmt, str::FromStr};

/// A lint of taste. [`Registry::taste`](crate::Registry::taste) finds what it is about; a tool silences it with
/// `#[pd_tool(allow(no_usage))]` or [`Tool::allow`](crate::Tool::allow).
///
/// Each but `number_keys` is decided from the texts alone and holds back where it could be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Lint {
    /// `summary_filler`: the summary begins with words that every summary could begin with.
    ///
    /// "This tool", "A tool that", "Tool to", "Use this tool to", "Allows you to", "Used to" and their like.
    SummaryFiller,
    /// `summary_full_stop`: the summary ends with a full stop, which no list of one-liners needs.
    ///
    /// Dots that mean something, as in "etc." or "…", may stay.
    SummaryFullStop,
    /// `summary_lists_arguments`: the summary says what the tool takes instead of what it does.
    ///
    /// Without small words ("takes", "and", "the") nothing is left but the names of at least two of its arguments; or one
    /// other word is, beside most of its arguments and at least three.
    SummaryListsArguments,
    /// `summary_repeats_group`: the summary repeats the name of a group that the tool stands in.
    ///
    /// The name is a label before the summary ("History: list commits"), or the summary comes back to it at its end ("List
    /// history entries of the history"). Using it once, as in "Search the history", is no repetition.
    SummaryRepeatsGroup,
    /// `same_summary`: another tool has the same summary, so that a model cannot choose between them.
    ///
    /// One declaration that is served twice, with a prefix, is told apart by its names.
    SameSummary,
    /// `undocumented_argument`: a required argument has no description, neither its own nor its type's.
    UndocumentedArgument,
    /// `argument_repeats_name`: an argument's description is only its name again: "The path." for `path`.
    ///
    /// Where the values are listed one by one, as an enum's are, they say enough.
    ArgumentRepeatsName,
    /// `no_usage`: the tool has neither example nor guidance nor notes.
    ///
    /// A tool without arguments needs none; one in MCP's own form ([`Tool::from_definition`](crate::Tool::from_definition))
    /// has no place for them.
    NoUsage,
    /// `unhinted_read`: the summary says that the tool reads, and none of the hints says so to the host.
    ///
    /// The summary begins with List, Get, Fetch, Retrieve, Show, View, Describe, Inspect, Read, Find, Look up, Search, Count
    /// or Compare and does not go on with "and", "or" or "then". Any hint silences it, `read_only = false` too.
    UnhintedRead,
    /// `read_only_writes`: the summary says that the tool writes, and its hint `read_only` says to the host that it does not.
    ///
    /// The summary begins with Append, Create, Delete, Insert, Overwrite, Publish, Remove, Rename or Send; or with a verb
    /// that may be a noun (Drop, Edit, Set, Update, Upload, Write) and an article. Add is left alone: it adds numbers too.
    ReadOnlyWrites,
    /// `names_scoped_tool`: a text names a tool that asks for scopes, and callers without these
    /// read the text.
    ///
    /// The texts are those of tools that do not ask for the same scopes, of groups and bundles with
    /// such a tool, and the server's instructions. A name of letters alone, such as `list`, counts
    /// only in code: `` `list` ``. The named tool silences it, too. What a policy (`Access`) hides
    /// is not known here.
    NamesScopedTool,
    /// `internal_path`: a text names an absolute path of one machine: `/home/ada`, `/Users/ada`,
    /// `/var/log`, `C:\data`.
    ///
    /// Paths in URLs, placeholders (`/home/USER`), places in arrays (`/home/0`), and paths that
    /// every machine has (`/etc`, `/usr`, `/tmp`) are no such names. Values in examples are not
    /// looked at.
    InternalPath,
    /// `internal_host`: a text names a host of one network: an address of RFC 1918, `localhost`
    /// with a port or in a URL, or a name that ends in `.internal`, `.local`, `.corp`, `.lan` or
    /// `.intranet`.
    ///
    /// Networks (`10.0.0.0/8`), and what may be a file, a setting or a package (`settings.local`)
    /// are left alone.
    InternalHost,
    /// `long_skill`: the `SKILL.md` of a group or bundle costs a model more than 5,000 tokens.
    ///
    /// Agent Skills recommends less, since a host loads the file as a whole. The cost is estimated from the texts, the tools and
    /// the files that it lists. No tool is guilty of it, so no tool silences it: the remark names the group or bundle.
    LongSkill,
    /// `small_listing`: the server lists summaries, and so few small tools cost a model less in full.
    ///
    /// The command `check` compares the estimated tokens of the minimal list and two descriptions of average size with those of
    /// the full list. [`Listing::AUTO`](crate::Listing::AUTO) lists such a server in full. `Registry::taste` does not find it,
    /// since a registry has no listing; `Registry::allow` silences it.
    SmallListing,
    /// `number_keys`: no call can fill a map whose keys are numbers.
    ///
    /// serde reads the key `"7"` as a number, but not where it buffers the map first: in an untagged or internally
    /// tagged enum, and in a flattened field. The type itself is tried with such keys.
    NumberKeys,
}

impl Lint {
    /// Every lint.
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
    ];

    /// The name that `allow(…)` and `check --deny` take; it never changes.
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
        }
    }
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No lint has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no lint `{0}`; there are {all}", all = Lint::ALL.iter().map(|lint| lint.name()).collect::<Vec<_>>().join(", "))]
pub struct UnknownLint(String);

impl FromStr for Lint {
    type Err = UnknownLint;

    fn from_str(name: &str) -> Result<Self, UnknownLint> {
        Self::ALL.iter().copied().find(|lint| lint.name() == name).ok_or_else(|| UnknownLint(name.to_owned()))
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

    /// The variant is what `allow(…)` expands to.
    #[test]
    fn a_name_is_its_variant_in_snake_case() {
        for lint in Lint::ALL {
            let snake = format!("{lint:?}").chars().fold(String::new(), |mut snake, letter| {
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
        let unknown = "no-usage".parse::<Lint>().map_err(|unknown| unknown.to_string());
        assert!(unknown.is_err_and(|why| why.starts_with("there is no lint `no-usage`; there are summary_filler, ")));
    }
}
