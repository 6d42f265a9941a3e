//! A server on rmcp as its README begins. rmcp 1 and 3 compile the same source: `rmcp_1/Cargo.toml`, and the example `zoo` of this
//! project's tests.
//!
//! Without an argument it serves standard input and output; `http PORT` serves streamable HTTP.

use rmcp::{
    Json, ServiceExt,
    handler::server::wrapper::Parameters,
    model::Implementation,
    schemars::{self, JsonSchema},
    serde::{Deserialize, Serialize},
    tool, tool_router,
    transport::{
        stdio,
        streamable_http_server::{StreamableHttpService, session::local::LocalSessionManager},
    },
};
use std::{env, error::Error};

/// The server has no state.
#[derive(Clone, Debug)]
struct Zoo;

#[derive(Deserialize, JsonSchema)]
struct Greet {
    name: String,
    greeting: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Refuse {
    reason: String,
}

#[derive(Serialize, JsonSchema)]
struct Sdk {
    version: String,
    pid: u32,
}

#[tool_router(server_handler)]
impl Zoo {
    #[tool(description = "Greet a person by name.")]
    fn greet(&self, Parameters(Greet { name, greeting }): Parameters<Greet>) -> String {
        format!("{}, {name}!", greeting.as_deref().unwrap_or("Hello"))
    }

    #[tool(description = "Show the version of the SDK and the process that runs it.")]
    fn sdk(&self) -> Json<Sdk> {
        Json(Sdk {
            version: Implementation::from_build_env().version,
            pid: std::process::id(),
        })
    }

    #[tool(description = "Fail for a reason.")]
    fn refuse(&self, Parameters(Refuse { reason }): Parameters<Refuse>) -> Result<String, String> {
        Err(reason)
    }

    #[tool(
        description = "Read the motto of the zoo.",
        annotations(read_only_hint = true)
    )]
    fn motto(&self) -> String {
        "All animals are equal.".to_owned()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if let Some(port) = env::args().nth(2) {
        let service = StreamableHttpService::new(
            || Ok(Zoo),
            LocalSessionManager::default().into(),
            Default::default(),
        );
        let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
        axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    } else {
        Zoo.serve(stdio()).await?.waiting().await?;
    }
    Ok(())
}
