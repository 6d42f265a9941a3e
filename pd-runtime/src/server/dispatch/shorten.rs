//! Decides which results are shortened, and stores what is taken out of them.

use crate::{
    catalog::entry::CatalogEntry,
    disclosure::{listed_form::ListedForm, view::CallerView},
    large_results::{ShortenTerms, TakenText},
    surface::{apps, read_more},
};
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, Resource};

/// Shortens a result that is over the bound of its tool. What is taken out is kept for the caller.
pub(super) async fn shorten(
    mut response: CallToolResponse,
    entry: &CatalogEntry,
    view: &CallerView<'_>,
) -> CallToolResponse {
    let own = entry.tool.about.rules.result_bound;
    let Some(bound) = own.or(view.policy.limits.result_bound) else {
        return response;
    };
    if let CallToolResponse::Complete(result) = &mut response
        && result.is_error != Some(true)
        && reads_as_a_model(entry, view)
    {
        // A client that was listed an output schema checks values with it.
        let keeps_structured = entry.tool.about.output_schema.is_some()
            && view.is_direct_call()
            && view.listed_form(entry) == ListedForm::Full;
        let terms = ShortenTerms {
            tokens: bound.tokens,
            keeps_structured,
            call: read_more::read_call(view),
            life: view.plane.text_life(),
        };
        let taken = bound.code.shorten(result, &terms);
        if !taken.is_empty() {
            // Boxed, because few results are large.
            Box::pin(store(taken, result, view)).await;
        }
    }
    response
}

/// Returns whether a model reads the result. A program, a view and another gateway get it whole.
fn reads_as_a_model(entry: &CatalogEntry, view: &CallerView<'_>) -> bool {
    let is_of_view = view.is_direct_call() && apps::may_come_from_view(entry, view);
    !(view.serves_program() || view.caller.terms.relays || is_of_view)
}

/// Stores what was taken out, and adds a link to each. What could not be stored is put back.
async fn store(taken: Vec<TakenText>, result: &mut CallToolResult, view: &CallerView<'_>) {
    let owner = view.caller.authority.person();
    for TakenText {
        place,
        handle,
        text,
        is_json,
    } in taken
    {
        let payer = view.caller.payer();
        let kept = view
            .plane
            .keep_text(&handle, text.clone(), owner.bytes(), payer);
        if !kept.await {
            if let Some(block) = result.content.get_mut(place) {
                *block = ContentBlock::text(&*text);
            }
            continue;
        }
        let mime = if is_json {
            "application/json"
        } else {
            "text/plain"
        };
        let link = Resource::new(format!("{}{handle}", read_more::SCHEME), "result")
            .with_mime_type(mime)
            .with_size(u64::try_from(text.len()).unwrap_or(u64::MAX));
        result.content.push(ContentBlock::resource_link(link));
    }
}
