//! An author's own handler with skills, for servers around it.

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        GetSkillRequestParams, GetSkillResult, ListSkillsResult, PaginatedRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents,
        ServerCapabilities, ServerConfig, Skill, SkillFrontmatter, SkillResource, SkillResources,
    },
    service::RequestContext,
};

/// A handler with two skills of its own, a page each, the first page with one whose name is taken.
pub(super) struct Own;

impl ServerHandler for Own {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_resources()
                .enable_skills()
                .build(),
        )
    }

    async fn list_skills(
        &self,
        params: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        if params.and_then(|params| params.cursor).is_some() {
            return Ok(ListSkillsResult::with_all_items(vec![own("second")]));
        }
        let mut first = ListSkillsResult::with_all_items(vec![own("history"), own("own")]);
        first.next_cursor = Some("more".to_owned());
        Ok(first)
    }

    async fn get_skill(
        &self,
        params: GetSkillRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        match params.uri.as_str() {
            "skill://own/SKILL.md" => Ok(GetSkillResult::new(own("own"))),
            _ => Err(ErrorData::invalid_params("not mine either", None)),
        }
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(ReadResourceResult::new(vec![ResourceContents::text("own", params.uri)]).into())
    }
}

fn own(name: &str) -> Skill {
    let uri = format!("skill://{name}/SKILL.md");
    let files = SkillResources::Files(vec![SkillResource::from_bytes(&uri, b"own")]);
    Skill::new(&uri, SkillFrontmatter::new(name, "of the author"), files)
}
