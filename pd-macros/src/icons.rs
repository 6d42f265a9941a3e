//! `icons("https://…", { "src": "…", "theme": "dark" })`: each icon as a link, or as MCP's JSON
//! object.

use crate::{json, nearest::suggestion};
use proc_macro2::Span;
use serde_json::{Map, Value, json};
use syn::{Error, Result, Token, parse::ParseStream};

const USAGE: &str = "an icon is a literal: `\"https://…\"`, or `{ \"src\": \"https://…\", \"theme\": \"dark\" }` as in JSON";
const FIELDS: &[&str] = &["src", "mimeType", "sizes", "theme"];

/// Parses all icons, and reports the mistakes of all.
pub(crate) fn parse(input: ParseStream<'_>) -> Result<Vec<Value>> {
    let mut icons = Vec::new();
    let mut mistakes = None::<Error>;
    while !input.is_empty() {
        // Taken before the value is parsed, because the input is behind it afterwards.
        let span = input.span();
        let value = json::parse(input).map_err(|error| Error::new(error.span(), USAGE))?;
        match icon(value, span) {
            Ok(icon) => icons.push(icon),
            Err(error) => match &mut mistakes {
                // All mistakes are reported at once, so that one build is enough to find them.
                Some(earlier) => earlier.combine(error),
                none => *none = Some(error),
            },
        }
        if !input.is_empty() {
            input
                .parse::<Token![,]>()
                .map_err(|error| Error::new(error.span(), USAGE))?;
        }
    }
    mistakes.map_or(Ok(icons), Err)
}

fn icon(value: Value, span: Span) -> Result<Value> {
    let fields = match value {
        Value::String(src) => Map::from_iter([("src".to_owned(), json!(src))]),
        Value::Object(fields) => fields,
        _ => return Err(Error::new(span, USAGE)),
    };
    // All fields of an icon share one span, so one mistake for each icon is reported.
    match fields.iter().find_map(|(name, value)| mistake(name, value)) {
        Some(mistake) => Err(Error::new(span, mistake)),
        None if fields.contains_key("src") => Ok(Value::Object(fields)),
        None => Err(Error::new(
            span,
            "this icon has no `src`; add the link, as in `\"src\": \"https://…\"`",
        )),
    }
}

/// Returns the mistake in one field that would make a client reject the icon (MCP, "Icons").
fn mistake(name: &str, value: &Value) -> Option<String> {
    let text = value.as_str();
    match name {
        "src" if !text.is_some_and(is_link) => Some(
            "a client loads an icon from a link; write `https://…` or `data:image/png;base64,…`"
                .to_owned(),
        ),
        "mimeType" if text.is_none_or(|text| !text.starts_with("image/")) => {
            Some("`mimeType` is that of an image, as in `\"image/png\"`".to_owned())
        }
        "theme" if !matches!(text, Some("light" | "dark")) => {
            Some("`theme` is `\"light\"` or `\"dark\"`".to_owned())
        }
        "sizes"
            if !value
                .as_array()
                .is_some_and(|sizes| sizes.iter().all(is_size)) =>
        {
            Some("`sizes` are a list, as in `[\"48x48\", \"any\"]`".to_owned())
        }
        known if FIELDS.contains(&known) => None,
        _ => {
            let near = suggestion(name, FIELDS.iter().copied());
            let known = if near.is_empty() {
                format!("; it has {}", FIELDS.join(", "))
            } else {
                near
            };
            Some(format!("an icon has no field `{name}`{known}"))
        }
    }
}

fn is_link(text: &str) -> bool {
    // A scheme alone is not a link.
    ["https://", "http://", "data:image/"]
        .iter()
        .any(|scheme| text.len() > scheme.len() && text.starts_with(scheme))
}

/// Returns whether the size is `48x48` or `any`.
fn is_size(value: &Value) -> bool {
    let is_number = |text: &str| text.parse::<u32>().is_ok_and(|number| number > 0);
    let is_pair = |text: &str| {
        text.split_once('x')
            .is_some_and(|(width, height)| is_number(width) && is_number(height))
    };
    value
        .as_str()
        .is_some_and(|text| text == "any" || is_pair(text))
}
