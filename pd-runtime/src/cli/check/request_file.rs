//! A file of requests in JSON Lines, each with the tools that answer it.

use super::CliError;
use crate::{
    Registry,
    registry::found_by::REQUEST_BYTES_MAX,
    search::request_check::ExpectedRequest,
    text::{escape::one_line, regular_file},
};
use pd_schema::suggest::nearest_tool;
use serde::Deserialize;
use std::{collections::HashMap, io::Read, path::Path};

/// The maximum size of a file, in bytes.
const FILE_MAX: u64 = 16 * 1_024 * 1_024;

/// The maximum number of requests.
const REQUESTS_MAX: usize = 20_000;

/// The number of mistakes that an error shows.
const MISTAKES_SHOWN: usize = 10;

/// The form of a line, for messages.
const FORM: &str = r#"{"text": "what a caller asks for", "relevant": ["tool"]}"#;

/// A line of the file. Other members are ignored, because files of benchmarks have more.
#[derive(Debug, Deserialize)]
struct RequestLine {
    #[serde(alias = "query")]
    text: String,
    relevant: Vec<String>,
}

/// Reads the requests. Empty lines are skipped.
///
/// # Errors
///
/// Returns an error if the file cannot be read, is too large or has no requests. Otherwise returns
/// the mistakes of all lines, each with its number.
pub(super) fn read_requests<S: 'static>(
    path: &Path,
    registry: &Registry<S>,
) -> Result<Vec<ExpectedRequest>, CliError> {
    let shown = path.display();
    let text = read(path).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    let names: Vec<&str> = registry.names().collect();
    let places: HashMap<&str, usize> = names
        .iter()
        .enumerate()
        .map(|(place, name)| (*name, place))
        .collect();
    let lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty());
    let mut requests = Vec::new();
    let mut mistakes = LineMistakes::default();
    for (number, line) in lines {
        match read_line(line, &names, &places) {
            Ok((text, tools)) => requests.push(ExpectedRequest {
                text,
                tools,
                origin: format!("{shown}:{number}"),
            }),
            Err(mistake) => mistakes.add(format_args!("{shown}:{number}: {mistake}")),
        }
        // Checked for each line, so that no more requests than these are in memory.
        if requests.len() > REQUESTS_MAX {
            return Err(format!("{shown} has more than {REQUESTS_MAX} requests; split it").into());
        }
    }
    match mistakes.count {
        0 if requests.is_empty() => {
            Err(format!("{shown} has no requests; write one on each line, as {FORM}").into())
        }
        0 => Ok(requests),
        _ => Err(mistakes.render().into()),
    }
}

/// Reads a whole file of limited size.
fn read(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    // One byte beyond the limit tells a file at the limit from a larger one.
    regular_file::open(path)?
        .take(FILE_MAX + 1)
        .read_to_string(&mut text)?;
    if text.len() as u64 > FILE_MAX {
        let error = format!(
            "it is larger than {} MiB; split it",
            FILE_MAX / 1_024 / 1_024
        );
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, error));
    }
    Ok(text)
}

fn read_line(
    line: &str,
    names: &[&str],
    places: &HashMap<&str, usize>,
) -> Result<(String, Vec<usize>), String> {
    // serde_json counts lines from the beginning of its input, which is this line.
    let RequestLine { text, relevant } = serde_json::from_str(line).map_err(|error| {
        let column = error.column();
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        format!("{} at column {column}; a line is {FORM}", one_line(message))
    })?;
    if !text.contains(char::is_alphanumeric) {
        return Err("the request has no word; write in `text` what a caller asks for".to_owned());
    }
    if text.len() > REQUEST_BYTES_MAX {
        let length = text.len();
        return Err(format!(
            "the request has {length} bytes, and search reads {REQUEST_BYTES_MAX}; shorten `text`"
        ));
    }
    if relevant.is_empty() {
        return Err("`relevant` is empty; name the tools that answer the request".to_owned());
    }
    let relevant = relevant.iter();
    let tools = relevant.map(|name| {
        places
            .get(name.as_str())
            .copied()
            .ok_or_else(|| unknown_tool(name, names))
    });
    Ok((text, tools.collect::<Result<_, _>>()?))
}

fn unknown_tool(name: &str, names: &[&str]) -> String {
    let advice = match nearest_tool(name, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`list` shows the tools".to_owned(),
    };
    format!("no such tool: `{}`; {advice}", one_line(name))
}

/// The mistakes in the lines of a file. Only the first ones are kept, because a file that has
/// another form has one in each of its millions of lines.
#[derive(Debug, Default)]
struct LineMistakes {
    first: Vec<String>,
    count: usize,
}

impl LineMistakes {
    fn add(&mut self, mistake: std::fmt::Arguments<'_>) {
        self.count += 1;
        if self.first.len() < MISTAKES_SHOWN {
            self.first.push(mistake.to_string());
        }
    }

    fn render(mut self) -> String {
        let rest = self.count - self.first.len();
        self.first
            .extend((rest > 0).then(|| format!("and {rest} more mistakes")));
        self.first.join("\n")
    }
}
