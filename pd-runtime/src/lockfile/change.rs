//! The changes between two locks, for reviewers.

use std::fmt;

/// One change of one tool's contract.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContractChange {
    /// The tool.
    pub tool: String,
    /// The change, in words.
    pub description: String,
    /// `true` if a caller of the old contract may fail now, or cannot be proven not to.
    pub breaking: bool,
}

impl ContractChange {
    pub(super) fn new(tool: &str, description: impl Into<String>, breaking: bool) -> Self {
        Self {
            tool: tool.to_owned(),
            description: description.into(),
            breaking,
        }
    }
}

/// All changes between two locks, tool by tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContractChanges(pub(super) Vec<ContractChange>);

impl ContractChanges {
    /// Returns whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the changes, grouped by tool.
    pub fn iter(&self) -> impl Iterator<Item = &ContractChange> {
        self.0.iter()
    }

    /// Returns the number of changes that break callers.
    pub fn breaking(&self) -> usize {
        self.iter().filter(|change| change.breaking).count()
    }

    /// Returns each tool with its changes.
    pub fn by_tool(&self) -> impl Iterator<Item = (&str, &[ContractChange])> {
        // Changes of one tool are adjacent, because tools are compared one after the other.
        let together = self.0.chunk_by(|one, next| one.tool == next.tool);
        together.filter_map(|changes| Some((changes.first()?.tool.as_str(), changes)))
    }

    /// Renders the counts: "2 contracts changed, with 1 breaking change".
    pub(crate) fn counted(&self) -> String {
        let tools = match self.by_tool().count() {
            0 => return "no contract changed".to_owned(),
            1 => "1 contract changed".to_owned(),
            tools => format!("{tools} contracts changed"),
        };
        match self.breaking() {
            0 => format!("{tools}, none in a way that breaks callers"),
            1 => format!("{tools}, with 1 breaking change"),
            breaking => format!("{tools}, with {breaking} breaking changes"),
        }
    }
}

/// Writes one block for each tool, as a pull request would show it.
impl fmt::Display for ContractChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (tool, changes)) in self.by_tool().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{tool}")?;
            for change in changes {
                let class = if change.breaking {
                    "breaking"
                } else {
                    "compatible"
                };
                write!(f, "\n  {class:<10}  {}", change.description)?;
            }
        }
        Ok(())
    }
}
