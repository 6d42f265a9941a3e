//! A file's texts laid over a tool, and held against the rules that its own texts had to keep.

use super::{
    columns,
    error::OverlayFault,
    file::{Texts, ToldExample},
    schema::Telling,
};
use crate::{
    registry::{
        check::{check_examples, check_related, check_summary},
        from_declaration,
        problem::Fault,
        tool_spec::{About, Example},
        validate::Validator,
    },
    tool::error::ErrorHelp,
};

use rmcp::model::JsonObject;
use std::{collections::HashSet, sync::Arc};

/// The tool as the file tells of it, if nothing is wrong with that.
///
/// # Errors
///
/// All mistakes, by JSON pointer into the file.
pub(super) fn lay(
    texts: &Texts,
    compiled: &About,
    validator: &Validator,
    names: &HashSet<&str>,
) -> Result<About, Vec<(String, OverlayFault)>> {
    let mut mistakes = Vec::new();
    let mut laid = compiled.clone();
    lay_words(texts, &mut laid);
    lay_schemas(texts, &mut laid, &mut mistakes);
    if let Some(errors) = &texts.errors {
        laid.errors = selected(errors, compiled, &mut mistakes);
    }
    judge(texts, &laid, validator, names, &mut |fault| mistakes.push((pointer(&fault), fault.into())));
    if mistakes.is_empty() { Ok(laid) } else { Err(mistakes) }
}

fn lay_words(texts: &Texts, laid: &mut About) {
    if let Some(title) = &texts.title {
        laid.title = Some(title.clone());
    }
    if let Some(summary) = &texts.summary {
        laid.summary = summary.clone();
    }
    if let Some(description) = &texts.description {
        laid.description = description.clone();
    }
    if let Some(deprecated) = &texts.deprecated {
        laid.deprecated = Some(deprecated.clone());
    }
    if let Some(usage) = &texts.usage {
        laid.guidance.clone_from(&usage.patterns);
        laid.notes.clone_from(&usage.notes);
    }
    if let Some(related) = &texts.related {
        laid.related.clone_from(related);
    }
    if let Some(examples) = &texts.examples {
        laid.examples = examples.iter().map(|told| example(told, &laid.examples)).collect();
    }
}

/// What the compiler judged stays judged.
fn example(told: &ToldExample, compiled: &[Example]) -> Example {
    Example {
        description: told.description.clone(),
        input: told.input.clone(),
        explanation: told.explanation.clone(),
        is_proven: compiled.iter().any(|known| known.is_proven && known.input == told.input),
    }
}

fn lay_schemas(texts: &Texts, laid: &mut About, mistakes: &mut Vec<(String, OverlayFault)>) {
    let mut telling = Telling::default();
    let mut retold = |at, compiled: &Arc<JsonObject>, told: &JsonObject| {
        if **compiled == *told { compiled.clone() } else { Arc::new(telling.schema(at, compiled, told)) }
    };
    if let Some(told) = &texts.input {
        laid.input.schema = retold("/inputSchema", &laid.input.schema, told);
    }
    match (&texts.output, &laid.output_schema) {
        (Some(told), Some(compiled)) => laid.output_schema = Some(retold("/outputSchema", compiled, told)),
        (Some(_), None) => {
            let what = "the tool has no output schema".to_owned();
            mistakes.push(("/outputSchema".to_owned(), OverlayFault::OtherSchema { what }));
        }
        (None, _) => {}
    }
    mistakes.append(&mut telling.mistakes);
    if texts.input.is_some() {
        mistakes.extend(columns::unnamed(laid));
    }
}

/// The help for errors, with what it leaves out from the tool's error type.
fn selected(told: &[ErrorHelp], compiled: &About, mistakes: &mut Vec<(String, OverlayFault)>) -> Vec<ErrorHelp> {
    let mut errors = Vec::with_capacity(told.len());
    for (index, help) in told.iter().enumerate() {
        match from_declaration::selected(help, compiled.error_type) {
            Ok(help) => errors.push(help),
            Err(fault) => mistakes.push((format!("/error_guidance/common_errors/{index}/error"), fault.into())),
        }
    }
    errors
}

/// The rules of what the file says: what it leaves out is none of its mistakes.
fn judge(texts: &Texts, laid: &About, validator: &Validator, names: &HashSet<&str>, judge: &mut impl FnMut(Fault)) {
    if texts.summary.is_some() {
        check_summary(laid, judge);
    }
    if texts.related.is_some() {
        check_related(laid, names, judge);
    }
    if texts.examples.is_some() {
        check_examples(laid, validator, judge);
    }
}

/// Where in the file the texts stand that a rule is about.
fn pointer(fault: &Fault) -> String {
    match fault {
        Fault::NoSummary | Fault::SummaryLines | Fault::SummaryTooLong { .. } => "/summary".to_owned(),
        Fault::BadExample { example, .. } => format!("/examples/{}/input", example.saturating_sub(1)),
        Fault::UnknownRelated { .. } => "/related".to_owned(),
        _ => String::new(),
    }
}
