//! `skills/…` and `resources/directory/read`, which rmcp parses itself. The server's own skills
//! come first; the author's own handler answers the rest.

use super::PdHandler;
use crate::{
    disclosure::{gate::first_request::ToolRequestKind, recorder::RequestSpan, view::CallerView},
    policy::rate_limit::ChargeKind,
    surface::{pagination::is_own_cursor, skills},
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, ErrorCode, GetSkillRequestParams, GetSkillResult, ListSkillsResult,
        PaginatedRequestParams, ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult,
    },
    service::RequestContext,
};

impl<H: ServerHandler> PdHandler<H> {
    pub(super) async fn skills(
        &self,
        request: &RequestSpan,
        params: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        self.wait_for_read(&context).await;
        let catalog = self.served.catalog();
        let caller = self.caller(&context);
        caller.record_tool_request(ToolRequestKind::List);
        let view = self.view(request, &caller, &catalog);
        charge(&view)?;
        let cursor = params.as_ref().and_then(|params| params.cursor.as_deref());
        let is_handler_cursor = cursor.is_some_and(|cursor| !is_own_cursor(cursor));
        let ours = if is_handler_cursor {
            Ok(ListSkillsResult::default())
        } else {
            skills::list(cursor, &view)
        };
        let ours = match ours {
            // A caller that sees no skill must not learn from an invalid cursor that skills exist.
            // It gets the cursor's error only if the handler knows the method.
            Err(error) if !skills::any(&view) => {
                return self
                    .inner()
                    .list_skills(None, context)
                    .await
                    .and(Err(error));
            }
            ours => ours?,
        };
        if ours.next_cursor.is_some() {
            return Ok(ours);
        }
        // The handler's first page follows the server's last one.
        match self
            .inner()
            .list_skills(params.filter(|_| is_handler_cursor), context)
            .await
        {
            Ok(theirs) => Ok(merge(ours, theirs, &view)),
            Err(error) if error.code == ErrorCode::METHOD_NOT_FOUND && !ours.skills.is_empty() => {
                Ok(ours)
            }
            Err(error) => Err(or_invalid_params(
                error,
                "this cursor names no page; list again without one",
                &view,
            )),
        }
    }

    pub(super) async fn skill(
        &self,
        request: &RequestSpan,
        params: GetSkillRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        self.wait_for_read(&context).await;
        let catalog = self.served.catalog();
        let caller = self.caller(&context);
        caller.record_tool_request(ToolRequestKind::List);
        let view = self.view(request, &caller, &catalog);
        charge(&view)?;
        if let Some(skill) = skills::get(&params.uri, &view) {
            return Ok(skill);
        }
        let theirs = self.inner().get_skill(params, context).await;
        theirs.map_err(|error| {
            or_invalid_params(error, "no such skill; skills/list names the skills", &view)
        })
    }

    pub(super) async fn directory(
        &self,
        request: &RequestSpan,
        params: ReadResourceDirectoryRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        self.wait_for_read(&context).await;
        let catalog = self.served.catalog();
        let caller = self.caller(&context);
        caller.record_tool_request(ToolRequestKind::List);
        let view = self.view(request, &caller, &catalog);
        charge(&view)?;
        if let Some(listed) = skills::directory(&params.uri, params.cursor.as_deref(), &view) {
            return listed;
        }
        let theirs = self.inner().read_resource_directory(params, context).await;
        theirs.map_err(|error| {
            or_invalid_params(
                error,
                "not a directory of a skill; skills/get names a skill's files",
                &view,
            )
        })
    }
}

/// Charges for a read of skills. If no skill exists for this caller, the request goes to the
/// author's own handler without a charge, as on a server without skills.
fn charge(view: &CallerView<'_>) -> Result<(), ErrorData> {
    if skills::any(view) {
        view.charge(ChargeKind::Find, 1)?;
    }
    Ok(())
}

/// Merges both lists. If both serve a skill, the server's own wins. The merged list is private if
/// the server's part is.
fn merge(
    ours: ListSkillsResult,
    mut theirs: ListSkillsResult,
    view: &CallerView<'_>,
) -> ListSkillsResult {
    theirs
        .skills
        // `skills/get` answers these URIs itself, so the handler's skills could not be read.
        .retain(|skill| !skills::serves(&skill.uri, view));
    theirs.skills.splice(0..0, ours.skills);
    if ours.cache_scope == Some(CacheScope::Private) {
        theirs.cache_scope = ours.cache_scope;
    }
    theirs
}

/// Replaces "method not found" of a handler without skills. For callers that see skills, the server
/// does know the method.
fn or_invalid_params(error: ErrorData, text: &'static str, view: &CallerView<'_>) -> ErrorData {
    let is_unknown = error.code == ErrorCode::METHOD_NOT_FOUND && skills::any(view);
    if is_unknown {
        ErrorData::invalid_params(text, None)
    } else {
        error
    }
}
