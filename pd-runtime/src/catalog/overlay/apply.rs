//! Applies the texts of a file to a tool, and checks them by the rules that compiled texts obey.

use super::{
    columns,
    error::OverlayErrorKind,
    file::{DescriptionText, OverlayExample, OverlayTexts},
    schema::SchemaMerge,
};
use crate::{
    registry::{
        check::{check_examples, check_related, check_summary},
        from_declaration,
        problem::RegistryErrorKind,
        tool_parts::ToolExample,
        tool_spec::ToolSpec,
        validate::ArgumentValidator,
    },
    text::invisible::is_invisible,
    tool::error::ErrorHelp,
};

use rmcp::model::JsonObject;
use std::{collections::HashSet, sync::Arc};

/// Returns the tool with the texts of the file.
///
/// # Errors
///
/// Returns all mistakes, each with a JSON pointer into the file.
pub(super) fn apply(
    texts: &OverlayTexts,
    compiled: &ToolSpec,
    validator: &ArgumentValidator,
    names: &HashSet<&str>,
) -> Result<ToolSpec, Vec<(String, OverlayErrorKind)>> {
    let mut mistakes = Vec::new();
    let mut edited = compiled.clone();
    // All steps run even after a mistake, so that one look at the report is enough to correct the
    // file.
    apply_words(texts, &mut edited);
    apply_schemas(texts, &mut edited, &mut mistakes);
    if let Some(errors) = &texts.errors {
        edited.usage.errors = complete_errors(errors, compiled, &mut mistakes);
    }
    check_rules(texts, &edited, validator, names, &mut |fault| {
        mistakes.push((pointer(&fault), fault.into()))
    });
    mistakes.extend(
        texts
            .aliases
            .iter()
            .flat_map(|aliases| alias_mistakes(aliases, &edited.name)),
    );
    if mistakes.is_empty() {
        Ok(edited)
    } else {
        Err(mistakes)
    }
}

fn apply_words(texts: &OverlayTexts, edited: &mut ToolSpec) {
    if let Some(title) = &texts.title {
        edited.title = Some(title.clone());
    }
    if let Some(summary) = &texts.summary {
        edited.summary = summary.clone();
    }
    if let Some(description) = &texts.description {
        edited.description = description.clone();
    }
    if let Some(deprecated) = &texts.deprecated {
        edited.usage.deprecated = Some(deprecated.clone());
    }
    if let Some(usage) = &texts.usage {
        edited.usage.guidance.clone_from(&usage.patterns);
        edited.usage.notes.clone_from(&usage.notes);
    }
    if let Some(related) = &texts.related {
        edited.discovery.related.clone_from(related);
    }
    if let Some(aliases) = &texts.aliases {
        edited.discovery.aliases.clone_from(aliases);
    }
    if let Some(examples) = &texts.examples {
        edited.usage.examples = examples
            .iter()
            .map(|source| example(source, &edited.usage.examples))
            .collect();
    }
}

/// Builds an example. An input that the compiler already checked keeps its proof, because an
/// overlay cannot change the schema that it was checked against.
fn example(source: &OverlayExample, compiled: &[ToolExample]) -> ToolExample {
    ToolExample {
        description: source.description.clone(),
        input: source.input.clone(),
        explanation: source.explanation.clone(),
        is_proven: compiled
            .iter()
            .any(|known| known.is_proven && known.input == source.input),
    }
}

