//! The place of a difference in a schema, in a caller's terms.

use super::SchemaRole;

/// A path from the root or from a named type: `filter.since`, `commits[].author`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct SchemaPlace {
    definition: Option<String>,
    path: String,
}

impl SchemaPlace {
    pub(super) fn root() -> Self {
        Self::default()
    }

    pub(super) fn definition(name: &str) -> Self {
        Self {
            definition: Some(name.to_owned()),
            path: String::new(),
        }
    }

    pub(super) fn property(&self, name: &str) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        self.followed_by(&format!("{dot}{name}"))
    }

    /// Any property that the schema does not name.
    pub(super) fn any_property(&self) -> Self {
        self.property("*")
    }

    pub(super) fn items(&self) -> Self {
        self.followed_by("[]")
    }

    pub(super) fn item(&self, index: usize) -> Self {
        self.followed_by(&format!("[{index}]"))
    }

    fn followed_by(&self, step: &str) -> Self {
        Self {
            definition: self.definition.clone(),
            path: format!("{}{step}", self.path),
        }
    }

    /// Renders the beginning of a message: "argument `limit`: ".
    pub(super) fn render(&self, role: SchemaRole) -> String {
        let Self { definition, path } = self;
        match (definition, path.as_str(), role) {
            (Some(definition), "", _) => format!("type `{definition}`: "),
            (Some(definition), path, _) => format!("`{path}` of type `{definition}`: "),
            (None, "", SchemaRole::Arguments) => "arguments: ".to_owned(),
            (None, "", SchemaRole::Result) => "result: ".to_owned(),
            (None, path, SchemaRole::Arguments) => format!("argument `{path}`: "),
            (None, path, SchemaRole::Result) => format!("result `{path}`: "),
        }
    }
}
