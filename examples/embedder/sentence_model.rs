//! The same server with a sentence model, which knows these words without a glossary. `just semantic` fetches one.

use super::{Shop, registry};
use pd_runtime::{
    ServerBuilder,
    prelude::*,
    search::{MiniLm, StoredEmbedder},
};
use std::{error::Error, path::Path, sync::Arc};

/// Loads the model of a directory. Its vectors of the tools are kept in a file for the next start.
fn server(directory: &Path, vectors: &Path) -> Result<ServerBuilder<Shop>, Box<dyn Error>> {
    let model = MiniLm::load(directory)?;
    let digest = model.digest().to_string();
    let model = StoredEmbedder::new(model, digest, vectors);
    Ok(PdServer::builder(registry(), Shop)
        .listing(Listing::Grouped)
        .search_model(Arc::new(model)))
}

#[tokio::test]
async fn a_sentence_model_finds_without_a_glossary() -> Result<(), Box<dyn Error>> {
    let Some(model) = std::env::var_os("PD_MODEL") else {
        println!("skipped: set PD_MODEL to the folder of a sentence model, or run `just semantic`");
        return Ok(());
    };
    let directory = tempfile::tempdir()?;
    let vectors = directory.path().join("vectors.jsonl");
    let found =
        super::tests::found(server(model.as_ref(), &vectors)?, "a customer wants cash").await?;
    assert!(found.contains("refund"), "{found}");
    assert!(vectors.exists(), "the next start has the vectors");
    Ok(())
}
