//! Runs a program that calls tools. This file reads the request; `server::run_code` runs the
//! program.

use super::{
    MetaToolReply, StaticSchema, arguments::MetaToolArguments, call::cautious, object,
    read_only_tool,
};
use crate::{disclosure::view::CallerView, policy::meta_tools::OfferedMetaTool};
use rmcp::model::Tool;
use serde_json::json;
use std::time::Duration;

static SCHEMA: StaticSchema = StaticSchema::new(|| {
    object(json!({
        "type": "object",
        "properties": { "code": { "type": "string" }, "timeout_ms": { "type": "integer" } },
        "required": ["code"],
    }))
});

const TEXT: &str = "Run JavaScript that calls tools: `const r = await tools.NAME({...}); return r.items.length`. \
                    You read only what it returns: filter and sum up in the program. Describe tools first";

/// A program to run.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) code: String,
    /// The time that the caller gives the run, if it is shorter than the server's.
    pub(crate) timeout: Option<Duration>,
}

/// Returns the list entry. Programs call read-only tools, unless the author allows others.
pub(super) fn definition(offer: &OfferedMetaTool, view: &CallerView<'_>) -> Tool {
    let tool = read_only_tool(offer, TEXT, &SCHEMA);
    let may_write = view
        .policy
        .code
        .as_ref()
        .is_some_and(|mode| mode.scope.is_some() || !mode.allowed.is_empty());
    // Hosts approve a listed tool by its annotations, and a program may call any allowed tool.
    if may_write { cautious(tool) } else { tool }
}

/// Reads the program.
///
/// # Errors
///
/// Returns an error if the program is missing or too long.
pub(super) fn call(
    arguments: &MetaToolArguments,
    view: &CallerView<'_>,
) -> Result<MetaToolReply, String> {
    let code = arguments.whole_text("code").unwrap_or_default();
    if code.trim().is_empty() {
        return Err(
            "`code` must be a JavaScript program: {\"code\": \"return await tools.NAME({})\"}"
                .to_owned(),
        );
    }
    let longest = view.policy.code.as_ref().map_or(0, |mode| mode.code_bytes);
    if code.len() > longest {
        return Err(format!(
            "the program has {} bytes, over the limit of {longest}: write a shorter one",
            code.len()
        ));
    }
    // Models write 0 for "no limit". The limit of the server applies then.
    let milliseconds = arguments
        .count("timeout_ms")
        .filter(|milliseconds| *milliseconds > 0);
    let timeout = milliseconds
        .map(|milliseconds| Duration::from_millis(u64::try_from(milliseconds).unwrap_or(u64::MAX)));
    Ok(MetaToolReply::Run(Program {
        code: without_fence(code).to_owned(),
        timeout,
    }))
}

/// Removes the fence of a Markdown block, which models add.
fn without_fence(code: &str) -> &str {
    let fenced = code
        .trim()
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"));
    fenced
        // The first line of a fence is its language.
        .and_then(|rest| rest.split_once('\n'))
        .map_or(code, |(_language, inside)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_no_part_of_the_program() {
        for code in ["```js\nreturn 1\n```", "```\nreturn 1\n```\n"] {
            assert_eq!(without_fence(code), "return 1\n");
        }
        for code in ["return 1", "return `\n```", "```return 1"] {
            assert_eq!(without_fence(code), code);
        }
    }
}
