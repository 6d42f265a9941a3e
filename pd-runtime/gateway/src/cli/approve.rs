//! `approve`: the changes of servers that wait for a person, shown and approved.

use super::{
    approve_options::ApproveOptions,
    entry_approval::{EntryDocument, EntryReview},
    held_json::HeldDocument,
};
use crate::{Gateway, HeldKind, HeldTool, TextChange};
use pd_runtime::{
    cli::CliError,
    upstream::{
        cli::{json_output, style},
        text::{equal_lines::group_by, escape::visible, truncate::first_chars},
    },
};
use serde::Serialize;
use std::{
    fmt,
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

/// The most characters of one text that are shown.
const SHOWN_MAX: usize = 8_000;

/// The most changes and the most texts of one definition that are shown.
const CHANGES_MAX: usize = 200;

/// What was held, and the part of it that was approved.
#[derive(Debug, Default, Serialize)]
struct ApprovalReport {
    /// The servers of a project's file that were not approved before.
    servers: Vec<EntryDocument>,
    approved_servers: Vec<String>,
    held: Vec<HeldDocument>,
    approved: Vec<ApprovedNames>,
}

/// The approved tools and prompts of a server.
#[derive(Debug, Serialize)]
struct ApprovedNames {
    server: String,
    names: Vec<String>,
}

/// Shows what is held, and approves it. Asks first if a person can answer.
///
/// The entries of a project's file come before anything is started. `--list` starts nothing.
pub(super) async fn approve(
    options: &ApproveOptions,
    entries: &mut EntryReview,
    gateway: &Gateway,
) -> Result<ExitCode, CliError> {
    // Both ends must be a terminal: a file on standard input is not a person who has read the
    // question.
    let asks =
        !options.yes && !options.json && io::stdin().is_terminal() && io::stdout().is_terminal();
    // Before the review, which approves some of them.
    let servers = if options.json {
        entries.documents(options)
    } else {
        Vec::new()
    };
    // `--list` asks nothing, even on a terminal.
    let approved_servers = entries.review(options, asks && !options.list)?;
    if !approved_servers.is_empty() {
        // Lists from an earlier run were not compared with the lock while their entry waited.
        gateway.review_again()?;
    }
    if !options.list {
        let bar = super::starting_bar();
        bar.during(gateway.refresh_approved_with(|done, total| bar.set(done, total)))
            .await;
    }
    let held = select(options, gateway)?;
    if held.is_empty() && !options.json && !entries.has_waiting() {
        done(format_args!("nothing is held"))?;
    }
    let mut report = ApprovalReport {
        servers,
        approved_servers,
        ..ApprovalReport::default()
    };
    // The order of `held` is the order of the servers.
    for tools in held.chunk_by(|one, next| one.server == next.server) {
        review(options, gateway, tools, asks, &mut report)?;
    }
    if options.json {
        report.held = held.iter().map(HeldDocument::new).collect();
        json_output::print(&report)?;
    }
    let is_left = !held.is_empty() || entries.has_waiting();
    if is_left && !options.list && !asks && !options.names_servers() {
        // A script must not take success for an approval.
        return Err(
            "nothing was approved; name the server that you approve: `approve SERVER`".into(),
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows what is held of one server, and approves it if the options or a person allow that.
fn review(
    options: &ApproveOptions,
    gateway: &Gateway,
    tools: &[HeldTool],
    asks: bool,
    report: &mut ApprovalReport,
) -> Result<(), CliError> {
    if !options.json {
        group_by(tools, change_key)
            .iter()
            .try_for_each(|group| show(group))?;
    }
    let Some(HeldTool { server, .. }) = tools.first() else {
        return Ok(());
    };
    if options.list
        || !(if asks {
            confirm(tools, server)?
        } else {
            options.names_servers()
        })
    {
        return Ok(());
    }
    gateway.approve(tools)?;
    let names: Vec<_> = tools.iter().map(|held| held.tool.clone()).collect();
    if !options.json {
        let names = names
            .iter()
            .map(|name| format!("`{}`", visible(name)))
            .collect::<Vec<_>>()
            .join(", ");
        done(format_args!("approved {names} of `{server}`"))?;
    }
    report.approved.push(ApprovedNames {
        server: server.clone(),
        names,
    });
    Ok(())
}

/// Returns the held tools that the arguments name.
fn select(options: &ApproveOptions, gateway: &Gateway) -> Result<Vec<HeldTool>, CliError> {
    let mut held = gateway.held();
    let Some(server) = &options.server else {
        return Ok(held);
    };
    let servers = gateway.status();
    // Commands take both names of a server.
    let named = servers
        .iter()
        .find(|status| status.name == *server || status.label == *server);
    let Some(server) = named.map(|status| &status.name) else {
        let servers: Vec<&str> = servers.iter().map(|status| status.name.as_str()).collect();
        return Err(format!(
            "no such server: `{server}`; the servers are {}",
            servers.join(", ")
        )
        .into());
    };
    held.retain(|held| held.server == *server);
    if let Some(other) = options
        .tools
        .iter()
        .find(|tool| held.iter().all(|held| held.tool != **tool))
    {
        let names = held
            .iter()
            .map(|held| visible(&held.tool))
            .collect::<Vec<_>>()
            .join(", ");
        let hint = if names.is_empty() {
            "nothing of it is".to_owned()
        } else {
            format!("these are: {names}")
        };
        return Err(format!("`{other}` of `{server}` is not held; {hint}").into());
    }
    held.retain(|held| options.tools.is_empty() || options.tools.contains(&held.tool));
    Ok(held)
}

fn confirm(held: &[HeldTool], server: &str) -> Result<bool, CliError> {
    style::print(format_args!(
        "approve {} of `{server}`? [y/N] ",
        counted(held)
    ))?;
    io::stdout().flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    // The end of the input is an empty answer, which approves nothing.
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Returns the number of what is held, in words.
pub(super) fn counted(held: &[HeldTool]) -> String {
    let has_tools_alone = held.iter().all(|held| held.kind == HeldKind::Tool);
    style::counted(
        held.len(),
        if has_tools_alone {
            "tool"
        } else {
            "definition"
        },
    )
}

fn done(what: fmt::Arguments<'_>) -> io::Result<()> {
    style::print(format_args!("{} {what}\n", style::green("ok")))
}

/// A change of a contract or of a text, by its parts.
type ChangeParts<'a> = (
    Vec<(bool, &'a str)>,
    Vec<(&'a str, Option<&'a str>, Option<&'a str>)>,
);

/// Two definitions with equal keys have changed in the same way, and are shown once.
fn change_key(held: &HeldTool) -> (&'static str, bool, ChangeParts<'_>) {
    let changes = held
        .changes
        .iter()
        .map(|change| (change.breaking, change.description.as_str()));
    let texts = held.texts.iter().map(|text| {
        (
            text.place.as_str(),
            text.old.as_deref(),
            text.new.as_deref(),
        )
    });
    (
        held.kind.as_str(),
        held.is_new,
        (changes.collect(), texts.collect()),
    )
}

/// Prints a change of one or several definitions: the change of their contracts, then each text
/// before and after. All names are shown, because a person approves each.
fn show(group: &[&HeldTool]) -> io::Result<()> {
    let Some(held) = group.first() else {
        return Ok(());
    };
    let kind = format!(
        "{}{}",
        if held.is_new { "new " } else { "" },
        held.kind.as_str()
    );
    let note = match group.len() {
        1 if held.kind == HeldKind::Tool && !held.is_new => style::dim(String::new()),
        1 => style::dim(format!("  {kind}")),
        count => style::dim(format!("  {}", style::counted(count, &kind))),
    };
    let names: Vec<String> = group.iter().map(|held| visible(&held.tool)).collect();
    let name = match held.kind {
        HeldKind::Server => String::new(),
        _ => format!(" {}", style::bold(names.join(", "))),
    };
    style::print(format_args!("{}{name}{note}\n", style::bold(&held.server)))?;
    for change in held.changes.iter().take(CHANGES_MAX) {
        let class = if change.breaking {
            style::red("breaking  ")
        } else {
            style::dim("compatible")
        };
        style::print(format_args!(
            "  {class}  {}\n",
            visible(&change.description)
        ))?;
    }
    let more = held.changes.iter().count().saturating_sub(CHANGES_MAX);
    if more > 0 {
        style::print(format_args!("  … {more} more changes\n"))?;
    }
    held.texts.iter().try_for_each(show_text)?;
    // The comparison ends at this number, so the number of the others is not known.
    if held.texts.len() >= CHANGES_MAX {
        let note =
            format!("the first {CHANGES_MAX} names and texts are shown, and there may be more");
        style::print(format_args!("  {}\n", style::yellow(note)))?;
    }
    Ok(())
}

fn show_text(change: &TextChange) -> io::Result<()> {
    style::print(format_args!("  {}\n", style::dim(visible(&change.place))))?;
    let mut old = lines_of(change.old.as_deref());
    let mut new = lines_of(change.new.as_deref());
    // Lines that both begin or end with say nothing about the change.
    let same = old
        .iter()
        .zip(&new)
        .take_while(|(old, new)| old == new)
        .count();
    old.drain(..same);
    new.drain(..same);
    let same = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(|(old, new)| old == new)
        .count();
    old.truncate(old.len() - same);
    new.truncate(new.len() - same);
    show_lines(&style::red("-"), &old)?;
    show_lines(&style::green("+"), &new)
}

fn lines_of(text: Option<&str>) -> Vec<String> {
    text.into_iter()
        .flat_map(str::lines)
        .map(str::to_owned)
        .collect()
}

fn show_lines(sign: &impl fmt::Display, lines: &[String]) -> io::Result<()> {
    let mut left = SHOWN_MAX;
    for line in lines {
        let shown: String = first_chars(line, left).to_owned();
        left -= shown.chars().count();
        // Hidden characters are escaped: a model reads them, so a person must see them.
        style::print(format_args!("    {sign} {}\n", visible(&shown)))?;
        if left == 0 {
            let all: usize = lines.iter().map(|line| line.chars().count()).sum();
            return style::print(format_args!(
                "    {sign} … {} more characters\n",
                all - SHOWN_MAX
            ));
        }
    }
    Ok(())
}
