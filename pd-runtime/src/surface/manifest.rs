//! Tool manifests (SEP-2636): `tools/manifest` returns the names in `tools/list`, each with the
//! digest of the whole tool; `tools/describe {names}` returns whole tools.
//!
//! A tool's digest covers its `_meta`, so tickets are in the `_meta` of the result.

use super::{
    Surface, SurfaceAnswer, declare_for_tools,
    listing::{TTL_MS, cache_scope},
    meta_tools::{self, ListedMetaTools},
    truncated,
};
use crate::{
    catalog::{Catalog, definition::FullDefinition, token_cost::CostForm},
    digest::Digest,
    disclosure::{disclose::disclose, listed_form::ListedForm, view::CallerView},
    policy::{Policy, rate_limit::ChargeKind},
};
use futures::future::{FutureExt, ready};
use rmcp::{
    ErrorData,
    model::{ErrorCode, JsonObject, MetaObject, ServerCapabilities, Tool},
};
use serde_json::{Value, json};

const MANIFEST: &str = "tools/manifest";
pub(super) const DESCRIBE: &str = "tools/describe";

/// The number of entries on one page: some 60 to 80 kB.
const PAGE: usize = 500;

/// The proposal as a surface.
#[derive(Debug)]
pub(crate) struct ManifestSurface;

impl Surface for ManifestSurface {
    fn declare(&self, _: &Catalog, policy: &Policy, capabilities: &mut ServerCapabilities) {
        if policy.manifests {
            declare_for_tools("manifest", capabilities);
        }
    }

    fn resolve_method(&self, method: &str, _: Option<&Value>) -> Option<&'static str> {
        [MANIFEST, DESCRIBE].into_iter().find(|own| *own == method)
    }

    fn answer<'a>(
        &'a self,
        method: &'a str,
        params: Option<&'a Value>,
        view: &'a CallerView<'a>,
    ) -> SurfaceAnswer<'a> {
        match method {
            _ if !view.policy.manifests => ready(Err(not_offered(method))).boxed(),
            MANIFEST => ready(page(params, view)).boxed(),
            _ => describe(params, view).boxed(),
        }
    }
}

/// Returns the error of servers without manifests.
pub(super) fn not_offered(method: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None)
}

/// Renders a manifest's entry for a tool.
pub(super) fn entry(whole: &FullDefinition) -> Value {
    let mut entry = JsonObject::new();
    entry.insert("name".to_owned(), json!(whole.tool.name));
    if let Some(title) = &whole.tool.title {
        entry.insert("title".to_owned(), json!(title));
    }
    entry.insert("digest".to_owned(), json!(whole.digest()));
    entry.insert("size".to_owned(), json!(whole.size()));
    if let Some(annotations) = &whole.tool.annotations {
        entry.insert("annotations".to_owned(), json!(annotations));
    }
    Value::Object(entry)
}

/// # Errors
///
/// Returns -32602 for a cursor of another manifest, or of an earlier version of this one.
fn page(params: Option<&Value>, view: &CallerView<'_>) -> Result<Value, ErrorData> {
    view.charge(ChargeKind::Find, 1)?;
    let listed: Vec<_> = view
        .visible()
        .filter(|entry| view.listed_form(entry) != ListedForm::Unlisted)
        .collect();
    // Not cached: they are few, and their texts depend on what the client declared.
    let ListedMetaTools { first, last } = meta_tools::definitions(view);
    let [first, last] = [first, last].map(|tools| {
        tools
            .into_iter()
            .map(FullDefinition::new)
            .collect::<Vec<_>>()
    });
    let total = first.len() + listed.len() + last.len();
    // The cursor carries the count and the edition: meta-tools are counted, but are not part of the
    // edition.
    let manifest = format!("{total}-{}", edition(view));
    let start = match params
        .and_then(|params| params.get("cursor"))
        .filter(|cursor| !cursor.is_null())
    {
        None => 0,
        Some(cursor) => start(cursor, &manifest)
            .filter(|start| *start < total)
            .ok_or_else(stale_cursor)?,
    };
    // The page without the meta-tools before the tools.
    let [begin, end] = [start, start + PAGE].map(|place| place.saturating_sub(first.len()));
    let on_page = listed.iter().take(end).skip(begin);
    view.recorder
        .record_listed(on_page.map(|entry| (&***entry, CostForm::Name)));
    let tools = listed.into_iter().map(|entry| view.full_definition(entry));
    let wholes = first.iter().chain(tools).chain(&last);
    let mut page = JsonObject::new();
    page.insert(
        "entries".to_owned(),
        wholes.skip(start).take(PAGE).map(entry).collect(),
    );
    if start + PAGE < total {
        page.insert(
            "nextCursor".to_owned(),
            json!(format!("{}-{manifest}", start + PAGE)),
        );
    }
    page.insert("ttlMs".to_owned(), json!(TTL_MS));
    page.insert(
        "cacheScope".to_owned(),
        json!(cache_scope(view.catalog, view.policy)),
    );
    Ok(Value::Object(page))
}

