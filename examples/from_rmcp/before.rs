//! The server as it was: rmcp's own macros, and a handler that does more than tools.

use rmcp::{
    ErrorData, RoleServer, ServerHandler, handler::server::wrapper::Parameters, model::*, prompt,
    prompt_handler, prompt_router, service::RequestContext, tool, tool_handler, tool_router,
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Issues, by their numbers. A closed issue is `None`.
#[derive(Debug, Default)]
pub(crate) struct Tracker(Mutex<Vec<Option<String>>>);

#[derive(Debug, Deserialize, JsonSchema)]
struct NewIssue {
    /// What is wrong, in one line.
    title: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Number {
    /// The issue's number.
    number: usize,
}

#[tool_router(vis = "pub(crate)")]
impl Tracker {
    #[tool(description = "Open an issue. List the issues first: somebody may have reported it.")]
    fn open_issue(&self, Parameters(NewIssue { title }): Parameters<NewIssue>) -> String {
        let mut issues = self.issues();
        issues.push(Some(title));
        format!("Issue {} is open.", issues.len() - 1)
    }

    #[tool(
        description = "List the open issues, one a line.",
        annotations(read_only_hint = true)
    )]
    fn list_issues(&self) -> String {
        let issues = self.issues();
        let open = issues
            .iter()
            .enumerate()
            .filter_map(|(number, title)| Some((number, title.as_ref()?)));
        open.map(|(number, title)| format!("{number}: {title}\n"))
            .collect()
    }

    #[tool(description = "Close an issue, which takes it from the list. This cannot be undone.")]
    fn close_issue(
        &self,
        Parameters(Number { number }): Parameters<Number>,
    ) -> Result<String, ErrorData> {
        let missing =
            || ErrorData::invalid_params(format!("no open issue has the number {number}"), None);
        self.close(number)
            .then(|| format!("Issue {number} is closed."))
            .ok_or_else(missing)
    }
}

impl Tracker {
    /// Closes an issue. Returns whether it was open.
    pub(crate) fn close(&self, number: usize) -> bool {
        self.issues()
            .get_mut(number)
            .is_some_and(|issue| issue.take().is_some())
    }

    fn issues(&self) -> MutexGuard<'_, Vec<Option<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[prompt_router]
impl Tracker {
    #[prompt(description = "Sort the open issues by urgency")]
    fn triage(&self) -> Vec<PromptMessage> {
        vec![PromptMessage::new_text(
            Role::User,
            "List all open issues, and sort them by urgency.",
        )]
    }
}

#[tool_handler]
#[prompt_handler]
impl ServerHandler for Tracker {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("tracker", "1.4.0"))
            .with_instructions("Issues of one project.")
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let typed = &params.argument.value;
        let titles = self
            .issues()
            .iter()
            .flatten()
            .filter(|title| title.starts_with(typed))
            .cloned()
            .collect();
        let info = CompletionInfo::with_all_values(titles)
            .map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(info))
    }
}
