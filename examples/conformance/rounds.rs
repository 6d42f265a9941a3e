//! Tools that end a round with what they want to know, and are called again with the answers (SEP-2322).

use crate::{
    forms,
    input::{Answers, Round, ask, form, roots, sample},
    seal::Seal,
};
use pd_runtime::prelude::*;

/// One form, no memory: whoever calls again without the answer is asked again.
#[pd_tool(summary = "Greet after asking for a name", eager)]
pub(crate) fn test_input_required_result_elicitation(call: &CallContext) -> Round {
    match Answers::of(call).field::<String>("user_name", "name") {
        Some(name) => Round::Done(format!("Hello, {name}!")),
        None => Round::Ask(ask([(
            "user_name",
            form("What is your name?", forms::text("name")),
        )])),
    }
}

/// One question to the client's model.
#[pd_tool(summary = "Ask the client's model between rounds", eager)]
pub(crate) fn test_input_required_result_sampling(call: &CallContext) -> Round {
    match Answers::of(call).said("capital_question") {
        Some(answer) => Round::Done(answer),
        None => Round::Ask(ask([(
            "capital_question",
            sample("What is the capital of France?"),
        )])),
    }
}

/// The directories that the client works in.
#[pd_tool(summary = "Ask for the client's roots between rounds", eager)]
pub(crate) fn test_input_required_result_list_roots(call: &CallContext) -> Round {
    match Answers::of(call).roots("client_roots") {
        Some(roots) => Round::Done(format!("Roots: {}", roots.join(", "))),
        None => Round::Ask(ask([("client_roots", roots())])),
    }
}

/// A form, and a memory that has to come back with the answer.
#[pd_tool(summary = "Ask for consent, and remember having asked", eager)]
pub(crate) fn test_input_required_result_request_state(
    seal: &Seal,
    call: &CallContext,
) -> Result<Round, ToolError> {
    const TOOL: &str = "test_input_required_result_request_state";
    confirm(TOOL, seal, call)
}

/// The same, for clients that change the memory.
#[pd_tool(summary = "Refuse a memory that was changed", eager)]
pub(crate) fn test_input_required_result_tampered_state(
    seal: &Seal,
    call: &CallContext,
) -> Result<Round, ToolError> {
    const TOOL: &str = "test_input_required_result_tampered_state";
    confirm(TOOL, seal, call)
}

fn confirm(tool: &str, seal: &Seal, call: &CallContext) -> Result<Round, ToolError> {
    let asked = seal.recall::<()>(tool, call)?;
    match (asked, Answers::of(call).field::<bool>("confirm", "ok")) {
        (Some(()), Some(ok)) => Ok(Round::Done(format!("state-ok, confirmed: {ok}"))),
        _ => {
            let question = ask([("confirm", form("Please confirm", forms::consent("ok")))]);
            seal.remember(tool, &(), question).map(Round::Ask)
        }
    }
}

/// A form, a prompt and the roots, all at once.
#[pd_tool(summary = "Ask the client for three things at once", eager)]
pub(crate) fn test_input_required_result_multiple_inputs(
    seal: &Seal,
    call: &CallContext,
) -> Result<Round, ToolError> {
    const TOOL: &str = "test_input_required_result_multiple_inputs";
    let answers = Answers::of(call);
    let name = answers.field::<String>("user_name", "name");
    let (greeting, places) = (answers.said("greeting"), answers.roots("client_roots"));
    let asked = seal.recall::<()>(TOOL, call)?;
    if let (Some(()), Some(name), Some(greeting), Some(places)) = (asked, name, greeting, places) {
        return Ok(Round::Done(format!(
            "{greeting} {name} works in {}.",
            places.join(", ")
        )));
    }
    let questions = ask([
        ("user_name", form("What is your name?", forms::text("name"))),
        ("greeting", sample("Generate a greeting")),
        ("client_roots", roots()),
    ]);
    seal.remember(TOOL, &(), questions).map(Round::Ask)
}

/// Two forms, one after the other; the second round remembers what the first was told.
#[pd_tool(summary = "Ask twice, one after the other", eager)]
pub(crate) fn test_input_required_result_multi_round(
    seal: &Seal,
    call: &CallContext,
) -> Result<Round, ToolError> {
    const TOOL: &str = "test_input_required_result_multi_round";
    let answers = Answers::of(call);
    let known = seal
        .recall::<Option<String>>(TOOL, call)?
        .flatten()
        .or_else(|| answers.field("step1", "name"));
    let Some(name) = known else {
        let question = ask([(
            "step1",
            form("Step 1: What is your name?", forms::text("name")),
        )]);
        return seal
            .remember(TOOL, &None::<String>, question)
            .map(Round::Ask);
    };
    match answers.field::<String>("step2", "color") {
        Some(color) => Ok(Round::Done(format!("{name} likes {color}."))),
        None => {
            let question = ask([(
                "step2",
                form("Step 2: What is your favorite color?", forms::text("color")),
            )]);
            seal.remember(TOOL, &Some(name), question).map(Round::Ask)
        }
    }
}

/// Reports progress and then asks; nothing but notifications and the result is on the stream.
#[pd_tool(summary = "Report progress, then ask for a name", eager)]
pub(crate) async fn test_streaming_elicitation(call: &CallContext) -> Round {
    call.progress(1.0, Some(2.0), "about to ask").await;
    test_input_required_result_elicitation(call)
}
