//! The mistakes that a configuration file can contain, each with a message about how to correct it.
//! No message contains the value of a variable, a header or an argument.

use pd_runtime::upstream::text::escape::one_line;
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// The limit on the number of mistakes that are kept for one file.
const MISTAKES_MAX: usize = 100;

/// One mistake in a configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigMistake {
    /// The file.
    pub path: PathBuf,
    /// The line and column, counted from 1. `None` if the mistake concerns the file as a whole.
    pub position: Option<(usize, usize)>,
    /// The name of the server's entry, as the file has it. `None` outside of entries.
    pub entry: Option<String>,
    /// The key within the entry, such as `env.TOKEN` or `args[2]`. `None` if the mistake concerns
    /// the entry as a whole.
    pub key: Option<String>,
    /// The kind of mistake.
    pub kind: ConfigErrorKind,
}

/// The kinds of mistakes in a configuration file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigErrorKind {
    /// The operating system refused to read the file.
    #[error("the file cannot be read: {why}; check its path and permissions")]
    Unreadable {
        /// The operating system's message.
        why: String,
    },
    /// The file exceeds the size limit.
    #[error("the file has more than {max} bytes; move the servers to a file of their own")]
    TooLarge {
        /// The limit, in bytes.
        max: u64,
    },
    /// A byte is not UTF-8.
    #[error("a byte is not UTF-8; save the file as UTF-8")]
    NotUtf8,
    /// The file is not valid JSON or TOML.
    #[error("the file is not valid {format}: {why}; correct the syntax here")]
    Syntax {
        /// `JSON` or `TOML`.
        format: &'static str,
        /// The parser's message.
        why: String,
    },
    /// The file is YAML.
    #[error("the file is YAML{client}, which is not read; {advice}")]
    Yaml {
        /// ` of CLIENT`, or an empty text if the client is not known.
        client: &'static str,
        /// What to write instead.
        advice: &'static str,
    },
    /// The file has no object of servers.
    #[error("the file has no servers; {hint}")]
    NoServers {
        /// A suggestion, or the keys that contain servers.
        hint: String,
    },
    /// The file has two objects of servers.
    #[error("the file has both `{one}` and `{other}`; move all entries to one of them")]
    TwoServerObjects {
        /// The first key.
        one: String,
        /// The second key.
        other: String,
    },
    /// The file or an entry exceeds a limit.
    #[error("there are more than {max} {what}; remove some of them, or {advice}")]
    TooMany {
        /// The items.
        what: &'static str,
        /// The limit.
        max: usize,
        /// An alternative to removing items.
        advice: &'static str,
    },
    /// The value has the wrong type.
    #[error("this must be {wanted}, but it is {found}")]
    WrongType {
        /// The expected type.
        wanted: &'static str,
        /// The actual type.
        found: &'static str,
    },
    /// The text is empty.
    #[error("this must not be empty; write a value, or remove the key")]
    EmptyText,
    /// The key occurs twice in one object.
    #[error("`{key}` occurs twice; remove one of them")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// The key is not a setting of the object `pd`, or of a tool in it.
    #[error("`{key}` is not a valid setting here; {hint}")]
    UnknownSetting {
        /// The key.
        key: String,
        /// A suggestion, or the list of valid keys.
        hint: String,
    },
    /// The value is not one of the valid choices.
    #[error("`{value}` is not a valid value here; write one of {choices}")]
    UnknownChoice {
        /// The value.
        value: String,
        /// The valid values.
        choices: String,
    },
    /// The name of an entry is empty.
    #[error("the name of the server is empty; give it a name")]
    EmptyName,
    /// The name of an entry is too long.
    #[error("the name of the server has {length} characters, and the limit is {max}; shorten it")]
    LongName {
        /// The number of characters.
        length: usize,
        /// The limit.
        max: usize,
    },
    /// Two entries have the same name.
    #[error(
        "the server has the same name as `{other}` in line {line}: both become `{name}`; rename one of them"
    )]
    SameName {
        /// The name that both entries get.
        name: String,
        /// The name of the other entry, as the file has it.
        other: String,
        /// The line of the other entry.
        line: usize,
    },
    /// The name contains the separator of server and tool. This is a warning.
    #[error(
        "the name of the server contains `__`, which separates server and tool in the names of tools; rename it, or set `pd.prefix`"
    )]
    SeparatorInName,
    /// The entry has neither a program nor a URL.
    #[error(
        "the entry has no `command` and no `url`; add `command` for a program, `url` for a remote server, or `openapi` for an API"
    )]
    NoTransport,
    /// A key differs from one that is read.
    #[error("`{key}` is not read; did you mean `{near}`?")]
    MisspelledKey {
        /// The key.
        key: String,
        /// The key that is read.
        near: &'static str,
    },
    /// The entry is of a kind that the gateway does not run.
    #[error("`{value}` is not a kind of server that the gateway runs; {advice}")]
    UnusableType {
        /// The kind, as the file has it.
        value: String,
        /// What to do.
        advice: &'static str,
    },
    /// The program's path contains its arguments.
    #[error(
        "there is no program of this name with its spaces; write `\"command\": \"{program}\"`, and move the rest to `args`"
    )]
    ArgumentsInCommand {
        /// The first word of the command.
        program: String,
    },
    /// The arguments are one text.
    #[error(
        "this must be an array with a string for each argument, such as `[\"-y\", \"PACKAGE\"]`, but it is a string"
    )]
    ArgumentsInText,
    /// The server is switched off in its client. This is a warning.
    #[error("the server is {switch}, so it is left out")]
    SwitchedOff {
        /// The switch, as `switched off in CLIENT (KEY in FILE)`.
        switch: String,
    },
    /// Two keys of the entry exclude each other.
    #[error("`{one}` and `{other}` exclude each other; remove one of them")]
    ExclusiveKeys {
        /// The first key.
        one: &'static str,
        /// The second key.
        other: &'static str,
    },
    /// The `type` of the entry does not fit its other keys.
    #[error("`type` is `{kind}`, which needs `{missing}`; add `{missing}`, or correct `type`")]
    TypeMismatch {
        /// The type.
        kind: &'static str,
        /// The missing key.
        missing: &'static str,
    },
    /// The URL cannot be used.
    #[error("{why}")]
    BadUrl {
        /// The reason, and what to write instead.
        why: &'static str,
    },
    /// An environment variable is not set.
    #[error(
        "the environment variable `{variable}` is not set; set it, or write a default: `${{{variable}:-default}}`"
    )]
    UnsetVariable {
        /// The variable.
        variable: String,
    },
    /// An environment variable that a key names is not set.
    #[error("the environment variable `{variable}` is not set; set it before the gateway starts")]
    UnsetNamedVariable {
        /// The variable.
        variable: String,
    },
    /// An input of VS Code has no value.
    #[error("the input `{id}` has no value; set the environment variable `{variable}`")]
    MissingInput {
        /// The id of the input.
        id: String,
        /// The variable that provides the input.
        variable: String,
    },
    /// The kind of variable is not supported.
    #[error(
        "`${{{beginning}…}}` is not supported; write the value itself, or use an environment variable: `${{NAME}}`"
    )]
    UnsupportedVariable {
        /// The beginning of the text between the braces. The rest can be a secret.
        beginning: String,
    },
    /// The default of a variable contains another variable.
    #[error(
        "the default of `{variable}` contains another variable; write a plain text as the default"
    )]
    NestedVariable {
        /// The variable with the default.
        variable: String,
    },
    /// The text is not the name of an environment variable.
    #[error("this is not the name of an environment variable; write a name without `=`")]
    BadVariableName,
    /// The text is not the name of an HTTP header.
    #[error("this is not the name of an HTTP header; use letters, digits and `-`")]
    BadHeaderName,
    /// The text contains a control character.
    #[error("the value contains a control character, such as a line break; remove it")]
    ControlCharacter,
    /// The file of environment variables cannot be read.
    #[error("the environment file {} cannot be read: {why}; create it, or correct `envFile`", path.display())]
    UnreadableEnvFile {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A line in the file of environment variables is not an assignment.
    #[error("line {line} of the environment file {} is not valid, and is left out; write `NAME=value`", path.display())]
    BadEnvFileLine {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// The number is not a duration.
    #[error("this must be a number of {unit} {above}, and at most {max}")]
    BadDuration {
        /// The unit.
        unit: &'static str,
        /// The lower bound, as text.
        above: &'static str,
        /// The upper bound.
        max: u64,
    },
    /// The number is not a count.
    #[error("this must be a whole number from 1 to {max}")]
    BadCount {
        /// The upper bound.
        max: u32,
    },
    /// The text is not a rate.
    #[error(
        "this is not a rate; write calls per unit of time, such as `10/s`, `60/min` or `1000/h`"
    )]
    BadRate,
    /// The text is not a pattern of tool names.
    #[error(
        "`*` is allowed at the end of a name only; write the whole name, or its beginning and `*`"
    )]
    BadPattern,
    /// The text cannot be a prefix of tool names.
    #[error(
        "this must have at most {max} letters, digits, `_` and `-`; write a shorter or simpler prefix, or `\"\"` for none"
    )]
    BadPrefix {
        /// The limit.
        max: usize,
    },
    /// The key has no effect without another one.
    #[error("this needs `{needed}`; add `{needed}`, or remove it here")]
    MissingKey {
        /// The missing key.
        needed: &'static str,
    },
    /// The document of a project could send the entry's credentials to any server.
    #[error(
        "a project's document could send the credentials of the entry to another server; add `url` with the URL of the API"
    )]
    CredentialsWithoutUrl,
    /// The text has several lines.
    #[error("this must be one line; remove the line breaks")]
    SeveralLines,
}

