//! The lint for the cost of a skill's `SKILL.md`.

use super::LintWarning;
use crate::{
    registry::{Registry, group::GroupView, problem::Location, skill_file::SkillFile},
    text::token_estimate::estimate_tokens,
    tool::lint::Lint,
};
use std::collections::HashMap;

/// The limit that Agent Skills recommends for the whole file.
const TOKENS_MAX: usize = 5_000;
/// The estimated cost of frontmatter, headings and the workflow, which the server writes.
const FRAME_TOKENS: usize = 150;

/// Reports every group and bundle with a `SKILL.md` that is too long.
pub(super) fn check<S: 'static>(registry: &Registry<S>, warnings: &mut Vec<LintWarning>) {
    let summaries: HashMap<&str, &str> = registry
        .tools
        .iter()
        .map(|tool| (tool.name(), tool.about.summary.as_ref()))
        .collect();
    let mut check_skill = |heading: Location,
                           texts: [&str; 2],
                           tools: Vec<&str>,
                           files: &[SkillFile]| {
        // The estimate imitates the lines of `surface::skills`, without rendering the file for one
        // caller.
        let tools = tools
            .iter()
            .map(|name| tool_line(name, summaries.get(name).copied().unwrap_or_default()));
        let files = files
            .iter()
            .map(|file| format!("- [`{0}`]({0})", file.path()));
        let lines = texts
            .map(str::to_owned)
            .into_iter()
            .chain(tools)
            .chain(files);
        let cost = FRAME_TOKENS + lines.map(|line| estimate_tokens(&line)).sum::<usize>();
        if cost > TOKENS_MAX {
            let is_relayed =
                matches!(&heading, Location::Group(name) if registry.is_relayed_group(name));
            let advice = if is_relayed {
                "leave tools out with `pd.exclude` of its server, or set shorter summaries in an overlay"
            } else {
                "move text to files of the skill (`SkillFile`), or divide the tools"
            };
            let words = format!(
                "{heading}: its `SKILL.md` costs about {cost} tokens, over the {TOKENS_MAX} that Agent Skills recommends; {advice}"
            );
            warnings.push(LintWarning {
                is_relayed,
                ..LintWarning::from_registry(Lint::LongSkill, words)
            });
        }
    };
    for group in &registry.groups {
        group.walk(&mut |group| {
            if is_skill(group) {
                let heading = Location::Group(group.name.as_str().into());
                check_skill(
                    heading,
                    [&group.summary, &group.instructions],
                    tools(group),
                    &group.files,
                );
            }
        });
    }
    for bundle in &registry.bundles {
        let heading = Location::Bundle(bundle.name.as_str().into());
        let tools = bundle.tools.iter().map(String::as_str).collect();
        check_skill(
            heading,
            [&bundle.summary, &bundle.instructions],
            tools,
            &bundle.files,
        );
    }
}

fn tool_line(name: &str, summary: &str) -> String {
    format!("- [`{name}`](references/{name}.json): {summary}")
}

fn is_skill(group: &GroupView) -> bool {
    !group.instructions.trim().is_empty() || !group.files.is_empty()
}

/// Returns the tools that a group's `SKILL.md` lists: the group's own tools, and the tools of
/// nested groups without a skill.
fn tools(group: &GroupView) -> Vec<&str> {
    let inner = group
        .groups
        .iter()
        .filter(|inner| !is_skill(inner))
        .flat_map(tools);
    group
        .tools
        .iter()
        .map(String::as_str)
        .chain(inner)
        .collect()
}
