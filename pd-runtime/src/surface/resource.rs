//! The resource `tool_descriptions` of specification v2.1, section 4.

use super::{
    Surface,
    meta_tools::disclose_named,
    normalized,
    resolve_names::ResolvedNames,
    selection_errors::{missing_selection, too_many},
};
use crate::{
    catalog::token_cost::CostForm, disclosure::view::CallerView, policy::GateMode,
    protocol::keys::DESCRIPTIONS_URI,
};

use futures::future::{BoxFuture, FutureExt};
use rmcp::model::{
    CacheScope, JsonObject, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};

/// The resource as a surface.
#[derive(Debug)]
pub(crate) struct ToolDescriptionsSurface;

impl Surface for ToolDescriptionsSurface {
    /// Lists the resource. The text requires reading only if calls are gated.
    fn resources(&self, view: &CallerView<'_>) -> Vec<Resource> {
        // A gateway offers a resource at this URI itself.
        if view.caller.terms.relays {
            return Vec::new();
        }
        let text = if view.refuses_unread() {
            WORKFLOW
        } else {
            DOCUMENTATION
        };
        let name = if view.gate() == GateMode::Enforce {
            NAME
        } else {
            OPTIONAL_NAME
        };
        vec![
            Resource::new(DESCRIPTIONS_URI, name)
                .with_description(text)
                .with_mime_type(MIME_TYPE),
        ]
    }

    fn templates(&self, view: &CallerView<'_>) -> Vec<ResourceTemplate> {
        if view.caller.terms.relays {
            return Vec::new();
        }
        let template =
            ResourceTemplate::new(format!("{DESCRIPTIONS_URI}{{?tools}}"), OPTIONAL_NAME);
        let text = match view.gate() {
            GateMode::Enforce => {
                "Full descriptions of the tools named in `tools`, comma-separated. Fetch before you call."
            }
            GateMode::Advise | GateMode::Off => {
                "Full descriptions of the tools named in `tools`, comma-separated."
            }
        };
        vec![template.with_description(text).with_mime_type(MIME_TYPE)]
    }

    fn read<'a>(
        &'a self,
        uri: &'a str,
        view: &'a CallerView<'a>,
    ) -> BoxFuture<'a, Option<ReadResourceResult>> {
        async move { Some(read(uri, query(uri)?, view).await) }.boxed()
    }
}

const NAME: &str = "Tool Descriptions - Required for tool use";
/// The name for callers who may call without a description.
const OPTIONAL_NAME: &str = "Tool Descriptions";
const MIME_TYPE: &str = "application/json";

/// The wording that models follow best (implementation guide, "Resource Description Wording").
const WORKFLOW: &str = "WORKFLOW:

Step 1: PICK which tool you need from tools/list (its short descriptions show WHAT each tool does)
Step 2: FETCH that tool's full description: resource:///tool_descriptions?tools=TOOL_NAME (learn HOW to use it)
Step 3: CALL the tool with the parameters you learned

IMPORTANT: You CANNOT call a tool until you fetch its description.

The short descriptions in tools/list are SUFFICIENT for choosing the right tool. This resource gives parameters, \
examples and error help, and authorizes the tool for use. Several tools at once: ?tools=TOOL_ONE,TOOL_TWO

MUST include ?tools=TOOL_NAME (the base URI without it is an error).";

const DOCUMENTATION: &str = "Full descriptions of tools: parameters, examples and error help. \
MUST include ?tools=TOOL_NAME; several at once: resource:///tool_descriptions?tools=TOOL_ONE,TOOL_TWO";

/// Returns the query of a URI of this resource; `None` for other URIs.
fn query(uri: &str) -> Option<&str> {
    let rest = uri.strip_prefix(DESCRIPTIONS_URI)?;
    // Clients may normalize the URI: they add a slash before the query, or keep a fragment.
    let rest = rest.split('#').next().unwrap_or_default();
    match rest.strip_prefix('/').unwrap_or(rest) {
        "" => Some(""),
        query => query.strip_prefix('?'),
    }
}

