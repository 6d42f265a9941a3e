//! Doc comments made from arbitrary text.

use crate::text::{escape::is_obeyed, invisible::without_invisible};
use std::fmt::Write;

/// A doc comment that is being built from paragraphs, lists and tags.
#[derive(Debug, Default)]
pub(super) struct DocComment {
    lines: Vec<String>,
}

impl DocComment {
    /// Adds a paragraph, separated by an empty line from earlier text. An empty text adds nothing.
    pub(super) fn paragraph(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.set_apart();
            self.lines
                .extend(text.trim().lines().map(|line| escape_tags(line.trim_end())));
        }
    }

    pub(super) fn list<T: AsRef<str>>(&mut self, title: &str, items: impl IntoIterator<Item = T>) {
        let items: Vec<String> = items
            .into_iter()
            .map(|item| item.as_ref().trim().replace('\n', "\n  "))
            .collect();
        if !items.is_empty() {
            self.paragraph(&format!("{title}\n- {}", items.join("\n- ")));
        }
    }

    /// Adds a tag with a text, directly below earlier text.
    pub(super) fn tag(&mut self, name: &str, text: &str) {
        let mut lines = text.lines().map(escape_tags);
        self.lines.push(
            format!("@{name} {}", lines.next().unwrap_or_default())
                .trim_end()
                .to_owned(),
        );
        self.lines.extend(lines);
    }

    /// Adds a tag, separated by an empty line from earlier text.
    pub(super) fn block(&mut self, name: &str, text: &str) {
        self.set_apart();
        self.tag(name, text);
    }

    fn set_apart(&mut self) {
        if !self.lines.is_empty() {
            self.lines.push(String::new());
        }
    }

    /// Renders the comment at this indentation, with a line break at its end. An empty comment
    /// renders as nothing.
    pub(super) fn render(&self, indent: &str) -> String {
        // Texts could end the comment early, or contain characters that show a reader something
        // other than the file's contents.
        let lines: Vec<String> = self
            .lines
            .iter()
            .map(|line| strip_control(line).replace("*/", "*\\/"))
            .collect();
        match lines.as_slice() {
            [] => String::new(),
            [line] => format!("{indent}/** {line} */\n"),
            lines => {
                let mut text = format!("{indent}/**\n");
                for line in lines {
                    let _ = writeln!(text, "{}", format!("{indent} * {line}").trim_end());
                }
                text + indent + " */\n"
            }
        }
    }
}

/// Escapes each `@` that would begin a tag: TypeScript reads a tag at every `@` after whitespace.
fn escape_tags(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut before = ' ';
    for letter in strip_control(line).chars() {
        if letter == '@' && before.is_whitespace() {
            plain.push('\\');
        }
        plain.push(letter);
        before = letter;
    }
    plain
}

/// Removes invisible characters, and control characters that a terminal or an editor interprets,
/// except the tab.
fn strip_control(line: &str) -> String {
    without_invisible(line)
        .chars()
        .filter(|letter| !is_obeyed(*letter) || *letter == '\t')
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_comment_early() {
        let mut comment = DocComment::default();
        comment.paragraph("src/**/*.rs\u{0}\r\n*/ alert()");
        comment.list("Notes:", ["a\nb"]);
        let text = comment.render("  ");
        assert_eq!(
            text,
            "  /**\n   * src/**\\/*.rs\n   * *\\/ alert()\n   *\n   * Notes:\n   * - a\n   *   b\n   */\n"
        );
        assert_eq!(DocComment::default().render(""), "");
    }

    #[test]
    fn tags_are_only_those_that_are_meant() {
        let mut comment = DocComment::default();
        comment.paragraph("@deprecated\n  \u{0}@example of a@b.c and @d\u{202e}");
        comment.block("example", "first\n@second");
        comment.tag("minimum", "1");
        let lines = [
            "\\@deprecated",
            "  \\@example of a@b.c and \\@d",
            "",
            "@example first",
            "\\@second",
            "@minimum 1",
        ];
        let text = comment.render("");
        let told: Vec<&str> = text
            .lines()
            .filter_map(|line| Some(line.strip_prefix(" *")?.trim_end()))
            .collect();
        assert_eq!(
            told.get(..6).unwrap_or_default(),
            lines.map(|line| if line.is_empty() {
                String::new()
            } else {
                format!(" {line}")
            }),
            "{text}"
        );
    }
}
