//! Programs that an author writes, and that callers see as tools.

mod header;
mod parameter;
mod recorded;
pub(crate) mod references;
mod scanner;

pub(crate) use recorded::RecordedExample;

use crate::text::regular_file;
use serde_json::{Value, json};
use std::{
    fmt, io,
    path::{Path, PathBuf},
    time::Duration,
};

/// The largest file of a program, in bytes.
const FILE_BYTES_MAX: usize = 1 << 20;

#[doc = include_str!("../../docs/programs.md")]
#[derive(Debug, Clone)]
pub struct CodeProgram {
    pub(crate) name: String,
    pub(crate) summary: String,
    pub(crate) description: String,
    pub(crate) input_schema: Value,
    pub(crate) output_schema: Option<Value>,
    pub(crate) code: String,
    /// The examples of calls, each with a description.
    pub(crate) examples: Vec<(String, Value)>,
    pub(crate) is_read_only: bool,
    pub(crate) scopes: Vec<String>,
    pub(crate) timeout: Option<Duration>,
    /// The file that it was read from, or an empty text.
    pub(crate) origin: String,
    pub(crate) recorded: Vec<RecordedExample>,
}

impl CodeProgram {
    /// Creates a program from its name, a summary of one line, and its JavaScript. Without
    /// [`input_schema`](Self::input_schema) it takes no arguments.
    pub fn new(
        name: impl Into<String>,
        summary: impl Into<String>,
        code: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            summary: summary.into(),
            description: String::new(),
            input_schema: json!({ "type": "object", "properties": {}, "additionalProperties": false }),
            output_schema: None,
            code: code.into(),
            examples: Vec::new(),
            is_read_only: false,
            scopes: Vec::new(),
            timeout: None,
            origin: String::new(),
            recorded: Vec::new(),
        }
    }

    /// Reads a program from the file `NAME.js`, and its recorded examples from `NAME.test.json`, if
    /// that file exists.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read, or is not what it should be. The error has the
    /// file and the line.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ProgramFileError> {
        let path = path.as_ref();
        let code = read(path)?;
        let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) else {
            return Err(ProgramFileError::new(
                path,
                None,
                "its name is not UTF-8; rename it",
            ));
        };
        let header = header::parse(&code)
            .map_err(|(line, message)| ProgramFileError::new(path, Some(line), message))?;
        let mut program = Self::new(name, header.summary, code);
        program.description = header.description;
        program.input_schema = header.input_schema;
        program.output_schema = header.output_schema;
        program.examples = header.examples;
        program.is_read_only = header.is_read_only;
        program.scopes = header.scopes;
        program.origin = path.display().to_string();
        program.recorded = read_recorded(&path.with_extension("test.json"))?;
        Ok(program)
    }

    /// Reads all programs of a directory, sorted by name: the files `NAME.js`.
    ///
    /// # Errors
    ///
    /// Returns an error for each file that is not a program, or one if the directory cannot be
    /// read.
    pub fn from_directory(directory: impl AsRef<Path>) -> Result<Vec<Self>, Vec<ProgramFileError>> {
        let directory = directory.as_ref();
        let paths = script_paths(directory)
            .map_err(|error| vec![ProgramFileError::new(directory, None, error)])?;
        let mut programs = Vec::new();
        // Every file is read, so that an author sees all mistakes at once.
        let mut errors = Vec::new();
        for path in paths {
            match Self::from_file(path) {
                Ok(program) => programs.push(program),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            Ok(programs)
        } else {
            Err(errors)
        }
    }

    /// Sets the text of the full description, in Markdown. The default is the summary.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = text.into();
        self
    }

    /// Sets the input schema: a JSON Schema with an object as its root. The server inserts the
    /// `default` of a property that a call leaves out.
    #[must_use]
    pub fn input_schema(mut self, schema: Value) -> Self {
        self.input_schema = schema;
        self
    }

    /// Sets the schema of what the program returns. A call's result then has structured content.
    #[must_use]
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.output_schema = Some(schema);
        self
    }

    /// Adds a worked example of a call.
    #[must_use]
    pub fn example(mut self, description: impl Into<String>, arguments: Value) -> Self {
        self.examples.push((description.into(), arguments));
        self
    }

    /// Declares that the program changes nothing. It may then call read-only tools only.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.is_read_only = true;
        self
    }

    /// Adds a scope that the principal needs for the program. Each tool that the program calls
    /// needs its own scopes, too.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.scopes.push(scope.into());
        self
    }

    /// Sets the longest time of a run. The worker's
    /// [`run_timeout`](crate::code::CodeMode::run_timeout) holds, too.
    #[must_use]
    pub fn timeout(mut self, longest: Duration) -> Self {
        self.timeout = Some(longest);
        self
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Returns the paths of the files `NAME.js` of a directory, sorted.
fn script_paths(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let paths: io::Result<Vec<PathBuf>> = std::fs::read_dir(directory)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect();
    let mut paths: Vec<PathBuf> = paths?.into_iter().filter(|path| is_script(path)).collect();
    // A directory has no order, and the tools are listed in the order of their files.
    paths.sort();
    Ok(paths)
}

fn is_script(path: &Path) -> bool {
    let is_hidden = path
        .file_name()
        .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    !is_hidden && path.extension().is_some_and(|extension| extension == "js")
}

fn read(path: &Path) -> Result<String, ProgramFileError> {
    let text = regular_file::read_to_string(path)
        .map_err(|error| ProgramFileError::new(path, None, error))?;
    match text.len() <= FILE_BYTES_MAX {
        true => Ok(text),
        false => Err(ProgramFileError::new(
            path,
            None,
            format!("it has more than {FILE_BYTES_MAX} bytes; shorten it"),
        )),
    }
}

fn read_recorded(path: &Path) -> Result<Vec<RecordedExample>, ProgramFileError> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    serde_json::from_str(&read(path)?).map_err(|error| {
        let line = u32::try_from(error.line()).ok();
        let text = format!(
            "{error}; write `[{{\"arguments\": {{…}}, \"answers\": [{{\"tool\": \"NAME\", \"value\": …}}], \"returns\": …}}]`"
        );
        ProgramFileError::new(path, line, text)
    })
}

/// The error of a file that is not a program, or of its recorded examples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramFileError {
    path: PathBuf,
    line: Option<u32>,
    message: String,
}

impl ProgramFileError {
    fn new(path: &Path, line: Option<u32>, message: impl ToString) -> Self {
        Self {
            path: path.to_owned(),
            line,
            message: message.to_string(),
        }
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the line of the mistake, from 1, if the mistake has one.
    pub fn line(&self) -> Option<u32> {
        self.line
    }
}

impl fmt::Display for ProgramFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        write!(f, " {}", self.message)
    }
}

impl std::error::Error for ProgramFileError {}
