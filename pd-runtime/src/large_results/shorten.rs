//! Puts a preview in the place of a text that is too large for a model.

use super::{
    Document, PREVIEW_TOKENS,
    preview::preview,
    terms::{ShortenTerms, TakenText},
};
use crate::text::token_estimate::estimate_tokens;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;
use std::{cmp::Reverse, sync::Arc};

/// The most large texts of one result. Further ones are joined with the last.
const TEXTS_MAX: usize = 4;
/// The tokens of the smallest preview. One of fewer would say nothing.
const PREVIEW_MIN: usize = 200;
/// The digits of a handle: 16 of them are 80 bits. Letters that look like digits are left out.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const HANDLE_LEN: usize = 16;

/// Shortens a result that is over the bound. Returns what was taken out.
pub(super) fn shorten(result: &mut CallToolResult, terms: &ShortenTerms<'_>) -> Vec<TakenText> {
    let bound = terms.tokens;
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
        return Vec::new();
    }
    if of_structured > bound && !terms.keeps_structured {
        move_into_text(result);
    }
    shorten_texts(&mut result.content, terms)
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

fn shorten_texts(content: &mut Vec<ContentBlock>, terms: &ShortenTerms<'_>) -> Vec<TakenText> {
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
    let mut taken = Vec::new();
    let mut blocks: Vec<_> = content.iter_mut().enumerate().collect();
    // The largest first, and each once: a preview is not previewed again.
    blocks.sort_by_key(|(_, block)| Reverse(tokens(block)));
    for (place, block) in blocks {
        if sum <= terms.tokens {
            break;
        }
        let before = tokens(block);
        if let Some(text) = replace(place, block, terms) {
            sum = sum - before + tokens(block);
            taken.push(text);
        }
    }
    taken
}

fn join_texts(content: &mut Vec<ContentBlock>) {
    let texts: Vec<_> = content
        .iter()
        .filter_map(|block| Some(block.as_text()?.text.clone()))
        .collect();
    content.retain(|block| block.as_text().is_none());
    content.insert(0, ContentBlock::text(texts.join("\n")));
}

/// Replaces a text by its preview. Returns `None` if the preview is no shorter, or the system has no
/// random bytes.
fn replace(place: usize, block: &mut ContentBlock, terms: &ShortenTerms<'_>) -> Option<TakenText> {
    let text: Arc<str> = block.as_text()?.text.as_str().into();
    let document = Document::new(&text);
    let handle = random_handle()?;
    let preview = preview(
        &document,
        terms.tokens.clamp(PREVIEW_MIN, PREVIEW_TOKENS),
        terms.life,
        |key, value| terms.call.advice(&handle, key, value),
    );
    if estimate_tokens(&preview) >= estimate_tokens(&text) {
        return None;
    }
    *block = ContentBlock::text(preview);
    let is_json = document.value.is_some();
    Some(TakenText {
        place,
        handle,
        text,
        is_json,
    })
}

fn random_handle() -> Option<String> {
    let mut bytes = [0; HANDLE_LEN];
    getrandom::fill(&mut bytes).ok()?;
    let digits = bytes
        .iter()
        .filter_map(|byte| DIGITS.get(usize::from(byte % 32)));
    Some(digits.map(|digit| char::from(*digit)).collect())
}