fn apply_schemas(
    texts: &OverlayTexts,
    edited: &mut ToolSpec,
    mistakes: &mut Vec<(String, OverlayErrorKind)>,
) {
    let mut telling = SchemaMerge::default();
    // Equal schemas are shared, not copied: exported files repeat every schema.
    let mut merged = |at, compiled: &Arc<JsonObject>, source: &JsonObject| {
        if **compiled == *source {
            compiled.clone()
        } else {
            Arc::new(telling.schema(at, compiled, source))
        }
    };
    if let Some(source) = &texts.input {
        let schema = if edited.has_observed_columns {
            // The file may be from before a result had rows, or from after it.
            let own = Arc::new(edited.contract_input().into_owned());
            let merged = merged(
                "/inputSchema",
                &own,
                &edited.without_column_arguments(source.clone()),
            );
            Arc::new(edited.with_column_arguments(Arc::unwrap_or_clone(merged)))
        } else {
            merged("/inputSchema", &edited.input.schema, source)
        };
        edited.input.set_schema(schema);
    }
    match (&texts.output, &edited.output_schema) {
        (Some(source), Some(compiled)) => {
            edited.output_schema = Some(merged("/outputSchema", compiled, source))
        }
        (Some(_), None) => {
            let what = "the tool has no output schema".to_owned();
            mistakes.push((
                "/outputSchema".to_owned(),
                OverlayErrorKind::OtherSchema { what },
            ));
        }
        (None, _) => {}
    }
    mistakes.append(&mut telling.mistakes);
    if texts.input.is_some() {
        mistakes.extend(columns::missing_columns(edited));
    }
}

/// Completes the help for errors with the parts that only the tool's error type knows.
fn complete_errors(
    source: &[ErrorHelp],
    compiled: &ToolSpec,
    mistakes: &mut Vec<(String, OverlayErrorKind)>,
) -> Vec<ErrorHelp> {
    let mut errors = Vec::with_capacity(source.len());
    for (index, help) in source.iter().enumerate() {
        match from_declaration::resolve_error_help(help, compiled.declared.error_type) {
            Ok(help) => errors.push(help),
            Err(fault) => mistakes.push((
                format!("/error_guidance/common_errors/{index}/error"),
                fault.into(),
            )),
        }
    }
    errors
}

/// Applies the rules to the texts that the file contains. Compiled texts are not this file's
/// mistakes.
fn check_rules(
    texts: &OverlayTexts,
    edited: &ToolSpec,
    validator: &ArgumentValidator,
    names: &HashSet<&str>,
    check_rules: &mut impl FnMut(RegistryErrorKind),
) {
    if texts.summary.is_some() {
        check_summary(edited, check_rules);
    }
    if texts.related.is_some() {
        check_related(edited, names, check_rules);
    }
    if texts.examples.is_some() {
        check_examples(edited, validator, check_rules);
    }
}

/// Checks aliases by the rules of the macro: each has a word and no hidden character, and none is
/// the tool's name or an earlier alias.
fn alias_mistakes(aliases: &[DescriptionText], name: &str) -> Vec<(String, OverlayErrorKind)> {
    aliases
        .iter()
        .enumerate()
        .filter_map(|(index, alias)| {
            let why = if !alias.contains(char::is_alphanumeric) {
                "this alias has no word; write one by which callers search, or remove it"
            } else if alias.contains(|letter: char| letter.is_control() || is_invisible(letter))
                || alias.trim() != alias.as_ref()
            {
                "this alias has a character that a reader does not see; remove it"
            } else if alias.eq_ignore_ascii_case(name) {
                "this alias is the tool's own name; remove it"
            } else if aliases.iter().take(index).any(|earlier| earlier == alias) {
                "this alias repeats an earlier one; remove it"
            } else {
                return None;
            };
            Some((
                format!("/aliases/{index}"),
                OverlayErrorKind::BadAlias { why },
            ))
        })
        .collect()
}

/// Returns the JSON pointer of the text that a rule refers to.
fn pointer(fault: &RegistryErrorKind) -> String {
    match fault {
        RegistryErrorKind::NoSummary
        | RegistryErrorKind::SummaryLines
        | RegistryErrorKind::SummaryTooLong { .. } => "/summary".to_owned(),
        // The fault counts examples from 1, as its message does; a JSON pointer counts from 0.
        RegistryErrorKind::BadExample { example, .. } => {
            format!("/examples/{}/input", example.saturating_sub(1))
        }
        RegistryErrorKind::UnknownRelated { .. } => "/related".to_owned(),
        _ => String::new(),
    }
}
