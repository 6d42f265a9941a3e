//! What a tool is for the extension MCP Apps (SEP-1865): whether hosts render a view for its calls,
//! and who calls it. Its `_meta` says so.

use rmcp::model::JsonObject;
use serde_json::Value;

/// The extension, as clients declare it.
pub const EXTENSION: &str = "io.modelcontextprotocol/ui";
/// The media type of views. Only a client that declares it renders them.
pub const VIEW_TYPE: &str = "text/html;profile=mcp-app";
/// The scheme of the URIs of views.
pub const VIEW_SCHEME: &str = "ui://";
/// The `_meta` key of a tool or a result for its view.
pub const UI: &str = "ui";
/// The older key, with the URI alone.
pub const UI_URI: &str = "ui/resourceUri";
/// The tools with a view that a list keeps although it leaves others out. Each costs the model as
/// much as any other tool.
pub(crate) const VIEWS_MAX: usize = 12;

/// The role of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AppRole {
    /// Whether the tool has a view.
    pub(crate) has_view: bool,
    /// Whether models call the tool.
    pub(crate) is_for_models: bool,
    /// Whether views call the tool.
    pub(crate) is_for_apps: bool,
}

impl AppRole {
    /// Reads the role from the `_meta` of a tool.
    pub(crate) fn of_meta(meta: &JsonObject) -> Self {
        let visibility = meta.get(UI).and_then(|ui| ui.get("visibility"));
        let names = |audience: &str| match visibility {
            // Both, by the specification.
            None | Some(Value::Null) => true,
            Some(Value::Array(audiences)) => audiences.iter().any(|one| one == audience),
            // Not a list, as the specification wants it, and one name in it is meant.
            Some(one) => one == audience,
        };
        Self {
            has_view: view_uri(meta).is_some(),
            is_for_models: names("model"),
            is_for_apps: names("app"),
        }
    }

    /// Returns whether models call the tool, and hosts render a view for it.
    pub(crate) const fn shows_view(self) -> bool {
        self.has_view && self.is_for_models
    }
}

/// Returns the URI of the view in the `_meta` of a tool.
pub fn view_uri(meta: &JsonObject) -> Option<&str> {
    let nested = meta.get(UI).and_then(|ui| ui.get("resourceUri"));
    nested.or_else(|| meta.get(UI_URI))?.as_str()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn visibility_says_who_calls_a_tool() {
        let role = |meta: Value| AppRole::of_meta(meta.as_object().unwrap());
        let (model, app) = (
            |meta| role(meta).is_for_models,
            |meta| role(meta).is_for_apps,
        );
        for (visibility, for_models, for_apps) in [
            (json!(["model", "app"]), true, true),
            (json!(["app"]), false, true),
            (json!(["model"]), true, false),
            (json!([]), false, false),
            (json!(["other"]), false, false),
            (json!(null), true, true),
            (json!("app"), false, true),
        ] {
            let meta = json!({ "ui": { "visibility": visibility } });
            assert_eq!(
                (model(meta.clone()), app(meta)),
                (for_models, for_apps),
                "{visibility}"
            );
        }
        assert!(!role(json!({})).has_view && role(json!({})).is_for_apps);
        assert!(role(json!({ "ui": { "resourceUri": "ui://a/b" } })).shows_view());
        assert!(role(json!({ "ui/resourceUri": "ui://a/b" })).shows_view());
        let hidden = json!({ "ui": { "resourceUri": "ui://a/b", "visibility": ["app"] } });
        assert!(!role(hidden).shows_view());
    }
}
