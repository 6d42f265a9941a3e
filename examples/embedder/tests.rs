//! Words alone miss these tools, and the model finds them.

use super::{Glossary, Shop, registry, server};
use pd_runtime::{
    ServerBuilder,
    client::Client,
    rmcp::ServiceExt,
    search::{EmbedError, Search},
};
use std::{error::Error, sync::Arc};

#[test]
fn tools_are_found_by_words_that_they_do_not_contain() -> Result<(), EmbedError> {
    let (words, meaning) = (
        registry().search(),
        registry().search_with(Arc::new(Glossary))?,
    );
    for (request, tool) in [
        ("a customer wants cash", "refund"),
        ("the courier is late", "track"),
        ("something for my accountant", "send_bill"),
    ] {
        let first = |search: &Search| {
            search
                .find(request, 1)
                .first()
                .map(|hit| hit.name.to_owned())
        };
        assert_ne!(
            first(&words).as_deref(),
            Some(tool),
            "{request}: words alone find it"
        );
        assert_eq!(first(&meaning).as_deref(), Some(tool), "{request}");
    }
    Ok(())
}

/// Returns what a client finds on the server.
pub(crate) async fn found(
    server: ServerBuilder<Shop>,
    request: &str,
) -> Result<String, Box<dyn Error>> {
    let server = server.build()?;
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        server
            .handler()
            .serve(theirs)
            .await
            .map(|running| tokio::spawn(running.waiting()))
    });
    let running = ().serve(ours).await?;
    let found = Client::new(&running)
        .await?
        .call("find_tools", serde_json::json!({ "query": request }))
        .await?;
    let text = found.content.first().and_then(|content| content.as_text());
    Ok(text.map(|text| text.text.clone()).unwrap_or_default())
}

#[tokio::test]
async fn the_server_finds_by_meaning() -> Result<(), Box<dyn Error>> {
    let found = found(server(), "a customer wants cash").await?;
    assert!(found.starts_with("refund "), "{found}");
    Ok(())
}
