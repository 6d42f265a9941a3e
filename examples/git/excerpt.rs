//! Text that may be long: an excerpt of its lines that says how to read on.

/// Longer lines are cut: a minified file's only line would be the whole answer.
const LINE_MAX: usize = 1000;

/// Longer messages of commits and tags are cut too; a generated changelog may run to megabytes.
pub(super) const MESSAGE_MAX: usize = 10_000;

/// An excerpt in the making.
#[derive(Debug)]
pub(super) struct Excerpt {
    skip: u32,
    limit: u32,
    seen: u32,
    text: String,
}

impl Excerpt {
    /// An excerpt of `limit` lines after the first `skip`.
    pub(super) fn new(skip: u32, limit: u32) -> Self {
        Self {
            skip,
            limit,
            seen: 0,
            text: String::new(),
        }
    }

    /// Offers the text's next line. False once the excerpt is full and known not to be the end.
    pub(super) fn line(&mut self, line: &[u8]) -> bool {
        let place = self.seen;
        self.seen = self.seen.saturating_add(1);
        if place >= self.end() {
            return false;
        }
        if place >= self.skip {
            self.text.push_str(&shortened(line, LINE_MAX));
            self.text.push('\n');
        }
        true
    }

    /// The excerpt; where it is not the end, its last line tells which value of `argument` continues it.
    pub(super) fn finish(self, argument: &str, next: impl FnOnce(u32) -> u32) -> String {
        let end = self.end();
        let mut text = self.text;
        if self.seen > end {
            text.push_str(&format!(
                "[… more follows: call again with `{argument}` = {}]\n",
                next(end)
            ));
        } else if text.is_empty() {
            // Some hosts take an empty answer for a failure.
            text = if self.seen == 0 {
                "[nothing]\n".to_owned()
            } else {
                format!("[there are only {} lines]\n", self.seen)
            };
        }
        text
    }

    fn end(&self) -> u32 {
        self.skip.saturating_add(self.limit)
    }
}

/// A line or message as text, at most `max` characters long.
pub(super) fn shortened(line: &[u8], max: usize) -> String {
    let text = String::from_utf8_lossy(line);
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{} [… cut]", text.get(..end).unwrap_or_default()),
        None => text.into_owned(),
    }
}
