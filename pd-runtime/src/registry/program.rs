//! Programs as tools of a registry: how they are added, and how they are checked.

use super::{
    Registry,
    builder::RegistryBuilder,
    check::did_you_mean,
    group::GroupView,
    problem::{RegistryError, RegistryErrorKind, RegistryErrors},
    tool::Tool,
    tool_spec::ToolSpec,
};
use crate::{
    code::{
        CodeMode, CodeProgram, ProgramFileError,
        program::{
            RecordedExample,
            references::{ToolReference, references},
        },
        rehearsal,
        tool_path::{self, NamedTools, ends_with},
    },
    tool::{
        context::CallContext, descriptor::ToolAnnotations, error::ToolError, output::ToolResult,
    },
};
use futures::{FutureExt, future};
use pd_schema::{CompiledSchema, reader::SchemaRef};
use rmcp::model::JsonObject;
use serde_json::Value;
use std::{collections::HashSet, path::Path, sync::Arc};

impl<S: 'static> Tool<S> {
    /// Creates a tool that runs a program. The methods of [`Tool`] set everything else: scopes, a
    /// timeout, related tools. (Feature `code`.)
    pub fn from_program(program: CodeProgram) -> Self {
        let mut tool = Self::new(
            program.name.clone(),
            program.summary.clone(),
            // A server runs the program instead of this handler.
            |_: &S, _: &CallContext, _| {
                let text =
                    "the tool is a program, which only a server runs; call it through a `PdServer`";
                future::ready(ToolResult::Err(ToolError::new("NO_CODE_WORKER", text))).boxed()
            },
        )
        .origin(program.origin.clone())
        .description(program.description.clone())
        .input_schema(program.input_schema.clone());
        // A program has no types that would fill in defaults, so its schema does.
        tool.about.input.defaults = defaults(&tool.about.input.schema);
        if let Some(schema) = &program.output_schema {
            tool = tool.output_schema(schema.clone());
        }
        tool.about.timeout = program.timeout;
        for scope in &program.scopes {
            tool = tool.scope(scope.clone());
        }
        for (description, arguments) in &program.examples {
            tool = tool.example(description.clone(), arguments.clone());
        }
        if program.is_read_only {
            tool = tool.with_annotations(ToolAnnotations {
                read_only: Some(true),
                ..ToolAnnotations::NONE
            });
        }
        tool.about.program = Some(Arc::new(program));
        tool
    }
}

/// Returns the defaults in an input schema.
fn defaults(schema: &JsonObject) -> Vec<(String, Value)> {
    SchemaRef::document(schema)
        .properties()
        .filter_map(|(name, property)| Some((name.to_owned(), property.get("default")?.clone())))
        .collect()
}

impl<S: 'static> RegistryBuilder<S> {
    /// Adds a program as a tool at the top level; see [`CodeProgram`]. (Feature `code`.)
    #[must_use]
    pub fn program(self, program: CodeProgram) -> Self {
        self.tool(Tool::from_program(program))
    }

    /// Adds every program of a directory, the files `NAME.js`, as tools at the top level; see
    /// [`CodeProgram`]. [`Registry::check`] reports the files that are no programs. (Feature
    /// `code`.)
    #[must_use]
    pub fn programs(mut self, directory: impl AsRef<Path>) -> Self {
        match CodeProgram::from_directory(directory) {
            Ok(programs) => programs.into_iter().fold(self, Self::program),
            Err(errors) => {
                self.problems.extend(errors.iter().map(file_problem));
                self
            }
        }
    }
}

impl<S: 'static> Registry<S> {
    /// Adds a program as a tool at the top level, for example to a registry that `registry!`
    /// declared; see [`CodeProgram`]. (Feature `code`.)
    #[must_use]
    pub fn with_program(mut self, program: CodeProgram) -> Self {
        self.top.push(program.name.clone());
        self.add_tools([Arc::new(Tool::from_program(program))]);
        self
    }

    /// Adds every program of a directory, the files `NAME.js`, as tools at the top level; see
    /// [`CodeProgram`]. [`Registry::check`] reports the files that are no programs. (Feature
    /// `code`.)
    #[must_use]
    pub fn with_programs(mut self, directory: impl AsRef<Path>) -> Self {
        match CodeProgram::from_directory(directory) {
            Ok(programs) => programs.into_iter().fold(self, Self::with_program),
            Err(errors) => {
                self.problems.extend(errors.iter().map(file_problem));
                self
            }
        }
    }

    /// Compiles every program in a worker, and runs its recorded examples. Returns the number of
    /// examples that ran. The command `check` does the same. (Feature `code`.)
    ///
    /// # Errors
    ///
    /// Returns all errors that it finds, or the error of the worker.
    pub async fn check_programs(&self, mode: &CodeMode) -> Result<usize, RegistryErrors> {
        let tools = self.named_tools();
        let mut errors = Vec::new();
        let mut count = 0;
        // Tried once before the programs, so that a missing worker is one error and not one for
        // each program.
        if let Err(error) = rehearsal::check_worker(mode).await {
            let message = format!("the programs were neither compiled nor run: {error}");
            errors.push(RegistryError::from_registry(
                RegistryErrorKind::UnusablePrograms { message },
            ));
            return RegistryErrors::fail_if_any(errors).map(|()| count);
        }
        for about in self.tools.iter().map(|tool| &tool.about) {
            let Some(program) = &about.program else {
                continue;
            };
            // Examples of a program that does not compile would all fail for the same reason.
            if let Err(why) = rehearsal::compile(mode, &program.code).await {
                errors.push(bad_program(about, format!("does not compile: {why}")));
                continue;
            }
            for (place, example) in program.recorded.iter().enumerate() {
                count += 1;
                if let Err(why) = rehearse(mode, about, program, example, &tools).await {
                    errors.push(bad_program(
                        about,
                        format!("does not pass recorded example {}: {why}", place + 1),
                    ));
                }
            }
        }
        RegistryErrors::fail_if_any(errors).map(|()| count)
    }

    /// Returns the number of tools that are programs.
    #[cfg(feature = "cli")]
    pub(crate) fn count_programs(&self) -> usize {
        self.tools
            .iter()
            .filter(|tool| tool.about.program.is_some())
            .count()
    }

    /// Reports the tools that programs name and the registry lacks, and the tools that a read-only
    /// program must not call.
    pub(super) fn check_program_calls(
        &self,
        names: &HashSet<&str>,
        errors: &mut Vec<RegistryError>,
    ) {
        let tools = self.named_tools();
        for about in self.tools.iter().map(|tool| &tool.about) {
            let Some(program) = &about.program else {
                continue;
            };
            let found = references(&program.code);
            let faults = found
                .into_iter()
                .filter_map(|found| check_reference(&found, program, &tools, names));
            errors.extend(faults.map(|fault| problem(about, fault)));
        }
    }

    fn named_tools(&self) -> RegistryTools<'_> {
        let mut groups = Vec::new();
        self.groups
            .iter()
            .for_each(|group| collect_groups("", group, &mut groups));
        RegistryTools {
            tools: self.tools.iter().map(|tool| &tool.about).collect(),
            groups,
        }
    }
}

