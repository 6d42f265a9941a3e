//! The view of a tool, and its rules. The macro applies the same rules to the file of a declared
//! tool; a test of the sources compares the limits.

use crate::tool::view::ViewFacts;
use pd_schema::suggest::nearest;
use serde_json::Value;
use std::borrow::Cow;

/// The maximum size of a page, in bytes.
pub(crate) const VIEW_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The fields of `_meta.ui` of a page.
const SETTINGS: [&str; 4] = ["csp", "permissions", "domain", "prefersBorder"];
const DOMAINS: [&str; 4] = [
    "connectDomains",
    "resourceDomains",
    "frameDomains",
    "baseUriDomains",
];
const PERMISSIONS: [&str; 4] = ["camera", "microphone", "geolocation", "clipboardWrite"];

/// A view: the page that hosts render for the calls of a tool (MCP Apps, SEP-1865).
///
/// The page is an HTML document of at most 8 MiB. It reads the `structuredContent` of results, so
/// its tool has an output schema. The server offers it as the resource `ui://TOOL/view.html`, where
/// `TOOL` is the name of the tool.
///
/// ```
/// use pd_runtime::{apps::View, rmcp::model::CallToolResult, Registry, Tool};
/// use futures::FutureExt;
/// use serde_json::json;
///
/// let board = Tool::new("board", "Show the board", |_: &(), _, _| {
///     async { Ok(CallToolResult::structured(json!({"cards": []})).into()) }.boxed()
/// })
/// .output_schema(json!({"type": "object", "properties": {"cards": {"type": "array"}}}))
/// .view(View::new("<!doctype html><title>Board</title>"));
///
/// assert!(Registry::builder().tool(board).build().is_ok());
/// ```
#[derive(Debug, Clone)]
pub struct View {
    pub(crate) html: Cow<'static, str>,
    /// `_meta.ui` of the page's resource.
    pub(crate) settings: Value,
    /// The names of the tools that the page calls, as far as they are known.
    pub(crate) calls: &'static [&'static str],
    /// The file of the page, or nothing.
    pub(crate) file: &'static str,
}

impl View {
    /// Creates a view of an HTML document. It begins with `<!doctype html>`.
    pub fn new(html: impl Into<Cow<'static, str>>) -> Self {
        Self {
            html: html.into(),
            settings: Value::Null,
            calls: &[],
            file: "",
        }
    }

    /// Sets what the page may do: `_meta.ui` of its resource, with `csp`, `permissions`, `domain`
    /// and `prefersBorder` as in SEP-1865. Without `csp`, hosts allow no network.
    #[must_use]
    pub fn settings(mut self, settings: Value) -> Self {
        self.settings = settings;
        self
    }

    pub(super) fn from_facts(facts: &ViewFacts) -> Self {
        Self {
            html: Cow::Borrowed(facts.html),
            // The macro has written the text.
            settings: serde_json::from_str(facts.settings).unwrap_or_default(),
            calls: facts.calls,
            file: facts.file,
        }
    }

    /// Returns what is wrong with the page and its settings.
    pub(super) fn problems(&self) -> Vec<String> {
        let page = page_problem(&self.html);
        page.into_iter()
            .chain(settings_problems(&self.settings))
            .collect()
    }
}

/// Returns what is wrong with a page.
fn page_problem(html: &str) -> Option<String> {
    if html.len() > VIEW_BYTES_MAX {
        let length = html.len();
        return Some(format!(
            "the page has {length} bytes, and at most {VIEW_BYTES_MAX} are served; load large parts by a tool"
        ));
    }
    let start = html.trim_start_matches('\u{feff}').trim_start();
    let doctype = "<!doctype html";
    let has_doctype = start
        .get(..doctype.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(doctype));
    (!has_doctype).then(|| "the page begins with `<!doctype html>`; add it".to_owned())
}

fn settings_problems(settings: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    match settings {
        Value::Null => {}
        Value::Object(fields) => {
            for (name, value) in fields {
                check_setting(name, value, &mut problems);
            }
        }
        _ => problems.push("the settings are an object, as in `{ \"csp\": { … } }`".to_owned()),
    }
    problems
}

