//! Prompts, resources and completion beside tools.
//! `pd-runtime/docs/prompts-and-resources.md` explains this file.
//!
//! ```sh
//! cargo run --example prompts -- serve
//! ```

use pd_runtime::{ServerBuilder, prelude::*, server::ResourceProvider};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    handler::server::wrapper::Parameters,
    model::{
        CompleteRequestParams, CompleteResult, CompletionInfo, ListResourcesResult,
        PaginatedRequestParams, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
        ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role, ServerCapabilities,
        ServerConfig,
    },
    prompt, prompt_router,
    service::RequestContext,
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    process::ExitCode,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Notes by their names. Clones share the notes: the tools have one, and the handler another.
#[derive(Clone, Debug, Default)]
struct Notes(Arc<Mutex<BTreeMap<String, String>>>);

impl Notes {
    /// A note of the same name is replaced.
    ///
    /// # Examples
    ///
    /// ```json
    /// { "name": "garden", "text": "Water the plants" }
    /// ```
    #[pd_tool(summary = "Write down a note", idempotent)]
    fn write_note(
        &self,
        /// A name for the note, which its URI ends with.
        #[arg(pattern = "^[a-z0-9-]{1,40}$")]
        name: String,
        /// What to remember.
        text: String,
    ) -> String {
        let uri = format!("note:///{name}");
        self.notes().insert(name, text);
        uri
    }

    fn notes(&self) -> MutexGuard<'_, BTreeMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Review {
    /// The name of the note to review.
    name: String,
}

#[prompt_router]
impl Notes {
    #[prompt(description = "Review a note for tasks that are overdue")]
    fn review(
        &self,
        Parameters(Review { name }): Parameters<Review>,
    ) -> Result<Vec<PromptMessage>, ErrorData> {
        let unknown = || ErrorData::invalid_params(format!("no note has the name `{name}`"), None);
        let text = self.notes().get(&name).cloned().ok_or_else(unknown)?;
        Ok(vec![PromptMessage::new_text(
            Role::User,
            format!("Which tasks in this note are overdue?\n\n{text}"),
        )])
    }
}

impl ResourceProvider for Notes {
    async fn list(&self, _: &CallContext) -> Result<Vec<Resource>, ToolError> {
        let notes = self.notes();
        Ok(notes
            .keys()
            .map(|name| Resource::new(format!("note:///{name}"), name).with_mime_type("text/plain"))
            .collect())
    }

    async fn templates(&self, _: &CallContext) -> Result<Vec<ResourceTemplate>, ToolError> {
        Ok(vec![
            ResourceTemplate::new("note:///{name}", "A note").with_mime_type("text/plain"),
        ])
    }

    async fn read(
        &self,
        uri: &str,
        _: &CallContext,
    ) -> Result<Option<ReadResourceResult>, ToolError> {
        let text = uri
            .strip_prefix("note:///")
            .and_then(|name| self.notes().get(name).cloned());
        Ok(text.map(|text| ReadResourceResult::new(vec![ResourceContents::text(text, uri)])))
    }
}

/// rmcp's own handler, for what has no shorter form: completion, subscriptions, logging levels.
#[derive(Debug)]
struct Handler {
    notes: Notes,
}

/// A resource of the handler, which appears behind those of the provider.
const HANDBOOK: &str = "handbook:///style";

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_completions()
                .enable_resources()
                .build(),
        )
        .with_instructions("Follow the handbook when you write a note.")
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let notes = self.notes.notes();
        // A client shows at most 100 values.
        let names = notes
            .keys()
            .filter(|name| name.starts_with(&params.argument.value))
            .take(100)
            .cloned()
            .collect();
        let info = CompletionInfo::with_all_values(names)
            .map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(info))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new(
            HANDBOOK,
            "How to write notes",
        )]))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if params.uri != HANDBOOK {
            return Err(ErrorData::resource_not_found(
                format!("Unknown resource: {}", params.uri),
                None,
            ));
        }
        let text = ResourceContents::text("One task a line, with its date.", HANDBOOK);
        Ok(ReadResourceResult::new(vec![text]).into())
    }
}

