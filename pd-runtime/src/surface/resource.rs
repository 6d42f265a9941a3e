//! The resource `tool_descriptions` of specification v2.1, section 4.

use super::{
    Surface,
    description_uri::{query, requested_names},
    meta_tools::disclose_named,
    resolve_names::ResolvedNames,
    selection_errors::{missing_selection, too_many},
};
use crate::{
    catalog::token_cost::CostForm, disclosure::view::CallerView, policy::GateMode,
    protocol::keys::DESCRIPTIONS_URI,
};

use futures::future::{BoxFuture, FutureExt};
use rmcp::model::{CacheScope, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

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

/// Returns the URI for the contents. Clients match contents to their request by the URI. A URI over
/// 8 KiB is replaced by the URI of the resource.
fn repeated_uri(uri: &str) -> &str {
    if uri.len() <= 8 * 1024 {
        uri
    } else {
        DESCRIPTIONS_URI
    }
}
