//! `port FORM` serves one form on standard input and output: `docs-mcp`, `adopted`, `half` or `full`.

use docs_mcp::server::DocsMcpServer;
use pd_port_tests::{adopted, full, half, offline};
use pd_runtime::serve;
use rmcp::{ServiceExt, transport::stdio};
use std::{error::Error, sync::Arc};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let form = std::env::args().nth(1).unwrap_or_default();
    let state = offline::open().await?;
    match form.as_str() {
        "docs-mcp" => {
            let running = DocsMcpServer::new_with_state(Arc::new(state))
                .serve(stdio())
                .await?;
            running.waiting().await?;
        }
        "adopted" => serve::stdio(&adopted::server(state)?.build()?).await?,
        "half" => serve::stdio(&half::server(state)?.build()?).await?,
        "full" => serve::stdio(&full::server(state).build()?).await?,
        _ => return Err("name a form: `docs-mcp`, `adopted`, `half` or `full`".into()),
    }
    Ok(())
}
