//! The Skills extension (SEP-2640), `io.modelcontextprotocol/skills`. A group with instructions or
//! with files of its author is a skill, and so is every bundle. Its `SKILL.md` describes its
//! purpose and names its tools. Each tool's full description is a file beside it, and reading that
//! file discloses the tool.
//!
//! Clients do not declare this extension. A client that does not use it never sees skills, because
//! no other list shows them.

mod children;
#[cfg(feature = "export")]
pub(crate) mod files;
mod index;
mod skill_md;
mod source;
mod uri;
mod yaml;

use super::{Surface, listing::TTL_MS, pagination, resource::uncached};
use crate::{
    catalog::{Catalog, token_cost::CostForm},
    disclosure::{
        disclose::{disclose, file_text},
        view::CallerView,
    },
    policy::{
        Policy,
        rate_limit::{ChargeKind, retry_after::TryLater},
    },
    registry::skill_file::SkillFile,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use futures::future::{BoxFuture, FutureExt};
use index::{IndexedSkill, SkillIndex};
use rmcp::{
    ErrorData,
    model::{
        CacheScope, GetSkillResult, JsonObject, ListResourcesResult, ListSkillsResult,
        ReadResourceResult, ResourceContents, SKILL_MD, SKILLS_EXTENSION_ID, ServerCapabilities,
    },
};
use serde_json::json;

const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";

/// The extension as a surface. rmcp parses its methods, so `server::skills` calls the functions
/// below.
#[derive(Debug)]
pub(crate) struct SkillsSurface;

impl Surface for SkillsSurface {
    /// Declares the extension, unless the handler of the author has declared it already.
    fn declare(&self, catalog: &Catalog, _: &Policy, capabilities: &mut ServerCapabilities) {
        if source::any(catalog) {
            let settings = JsonObject::from_iter([("directoryRead".to_owned(), json!(true))]);
            // `or_insert`, so that the author's settings stay.
            capabilities
                .extensions
                .get_or_insert_default()
                .entry(SKILLS_EXTENSION_ID.to_owned())
                .or_insert(settings);
        }
    }

    fn exists(&self, view: &CallerView<'_>) -> bool {
        any(view)
    }

    fn read<'a>(
        &'a self,
        uri: &'a str,
        view: &'a CallerView<'a>,
    ) -> BoxFuture<'a, Option<ReadResourceResult>> {
        read(uri, view).boxed()
    }
}

/// Returns whether any skill exists for this caller.
pub(crate) fn any(view: &CallerView<'_>) -> bool {
    source::any_for(view)
}

/// Returns a page of `skills/list`, without the skills of the author's handler.
///
/// # Errors
///
/// Returns -32602 for a cursor that does not name a skill.
pub(crate) fn list(
    cursor: Option<&str>,
    view: &CallerView<'_>,
) -> Result<ListSkillsResult, ErrorData> {
    let shelf = SkillIndex::for_caller(view);
    let page = pagination::page(shelf.manuals(), cursor, IndexedSkill::name)?;
    let skills = page
        .entries
        .iter()
        .map(|manual| manual.skill.clone())
        .collect();
    let mut listed = ListSkillsResult::with_all_items(skills)
        .with_ttl_ms(TTL_MS)
        .with_cache_scope(scope(view));
    listed.next_cursor = page.next;
    Ok(listed)
}

/// Returns the skill that has its `SKILL.md` at this URI.
pub(crate) fn get(uri: &str, view: &CallerView<'_>) -> Option<GetSkillResult> {
    let skill = SkillIndex::for_caller(view).by_file_uri(uri)?.skill.clone();
    Some(
        GetSkillResult::new(skill)
            .with_ttl_ms(TTL_MS)
            .with_cache_scope(scope(view)),
    )
}

/// Returns whether a `SKILL.md` of this server has this URI.
pub(crate) fn serves(uri: &str, view: &CallerView<'_>) -> bool {
    SkillIndex::for_caller(view).by_file_uri(uri).is_some()
}

