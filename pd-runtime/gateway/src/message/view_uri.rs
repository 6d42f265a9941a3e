//! The URIs of the views of MCP Apps (SEP-1865), `ui://…`. Servers of one vendor, and two entries of
//! one server, have the same ones. A host that reads the wrong one shows the view of one server for
//! the calls of another. So a gateway with several servers writes the server into the authority:
//! `ui://clock.get-time/app.html` is `ui://get-time/app.html` of `clock`.

use super::own_keys::for_each_part;
use pd_runtime::upstream::apps::{UI, UI_URI, VIEW_SCHEME as SCHEME, view_uri};
use serde_json::Value;
use std::borrow::Cow;

/// Between the server and its own authority. Names of servers do not contain it.
const SEPARATOR: char = '.';

/// The names that clients have for the views of a server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ViewNames<'a> {
    /// The server, or `None` if it is the only one, whose URIs stay as they are.
    pub(crate) server: Option<&'a str>,
}

impl ViewNames<'_> {
    /// Returns the URI by which clients know a view. Other URIs stay as they are.
    pub(crate) fn outer<'u>(&self, uri: &'u str) -> Cow<'u, str> {
        match self.server.zip(after_scheme(uri)) {
            Some((server, rest)) => Cow::Owned(format!("{SCHEME}{server}{SEPARATOR}{rest}")),
            None => Cow::Borrowed(uri),
        }
    }

    /// Returns the server's own URI of a view that has its name. Returns `None` for other URIs.
    pub(crate) fn inner(&self, uri: &str) -> Option<String> {
        let (server, rest) = self.server.zip(after_scheme(uri))?;
        let (name, rest) = rest.split_once(SEPARATOR)?;
        // Clients may write the authority in lower case (RFC 3986, section 6.2.2.1).
        name.eq_ignore_ascii_case(server)
            .then(|| format!("{SCHEME}{rest}"))
    }

    /// Writes the names of clients into the `_meta` of a tool, or of a result and its parts.
    pub(crate) fn rename(&self, value: &mut Value) {
        if self.server.is_some() {
            for_each_part(value, &mut |part| self.rename_part(part));
        }
    }

    /// Writes the names of clients into an object: its `uri` and its `_meta`.
    pub(crate) fn rename_part(&self, part: &mut Value) {
        for key in ["uri", "uriTemplate"] {
            self.rename_text(part.get_mut(key));
        }
        if let Some(meta) = part.get_mut("_meta") {
            self.rename_text(meta.get_mut(UI_URI));
            self.rename_text(meta.get_mut(UI).and_then(|ui| ui.get_mut("resourceUri")));
        }
    }

    fn rename_text(&self, text: Option<&mut Value>) {
        if let Some(Value::String(uri)) = text
            && let Cow::Owned(outer) = self.outer(uri)
        {
            *uri = outer;
        }
    }
}

/// Returns the URI of the view in the definition of a tool.
pub(crate) fn view_of(definition: &Value) -> Option<&str> {
    view_uri(definition.get("_meta")?.as_object()?)
}

/// Returns whether a URI is one of a view.
pub(crate) fn is_view(uri: &str) -> bool {
    after_scheme(uri).is_some()
}

fn after_scheme(uri: &str) -> Option<&str> {
    let (scheme, rest) = uri.split_at_checked(SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME).then_some(rest)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use serde_json::json;

    const CLOCK: ViewNames<'_> = ViewNames {
        server: Some("clock"),
    };
    const ALONE: ViewNames<'_> = ViewNames { server: None };

    #[test]
    fn a_view_has_its_server_in_its_uri_and_comes_back() {
        for own in [
            "ui://get-time/app.html",
            "ui:///x",
            "ui://a.b/c?d#e",
            "ui://",
        ] {
            let outer = CLOCK.outer(own);
            assert_eq!(CLOCK.inner(&outer).unwrap(), own);
            assert_eq!(ALONE.outer(own), own);
        }
        assert_eq!(
            CLOCK.outer("UI://get-time/app.html"),
            "ui://clock.get-time/app.html"
        );
        assert_eq!(CLOCK.inner("ui://CLOCK.a/b").unwrap(), "ui://a/b");
        for other in [
            "ui://clock/x",
            "ui://clocks.a/b",
            "file://clock.a/b",
            "ui:",
            "é",
        ] {
            assert_eq!(CLOCK.inner(other), None, "{other}");
        }
        assert_eq!(CLOCK.outer("https://x/ui://y"), "https://x/ui://y");
    }

    #[test]
    fn all_places_of_a_result_are_renamed() {
        let mut result = json!({
            "_meta": { "ui": { "resourceUri": "ui://a/b" }, "ui/resourceUri": "ui://a/b" },
            "content": [
                { "type": "resource_link", "uri": "ui://a/b" },
                { "type": "resource", "resource": { "uri": "ui://a/b", "text": "ui://a/b" } },
            ],
            "contents": [{ "uri": "ui://a/b" }],
            "structuredContent": { "uri": "ui://a/b" },
            "result": { "content": [{ "uri": "ui://a/b" }] },
        });
        CLOCK.rename(&mut result);
        let text = result.to_string();
        assert_eq!(text.matches("ui://clock.a/b").count(), 6, "{text}");
        // Texts and structured content are the server's own.
        assert_eq!(text.matches("ui://a/b").count(), 2, "{text}");
    }
}
