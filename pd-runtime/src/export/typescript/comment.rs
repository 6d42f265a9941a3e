//! Doc comments, from texts that may hold anything.

use std::fmt::Write;

/// A doc comment in the making: paragraphs, lists and tags.
#[derive(Debug, Default)]
pub(super) struct Comment {
    lines: Vec<String>,
}

impl Comment {
    /// A text, with an empty line before it where something stands there. An empty text is nothing.
    pub(super) fn paragraph(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        if !self.lines.is_empty() {
            self.lines.push(String::new());
        }
        self.lines.extend(text.trim().lines().map(|line| line.trim_end().to_owned()));
    }

    pub(super) fn list<T: AsRef<str>>(&mut self, title: &str, items: impl IntoIterator<Item = T>) {
        let items: Vec<String> = items.into_iter().map(|item| item.as_ref().trim().replace('\n', "\n  ")).collect();
        if !items.is_empty() {
            self.paragraph(&format!("{title}\n- {}", items.join("\n- ")));
        }
    }

    /// A line of its own, right below what stands there.
    pub(super) fn tag(&mut self, text: &str) {
        self.lines.extend(text.lines().map(str::to_owned));
    }

    /// The comment at this indentation, and the end of its last line; nothing where nothing is said.
    pub(super) fn text(&self, indent: &str) -> String {
        // What would end the comment, or begin a tag where none is meant, or hide a line's end from a reader.
        let safe = |line: &String| {
            let plain: String = line.chars().filter(|letter| !letter.is_control() || *letter == '\t').collect();
            plain.replace("*/", "*\\/")
        };
        let lines: Vec<String> = self.lines.iter().map(safe).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_comment_early() {
        let mut comment = Comment::default();
        comment.paragraph("src/**/*.rs\u{0}\r\n*/ alert()");
        comment.list("Notes:", ["a\nb"]);
        let text = comment.text("  ");
        assert_eq!(
            text,
            "  /**\n   * src/**\\/*.rs\n   * *\\/ alert()\n   *\n   * Notes:\n   * - a\n   *   b\n   */\n"
        );
        assert_eq!(Comment::default().text(""), "");
    }
}
