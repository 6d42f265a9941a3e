//! The cases as a page: by subject, in the order in which an author meets them.

use crate::{case::Case, said};
use std::{collections::BTreeSet, fmt::Write as _};

/// What belongs together. A case is of the subject with the longest prefix of its name.
struct Subject {
    heading: &'static str,
    about: &'static str,
    prefixes: &'static [&'static str],
}

const SUBJECTS: &[Subject] = &[
    Subject {
        heading: "The function",
        about: "A tool is a free function, or a method with `&self` in an inherent impl.",
        prefixes: &["item_", "receiver_", "trait_", "unsafe_", "generic_", "blocking_", "future_"],
    },
    Subject {
        heading: "The summary and the name",
        about: "What a model chooses by.",
        prefixes: &["summary_", "name_", "title_"],
    },
    Subject {
        heading: "Other keys",
        about: "What else `#[pd_tool(…)]` takes.",
        prefixes: &[
            "key_",
            "hints_",
            "related_",
            "aliases_",
            "scopes_",
            "deprecated_",
            "allow_",
            "meta_",
            "timeout_",
            "concurrency_",
        ],
    },
    Subject {
        heading: "Parameters",
        about: "By value: sent by the caller. By reference: lent by the server.",
        prefixes: &["argument_", "args_", "selected_", "context_", "state_"],
    },
    Subject {
        heading: "What an argument may be",
        about: "The keys of `#[arg(…)]`: a default, another name, and JSON Schema's keywords.",
        prefixes: &["arg_", "default_", "keyword_", "range_", "one_of_", "format_", "header_"],
    },
    Subject {
        heading: "The doc comment",
        about: "It is the full description; sections of some names become fields of it.",
        prefixes: &["doc_", "section_", "example_", "examples_", "guidance_", "notes_", "errors_"],
    },
    Subject { heading: "What it returns", about: "Its type gives the output schema.", prefixes: &["return_"] },
    Subject {
        heading: "Rows to choose from",
        about: "A `selective` tool returns rows, of which callers choose the columns.",
        prefixes: &["selective_"],
    },
    Subject {
        heading: "The registry",
        about: "`registry!` is the table of contents.",
        prefixes: &["registry_", "unregistered_"],
    },
    Subject {
        heading: "Types of arguments",
        about: "`#[derive(ToolArg)]` tells the compiler which JSON a type accepts.",
        prefixes: &["tool_arg_"],
    },
    Subject {
        heading: "Error enums",
        about: "`#[derive(ToolErrors)]` makes each variant a code.",
        prefixes: &["tool_error_", "tool_errors_"],
    },
    Subject {
        heading: "Server state",
        about: "`#[derive(State)]` lends each field.",
        prefixes: &["state_duplicate", "state_empty", "state_enum", "state_key_"],
    },
    Subject {
        heading: "Several at once",
        about: "All independent mistakes of a declaration are told together.",
        prefixes: &["several_"],
    },
];

const OPENING: &str = "\
# Mistakes and their mends

What the compiler says where a rule of pd-runtime is broken, and what to write instead. A test writes this page from the
compile-fail cases in `tests/compile/ui/fail`, and another compiles every mended form: to change it, change a case.
";

/// Writes the page.
pub(crate) fn write(cases: &[Case]) -> Result<String, String> {
    check_titles(cases)?;
    let placed =
        cases.iter().map(|case| subject_of(case).map(|subject| (subject, case))).collect::<Result<Vec<_>, _>>()?;
    let mut page = format!("{OPENING}\n");
    for Subject { heading, .. } in SUBJECTS {
        let _ = writeln!(page, "- [{heading}](#{})", anchor(heading));
    }
    for subject in SUBJECTS {
        let mut of_it: Vec<_> = placed.iter().filter(|(theirs, _)| theirs.heading == subject.heading).collect();
        of_it.sort_by_key(|(_, case)| prefix_of(subject, &case.name).map(|(at, _)| at));
        let _ = write!(page, "\n## {}\n\n{}\n", subject.heading, subject.about);
        of_it.iter().for_each(|(_, case)| page.push_str(&entry(case)));
    }
    Ok(page)
}

/// Two entries of one title would have one anchor.
fn check_titles(cases: &[Case]) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    match cases.iter().find(|case| !seen.insert(anchor(&case.title))) {
        Some(case) => Err(format!("{}.rs: another case has the same first line; say what differs", case.name)),
        None => Ok(()),
    }
}

fn subject_of(case: &Case) -> Result<&'static Subject, String> {
    let longest = |subject: &&Subject| prefix_of(subject, &case.name).map(|(_, length)| length);
    let subject = SUBJECTS.iter().max_by_key(longest).filter(|subject| longest(subject).is_some());
    subject.ok_or_else(|| format!("{}.rs: no subject has this prefix; add it to `page::SUBJECTS`", case.name))
}

/// The place and the length of the subject's longest prefix of `name`.
fn prefix_of(subject: &Subject, name: &str) -> Option<(usize, usize)> {
    let fitting = subject.prefixes.iter().enumerate().filter(|(_, prefix)| name.starts_with(**prefix));
    fitting.map(|(at, prefix)| (at, prefix.len())).max_by_key(|(_, length)| *length)
}

fn entry(case: &Case) -> String {
    let said = said::shorten(&case.stderr);
    let mend: Vec<_> = case.mend.iter().map(|hunk| hunk.diff.as_str()).collect();
    format!("\n### {}\n\n```text\n{said}\n```\n\n```diff\n{}\n```\n", case.title, mend.join("\n\n"))
}

/// What rustdoc and GitHub make of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}
