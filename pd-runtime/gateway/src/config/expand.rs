//! Expands variables in the texts of an entry: `${VAR}`, `${VAR:-default}`, `${env:VAR}`,
//! `${input:id}`, and the predefined variables of VS Code and Cursor. `$VAR` without braces stays
//! as it is, as in those clients; see `bare_variables` for Gemini CLI.

use super::{ReadContext, error::ConfigErrorKind};
use std::{
    collections::BTreeMap,
    fmt,
    path::{self, Path, PathBuf},
};

/// Expands the variables of one file.
pub(super) struct VariableExpander<'c> {
    context: &'c ReadContext<'c>,
    /// The defaults of VS Code's `inputs`, by id.
    input_defaults: BTreeMap<String, String>,
    /// The directory that `${workspaceFolder}` stands for, and that relative paths start from.
    workspace: PathBuf,
}

/// The result of one variable.
type Expansion = Result<String, ConfigErrorKind>;

impl<'c> VariableExpander<'c> {
    pub(super) fn new(
        context: &'c ReadContext<'c>,
        input_defaults: BTreeMap<String, String>,
        workspace: PathBuf,
    ) -> Self {
        Self {
            context,
            input_defaults,
            workspace,
        }
    }

    /// Returns an expander for the entries of a project in another directory.
    pub(super) fn in_workspace(&self, workspace: &Path) -> Self {
        Self::new(
            self.context,
            self.input_defaults.clone(),
            workspace.to_owned(),
        )
    }

    pub(super) fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Expands a text. Reports each variable that has no value, and returns `None` if there is one.
    pub(super) fn expand(
        &self,
        text: &str,
        report: &mut dyn FnMut(ConfigErrorKind),
    ) -> Option<String> {
        let mut expanded = String::with_capacity(text.len());
        let mut rest = text;
        let mut is_complete = true;
        while let Some((before, after)) = rest.split_once("${") {
            // Without a closing brace this is a plain text, as in Claude Code.
            let Some((variable, remainder)) = after.split_once('}') else {
                break;
            };
            expanded.push_str(before);
            match self.value(variable) {
                // The value is not expanded again, so a password may contain `${`.
                Ok(value) => expanded.push_str(&value),
                // The loop goes on, so that all variables without a value are reported at once.
                Err(kind) => {
                    is_complete = false;
                    report(kind);
                }
            }
            rest = remainder;
        }
        expanded.push_str(rest);
        is_complete.then_some(expanded)
    }

    /// Expands a path. `~/` at its start is the user's home.
    pub(super) fn expand_path(
        &self,
        text: &str,
        report: &mut dyn FnMut(ConfigErrorKind),
    ) -> Option<String> {
        let below_home = if text == "~" {
            Some("")
        } else {
            text.strip_prefix("~/")
        };
        let Some(below_home) = below_home else {
            return self.expand(text, report);
        };
        let expanded = self.expand(below_home, report);
        // `expanded?` comes last, so that a missing home is reported beside a missing variable.
        let home = self.home().map_err(report).ok()?;
        Some(if below_home.is_empty() {
            home
        } else {
            format!("{home}/{}", expanded?)
        })
    }

    /// Returns the value of the text between `${` and `}`.
    fn value(&self, variable: &str) -> Expansion {
        let (name, default) = match variable.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (variable, None),
        };
        if let Some(id) = name.strip_prefix("input:") {
            return self.input(id, default);
        }
        let predefined = if default.is_none() {
            self.predefined(name)
        } else {
            None
        };
        predefined
            .unwrap_or_else(|| self.environment(name.strip_prefix("env:").unwrap_or(name), default))
    }

    /// Returns the value of an environment variable. The default replaces a variable that is not
    /// set, but not an empty one: Claude Code does the same, and a file must mean the same here.
    fn environment(&self, name: &str, default: Option<&str>) -> Expansion {
        if !is_variable_name(name) {
            return Err(ConfigErrorKind::UnsupportedVariable {
                beginning: shown_beginning(name),
            });
        }
        if default.is_some_and(|default| default.contains("${")) {
            return Err(ConfigErrorKind::NestedVariable {
                variable: name.to_owned(),
            });
        }
        let value = (self.context.variables)(name).or_else(|| default.map(str::to_owned));
        value.ok_or_else(|| ConfigErrorKind::UnsetVariable {
            variable: name.to_owned(),
        })
    }

    fn input(&self, id: &str, default: Option<&str>) -> Expansion {
        let default = default.or_else(|| self.input_defaults.get(id).map(String::as_str));
        let value = (self.context.inputs)(id).or_else(|| default.map(str::to_owned));
        value.ok_or_else(|| ConfigErrorKind::MissingInput {
            id: id.to_owned(),
            variable: input_variable(id),
        })
    }

    fn predefined(&self, name: &str) -> Option<Expansion> {
        match name {
            "workspaceFolder" => Some(Ok(self.workspace.to_string_lossy().into_owned())),
            "workspaceFolderBasename" => {
                let name = self.workspace.file_name().unwrap_or_default();
                Some(Ok(name.to_string_lossy().into_owned()))
            }
            "userHome" => Some(self.home()),
            "pathSeparator" | "/" => Some(Ok(path::MAIN_SEPARATOR.to_string())),
            _ => None,
        }
    }

    /// Returns the value of an environment variable that no text refers to.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        (self.context.variables)(name)
    }

    fn home(&self) -> Expansion {
        let home = self.context.home();
        home.ok_or_else(|| ConfigErrorKind::UnsetNamedVariable {
            variable: "HOME".to_owned(),
        })
    }

    /// Returns the value of an environment variable that a key names.
    pub(super) fn named_variable(&self, name: &str) -> Expansion {
        let value = (self.context.variables)(name);
        value.ok_or_else(|| ConfigErrorKind::UnsetNamedVariable {
            variable: name.to_owned(),
        })
    }
}

// The defaults of inputs can be secrets.
impl fmt::Debug for VariableExpander<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VariableExpander")
            .field("workspace", &self.workspace)
            .finish_non_exhaustive()
    }
}

/// Returns the environment variable that provides an input of VS Code: `PD_INPUT_` and the id in
/// capitals, with `_` for other characters than letters and digits. The input `github-token` is
/// `PD_INPUT_GITHUB_TOKEN`.
pub(crate) fn input_variable(id: &str) -> String {
    let id = id.chars().map(|character| {
        if character.is_ascii_alphanumeric() {
            character
        } else {
            '_'
        }
    });
    format!("PD_INPUT_{}", id.collect::<String>().to_ascii_uppercase())
}

/// Returns the beginning of an unsupported variable, up to its first `:` or the end of a name. The
/// rest can be a secret: a shell's `${TOKEN-default}` is not supported, but a file may have it.
fn shown_beginning(variable: &str) -> String {
    let name: String = variable
        .chars()
        .take_while(|one| one.is_ascii_alphanumeric() || *one == '_')
        .collect();
    let colon = if variable
        .get(name.len()..)
        .is_some_and(|rest| rest.starts_with(':'))
    {
        ":"
    } else {
        ""
    };
    name + colon
}

/// Returns whether the text can be the name of a variable in braces.
fn is_variable_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|character| character.is_ascii_alphanumeric() || character == '_')
}
