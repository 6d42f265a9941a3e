//! The topics of the cases: one page each, in the order in which an author meets them.

use crate::case::Case;

/// One topic. A case belongs to the topic with the longest prefix of its name.
pub(crate) struct Topic {
    /// The page's name, and that of its module in rustdoc.
    pub(crate) page: &'static str,
    pub(crate) heading: &'static str,
    pub(crate) about: &'static str,
    prefixes: &'static [&'static str],
    /// Whether its cases repeat messages of other topics; the index then lists only the others.
    pub(crate) repeats: bool,
}

pub(crate) const TOPICS: &[Topic] = &[
    Topic {
        page: "functions",
        heading: "The function",
        about: "A tool is a free function, or a method with `&self` in an inherent impl.",
        prefixes: &[
            "item_",
            "receiver_",
            "trait_",
            "unsafe_",
            "generic_",
            "blocking_",
            "future_",
        ],
        repeats: false,
    },
    Topic {
        page: "summaries",
        heading: "The summary and the name",
        about: "What a model chooses by.",
        prefixes: &["summary_", "name_", "title_"],
        repeats: false,
    },
    Topic {
        page: "keys",
        heading: "Other keys",
        about: "What else `#[pd_tool(…)]` takes.",
        prefixes: &[
            "key_",
            "hints_",
            "related_",
            "aliases_",
            "found_by_",
            "icons_",
            "scopes_",
            "deprecated_",
            "allow_",
            "meta_",
            "timeout_",
            "concurrency_",
            "ui_",
            "visibility_",
        ],
        repeats: false,
    },
    Topic {
        page: "parameters",
        heading: "Parameters",
        about: "By value: sent by the caller. By reference: lent by the server.",
        prefixes: &["argument_", "args_", "selected_", "context_"],
        repeats: false,
    },
    Topic {
        page: "state",
        heading: "Server state",
        about: "A tool borrows parts of the state by type; `#[derive(State)]` lends each field.",
        prefixes: &["state_"],
        repeats: false,
    },
    Topic {
        page: "arguments",
        heading: "What an argument may be",
        about: "The keys of `#[arg(…)]`: a default, another name, and JSON Schema's keywords. `#[derive(ToolArg)]` \
                describes own types to the compiler.",
        prefixes: &[
            "arg_",
            "default_",
            "keyword_",
            "range_",
            "one_of_",
            "format_",
            "header_",
            "tool_arg_",
        ],
        repeats: false,
    },
    Topic {
        page: "descriptions",
        heading: "The doc comment",
        about: "It is the full description; sections of some names become fields of it.",
        prefixes: &[
            "doc_",
            "section_",
            "example_",
            "examples_",
            "guidance_",
            "notes_",
            "errors_",
        ],
        repeats: false,
    },
    Topic {
        page: "results",
        heading: "Results and errors",
        about: "The type of a result gives the output schema, callers choose columns of a `selective` tool's rows, and \
                `#[derive(ToolErrors)]` makes each variant of an error a code.",
        prefixes: &["return_", "selective_", "tool_error_", "tool_errors_"],
        repeats: false,
    },
    Topic {
        page: "registry",
        heading: "The registry",
        about: "`registry!` is the table of contents.",
        prefixes: &["registry_", "unregistered_"],
        repeats: false,
    },
    Topic {
        page: "several",
        heading: "Several at once",
        about: "All independent mistakes of a declaration are reported together.",
        prefixes: &["several_"],
        repeats: true,
    },
];

impl Topic {
    /// Finds the topic of a case.
    pub(crate) fn find(case: &Case) -> Result<&'static Self, String> {
        let longest = |topic: &&Self| topic.prefix(&case.name).map(|(_, length)| length);
        let topic = TOPICS
            .iter()
            .max_by_key(longest)
            .filter(|topic| longest(topic).is_some());
        topic.ok_or_else(|| {
            format!(
                "{}.rs: no topic has this prefix; begin its name with one of:{}",
                case.name,
                listed()
            )
        })
    }

    /// Returns this topic's cases, in the order of its prefixes.
    pub(crate) fn select<'a>(&self, cases: &'a [Case]) -> Vec<&'a Case> {
        let belongs = |case: &Case| Self::find(case).is_ok_and(|topic| topic.page == self.page);
        let mut selected: Vec<_> = cases.iter().filter(|case| belongs(case)).collect();
        selected.sort_by_key(|case| self.prefix(&case.name).map(|(at, _)| at));
        selected
    }

    /// The place and the length of the topic's longest prefix of `name`.
    fn prefix(&self, name: &str) -> Option<(usize, usize)> {
        let fitting = self
            .prefixes
            .iter()
            .enumerate()
            .filter(|(_, prefix)| name.starts_with(**prefix));
        fitting
            .map(|(at, prefix)| (at, prefix.len()))
            .max_by_key(|(_, length)| *length)
    }
}

/// Lists every topic with its prefixes.
fn listed() -> String {
    let lines = TOPICS
        .iter()
        .map(|topic| format!("\n  {}: {}", topic.heading, topic.prefixes.join(" ")));
    format!(
        "{}\nor add its prefix to `topic::TOPICS`",
        lines.collect::<String>()
    )
}
