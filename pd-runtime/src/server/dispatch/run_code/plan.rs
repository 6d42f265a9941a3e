//! The question whether a program may run: its writes as one plan. It is asked before the program
//! starts, so that no part of the program runs twice where the client repeats the call with the
//! answer (SEP-2322).

use super::{
    super::confirm::{DECLINED, effect, escaped, is_wanted_in_program},
    program_end::failed_result,
    tool_path,
};
use crate::{
    catalog::entry::CatalogEntry,
    code::{message::ProgramError, program::references::references},
    digest::Digest,
    disclosure::view::CallerView,
    tool::{client_call::ClientCall, context::CallContext, error::ToolError},
};
use rmcp::model::{CallToolRequestParams, CallToolResponse};
use std::{collections::HashSet, fmt::Write, sync::Arc};

/// The most bytes of the program that the question shows.
const PROGRAM_MAX: usize = 2_000;
/// The most tools that the question names. A program that names more cannot be judged by a person.
const TOOLS_MAX: usize = 20;
/// The most names of a program that are looked up. A name beyond them is one that nobody has agreed to.
const NAMES_MAX: usize = 256;

/// A tool of the plan, and the line that names it first.
struct PlannedTool<'a> {
    entry: &'a Arc<CatalogEntry>,
    line: u32,
}

/// Asks the user about the tools that the program names and that are asked about. Returns those that
/// the user approved: none if there are none, or if the client cannot ask.
///
/// # Errors
///
/// Returns an error if the user declined or could not be asked, or the question itself, with which a
/// round of the call ends.
pub(super) async fn approve(
    code: &str,
    params: &mut CallToolRequestParams,
    view: &CallerView<'_>,
    context: &Arc<ClientCall>,
) -> Result<HashSet<Digest>, ToolError> {
    let plan = planned(code, view);
    if plan.is_empty() {
        return Ok(HashSet::new());
    }
    let context = CallContext::from_request(
        context.clone(),
        view.caller.authority.clone(),
        view.caller.client_session(),
        #[cfg(feature = "fetch")]
        &view.policy.fetching,
    )
    .with_input(params.input_responses.take(), params.request_state.take());
    if !context.can_ask() {
        return Ok(HashSet::new());
    }
    if plan.len() > TOOLS_MAX {
        let text = format!(
            "the program names {} tools that the user has to agree to, and at most {TOOLS_MAX} can be judged at once; write \
             smaller programs",
            plan.len()
        );
        return Err(ToolError::new(DECLINED, text));
    }
    let asked = context.confirm(question(&plan, code));
    match context.cancellation().run_until_cancelled(asked).await {
        Some(Ok(true)) => Ok(plan.iter().map(|one| one.entry.digest).collect()),
        Some(Ok(false)) => {
            let text = "the user declined this program, so nothing of it ran; do not repeat it, and ask what to do instead";
            Err(ToolError::new(DECLINED, text))
        }
        Some(Err(error)) => Err(error),
        None => Err(ToolError::cancelled()),
    }
}

/// Returns the response of a program that did not run: the question, or why not.
pub(super) fn declined(end: ToolError) -> CallToolResponse {
    end.into_response().unwrap_or_else(|error| {
        failed_result(&ProgramError::new(&error.code, error.message), &[], "").into()
    })
}

/// Returns the tools that are asked about, each once.
fn planned<'a>(code: &str, view: &CallerView<'a>) -> Vec<PlannedTool<'a>> {
    let mut plan: Vec<PlannedTool<'a>> = Vec::new();
    // Most servers ask about no tool, and then the program is not read.
    if !view
        .visible()
        .any(|entry| is_wanted_in_program(entry, view))
    {
        return plan;
    }
    let mut known = HashSet::new();
    for reference in references(code) {
        if known.len() == NAMES_MAX {
            break;
        }
        if !known.insert(reference.path.clone()) {
            continue;
        }
        let entry = tool_path::find(&reference.path, view)
            .or_else(|| tool_path::find_by_source(&reference.path, view));
        let Some(entry) = entry.filter(|entry| is_wanted_in_program(entry, view)) else {
            continue;
        };
        if !plan.iter().any(|known| known.entry.place == entry.place) {
            plan.push(PlannedTool {
                entry,
                line: reference.line,
            });
        }
    }
    plan
}

fn question(plan: &[PlannedTool<'_>], code: &str) -> String {
    let mut text = "Run a program that may call".to_owned();
    for PlannedTool { entry, line } in plan {
        let _ = write!(text, "\n- {} (line {line})", entry.name());
        if let Some(effect) = effect(&entry.tool.about.annotations) {
            let _ = write!(text, ", which {effect}");
        }
    }
    let code = escaped(code, PROGRAM_MAX, |letter| letter == '\n');
    let _ = write!(text, "\nas often as it wants? The program is:\n{code}");
    text
}
