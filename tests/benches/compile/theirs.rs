//! The same tools as users of rmcp write them: a struct of arguments for each.

use super::package::tools;

/// What the crate depends on, besides tokio. rmcp's features are those that pd-runtime uses, and its macros.
pub(crate) const DEPENDENCIES: &str = r#"rmcp = { version = "*", features = ["transport-io"] }
schemars = "*"
serde = { version = "*", features = ["derive"] }"#;

/// The program.
pub(crate) fn source(count: usize) -> String {
    let structs = tools(
        count,
        [
            LIST_ARGUMENTS,
            CREATE_ARGUMENTS,
            UPDATE_ARGUMENTS,
            COMPARE_ARGUMENTS,
        ],
    );
    let methods = tools(count, [LIST, CREATE, UPDATE, COMPARE]);
    format!("{HEAD}{structs}\n#[tool_router(server_handler)]\nimpl Server {{{methods}}}\n")
}

const HEAD: &str = r#"use rmcp::{ServiceExt, handler::server::wrapper::Parameters, tool, tool_router, transport::stdio};
use schemars::JsonSchema;
use serde::Deserialize;

struct Server;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Server.serve(stdio()).await?.waiting().await?;
    Ok(())
}

fn twenty() -> u32 {
    20
}

#[allow(dead_code)]
fn three() -> u32 {
    3
}
"#;

const LIST_ARGUMENTS: &str = r#"
#[derive(Deserialize, JsonSchema)]
struct ListNNNN {
    /// Words that every entry must contain.
    query: String,
    /// Only entries below this path.
    path: Option<String>,
    /// How many entries to return.
    #[serde(default = "twenty")]
    #[schemars(range(min = 1, max = 500))]
    limit: u32,
    /// Whether to include archived entries.
    #[serde(default)]
    archived: bool,
}
"#;

const LIST: &str = r#"
    #[tool(description = "List entries of kind NNNN, newest first")]
    async fn list_NNNN(
        &self,
        Parameters(ListNNNN { query, path, limit, archived }): Parameters<ListNNNN>,
    ) -> String {
        format!("{query} {path:?} {limit} {archived}")
    }
"#;

const CREATE_ARGUMENTS: &str = r#"
#[derive(Deserialize, JsonSchema)]
struct CreateNNNN {
    /// What the entry is called.
    #[schemars(length(min = 1))]
    title: String,
    /// Labels to put on it.
    labels: Vec<String>,
    /// The entry that it belongs to.
    parent: Option<String>,
    /// Whether to keep it from others.
    draft: bool,
}
"#;

const CREATE: &str = r#"
    #[tool(description = "Create an entry of kind NNNN")]
    async fn create_NNNN(
        &self,
        Parameters(CreateNNNN { title, labels, parent, draft }): Parameters<CreateNNNN>,
    ) -> String {
        format!("{title} {labels:?} {parent:?} {draft}")
    }
"#;

const UPDATE_ARGUMENTS: &str = r#"
#[derive(Deserialize, JsonSchema)]
struct UpdateNNNN {
    /// The entry's name.
    id: String,
    /// The fields to change.
    #[schemars(length(min = 1))]
    fields: Vec<String>,
    /// The revision that was read.
    revision: u32,
    /// Why it is changed.
    note: Option<String>,
}
"#;

const UPDATE: &str = r#"
    #[tool(description = "Change fields of an entry of kind NNNN")]
    async fn update_NNNN(
        &self,
        Parameters(UpdateNNNN { id, fields, revision, note }): Parameters<UpdateNNNN>,
    ) -> String {
        format!("{id} {fields:?} {revision} {note:?}")
    }
"#;

const COMPARE_ARGUMENTS: &str = r#"
#[derive(Deserialize, JsonSchema)]
struct CompareNNNN {
    /// The older entry.
    base: String,
    /// The newer entry.
    head: String,
    /// Lines to show around each change.
    #[serde(default = "three")]
    #[schemars(range(max = 50))]
    context: u32,
    /// Whether to compare word by word.
    #[serde(default)]
    words: bool,
}
"#;

const COMPARE: &str = r#"
    #[tool(description = "Compare two entries of kind NNNN")]
    async fn compare_NNNN(
        &self,
        Parameters(CompareNNNN { base, head, context, words }): Parameters<CompareNNNN>,
    ) -> String {
        format!("{base} {head} {context} {words}")
    }
"#;
