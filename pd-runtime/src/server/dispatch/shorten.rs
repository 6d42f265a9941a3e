//! Puts a preview in the place of a result that is too large for a model.

use crate::{
    catalog::entry::CatalogEntry,
    disclosure::{listed_form::ListedForm, view::CallerView},
    large_results::{Document, PREVIEW_TOKENS, preview},
    surface::{apps, read_more},
    text::token_estimate::estimate_tokens,
};
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, Resource};
use serde_json::Value;
use std::{cmp::Reverse, sync::Arc};

/// The most large texts of one result. Further ones are joined with the last.
const TEXTS_MAX: usize = 4;
/// The tokens of the smallest preview. One of fewer would say nothing.
const PREVIEW_MIN: usize = 200;

/// Shortens a result that is over the bound of its tool. What is taken out is kept for the caller.
pub(super) fn shorten(
    mut response: CallToolResponse,
    entry: &CatalogEntry,
    view: &CallerView<'_>,
) -> CallToolResponse {
    let own = entry.tool.about.result_tokens;
    let Some(bound) = own.or(view.policy.limits.result_tokens) else {
        return response;
    };
    if let CallToolResponse::Complete(result) = &mut response
        && result.is_error != Some(true)
        && reads_as_a_model(entry, view)
    {
        shorten_result(result, bound, entry, view);
    }
    response
}

/// Returns whether a model reads the result. A program, a view and another gateway get it whole.
fn reads_as_a_model(entry: &CatalogEntry, view: &CallerView<'_>) -> bool {
    let is_of_view = view.is_direct_call() && apps::may_come_from_view(entry, view);
    !(view.serves_program() || view.caller.terms.relays || is_of_view)
}

fn shorten_result(
    result: &mut CallToolResult,
    bound: usize,
    entry: &CatalogEntry,
    view: &CallerView<'_>,
) {
    let tokens: Vec<usize> = result
        .content
        .iter()
        .map(|block| {
            block
                .as_text()
                .map_or(0, |text| estimate_tokens(&text.text))
        })
        .collect();
    let structured = result.structured_content.as_ref();
    let of_structured = structured.map_or(0, |value| estimate_tokens(&value.to_string()));
    if tokens.iter().sum::<usize>() <= bound && of_structured <= bound {
        return;
    }
    // A client that was listed an output schema checks values with it.
    let must_stay = entry.tool.about.output_schema.is_some()
        && view.is_direct_call()
        && view.listed_form(entry) == ListedForm::Full;
    if of_structured > bound && !must_stay {
        move_into_text(result);
    }
    shorten_texts(&mut result.content, bound, view);
}

/// Replaces structured content by the same as text, unless a text has it already.
fn move_into_text(result: &mut CallToolResult) {
    let Some(value) = result.structured_content.take() else {
        return;
    };
    let texts = result.content.iter().filter_map(|block| block.as_text());
    let is_in_text = texts.map(|text| text.text.as_str()).any(|text| {
        // Servers of texts wrap them: `{"content": "…"}`.
        only_member(&value).is_some_and(|member| member == text)
            || serde_json::from_str::<Value>(text)
                .is_ok_and(|text| text == value || only_member(&value) == Some(&text))
    });
    if !is_in_text {
        result.content.push(ContentBlock::text(value.to_string()));
    }
}

/// Returns the member of an object that has no other. Values for clients before 2026-07-28 are in
/// such an object, too.
fn only_member(value: &Value) -> Option<&Value> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    object.values().next()
}

fn shorten_texts(content: &mut Vec<ContentBlock>, bound: usize, view: &CallerView<'_>) {
    let texts = content.iter().filter(|block| block.as_text().is_some());
    // Many small texts are one large one.
    if texts.count() > TEXTS_MAX {
        join_texts(content);
    }
    let tokens = |block: &ContentBlock| {
        let text = block.as_text();
        text.map_or(0, |text| estimate_tokens(&text.text))
    };
    let mut sum: usize = content.iter().map(tokens).sum();
    let mut links = Vec::new();
    let mut blocks: Vec<_> = content.iter_mut().collect();
    // The largest first, and each once: a preview is not previewed again.
    blocks.sort_by_key(|block| Reverse(tokens(block)));
    for block in blocks {
        if sum <= bound {
            break;
        }
        let before = tokens(block);
        if let Some(link) = replace(block, bound, view) {
            sum = sum - before + tokens(block);
            links.push(link);
        }
    }
    content.extend(links);
}

fn join_texts(content: &mut Vec<ContentBlock>) {
    let texts: Vec<_> = content
        .iter()
        .filter_map(|block| Some(block.as_text()?.text.clone()))
        .collect();
    content.retain(|block| block.as_text().is_none());
    content.insert(0, ContentBlock::text(texts.join("\n")));
}

/// Replaces a text by its preview, and returns a link to the whole text. Returns `None` if the text
/// cannot be kept, or the preview is no shorter.
fn replace(block: &mut ContentBlock, bound: usize, view: &CallerView<'_>) -> Option<ContentBlock> {
    let text: Arc<str> = block.as_text()?.text.as_str().into();
    let document = Document::new(&text);
    let size = text.len();
    let tokens = bound.clamp(PREVIEW_MIN, PREVIEW_TOKENS);
    // Rendered with a handle of the same length first, so that a short text is not kept.
    let draft = preview(&document, tokens, |key, value| {
        read_more::advice("0000000000000000", key, value, view)
    });
    if estimate_tokens(&draft) >= estimate_tokens(&text) {
        return None;
    }
    let owner = view.caller.authority.person();
    let handle = view.large_results.keep(text.clone(), owner)?;
    *block = ContentBlock::text(preview(&document, tokens, |key, value| {
        read_more::advice(&handle, key, value, view)
    }));
    let mime = if document.value.is_some() {
        "application/json"
    } else {
        "text/plain"
    };
    let link = Resource::new(format!("{}{handle}", read_more::SCHEME), "result")
        .with_mime_type(mime)
        .with_size(u64::try_from(size).unwrap_or(u64::MAX));
    Some(ContentBlock::resource_link(link))
}