/// Reads the resource. Errors in the query are in the contents, because clients show those to their
/// model.
async fn read(uri: &str, query: &str, view: &CallerView<'_>) -> ReadResourceResult {
    let selection = ResolvedNames::resolve(&requested_names(query), view);
    // Counted after groups are expanded: limits are about descriptions, not names.
    let count = selection.tools.len();
    // Charged first, so that requests which are refused for their names are not free.
    let (text, meta) = if let Err(later) = view.charge_descriptions(count) {
        (later.to_string(), None)
    } else if count == 0 {
        (missing_selection(view).to_string(), None)
    } else if view.names_too_many(count) {
        (too_many(count, view).to_string(), None)
    } else {
        let disclosure = disclose_named(&selection.tools, CostForm::Description, view).await;
        (
            selection.render_document(disclosure.document()),
            disclosure.meta(),
        )
    };
    let contents = ResourceContents::text(text, repeated_uri(uri)).with_mime_type(MIME_TYPE);
    let mut result = ReadResourceResult::new(vec![contents]);
    result.meta = meta;
    uncached(result)
}

/// Forbids caching of a result. A read that discloses must reach the server each time, because its
/// session may have ended.
pub(super) fn uncached(result: ReadResourceResult) -> ReadResourceResult {
    result.with_ttl_ms(0).with_cache_scope(CacheScope::Private)
}

/// Returns the names in `tools`, split on commas after percent-decoding. Other keys are ignored.
fn requested_names(query: &str) -> Vec<String> {
    let values: Vec<_> = form_urlencoded::parse(query.as_bytes())
        .filter(|(key, _)| key == "tools")
        .map(|(_, value)| value)
        .collect();
    normalized(values.iter().flat_map(|value| value.split(',')))
}

/// Returns the tools that a URI of this resource names, and its other parameters, which a model took
/// for the arguments of a call.
pub(super) fn call_in(uri: &str) -> Option<(Vec<String>, JsonObject)> {
    let query = query(uri.trim())?;
    let others = form_urlencoded::parse(query.as_bytes())
        .filter(|(key, _)| key != "tools")
        .map(|(key, value)| (key.into_owned(), value.into_owned().into()));
    Some((requested_names(query), others.collect()))
}

/// Returns the URI for the contents. Clients match contents to their request by the URI. A URI over
/// 8 KiB is replaced by the URI of the resource.
fn repeated_uri(uri: &str) -> &str {
    if uri.len() <= 8 * 1024 {
        uri
    } else {
        DESCRIPTIONS_URI
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_resource_and_its_queries_are_ours() {
        assert_eq!(query("resource:///tool_descriptions"), Some(""));
        assert_eq!(query("resource:///tool_descriptions/"), Some(""));
        assert_eq!(
            query("resource:///tool_descriptions?tools=log"),
            Some("tools=log")
        );
        assert_eq!(
            query("resource:///tool_descriptions/?tools=log#top"),
            Some("tools=log")
        );
        assert_eq!(query("resource:///tool_descriptions2?tools=log"), None);
        assert_eq!(query("resource:///tool_descriptions/log"), None);
        assert_eq!(query("resource:///other"), None);
    }

    #[test]
    fn names_are_split_after_decoding_trimmed_and_kept_once() {
        assert_eq!(requested_names("tools=log,show"), ["log", "show"]);
        assert_eq!(
            requested_names("tools=%20log%2Cshow,,log+&x=1&tools=blame"),
            ["log", "show", "blame"]
        );
        assert_eq!(requested_names("tools="), Vec::<String>::new());
        assert_eq!(requested_names("tool=log"), Vec::<String>::new());
        assert_eq!(
            requested_names("tools=%ff%fe").len(),
            1,
            "what is not UTF-8 is an unknown name, not a failure"
        );
    }
}