fn server() -> ServerBuilder<Notes, Handler> {
    let registry: Registry<Notes> = pd_runtime::registry! {
        //! Notes that last as long as the server runs.
        Notes::write_note,
    };
    let notes = Notes::default();
    PdServer::builder(registry, notes.clone())
        .with_prompts(Notes::prompt_router())
        .with_state_as_resources()
        .with_handler(Handler { notes })
}

#[tokio::main]
async fn main() -> ExitCode {
    pd_runtime::cli::main(server()).await
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
mod tests {
    use super::{HANDBOOK, server};
    use rmcp::{
        RoleClient, ServiceExt,
        model::{
            ArgumentInfo, CallToolRequestParams, CompleteRequestParams, GetPromptRequestParams,
            ReadResourceRequestParams, Reference,
        },
        service::RunningService,
    };
    use serde_json::{Value, json};

    type Client = RunningService<RoleClient, ()>;

    /// A client of a server that has one note.
    async fn connect() -> Client {
        let server = server().build().unwrap();
        let note = json!({ "name": "garden", "text": "Water the plants, by Friday" });
        let context = pd_runtime::CallContext::detached();
        server.call("write_note", note, &context).await.unwrap();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let handler = server.handler();
        tokio::spawn(async move { handler.serve(theirs).await.unwrap().waiting().await });
        ().serve(ours).await.unwrap()
    }

    async fn read(client: &Client, uri: &str) -> Value {
        json!(
            client
                .read_resource(ReadResourceRequestParams::new(uri))
                .await
                .unwrap()
        )["contents"][0]["text"]
            .take()
    }

    #[test]
    fn the_registry_keeps_its_promises() {
        server().registry().check().unwrap();
    }

    #[tokio::test]
    async fn resources_of_all_three_are_in_one_list() {
        let client = connect().await;
        let resources = client.list_all_resources().await.unwrap();
        let uris: Vec<&str> = resources
            .iter()
            .map(|resource| resource.uri.as_str())
            .collect();
        assert_eq!(
            uris,
            ["resource:///tool_descriptions", "note:///garden", HANDBOOK]
        );
        assert_eq!(
            read(&client, "note:///garden").await,
            "Water the plants, by Friday"
        );
        assert_eq!(
            read(&client, HANDBOOK).await,
            "One task a line, with its date."
        );
        client
            .read_resource(ReadResourceRequestParams::new("note:///cellar"))
            .await
            .unwrap_err();
    }

    #[tokio::test]
    async fn prompts_have_arguments_that_clients_complete() {
        let client = connect().await;
        let argument = ArgumentInfo::new("name", "gar");
        let typed = CompleteRequestParams::new(Reference::for_prompt("review"), argument);
        let completed = json!(client.complete(typed).await.unwrap());
        assert_eq!(completed["completion"]["values"], json!(["garden"]));
        let review = async |name: &str| {
            let arguments = json!({ "name": name }).as_object().cloned().unwrap();
            client
                .get_prompt(GetPromptRequestParams::new("review").with_arguments(arguments))
                .await
        };
        assert!(
            json!(review("garden").await.unwrap())
                .to_string()
                .contains("by Friday")
        );
        assert!(
            review("cellar")
                .await
                .unwrap_err()
                .to_string()
                .contains("no note has the name")
        );
    }

    #[tokio::test]
    async fn the_server_declares_what_its_parts_have() {
        let client = connect().await;
        let info = json!(client.peer_info());
        for capability in ["tools", "prompts", "resources", "completions"] {
            assert!(
                info["capabilities"].get(capability).is_some(),
                "{capability}"
            );
        }
        let instructions = info["instructions"].as_str().unwrap();
        let parts =
            ["Notes that last", "Follow the handbook"].map(|part| instructions.find(part).unwrap());
        assert!(parts.is_sorted(), "{instructions}");
        let call = CallToolRequestParams::new("write_note");
        assert_eq!(
            client.call_tool(call).await.unwrap().is_error,
            Some(true),
            "its arguments are missing"
        );
    }
}
