//! What a client could not know beforehand, filled in where a frame names it: `$META`, `$SESSION`, and `$T1`, the first ticket
//! it was given.

use super::Client;

/// A client's memory.
#[derive(Debug, Default)]
pub(crate) struct Script {
    heard: String,
    session: String,
}

impl Script {
    pub(crate) fn hears(&mut self, lines: &[String]) {
        for line in lines {
            self.heard.push_str(line);
            self.heard.push('\n');
        }
    }

    pub(crate) fn hears_session(&mut self, id: &str) {
        id.clone_into(&mut self.session);
    }

    pub(crate) fn heard(&self) -> &str {
        &self.heard
    }

    /// Bytes that are no text stay as they are.
    pub(crate) fn filled(&self, frame: &[u8]) -> Vec<u8> {
        let Ok(text) = std::str::from_utf8(frame) else {
            return frame.to_vec();
        };
        if !text.contains('$') {
            return frame.to_vec();
        }
        let meta = Client {
            inline: true,
            extension: text.contains("$METAX"),
        }
        .meta()
        .unwrap_or_default()
        .to_string();
        let mut text = text
            .replace("$METAX", &meta)
            .replace("$META", &meta)
            .replace("$SESSION", &self.session);
        for (place, ticket) in self.tickets().iter().enumerate().take(9) {
            text = text.replace(&format!("$T{}", place + 1), ticket);
        }
        text.into_bytes()
    }

    /// All that looks like one, in the order heard.
    fn tickets(&self) -> Vec<&str> {
        let runs = self
            .heard
            .split(|c: char| !c.is_ascii_digit())
            .filter(|run| run.len() == 18);
        let mut tickets = Vec::new();
        for run in runs {
            if !tickets.contains(&run) {
                tickets.push(run);
            }
        }
        tickets
    }
}
