//! The prompts and resources in the answer to `groups/get`. The author's handler lists them, which
//! surfaces do not know.

use super::PdHandler;
use crate::{
    catalog::tree::TreeNode, disclosure::view::CallerView, protocol::json_value, surface::groups,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{ErrorCode, JsonObject, PaginatedRequestParams, Prompt, Resource},
    service::RequestContext,
};
use serde::Serialize;
use serde_json::{Value, json};

/// The most pages of a handler's list that are read.
const PAGES_MAX: usize = 100;

impl<H: ServerHandler> PdHandler<H> {
    /// Adds the group's prompts and resources to the answer to `groups/get`, as the lists have
    /// them.
    pub(super) async fn add_group_extras(
        &self,
        answer: &mut Value,
        params: Option<&Value>,
        view: &CallerView<'_>,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let Some(group) = groups::requested(params, view) else {
            return Ok(());
        };
        let mut extras = JsonObject::new();
        if !group.prompts.is_empty() {
            let mut prompts = self.all_prompts(context).await?;
            prompts.retain(|prompt| group.prompts.contains(&prompt.name));
            insert(&mut extras, "prompts", &prompts)?;
        }
        if !group.resources.is_empty() {
            let mut resources = self.all_resources(view, context).await?;
            resources.retain(|resource| group.resources.contains(&resource.uri));
            insert(&mut extras, "resources", &resources)?;
        }
        keep_definitions(group, view, context);
        if let (Value::Object(answer), false) = (answer, extras.is_empty()) {
            let contents = answer.entry("contents").or_insert_with(|| json!({}));
            contents
                .as_object_mut()
                .into_iter()
                .for_each(|contents| contents.extend(std::mem::take(&mut extras)));
        }
        Ok(())
    }

    /// Returns the prompts of all pages of `prompts/list`.
    async fn all_prompts(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Vec<Prompt>, ErrorData> {
        let own = self.served.extras.prompts.as_ref();
        let mut prompts = own.map(|own| own.list().to_vec()).unwrap_or_default();
        let mut page = None;
        // Bounded, because a handler may return cursors without end.
        for _ in 0..PAGES_MAX {
            let listed = unless_absent(self.inner().list_prompts(page, context.clone()).await)?;
            let theirs = listed.prompts.into_iter();
            prompts.extend(theirs.filter(|prompt| own.is_none_or(|own| !own.has(&prompt.name))));
            page = next_page(listed.next_cursor);
            if page.is_none() {
                break;
            }
        }
        Ok(prompts)
    }

    /// Returns the resources of all pages of `resources/list`, except the entries of surfaces.
    async fn all_resources(
        &self,
        view: &CallerView<'_>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Vec<Resource>, ErrorData> {
        let mut resources = self.added_resources(view, context).await?;
        let mut page = None;
        for _ in 0..PAGES_MAX {
            let listed = unless_absent(self.inner().list_resources(page, context.clone()).await)?;
            resources.extend(listed.resources);
            page = next_page(listed.next_cursor);
            if page.is_none() {
                break;
            }
        }
        Ok(resources)
    }
}

fn next_page(cursor: Option<String>) -> Option<PaginatedRequestParams> {
    Some(PaginatedRequestParams::default().with_cursor(Some(cursor?)))
}

/// Treats the list of a handler that has none as empty.
fn unless_absent<T: Default>(listed: Result<T, ErrorData>) -> Result<T, ErrorData> {
    match listed {
        Err(error) if error.code == ErrorCode::METHOD_NOT_FOUND => Ok(T::default()),
        listed => listed,
    }
}

fn insert<T: Serialize>(
    extras: &mut JsonObject,
    key: &str,
    entries: &[T],
) -> Result<(), ErrorData> {
    if entries.is_empty() {
        return Ok(());
    }
    let entries = json_value::to_value(&entries)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    extras.insert(key.to_owned(), entries);
    Ok(())
}

/// Keeps what rmcp's type lost of the definitions of the group's tools.
fn keep_definitions(group: &TreeNode, view: &CallerView<'_>, context: &RequestContext<RoleServer>) {
    use crate::{protocol::lossy::LossyParts, surface::listing};
    if let Some(parts) = LossyParts::from_request(context) {
        let tools: Vec<_> = view
            .tools_of(group)
            .map(|entry| view.full_definition(entry).tool.clone())
            .collect();
        listing::keep_definitions(&tools, view, parts);
    }
}
