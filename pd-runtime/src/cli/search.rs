//! `serve --search-model`: a sentence model that finds tools by meaning. (Requires the feature
//! `semantic`.)

use super::CliError;
use crate::{ServerBuilder, search::Embedder};
use clap::Args;
use rmcp::ServerHandler;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The model that search uses in addition to words.
#[derive(Debug, Clone, Args)]
pub(super) struct SearchFlags {
    /// Find tools by meaning, too, with the sentence model in this directory: config.json,
    /// tokenizer.json and model.safetensors, as of sentence-transformers/all-MiniLM-L6-v2; requires
    /// the feature `semantic`. The vectors of the tools are kept in the user's cache directory
    #[arg(long, value_name = "DIR")]
    search_model: Option<PathBuf>,
}

impl SearchFlags {
    /// Sets the model on the builder.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory contains no model, or if this binary was built without the
    /// feature `semantic`.
    pub(super) fn set<S, H>(
        &self,
        builder: ServerBuilder<S, H>,
    ) -> Result<ServerBuilder<S, H>, CliError>
    where
        S: Send + Sync + 'static,
        H: ServerHandler,
    {
        let Some(directory) = &self.search_model else {
            return Ok(builder);
        };
        Ok(builder.search_model(load(directory)?))
    }
}

#[cfg(feature = "semantic")]
fn load(directory: &Path) -> Result<Arc<dyn Embedder>, CliError> {
    let model = crate::search::MiniLm::load(directory)?;
    let digest = model.digest().to_string();
    Ok(match vector_file(&digest) {
        Some(file) => Arc::new(with_bar(crate::search::StoredEmbedder::new(
            model, digest, file,
        ))),
        // Without a cache directory, each start computes the vectors again.
        None => Arc::new(model),
    })
}

/// Shows the progress as a bar where a person sees it. Elsewhere it is logged.
#[cfg(feature = "semantic")]
fn with_bar<E: Embedder>(
    model: crate::search::StoredEmbedder<E>,
) -> crate::search::StoredEmbedder<E> {
    use std::{io::IsTerminal, sync::OnceLock};
    if !std::io::stderr().is_terminal() {
        return model;
    }
    // The time of a bar counts from the first text, not from the start of the server.
    let bar = OnceLock::new();
    model.with_progress(move |done, total| {
        bar.get_or_init(|| super::progress::DelayedBar::new("embedding texts about tools"))
            .set(done, total);
    })
}

/// Returns the file of a model's vectors: in `pd-runtime` of `$XDG_CACHE_HOME` or `~/.cache`.
#[cfg(feature = "semantic")]
fn vector_file(digest: &str) -> Option<PathBuf> {
    let name = digest.trim_start_matches("sha256:").get(..12)?;
    Some(
        crate::text::user_directory::user_cache()?
            .join("pd-runtime")
            .join(format!("vectors-{name}.jsonl")),
    )
}

#[cfg(not(feature = "semantic"))]
fn load(_: &Path) -> Result<Arc<dyn Embedder>, CliError> {
    Err("`--search-model` needs pd-runtime's feature `semantic`, and this binary was built without it; build it with \
         `--features semantic`, after `semantic = [\"pd-runtime/semantic\"]` under `[features]` of its Cargo.toml"
        .into())
}

#[cfg(all(test, feature = "semantic"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::{PdServer, Registry};

    fn set(directory: &Path) -> Result<bool, String> {
        let flags = SearchFlags {
            search_model: Some(directory.to_owned()),
        };
        let builder = PdServer::builder(Registry::<()>::builder().build().unwrap(), ());
        flags
            .set(builder)
            .map(|builder| builder.has_search_model())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_directory_without_a_model_is_an_error_that_names_the_files() {
        let error = set(Path::new("no-such-directory")).unwrap_err();
        assert!(
            error.starts_with("no-such-directory/config.json cannot be read: "),
            "{error}"
        );
        assert!(
            error.ends_with(
                "a model's directory holds config.json, tokenizer.json and model.safetensors"
            ),
            "{error}"
        );
    }

    /// `just semantic` sets this variable.
    #[test]
    fn a_model_is_loaded_from_its_directory() {
        let Some(directory) = std::env::var_os("PD_MODEL") else {
            println!(
                "skipped: set PD_MODEL to the folder of all-MiniLM-L6-v2, or run `just semantic`"
            );
            return;
        };
        assert_eq!(set(Path::new(&directory)), Ok(true));
    }
}
