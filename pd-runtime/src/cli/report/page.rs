//! The page: a template, its styles and scripts, and the data as JSON.

use super::ReportData;
use crate::{cli::CliError, text::escape::one_line};
use base64::{Engine, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

const TEMPLATE: &str = include_str!("page/page.html");
const STYLES: &str = include_str!("page/page.css");
/// D3's modules for charts, joined by `just report-script`.
const CHARTS: &str = include_str!("page/d3.js");
const SCRIPT: &str = concat!(
    "\"use strict\";\n",
    include_str!("page/elements.js"),
    include_str!("page/charts.js"),
    include_str!("page/schema.js"),
    include_str!("page/overview.js"),
    include_str!("page/findings.js"),
    include_str!("page/use.js"),
    include_str!("page/tools.js"),
    include_str!("page/page.js"),
);

/// Renders the page. It runs its own scripts only, whatever texts of tools contain.
pub(super) fn render(data: &ReportData) -> Result<String, CliError> {
    // The template's Content-Security-Policy allows scripts with these hashes alone.
    let hashes = [CHARTS, SCRIPT]
        .map(|script| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script))));
    let pieces = [
        (
            "{{title}}",
            escape_html(&one_line(&format!(
                "{} {}",
                data.server.name, data.server.version
            ))),
        ),
        ("{{script-hashes}}", hashes.join(" ")),
        ("{{styles}}", STYLES.to_owned()),
        ("{{charts}}", CHARTS.to_owned()),
        ("{{script}}", SCRIPT.to_owned()),
        ("{{data}}", script_json(&serde_json::to_string(data)?)),
    ];
    // Each marker is replaced in the rest after the one before, so that a text with a marker in it
    // stays as it is.
    let mut page = String::new();
    let mut rest = TEMPLATE;
    for (marker, text) in pieces {
        let (before, after) = rest
            .split_once(marker)
            .ok_or("the page's template lacks a marker")?;
        page.push_str(before);
        page.push_str(&text);
        rest = after;
    }
    page.push_str(rest);
    Ok(page)
}

/// Escapes JSON for a `script` element, which `</script>` and `<!--` would end or change.
fn script_json(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_leave_their_element() {
        let json = script_json(r#"{"a":"</script><!--<b>\u2028"}"#);
        assert!(!json.contains('<'), "{json}");
        let value: Option<serde_json::Value> = serde_json::from_str(&json).ok();
        assert_eq!(
            value,
            Some(serde_json::json!({ "a": "</script><!--<b>\u{2028}" }))
        );
        assert_eq!(
            escape_html("<b title=\"&\">"),
            "&lt;b title=&quot;&amp;&quot;&gt;"
        );
    }
}