impl ConfigErrorKind {
    /// Returns whether the file is correct, and the environment lacks a value that an entry needs.
    /// Such an entry is left out, and the other servers of the file run.
    pub fn is_missing_value(&self) -> bool {
        use ConfigErrorKind::{MissingInput, UnreadableEnvFile, UnsetNamedVariable, UnsetVariable};
        matches!(
            self,
            UnsetVariable { .. }
                | UnsetNamedVariable { .. }
                | MissingInput { .. }
                | UnreadableEnvFile { .. }
        )
    }
}

impl fmt::Display for ConfigMistake {
    /// Writes `path:line:column: server, key: message`, the format that compilers print and editors
    /// can follow. Each mistake is one line, even if a name in the file contains line breaks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", one_line(&self.path.display().to_string()))?;
        if let Some((line, column)) = self.position {
            write!(f, "{line}:{column}:")?;
        }
        match (&self.entry, &self.key) {
            (Some(entry), Some(key)) => {
                write!(f, " server `{}`, key `{}`:", one_line(entry), one_line(key))?
            }
            (Some(entry), None) => write!(f, " server `{}`:", one_line(entry))?,
            (None, Some(key)) => write!(f, " key `{}`:", one_line(key))?,
            (None, None) => {}
        }
        write!(f, " {}", one_line(&self.kind.to_string()))
    }
}

