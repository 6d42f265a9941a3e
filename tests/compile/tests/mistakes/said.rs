//! What the compiler says, shortened to what an author reads: the message, the marked lines, the notes that help.

const WIDTH: usize = 100;

/// Shortens a `.stderr` file.
pub(crate) fn shorten(stderr: &str) -> String {
    let mut reports: Vec<Vec<&str>> = Vec::new();
    for line in stderr.lines() {
        if line.starts_with("error") || line.starts_with("warning") {
            reports.push(Vec::new());
        }
        if let Some(report) = reports.last_mut() {
            report.push(line);
        }
    }
    let mut shortened: Vec<_> = reports.iter().map(|report| shorten_one(report)).collect();
    // Where rustc repeats itself, a reader need not.
    shortened.dedup();
    shortened.join("\n\n")
}

fn shorten_one(report: &[&str]) -> String {
    let mut lines = Vec::new();
    // What stands by itself at the edge begins a part of the report; of those behind the first, one is about the author.
    for part in
        report.chunk_by(|_, line| !line.starts_with("note: ") && !line.starts_with("help: "))
    {
        let message = part.first().unwrap_or(&"");
        if lines.is_empty() {
            lines = shorten_part(message, part);
        } else if message.starts_with("note: future is not") {
            lines.push(String::new());
            lines.extend(shorten_part(message, part));
        }
    }
    let notes: Vec<_> = report
        .iter()
        .filter_map(|line| note(line))
        .flat_map(|note| wrap(&note))
        .collect();
    if !notes.is_empty() {
        lines.push(String::new());
        lines.extend(notes);
    }
    lines.join("\n")
}

/// A message and the code that it marks.
fn shorten_part(message: &str, part: &[&str]) -> Vec<String> {
    let marked = part.iter().skip(2).map_while(|line| without_gutter(line));
    let marked: Vec<_> = marked.filter(|line| !line.is_empty()).collect();
    let indent = marked
        .iter()
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or_default();
    let code = marked
        .iter()
        .map(|line| format!("    {}", line.get(indent..).unwrap_or_default()));
    wrap(message)
        .into_iter()
        .chain([String::new()])
        .chain(code)
        .collect()
}

/// `12 | code` as `code`; `None` where the shown code ends.
fn without_gutter(line: &str) -> Option<&str> {
    if line == "..." {
        return Some(line);
    }
    let code = line
        .trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit())
        .strip_prefix('|')?;
    Some(code.strip_prefix(' ').unwrap_or(code))
}

/// The notes that we wrote; those about our own bounds and expansions help nobody who uses them.
fn note(line: &str) -> Option<String> {
    let text = line.trim_start().strip_prefix("= note: ")?;
    let ours = !["required for", "this error originates", "`#["]
        .iter()
        .any(|theirs| text.starts_with(theirs));
    ours.then(|| format!("note: {text}"))
}

fn wrap(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let full = lines
            .last()
            .is_some_and(|line| line.chars().count() + 1 + word.chars().count() > WIDTH);
        if full {
            lines.push(" ".to_owned());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