/// Returns the contents of a directory; `None` if it is not a directory of these skills.
///
/// # Errors
///
/// Returns -32602 for a cursor that names no entry.
pub(crate) fn directory(
    uri: &str,
    cursor: Option<&str>,
    view: &CallerView<'_>,
) -> Option<Result<ListResourcesResult, ErrorData>> {
    let shelf = SkillIndex::for_caller(view);
    let (manual, path) = match shelf.manual(uri) {
        Some(manual) => (manual, ""),
        None => uri::split(uri).and_then(|(root, path)| Some((shelf.manual(root)?, path)))?,
    };
    // The URI of a directory has no trailing slash.
    let entries = (path.is_empty() == shelf.manual(uri).is_some())
        .then(|| children::list(manual, path, view))?;
    if entries.is_empty() {
        return None;
    }
    Some(
        pagination::page(&entries, cursor, |resource| &resource.name).map(|page| {
            let listed = ListResourcesResult::with_all_items(page.entries.to_vec());
            let mut listed = listed.with_ttl_ms(TTL_MS).with_cache_scope(scope(view));
            listed.next_cursor = page.next;
            listed
        }),
    )
}

/// Reads a file of a skill.
async fn read(uri: &str, view: &CallerView<'_>) -> Option<ReadResourceResult> {
    let (skill, path) = uri::split(uri)?;
    let shelf = SkillIndex::for_caller(view);
    // Other skills may belong to the author's handler.
    let manual = shelf.manual(skill)?;
    if path == SKILL_MD {
        if let Err(later) = view.charge(ChargeKind::Find, 1) {
            return Some(refused(later, uri));
        }
        // A `SKILL.md` names tools with a line each, like a list, and discloses none.
        view.recorder.record_listed(
            manual
                .tools
                .iter()
                .filter_map(|name| Some((&**view.find(name)?, CostForm::Line))),
        );
        let contents = ResourceContents::text(&*manual.text, uri).with_mime_type(MARKDOWN);
        return Some(
            ReadResourceResult::new(vec![contents])
                .with_ttl_ms(TTL_MS)
                .with_cache_scope(scope(view)),
        );
    }
    if let Some(file) = manual.file(path) {
        return Some(read_own(file, uri, view));
    }
    // Checked against the tools of the skill, so that a skill gives no access to files of other
    // tools.
    let name =
        uri::tool_name(path).filter(|name| manual.tools.iter().any(|tool| **tool == **name))?;
    let entry = view.find(name)?;
    if let Err(later) = view.charge(ChargeKind::Describe, 1) {
        return Some(refused(later, uri));
    }
    let names = [name.to_owned()];
    let disclosure = disclose(&names, CostForm::Description, view).await;
    // The bytes must match the digest in `skills/list`, so the ticket is in `_meta`.
    let contents = ResourceContents::text(file_text(entry, view), uri).with_mime_type(JSON);
    let mut result = ReadResourceResult::new(vec![contents]);
    result.meta = disclosure.meta_with_tickets();
    Some(uncached(result))
}

/// Reads a file that the author wrote. It discloses nothing.
fn read_own(file: &SkillFile, uri: &str, view: &CallerView<'_>) -> ReadResourceResult {
    if let Err(later) = view.charge(ChargeKind::Find, 1) {
        return refused(later, uri);
    }
    let contents = match file.text() {
        Some(text) => ResourceContents::text(text, uri),
        None => ResourceContents::blob(STANDARD.encode(file.contents()), uri),
    };
    let result = ReadResourceResult::new(vec![contents.with_mime_type(file.media_type())]);
    result.with_ttl_ms(TTL_MS).with_cache_scope(scope(view))
}

/// Renders the text that a model reads instead of the file.
fn refused(later: TryLater, uri: &str) -> ReadResourceResult {
    let contents = ResourceContents::text(later.to_string(), uri).with_mime_type(JSON);
    uncached(ReadResourceResult::new(vec![contents]))
}

/// Returns the cache scope. The texts of skills depend on the tools that a caller sees.
fn scope(view: &CallerView<'_>) -> CacheScope {
    if view.catalog.is_restricted {
        CacheScope::Private
    } else {
        CacheScope::Public
    }
}
