//! Delta-MCP 0.2: a list of names and short lines, `tools/describe {name}`, and calls that are
//! never refused for a missing description.

use super::{Surface, SurfaceAnswer, declare_for_tools, manifest, unknown_tool};
use crate::{
    catalog::Catalog,
    disclosure::view::CallerView,
    policy::{Policy, rate_limit::ChargeKind},
    protocol::{
        extensions::DELTA_VERSION_PREFIX,
        json_value,
        negotiated::{ClientProfile, ClientTerms},
    },
};
use futures::FutureExt;
use rmcp::{ErrorData, model::ServerCapabilities};
use serde_json::Value;

/// The protocol as a surface.
#[derive(Debug)]
pub(crate) struct DeltaSurface;

impl Surface for DeltaSurface {
    fn declare(&self, _: &Catalog, _: &Policy, capabilities: &mut ServerCapabilities) {
        declare_for_tools("progressiveDisclosure", capabilities);
    }

    fn terms(&self, client: &ClientProfile<'_>) -> Option<ClientTerms> {
        let required = ClientTerms {
            describes: true,
            forbids_gating: true,
            wants_brief: true,
            ..ClientTerms::default()
        };
        // Delta-MCP has no capability for clients: they announce themselves by their protocol
        // version.
        client
            .version
            .starts_with(DELTA_VERSION_PREFIX)
            .then_some(required)
    }

    /// Answers only calls with `name`, because SEP-2636's method of the same name takes `names`.
    fn resolve_method(&self, method: &str, params: Option<&Value>) -> Option<&'static str> {
        let params = params.filter(|_| method == manifest::DESCRIBE)?;
        (name(params).is_some() && params.get("names").is_none()).then_some(manifest::DESCRIBE)
    }

    fn answer<'a>(
        &'a self,
        _: &'a str,
        params: Option<&'a Value>,
        view: &'a CallerView<'a>,
    ) -> SurfaceAnswer<'a> {
        describe(params.and_then(name).unwrap_or_default(), view).boxed()
    }
}

fn name(params: &Value) -> Option<&str> {
    params.get("name").and_then(Value::as_str)
}

/// Answers with the tool itself as the result. The tool's `_meta` is also the result's, so it
/// carries the ticket.
async fn describe(name: &str, view: &CallerView<'_>) -> Result<Value, ErrorData> {
    view.charge(ChargeKind::Describe, 1)?;
    // `disclose_whole` fails only if the name is unknown, since there is one name.
    let names = [name.to_owned()];
    let (mut tools, meta) = manifest::disclose_whole(&names, view)
        .await
        .map_err(|_| unknown_tool(name, view))?;
    let mut tool = tools.pop().ok_or_else(|| unknown_tool(name, view))?;
    if let Some(meta) = meta {
        tool.meta.get_or_insert_default().extend(meta);
    }
    json_value::to_value(&tool).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}
