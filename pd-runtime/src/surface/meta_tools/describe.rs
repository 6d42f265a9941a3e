//! Describes tools through a tool, for hosts whose model cannot read resources.

use super::{
    StaticSchema,
    arguments::{DetailLevel, MetaToolArguments},
    disclose_named, error_result, named_object, object, read_only_tool, text_result,
};
use crate::{
    catalog::token_cost::CostForm,
    disclosure::{
        disclose::{DisclosureBatch, render_unknown, render_unknown_briefly},
        view::CallerView,
    },
    policy::{meta_tool_purpose::MetaToolPurpose, meta_tools::OfferedMetaTool},
    surface::{call_routes, resolve_names::ResolvedNames, selection_errors, tool_lines},
};

use rmcp::model::{CallToolResult, Tool};
use serde_json::{Value, json};

/// Returns the list entry. `required` is true if no other way leads to a call. `detail` is accepted
/// but not declared beside a finding meta-tool, which shows signatures itself.
pub(super) fn definition(offer: &OfferedMetaTool, required: bool, view: &CallerView<'_>) -> Tool {
    static BARE: StaticSchema = StaticSchema::new(|| {
        object(json!({
            "type": "object",
            "properties": { "names": { "type": "array", "items": { "type": "string" } } },
        }))
    });
    static SCHEMA: StaticSchema = StaticSchema::new(|| {
        object(json!({
            "type": "object",
            "properties": {
                "names": { "type": "array", "items": { "type": "string" } },
                "detail": { "type": "string", "enum": ["summary", "signature", "full"] },
            },
        }))
    });
    let text = match required {
        true => "Get parameters and help of tools; required before calling",
        false => "Show how to call tools",
    };
    let finds = view.meta_tools().name_of(MetaToolPurpose::Find).is_some();
    read_only_tool(offer, text, if finds { &BARE } else { &SCHEMA })
}

/// Calls the meta-tool: it answers with the same JSON as the resource, with lines of less detail,
/// or with an error that explains what to send.
pub(super) async fn call(arguments: &MetaToolArguments, view: &CallerView<'_>) -> CallToolResult {
    let names = arguments.tool_names();
    // The default is everything: only a full description or a signature admits the caller. Programs
    // are written from signatures, which show the results, too.
    let default = if view.policy.runs_code() {
        DetailLevel::Signature
    } else {
        DetailLevel::Full
    };
    let detail = match arguments.detail(
        &[
            DetailLevel::Summary,
            DetailLevel::Signature,
            DetailLevel::Full,
        ],
        default,
    ) {
        Ok(detail) => detail,
        Err(why) => return error_result(why),
    };
    let selection = ResolvedNames::resolve(&names, view);
    // Charged before the number is checked, so that refused requests are limited, too.
    if let Err(later) = view.charge_descriptions(selection.tools.len()) {
        return later.into_result();
    }
    if selection.tools.is_empty() {
        return error_result(missing_names(view).to_string());
    }
    // An unknown name alone may be the name of an object, such as a repository.
    if let [name] = names.as_slice()
        && view.resolve(name).is_none()
        && view.find_by_source(name).is_empty()
        && let Some(calls) = named_object::answer(name, view)
    {
        return error_result(calls);
    }
    if view.names_too_many(selection.tools.len()) {
        return error_result(selection_errors::too_many(selection.tools.len(), view).to_string());
    }
    if detail == DetailLevel::Summary {
        return text_result(selection.render_text(&summaries(&selection.tools, view)));
    }
    let form = if detail == DetailLevel::Full {
        CostForm::Description
    } else {
        CostForm::Signature
    };
    let disclosure = disclose_named(&selection.tools, form, view).await;
    let mut result = text_result(match detail {
        DetailLevel::Full => selection.render_document(disclosure.document()),
        _ => selection.render_text(&signatures(&disclosure, view)),
    });
    result.meta = disclosure.meta();
    result
}

/// Renders the signatures, and which meta-tool calls each tool.
fn signatures(disclosure: &DisclosureBatch<'_>, view: &CallerView<'_>) -> String {
    let route = call_routes::render(disclosure.entries().map(|entry| &**entry), view);
    std::iter::once(disclosure.signatures())
        .chain(route)
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// Renders one line for each tool, which discloses nothing.
fn summaries(names: &[String], view: &CallerView<'_>) -> String {
    let mut suggested = false;
    view.recorder.record_listed(
        names
            .iter()
            .filter_map(|name| Some((&**view.find(name)?, CostForm::Line))),
    );
    let meta_tools = super::named_definitions(names, view);
    names
        .iter()
        .map(|name| match meta_tools.get(name) {
            Some(tool) => format!(
                "{name} — {}",
                tool.description.as_deref().unwrap_or_default()
            ),
            None => match view.find_or_record_miss(name) {
                Some(entry) => tool_lines::tool_in_group(entry, view),
                None if view.missing_for(name).is_some() => render_unknown(name, view),
                None if std::mem::replace(&mut suggested, true) => render_unknown_briefly(name),
                None => render_unknown(name, view),
            },
        })
        .collect::<Vec<_>>()
        .join("\n")
}

fn missing_names(view: &CallerView<'_>) -> Value {
    let mut answer = selection_errors::missing_selection(view);
    if let Some(Value::Object(error)) = answer.get_mut("error") {
        error.insert(
            "message".to_owned(),
            json!("You must specify one or more tool names in the 'names' argument."),
        );
        error.insert(
            "examples".to_owned(),
            json!([{ "names": ["tool_name"] }, { "names": ["tool1", "tool2"] }]),
        );
    }
    answer
}
