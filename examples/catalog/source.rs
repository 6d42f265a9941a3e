//! The files that a catalog is read from, and the remarks about them on standard error.

use crate::{
    directory::{self, TextFile},
    document::{Document, Listed},
    principals::{Principals, PrincipalsError},
    registry::Catalog,
};
use pd_runtime::{
    Registry,
    check::RegistryErrors,
    cli::{read_text, report},
    overlay::OverlayError,
};
use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The catalog's file or directory and, where callers see only some tools, the file of the
/// principals.
#[derive(Debug)]
pub(crate) struct Source {
    path: PathBuf,
    pub(crate) principals: Option<Arc<Principals>>,
    /// The last content of the catalog's files.
    files: Result<Vec<TextFile>, io::ErrorKind>,
    /// What is remarkable about what it said when it was last sound.
    remarks: Vec<String>,
    tools: BTreeSet<String>,
    told: BTreeSet<String>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum CatalogError {
    #[error("{} cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is not a list of tools: {source}; it needs `[{{\"name\", \"description\", \"inputSchema\"}}, …]`", path.display())]
    Parse {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error("{} does not describe a tool: {source}; it needs `{{\"name\", \"description\", \"inputSchema\"}}`", path.display())]
    ParseTool {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error("{}: {source}", path.display())]
    Build {
        path: PathBuf,
        source: RegistryErrors,
    },
    #[error(transparent)]
    Descriptions(#[from] OverlayError),
    #[error(transparent)]
    Principals(#[from] PrincipalsError),
}

impl Source {
    /// Reads the files for the first time.
    pub(crate) fn open(
        path: PathBuf,
        principals: Option<PathBuf>,
    ) -> Result<(Self, Registry<()>), CatalogError> {
        let principals = principals.map(Principals::open).transpose()?.map(Arc::new);
        let files = read(&path).map_err(|source| CatalogError::Read {
            path: path.clone(),
            source,
        })?;
        let (remarks, tools, told) = Default::default();
        let mut source = Self {
            path,
            principals,
            files: Ok(files.clone()),
            remarks,
            tools,
            told,
        };
        let registry = source.registry(&files)?;
        source.tell(None);
        Ok((source, registry))
    }

    /// The paths to watch.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.path.as_path())
            .chain(self.principals.as_ref().map(|principals| principals.path()))
    }

    /// The registry anew, if the content of the catalog's files differs from the last.
    pub(crate) fn reread(&mut self) -> Option<Result<Registry<()>, CatalogError>> {
        let read = read(&self.path);
        let files = read.as_ref().map(Vec::clone).map_err(io::Error::kind);
        if files == self.files {
            return None;
        }
        self.files = files;
        let read = read.map_err(|source| CatalogError::Read {
            path: self.path.clone(),
            source,
        });
        Some(read.and_then(|files| self.registry(&files)))
    }

    fn registry(&mut self, files: &[TextFile]) -> Result<Registry<()>, CatalogError> {
        let is_directory = self.path.is_dir();
        let document = if is_directory {
            self.gathered(files)?
        } else {
            self.parsed(files)?
        };
        let name = self.path.file_stem().map_or_else(
            || "catalog".into(),
            |stem| stem.to_string_lossy().into_owned(),
        );
        let build = |source| CatalogError::Build {
            path: self.path.clone(),
            source,
        };
        let mut catalog =
            Catalog::build(document, name, self.principals.is_some()).map_err(build)?;
        if is_directory {
            // Examples and guidance, which MCP's own form of a tool does not have.
            catalog.registry = catalog.registry.overlaid(&self.path)?;
        }
        self.remarks = catalog.remarks;
        self.tools = catalog.registry.names().map(str::to_owned).collect();
        Ok(catalog.registry)
    }

    /// The document in the catalog's one file.
    fn parsed(&self, files: &[TextFile]) -> Result<Document, CatalogError> {
        let text = files.first().map_or("", |file| file.text.as_str());
        Document::parse(text).map_err(|source| CatalogError::Parse {
            path: self.path.clone(),
            source,
        })
    }

    /// The tools of a directory's files.
    fn gathered(&self, files: &[TextFile]) -> Result<Document, CatalogError> {
        let parse = |file: &TextFile| {
            let failed = |source| CatalogError::ParseTool {
                path: file.path.clone(),
                source,
            };
            Listed::parse(&file.text, &file.path).map_err(failed)
        };
        files
            .iter()
            .map(parse)
            .collect::<Result<_, _>>()
            .map(Document::from_tools)
    }

    /// Tells what is remarkable now, with `troubles`; what was told before and still holds is not told again.
    pub(crate) fn tell(&mut self, troubles: impl IntoIterator<Item = String>) {
        let remarks = self.remarks.iter().cloned().chain(self.strangers());
        let now: BTreeSet<String> = remarks
            .map(|remark| format!("note: {remark}"))
            .chain(troubles)
            .collect();
        now.difference(&self.told).for_each(|remark| report(remark));
        self.told = now;
    }

    /// Tools that principals may see and the catalog lacks.
    fn strangers(&self) -> Option<String> {
        let principals = self.principals.as_ref()?;
        let table = principals.table();
        let unknown: Vec<&str> = table
            .tools
            .difference(&self.tools)
            .map(String::as_str)
            .collect();
        let path = principals.path().display();
        (!unknown.is_empty()).then(|| {
            format!(
                "{path} names tools that the catalog lacks: {}",
                unknown.join(", ")
            )
        })
    }
}

/// The content of a file, or of each file in a directory.
fn read(path: &Path) -> io::Result<Vec<TextFile>> {
    match path.is_dir() {
        true => directory::read(path),
        false => Ok(vec![TextFile {
            path: path.to_owned(),
            text: read_text(path)?,
        }]),
    }
}
