//! The extension of this crate, `dev.pd-runtime/disclosure`: `disclosure/describe`, with tickets in
//! `_meta`.

use super::{Surface, SurfaceAnswer, meta_tools::disclose_named, normalized};
use crate::{
    catalog::{Catalog, token_cost::CostForm},
    disclosure::view::CallerView,
    policy::{Listing, Policy},
    protocol::{
        extensions,
        negotiated::{ClientProfile, ClientTerms},
    },
};
use futures::FutureExt;
use rmcp::{
    ErrorData,
    model::{ClientCapabilities, ExtensionCapabilities, JsonObject, ServerCapabilities},
};
use serde_json::{Value, json};

const DESCRIBE: &str = "disclosure/describe";

/// The extension as a surface.
#[derive(Debug)]
pub(crate) struct DisclosureSurface;

impl Surface for DisclosureSurface {
    fn declare(&self, _: &Catalog, policy: &Policy, capabilities: &mut ServerCapabilities) {
        // A server that lists everything in full has nothing to disclose.
        if policy.listing != Listing::Full {
            capabilities
                .extensions
                .get_or_insert_default()
                .extend(declaration());
        }
    }

    fn terms(&self, client: &ClientProfile<'_>) -> Option<ClientTerms> {
        // A gateway need not describe tools before calls, because it requires that of its clients.
        let relays = client.sets(extensions::DISCLOSURE, extensions::RELAY);
        let required = ClientTerms {
            describes: !relays,
            keeps_tickets: true,
            relays,
            ..ClientTerms::default()
        };
        client.declares(extensions::DISCLOSURE).then_some(required)
    }

    fn resolve_method(&self, method: &str, _: Option<&Value>) -> Option<&'static str> {
        (method == DESCRIBE).then_some(DESCRIBE)
    }

    fn answer<'a>(
        &'a self,
        _: &'a str,
        params: Option<&'a Value>,
        view: &'a CallerView<'a>,
    ) -> SurfaceAnswer<'a> {
        describe(params, view).boxed()
    }
}

/// Returns the extension and its settings, as both sides declare it.
pub(crate) fn declaration() -> ExtensionCapabilities {
    let settings = JsonObject::from_iter([("version".to_owned(), json!(1))]);
    let mut declared = ExtensionCapabilities::new();
    declared.insert(extensions::DISCLOSURE.to_owned(), settings);
    declared
}

/// Returns the extension and its settings, as a gateway declares it to its upstreams.
pub fn relay_declaration() -> ExtensionCapabilities {
    let mut declared = declaration();
    declared
        .values_mut()
        .for_each(|settings| drop(settings.insert(extensions::RELAY.to_owned(), json!(true))));
    declared
}

/// Answers `disclosure/describe {names}`.
///
/// # Errors
///
/// Returns -32021 if the client did not declare the extension, and -32602 for malformed parameters.
async fn describe(params: Option<&Value>, view: &CallerView<'_>) -> Result<Value, ErrorData> {
    if !view.caller.terms.keeps_tickets {
        let required = ClientCapabilities::builder()
            .enable_extensions_with(declaration())
            .build();
        return Err(ErrorData::missing_required_client_capability(required));
    }
    let names = names(params)?;
    // Charged before the count is checked, so that refused requests are limited, too.
    view.charge_descriptions(names.len())?;
    let most = view.policy.limits.names;
    if names.is_empty() || view.names_too_many(names.len()) {
        let data = json!({ "maxNames": most });
        return Err(ErrorData::invalid_params(
            format!("`names` must name 1 to {most} tools"),
            Some(data),
        ));
    }
    let disclosure = disclose_named(&names, CostForm::Description, view).await;
    let mut result = JsonObject::new();
    result.insert(
        "descriptions".to_owned(),
        disclosure.descriptions_with_meta(),
    );
    if let Some(meta) = disclosure.meta() {
        result.insert("_meta".to_owned(), Value::Object(meta.0));
    }
    Ok(Value::Object(result))
}

fn names(params: Option<&Value>) -> Result<Vec<String>, ErrorData> {
    let names = params
        .and_then(|params| params.get("names"))
        .and_then(Value::as_array)
        .ok_or_else(malformed)?;
    if !names.iter().all(Value::is_string) {
        return Err(malformed());
    }
    Ok(normalized(names.iter().filter_map(Value::as_str)))
}

fn malformed() -> ErrorData {
    ErrorData::invalid_params("`names` must be an array of tool names", None)
}
