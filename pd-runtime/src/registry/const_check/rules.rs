//! The compile-time rules, and the messages that the compiler shows.

use super::{RegistryContents, listing_cost};
use crate::{
    text::{const_message::ConstMessage, const_str::is_same},
    tool::descriptor::ToolFacts,
};
use pd_schema::suggest::nearest_tool;

/// Checks the tool at an index: its name, and its related tools.
#[track_caller]
pub const fn judge<const N: usize>(contents: &RegistryContents<'_, N>, at: usize) {
    judge_name(contents, at);
    judge_related(contents, at);
    judge_view(contents, at);
}

/// Checks only the name, for registries whose other tools are not all known.
///
/// Leaves one declaration by two paths, or instantiated with two types, to the check at run time,
/// which can distinguish the two cases.
#[track_caller]
pub const fn judge_name<const N: usize>(contents: &RegistryContents<'_, N>, at: usize) {
    let first = contents.firsts[at];
    let ((path, facts), (other, known)) = (contents.tools[at], contents.tools[first]);
    // The index compares hashes. Here the names are compared, so that a collision is not reported
    // as a duplicate.
    let is_alone = first == at || !is_same(known.name, facts.name);
    if is_alone || is_same(other, path) || is_same(known.location, facts.location) {
        return;
    }
    let message = ConstMessage::new()
        .text("two tools are called `")
        .text(facts.name)
        .text("`: `");
    let message = message
        .text(other)
        .text("` (")
        .text(known.location)
        .text(") and `");
    let message = message
        .text(path)
        .text("` (")
        .text(facts.location)
        .text(")");
    refuse(message.text(
        "; give one of them `name = \"…\"`, or list it in a registry of its own and `merge` that one `with_prefix(\"…\")`",
    ));
}

#[track_caller]
const fn judge_related<const N: usize>(contents: &RegistryContents<'_, N>, at: usize) {
    let (path, facts) = contents.tools[at];
    let mut related = facts.related;
    while let [name, rest @ ..] = related {
        if contents.lacks(name) {
            let message = ConstMessage::new()
                .text("`")
                .text(path)
                .text("` names as related what this registry lacks: ");
            let message = append_missing(contents, facts.related, facts.name, message);
            refuse(message.text("; list it here or drop it from `related(…)`"));
        }
        related = rest;
    }
}

/// Checks that the registry has the tools that the view of a tool calls, and offers them to views.
#[track_caller]
const fn judge_view<const N: usize>(contents: &RegistryContents<'_, N>, at: usize) {
    let (path, facts) = contents.tools[at];
    let Some(view) = facts.view else { return };
    let message = ConstMessage::new()
        .text("the view `")
        .text(view.file)
        .text("` of `")
        .text(path);
    let mut calls = view.calls;
    while let [name, rest @ ..] = calls {
        if contents.lacks(name) {
            let message = message.text("` calls what this registry lacks: ");
            let message = append_missing(contents, view.calls, "", message);
            refuse(message.text("; correct the name in the page, or list the tool here"));
        }
        if contents.is_kept_from_views(name) {
            let message = message.text("` calls `").text(name);
            refuse(
                message
                    .text("`, which is for models alone; leave out its `visibility`, or the call"),
            );
        }
        calls = rest;
    }
}

/// Appends each of these tools that the registry lacks, with a suggestion other than the tool
/// `not`.
const fn append_missing<const N: usize>(
    contents: &RegistryContents<'_, N>,
    mut tools: &[&str],
    not: &str,
    mut message: ConstMessage,
) -> ConstMessage {
    let names = contents.names_but(not);
    let mut comma = "`";
    while let [name, rest @ ..] = tools {
        if contents.lacks(name) {
            message = message.text(comma).text(name).text("`");
            comma = ", `";
            if let Some(near) = nearest_tool(name, &names) {
                message = message.text(" (did you mean `").text(near).text("`?)");
            }
        }
        tools = rest;
    }
    message
}

/// Checks that the registry lists a tool of a bundle.
#[track_caller]
pub const fn judge_bundled<const N: usize>(
    contents: &RegistryContents<'_, N>,
    bundle: &str,
    facts: &ToolFacts,
) {
    if contents.lacks(facts.name) {
        let message = ConstMessage::new()
            .text("the bundle `")
            .text(bundle)
            .text("` names what this registry lacks: ");
        let message = append_missing(contents, &[facts.name], "", message);
        refuse(
            message.text("; list it at the top level or in a group, or drop it from the bundle"),
        );
    }
}

/// Checks that the minimal listing costs at most `budget` tokens.
#[track_caller]
pub const fn within<const N: usize>(contents: &RegistryContents<'_, N>, budget: usize) {
    let mut costs = [0; N];
    let mut cost = 0;
    let mut at = 0;
    while at < N {
        // Kept for the message, because each estimate walks over the texts of its tool.
        costs[at] = listing_cost_at(contents, at);
        cost += costs[at];
        at += 1;
    }
    if cost > budget {
        let message = ConstMessage::new()
            .text("the minimal listing costs about ")
            .number(cost as i128);
        let message = message
            .text(" tokens, over its budget of ")
            .number(budget as i128);
        refuse(append_most_expensive(
            contents,
            costs,
            message.text("; shorten summaries or raise the budget; the dearest are "),
        ));
    }
}

/// Returns the cost of a tool, in tokens. A tool that is listed twice costs once, because it is
/// served once.
const fn listing_cost_at<const N: usize>(contents: &RegistryContents<'_, N>, at: usize) -> usize {
    let facts = contents.tools[at].1;
    if contents.firsts[at] != at || facts.name.is_empty() {
        return 0;
    }
    listing_cost(facts.name, facts.summary, &facts.hints)
}

/// Appends the three tools with the highest costs.
const fn append_most_expensive<const N: usize>(
    contents: &RegistryContents<'_, N>,
    mut costs: [usize; N],
    mut message: ConstMessage,
) -> ConstMessage {
    // `const fn` has no `for` or iterators, so the separators also count the loop: three of them,
    // three tools.
    let mut commas = ["`", ", `", ", `"].as_slice();
    while let ([comma, rest @ ..], most) = (commas, index_of_max(&costs))
        && costs[most] > 0
    {
        message = message
            .text(comma)
            .text(contents.tools[most].0)
            .text("` (")
            .number(costs[most] as i128)
            .text(")");
        // The next round finds the next highest cost.
        costs[most] = 0;
        commas = rest;
    }
    message
}

const fn index_of_max(costs: &[usize]) -> usize {
    let mut most = 0;
    let mut at = 0;
    while at < costs.len() {
        if costs[at] > costs[most] {
            most = at;
        }
        at += 1;
    }
    most
}

#[track_caller]
#[expect(
    clippy::panic,
    reason = "it is the compiler that panics, where the caller stands"
)]
const fn refuse(message: ConstMessage) -> ! {
    panic!("{}", message.as_str())
}
