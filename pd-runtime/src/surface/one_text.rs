//! Failures as one text. Some clients show their model only the first text of a result, and others
//! make one answer of each, which a provider refuses for one call.

use rmcp::model::{CallToolResult, ContentBlock};

/// Joins the parts of an answer: the error first, what to send last. Readers of errors take the
/// JSON value before the first blank line.
pub(crate) fn join(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().collect::<Vec<_>>().join("\n\n")
}

/// Adds advice to a result that consists of one text. A result of several blocks, or with
/// structured content, keeps them as they are, because their readers take each for itself.
pub(crate) fn append(result: &mut CallToolResult, advice: String) {
    let has_structured = result.structured_content.is_some();
    match result.content.as_mut_slice() {
        [ContentBlock::Text(text)] if !has_structured => {
            text.text.push_str("\n\n");
            text.text.push_str(&advice);
        }
        _ => result.content.push(ContentBlock::text(advice)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn advice_joins_one_text_and_follows_several_blocks() {
        let block = ContentBlock::text;
        let mut one = CallToolResult::error(vec![block("failed")]);
        append(&mut one, "Now send".to_owned());
        assert_eq!(one.content, [block("failed\n\nNow send")]);
        let mut several = CallToolResult::error(vec![block("a"), block("b")]);
        append(&mut several, "c".to_owned());
        assert_eq!(several.content, ["a", "b", "c"].map(block));
        let mut structured = CallToolResult::structured_error(json!({ "a": 1 }));
        let before = structured.content.clone();
        append(&mut structured, "c".to_owned());
        assert_eq!(
            structured.content.first(),
            before.first(),
            "the text still is the structured content"
        );
        let mut none = CallToolResult::error(vec![]);
        append(&mut none, "c".to_owned());
        assert_eq!(none.content, [block("c")]);
    }
}