fn file_problem(error: &ProgramFileError) -> RegistryError {
    RegistryError::from_registry(RegistryErrorKind::UnusablePrograms {
        message: error.to_string(),
    })
}

fn problem(about: &ToolSpec, kind: RegistryErrorKind) -> RegistryError {
    RegistryError {
        tool: about.name.to_string(),
        origin: about.origin.to_string(),
        kind,
    }
}

fn bad_program(about: &ToolSpec, why: String) -> RegistryError {
    problem(about, RegistryErrorKind::BadProgram { why })
}

fn check_reference(
    found: &ToolReference,
    program: &CodeProgram,
    tools: &RegistryTools<'_>,
    names: &HashSet<&str>,
) -> Option<RegistryErrorKind> {
    let line = found.line;
    let name = found.path.join(".");
    match tool_path::find(&found.path, tools) {
        Some(tool) if found.is_call && program.is_read_only && !tool.is_read_only() => {
            Some(RegistryErrorKind::ProgramWrites {
                line,
                name: tool.name.to_string(),
            })
        }
        Some(_) => None,
        // A group may be named alone: `const history = tools.history`.
        None if !found.is_call && tools.has_group(&found.path) => None,
        None => {
            let last = found.path.last().map_or("", String::as_str);
            let hint = did_you_mean(last, names, "register it, or correct the name");
            Some(RegistryErrorKind::UnknownProgramTool { line, name, hint })
        }
    }
}

/// Runs one recorded example.
async fn rehearse(
    mode: &CodeMode,
    about: &ToolSpec,
    program: &CodeProgram,
    example: &RecordedExample,
    tools: &RegistryTools<'_>,
) -> Result<(), String> {
    // The same steps as those of a call, so that an example cannot pass with arguments that are
    // refused.
    let arguments = about.input.completed(example.arguments.clone());
    let arguments = about
        .input
        .validator()?
        .validate(arguments)
        .map_err(|invalid| invalid.violations.render())?;
    let returned = rehearsal::run_recorded(mode, &program.code, &arguments, example, |path| {
        tool_path::find(path, tools).map(|tool| tool.name.to_string())
    })
    .await?;
    let Some(schema) = &about.output_schema else {
        return Ok(());
    };
    let schema = CompiledSchema::new(&Value::Object((**schema).clone()))?;
    let violations = schema.validate(&returned, &[]);
    violations.map_err(|violations| {
        format!(
            "the answer does not fit the output schema: {}",
            violations.render()
        )
    })
}

/// The tools of a registry, by name and by group.
struct RegistryTools<'a> {
    tools: Vec<&'a ToolSpec>,
    /// The groups by their paths.
    groups: Vec<(String, &'a GroupView)>,
}

impl RegistryTools<'_> {
    fn has_group(&self, names: &[String]) -> bool {
        self.groups.iter().any(|(path, _)| ends_with(path, names))
    }
}

fn collect_groups<'a>(
    above: &str,
    group: &'a GroupView,
    groups: &mut Vec<(String, &'a GroupView)>,
) {
    let path = format!("{above}/{}", group.name);
    group
        .groups
        .iter()
        .for_each(|inner| collect_groups(&path, inner, groups));
    groups.push((path, group));
}

impl<'a> NamedTools<'a> for RegistryTools<'a> {
    type Tool = &'a ToolSpec;

    fn exact(&self, name: &str) -> Option<Self::Tool> {
        self.tools.iter().copied().find(|tool| tool.name == name)
    }

    fn all(&self) -> impl Iterator<Item = (&'a str, Self::Tool)> {
        self.tools.iter().map(|tool| (&*tool.name, *tool))
    }

    fn is_in_group(&self, tool: Self::Tool, names: &[String]) -> bool {
        self.groups.iter().any(|(path, group)| {
            group.tools.iter().any(|name| *name == tool.name) && ends_with(path, names)
        })
    }
}