/// Returns an identifier of this caller's current tools, so that two pages never come from
/// different manifests.
fn edition(view: &CallerView<'_>) -> Box<str> {
    #[derive(Debug)]
    struct Edition(Box<str>);
    let made = view.sight().cached_for(view.caller.modern, || {
        let digests: String = view
            .visible()
            .map(|entry| view.full_definition(entry).digest())
            .collect();
        // 16 hexadecimal digits suffice to distinguish editions, and keep the cursor short.
        Edition(
            Digest::from_bytes(digests.as_bytes())
                .to_string()
                .chars()
                .skip("sha256:".len())
                .take(16)
                .collect(),
        )
    });
    made.0.clone()
}

fn start(cursor: &Value, manifest: &str) -> Option<usize> {
    let (start, of) = cursor.as_str()?.split_once('-')?;
    (of == manifest).then(|| start.parse().ok())?
}

fn stale_cursor() -> ErrorData {
    let data = json!({ "reason": "staleCursor" });
    ErrorData::invalid_params(
        "this cursor is of another manifest; ask for the first page again",
        Some(data),
    )
}

/// Answers `tools/describe {names}`: all tools in the order of the request, or an error.
async fn describe(params: Option<&Value>, view: &CallerView<'_>) -> Result<Value, ErrorData> {
    let names = names(params, view)?;
    let (tools, meta) = disclose_whole(&names, view).await.map_err(|unknown| {
        ErrorData::invalid_params(
            "Unknown tool names",
            Some(json!({ "unknownNames": unknown })),
        )
    })?;
    let mut result = JsonObject::from_iter([("tools".to_owned(), json!(tools))]);
    if let Some(meta) = meta {
        result.insert("_meta".to_owned(), Value::Object(meta.0));
    }
    Ok(Value::Object(result))
}

/// Discloses these tools, and returns them whole, with the tickets that prove it. If any name is
/// unknown, returns the unknown names and discloses none.
pub(super) async fn disclose_whole<'a>(
    names: &'a [String],
    view: &CallerView<'_>,
) -> Result<(Vec<Tool>, Option<MetaObject>), Vec<&'a str>> {
    let meta_tools = meta_tools::named_definitions(names, view);
    let unknown = names
        .iter()
        .filter(|name| view.resolve(name).is_none() && !meta_tools.contains_key(name.as_str()));
    let unknown: Vec<&str> = unknown.map(|name| truncated(name)).collect();
    // Before anything is disclosed: the answer is all tools or an error.
    if !unknown.is_empty() {
        unknown
            .iter()
            .for_each(|name| view.recorder.record_unknown(name));
        return Err(unknown);
    }
    // Meta-tools are never gated, so only registered tools are disclosed.
    let registered: Vec<String> = names
        .iter()
        .filter(|name| view.resolve(name).is_some())
        .cloned()
        .collect();
    let meta = disclose(&registered, CostForm::Definition, view)
        .await
        .meta_with_tickets();
    let tools = names.iter().filter_map(|name| match view.resolve(name) {
        Some(entry) => Some(view.full_definition(entry).tool.clone()),
        None => meta_tools.get(name.as_str()).cloned(),
    });
    Ok((tools.collect(), meta))
}

fn names(params: Option<&Value>, view: &CallerView<'_>) -> Result<Vec<String>, ErrorData> {
    let names = params
        .and_then(|params| params.get("names"))
        .and_then(Value::as_array);
    let Some(names) = names.filter(|names| names.iter().all(Value::is_string)) else {
        return Err(invalid_names(
            "`names` must be an array of tool names",
            json!({ "reason": "names" }),
        ));
    };
    // Charged before the number is checked: a request with too many names costs something, too.
    view.charge_descriptions(names.len())?;
    if names.is_empty() {
        return Err(invalid_names(
            "`names` is empty; name the tools to describe",
            json!({ "reason": "empty" }),
        ));
    }
    let most = view.policy.limits.names;
    if view.names_too_many(names.len()) {
        return Err(invalid_names(
            "too many names; split them over several requests",
            json!({ "maxNames": most }),
        ));
    }
    Ok(names
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect())
}

fn invalid_names(message: &'static str, data: Value) -> ErrorData {
    ErrorData::invalid_params(message, Some(data))
}
