//! The large texts of a result's blocks. They are taken out while the rest is compared and
//! converted, because each of these steps would copy them.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

/// The length from which a text is taken out.
const LARGE: usize = 64 * 1024;

/// Texts, with the number of the block that each belongs to. Their places have empty texts.
#[derive(Debug, Default)]
pub struct LargeTexts(Vec<(usize, String)>);

impl LargeTexts {
    /// Takes the large texts out of a result in JSON.
    pub fn take_from_raw(result: &mut Value) -> Self {
        let blocks = result
            .get_mut("content")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
            .enumerate();
        let large =
            blocks.filter_map(|(index, block)| Some((index, take_large(raw_text(block)?)?)));
        Self(large.collect())
    }

    pub(crate) fn take_from_typed(result: &mut CallToolResult) -> Self {
        let blocks = result.content.iter_mut().enumerate();
        let large =
            blocks.filter_map(|(index, block)| Some((index, take_large(typed_text(block)?)?)));
        Self(large.collect())
    }

    /// Puts the texts back into the result in JSON.
    pub fn return_to_raw(self, result: &mut Value) {
        let Some(blocks) = result.get_mut("content").and_then(Value::as_array_mut) else {
            return;
        };
        for (index, text) in self.0 {
            if let Some(place) = blocks.get_mut(index).and_then(raw_text) {
                *place = text;
            }
        }
    }

    /// Returns whether the typed form of the result has a place for each text.
    pub fn fit(&self, typed: &mut CallToolResult) -> bool {
        let blocks = &mut typed.content;
        let mut has_place = |index| {
            blocks
                .get_mut(index)
                .and_then(typed_text)
                // A place with a text is another block than the one that lost its text.
                .is_some_and(|text| text.is_empty())
        };
        self.0.iter().all(|(index, _)| has_place(*index))
    }

    /// Puts the texts back into the typed result.
    pub fn return_to_typed(self, result: &mut CallToolResult) {
        for (index, text) in self.0 {
            if let Some(place) = result.content.get_mut(index).and_then(typed_text) {
                *place = text;
            }
        }
    }
}

fn take_large(text: &mut String) -> Option<String> {
    // The empty text keeps the block's place, so that all indexes stay valid.
    (text.len() > LARGE).then(|| std::mem::take(text))
}

fn raw_text(block: &mut Value) -> Option<&mut String> {
    let key = match block.get("type").and_then(Value::as_str)? {
        "text" => "text",
        "image" | "audio" => "data",
        _ => return None,
    };
    match block.get_mut(key)? {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn typed_text(block: &mut ContentBlock) -> Option<&mut String> {
    match block {
        ContentBlock::Text(block) => Some(&mut block.text),
        ContentBlock::Image(block) => Some(&mut block.data),
        ContentBlock::Audio(block) => Some(&mut block.data),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use serde_json::json;

    #[test]
    fn large_texts_return_to_their_places() {
        let long = "x".repeat(LARGE + 1);
        let block = json!({ "type": "text", "text": long, "annotations": {}, "new": 1 });
        let image = json!({ "type": "image", "data": long, "mimeType": "a/b" });
        let raw = json!({ "content": [{ "type": "text", "text": "short" }, block, image] });
        let mut rest = raw.clone();
        let texts = LargeTexts::take_from_raw(&mut rest);
        assert!(rest.to_string().len() < 500);
        let mut typed: CallToolResult = serde_json::from_value(rest.clone()).unwrap();
        assert!(texts.fit(&mut typed));
        texts.return_to_typed(&mut typed);
        LargeTexts::take_from_typed(&mut typed).return_to_raw(&mut rest);
        assert!(rest == raw);
    }

    #[test]
    fn texts_without_a_place_do_not_fit() {
        let mut raw = json!({ "content": [{ "type": "text", "text": "x".repeat(LARGE + 1) }] });
        let texts = LargeTexts::take_from_raw(&mut raw);
        let mut other = CallToolResult::success(vec![ContentBlock::text("{}")]);
        assert!(!texts.fit(&mut other));
        texts.return_to_raw(&mut raw);
        assert!(raw.to_string().len() > LARGE);
    }
}