/// All mistakes found in a configuration file.
#[derive(Clone, PartialEq, Eq)]
pub struct ConfigError {
    path: PathBuf,
    mistakes: Vec<ConfigMistake>,
    /// The number of mistakes that are not kept.
    omitted: usize,
}

impl ConfigError {
    /// Creates the error for a mistake that concerns the file as a whole.
    pub(super) fn from_file(path: &Path, kind: ConfigErrorKind) -> Self {
        Self::from_position(path, None, kind)
    }

    /// Creates the error for a mistake that prevents the reading of the rest of the file.
    pub(super) fn from_position(
        path: &Path,
        position: Option<(usize, usize)>,
        kind: ConfigErrorKind,
    ) -> Self {
        let mistake = ConfigMistake {
            path: path.to_owned(),
            position,
            entry: None,
            key: None,
            kind,
        };
        Self {
            path: path.to_owned(),
            mistakes: vec![mistake],
            omitted: 0,
        }
    }

    /// Creates the error for the mistakes in a file. A limited number of them is kept.
    pub(super) fn from_mistakes(path: &Path, mut mistakes: Vec<ConfigMistake>) -> Self {
        // Before the cut, which keeps the first ones: keys are not read in the order of the file.
        mistakes.sort_by_key(|mistake| mistake.position);
        let omitted = mistakes.len().saturating_sub(MISTAKES_MAX);
        mistakes.truncate(MISTAKES_MAX);
        Self {
            path: path.to_owned(),
            mistakes,
            omitted,
        }
    }

    /// Iterates over the mistakes by line and column.
    pub fn iter(&self) -> impl Iterator<Item = &ConfigMistake> {
        self.mistakes.iter()
    }

    /// Returns whether the only mistake is that the file has no servers. A search for
    /// configurations skips such files: most clients keep other settings in the same file.
    pub fn is_without_servers(&self) -> bool {
        matches!(
            self.mistakes.as_slice(),
            [ConfigMistake {
                kind: ConfigErrorKind::NoServers { .. },
                ..
            }]
        )
    }
}

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.mistakes.len() + self.omitted;
        let plural = if count == 1 { "mistake" } else { "mistakes" };
        write!(
            f,
            "the configuration {} has {count} {plural}:",
            one_line(&self.path.display().to_string())
        )?;
        self.mistakes
            .iter()
            .try_for_each(|mistake| write!(f, "\n{mistake}"))?;
        if self.omitted > 0 {
            write!(f, "\nand {} more; correct these first", self.omitted)?;
        }
        Ok(())
    }
}

// `unwrap` prints the `Debug` output, so a failing test shows the full message.
impl fmt::Debug for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
