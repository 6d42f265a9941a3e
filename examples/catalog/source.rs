//! The files that a catalogue is read from, and what was told of them on standard error.

use crate::{
    document::Document,
    principals::{Principals, PrincipalsError},
    registry::Catalog,
};
use pd_runtime::{Problems, Registry};
use std::{
    collections::BTreeSet,
    fmt::Display,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

/// The catalogue's file and, where callers see only some tools, that of the principals.
#[derive(Debug)]
pub(crate) struct Source {
    path: PathBuf,
    pub(crate) principals: Option<Arc<Principals>>,
    /// What the catalogue's file said last.
    said: Result<String, io::ErrorKind>,
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
    Parse { path: PathBuf, source: serde_json::Error },
    #[error("{}: {source}", path.display())]
    Build { path: PathBuf, source: Problems },
    #[error(transparent)]
    Principals(#[from] PrincipalsError),
}

impl Source {
    /// Reads the files for the first time.
    pub(crate) fn open(path: PathBuf, principals: Option<PathBuf>) -> Result<(Self, Registry<()>), CatalogError> {
        let principals = principals.map(Principals::open).transpose()?.map(Arc::new);
        let said = fs::read_to_string(&path).map_err(|source| CatalogError::Read { path: path.clone(), source })?;
        let (remarks, tools, told) = Default::default();
        let mut source = Self { path, principals, said: Ok(said.clone()), remarks, tools, told };
        let registry = source.registry(&said)?;
        source.tell(None);
        Ok((source, registry))
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.path.as_path()).chain(self.principals.as_ref().map(|principals| principals.path()))
    }

    /// The registry anew, if the catalogue's file says something else than before.
    pub(crate) fn reread(&mut self) -> Option<Result<Registry<()>, CatalogError>> {
        let read = fs::read_to_string(&self.path);
        let said = read.as_ref().map(String::clone).map_err(io::Error::kind);
        if said == self.said {
            return None;
        }
        self.said = said;
        let read = read.map_err(|source| CatalogError::Read { path: self.path.clone(), source });
        Some(read.and_then(|text| self.registry(&text)))
    }

    fn registry(&mut self, text: &str) -> Result<Registry<()>, CatalogError> {
        let parse = |source| CatalogError::Parse { path: self.path.clone(), source };
        let document = Document::parse(text).map_err(parse)?;
        let name = self.path.file_stem().map_or_else(|| "catalog".into(), |stem| stem.to_string_lossy().into_owned());
        let build = |source| CatalogError::Build { path: self.path.clone(), source };
        let catalog = Catalog::build(document, name, self.principals.is_some()).map_err(build)?;
        self.remarks = catalog.remarks;
        self.tools = catalog.registry.names().map(str::to_owned).collect();
        Ok(catalog.registry)
    }

    /// Tells what is remarkable now, with `troubles`; what was told before and still holds is not told again.
    pub(crate) fn tell(&mut self, troubles: impl IntoIterator<Item = String>) {
        let remarks = self.remarks.iter().cloned().chain(self.strangers());
        let now: BTreeSet<String> = remarks.map(|remark| format!("note: {remark}")).chain(troubles).collect();
        now.difference(&self.told).for_each(|remark| say(remark));
        self.told = now;
    }

    /// Tools that principals may see and the catalogue lacks.
    fn strangers(&self) -> Option<String> {
        let principals = self.principals.as_ref()?;
        let table = principals.table();
        let unknown: Vec<&str> = table.tools.difference(&self.tools).map(String::as_str).collect();
        let path = principals.path().display();
        (!unknown.is_empty()).then(|| format!("{path} names tools that the catalogue lacks: {}", unknown.join(", ")))
    }
}

/// Says something on standard error, if anyone listens.
pub(crate) fn say(line: &dyn Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