fn check_setting(name: &str, value: &Value, problems: &mut Vec<String>) {
    match (name, value) {
        ("csp", Value::Object(lists)) => {
            for (list, origins) in lists {
                problems.extend(unknown(list, "`csp`", &DOMAINS));
                let Some(origins) = origins.as_array() else {
                    problems.push(format!("`{list}` is a list of origins"));
                    continue;
                };
                problems.extend(origins.iter().filter(|one| !is_origin(one)).map(|one| {
                    format!("{one} in `{list}` is not an origin, as in \"https://api.example.com\"")
                }));
            }
        }
        ("permissions", Value::Object(permissions)) => {
            for (name, value) in permissions {
                problems.extend(unknown(name, "`permissions`", &PERMISSIONS));
                if !value.as_object().is_some_and(serde_json::Map::is_empty) {
                    problems.push(format!("the permission `{name}` is written `{{}}`"));
                }
            }
        }
        ("csp" | "permissions", _) => problems.push(format!("`{name}` is an object")),
        ("domain", Value::String(_)) | ("prefersBorder", Value::Bool(_)) => {}
        ("domain", _) => problems.push("`domain` is a text".to_owned()),
        ("prefersBorder", _) => problems.push("`prefersBorder` is true or false".to_owned()),
        _ => problems.extend(unknown(name, "a view", &SETTINGS)),
    }
}

fn unknown(name: &str, of: &str, known: &[&str]) -> Option<String> {
    if known.contains(&name) {
        return None;
    }
    Some(match nearest(name, known) {
        Some(near) => format!("{of} has no `{name}`; did you mean `{near}`?"),
        None => format!("{of} has no `{name}`; it has `{}`", known.join("`, `")),
    })
}

/// Returns whether the value is an origin: a scheme and a host, perhaps with `*.` before it and a
/// port behind it. Hosts write it into a Content Security Policy, so it has no other character.
fn is_origin(value: &Value) -> bool {
    let Some((scheme, host)) = value.as_str().and_then(|text| text.split_once("://")) else {
        return false;
    };
    let (name, port) = host.split_once(':').unwrap_or((host, "*"));
    let name = name.strip_prefix("*.").unwrap_or(name);
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    ["https", "http", "wss", "ws"].contains(&scheme)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(is_host)
        && (port == "*" || (!port.is_empty() && port.bytes().all(|c| c.is_ascii_digit())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_page_is_html_within_the_limit() {
        assert_eq!(
            page_problem("\u{feff} <!DOCTYPE HTML><title>x</title>"),
            None
        );
        for bad in ["", "<html></html>", "é"] {
            assert!(page_problem(bad).is_some_and(|why| why.contains("doctype")));
        }
        let large = format!("<!doctype html>{}", "x".repeat(VIEW_BYTES_MAX));
        assert!(page_problem(&large).is_some_and(|why| why.contains("8388608")));
    }

    #[test]
    fn settings_are_those_of_the_specification() {
        let none: [String; 0] = [];
        let good = json!({
            "csp": {
                "connectDomains": ["https://api.example.com", "wss://*.example.com:443", "http://localhost:*"],
                "frameDomains": [],
            },
            "permissions": { "clipboardWrite": {} },
            "domain": "a.example",
            "prefersBorder": true,
        });
        assert_eq!(settings_problems(&good), none);
        for (bad, why) in [
            (json!([]), "an object"),
            (json!({ "cps": {} }), "did you mean `csp`"),
            (json!({ "csp": [] }), "`csp` is an object"),
            (
                json!({ "csp": { "connect": [] } }),
                "`csp` has no `connect`",
            ),
            (
                json!({ "csp": { "connectDomains": "https://a.example" } }),
                "list of origins",
            ),
            (
                json!({ "csp": { "connectDomains": ["https://a.example/path"] } }),
                "not an origin",
            ),
            (
                json!({ "csp": { "connectDomains": ["https://u:p@a.example"] } }),
                "not an origin",
            ),
            (
                json!({ "csp": { "connectDomains": ["https://a.example; script-src *"] } }),
                "not an origin",
            ),
            (
                json!({ "csp": { "connectDomains": ["*", "data:"] } }),
                "not an origin",
            ),
            (
                json!({ "permissions": { "camera": true } }),
                "is written `{}`",
            ),
            (json!({ "permissions": { "usb": {} } }), "has no `usb`"),
            (
                json!({ "domain": 1, "prefersBorder": "no" }),
                "`domain` is a text",
            ),
        ] {
            let found = settings_problems(&bad);
            assert!(
                found.iter().any(|one| one.contains(why)),
                "{bad}: {found:?}"
            );
        }
    }
}
