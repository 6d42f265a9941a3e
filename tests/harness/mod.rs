//! What the wire tests stand on: a small shop of tools, and clients of every era over real transports.

pub(crate) mod client;
pub(crate) mod company;
pub(crate) mod issuer;
pub(crate) mod line;
pub(crate) mod post;
pub(crate) mod raw;
pub(crate) mod shop;
pub(crate) mod site;

use serde_json::Value;

/// Our extension's id, as both sides declare it.
pub(crate) const EXTENSION: &str = "dev.pd-runtime/disclosure";

/// The `_meta` of a request that carries its own metadata (2026-07-28).
pub(crate) fn inline_meta(capabilities: &Value) -> Value {
    serde_json::json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "wire", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

/// The capabilities of a client of our extension.
pub(crate) fn with_extension() -> Value {
    serde_json::json!({ "extensions": { EXTENSION: { "version": 1 } } })
}

/// The JSON at the beginning of a call's or a read's first content. Advice may follow an error.
pub(crate) fn told(result: &Value) -> Value {
    let text = result
        .pointer("/content/0/text")
        .or_else(|| result.pointer("/contents/0/text"));
    let text = text
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("no text in {result}"));
    let (json, advice) = text.split_once("\n\n").unwrap_or((text, ""));
    let is_error = || result.get("isError") == Some(&Value::Bool(true));
    let json = if !advice.is_empty() && is_error() {
        json
    } else {
        text
    };
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// The paragraphs after the error of a call, which is one text.
pub(crate) fn advice(result: &Value) -> Vec<&str> {
    assert_eq!(
        result["content"].as_array().map(Vec::len),
        Some(1),
        "{result}"
    );
    text(result).split("\n\n").skip(1).collect()
}

/// The text of a call's first content.
pub(crate) fn text(result: &Value) -> &str {
    result
        .pointer("/content/0/text")
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("no text in {result}"))
}

/// The code of a refused or failed call: it must be a result with `isError`.
pub(crate) fn code(result: &Value) -> String {
    assert_eq!(result.get("isError"), Some(&Value::Bool(true)), "{result}");
    told(result)
        .pointer("/error/code")
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("no code: {result}"))
        .to_owned()
}

/// The names of listed tools, resources or the like.
pub(crate) fn names(listed: &Value) -> Vec<&str> {
    let listed = listed
        .as_array()
        .unwrap_or_else(|| panic!("not a list: {listed}"));
    listed
        .iter()
        .filter_map(|entry| entry.get("name")?.as_str())
        .collect()
}
