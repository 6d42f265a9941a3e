//! The response of the other server: the pieces of a body, or a message about a failure.

use super::{error::RowFetchError, policy::FetchPolicy};
use crate::text::truncate::first_chars;
use reqwest::{Response, StatusCode};
use serde_json::Value;
use std::time::Instant;

/// The limit on the body of an error response that is read, in bytes.
const REFUSAL: usize = 4096;

/// The limit on the part of another server's message that is repeated, in characters.
const WORDS: usize = 200;

/// A response with a body that is still arriving. It does not implement `Debug`, which would print
/// its URL.
pub(crate) struct FetchResponse {
    response: Response,
    origin: String,
    policy: FetchPolicy,
    started: Instant,
    read: usize,
}

impl FetchResponse {
    /// Checks the status and the announced length of a response.
    pub(super) async fn from_response(
        response: Response,
        origin: String,
        policy: &FetchPolicy,
        started: Instant,
        secrets: &[String],
    ) -> Result<Self, RowFetchError> {
        let mut answer = Self {
            response,
            origin,
            policy: policy.clone(),
            started,
            read: 0,
        };
        let status = answer.response.status();
        // The clients follow no redirect, so reqwest returns it as a response.
        if status.is_redirection() {
            return Err(RowFetchError::Redirect(answer.origin));
        }
        if status != StatusCode::OK {
            let words = answer.words(secrets).await;
            return Err(answer.refusal(status, words));
        }
        let announced = answer
            .response
            .content_length()
            .and_then(|length| usize::try_from(length).ok());
        // Refuse a body that announces too many bytes before reading any of it. Then count from
        // zero, because a server may send another number of bytes.
        answer.count(announced.unwrap_or(0))?;
        answer.read = 0;
        Ok(answer)
    }

    /// Returns the next piece of the body, or `None` at its end.
    ///
    /// # Errors
    ///
    /// Returns an error if the body is too large, takes too long, or the connection broke.
    pub(crate) async fn piece(
        &mut self,
    ) -> Result<Option<impl AsRef<[u8]> + use<>>, RowFetchError> {
        let piece = self.response.chunk().await.map_err(|error| {
            let timed_out = self.policy.timed_out(&error, &self.origin, self.started);
            timed_out.unwrap_or_else(|| RowFetchError::BrokenOff(self.origin.clone()))
        })?;
        self.count(piece.as_ref().map_or(0, |piece| piece.len()))?;
        Ok(piece)
    }

    /// Creates the error for a body that does not contain rows.
    pub(crate) fn unreadable(&self, problem: &str) -> RowFetchError {
        RowFetchError::Unreadable {
            origin: self.origin.clone(),
            problem: problem.to_owned(),
        }
    }

    fn count(&mut self, bytes: usize) -> Result<(), RowFetchError> {
        // A server may announce any length.
        self.read = self.read.saturating_add(bytes);
        if self.read > self.policy.max_bytes {
            return Err(RowFetchError::TooLarge {
                origin: self.origin.clone(),
                limit: self.policy.max_bytes,
            });
        }
        Ok(())
    }

    fn refusal(self, status: StatusCode, words: Option<String>) -> RowFetchError {
        let words = words.unwrap_or_else(|| format!("status {}", status.as_u16()));
        let origin = self.origin;
        match status {
            // 410 has the same meaning as 404 here (RFC 9110, section 15.5.11).
            StatusCode::NOT_FOUND | StatusCode::GONE => RowFetchError::Gone { origin, words },
            StatusCode::CONFLICT => RowFetchError::Busy { origin, words },
            _ => RowFetchError::Refused { origin, words },
        }
    }

    /// Reads the message of a JSON error.
    async fn words(&mut self, secrets: &[String]) -> Option<String> {
        let mut text = Vec::new();
        while let Some(piece) = self.response.chunk().await.ok()? {
            text.extend_from_slice(&piece);
            // A body that goes on is not read to its end, because it may have none.
            if text.len() > REFUSAL {
                return None;
            }
        }
        let body: Value = serde_json::from_slice(&text).ok()?;
        // MCP-SD has `error`. Other frameworks use the other names.
        let words = ["error", "message", "detail"]
            .iter()
            .find_map(|key| body.get(key)?.as_str());
        words.and_then(|words| redact(words, secrets))
    }
}

/// Removes URLs and parts of the capability URL from a message, joins its lines, and truncates it.
/// The message goes to the model and to logs, and a repeated token would grant access to the rows.
fn redact(words: &str, secrets: &[String]) -> Option<String> {
    let is_fit = |word: &&str| {
        // Short path segments such as `data` occur in normal text and reveal nothing.
        !word.contains("://")
            && !word.contains("/s2sp/")
            && !secrets
                .iter()
                .any(|secret| secret.len() >= 8 && word.contains(secret.as_str()))
    };
    let kept: Vec<&str> = words
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .filter(is_fit)
        .collect();
    let kept: String = first_chars(&kept.join(" "), WORDS).to_owned();
    (!kept.is_empty()).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_urls_and_secrets() {
        let secrets = ["s2sp".to_owned(), "AbCdEfGh123".to_owned()];
        let redacted = |words: &str| redact(words, &secrets);
        assert_eq!(
            redacted("Unknown or expired resource").as_deref(),
            Some("Unknown or expired resource")
        );
        assert_eq!(
            redacted("no http://a/s2sp/data/x\nhere: AbCdEfGh123!").as_deref(),
            Some("no here:")
        );
        assert_eq!(redacted("/s2sp/data/x"), None);
        assert_eq!(
            redacted(&"a".repeat(500)).map(|words| words.len()),
            Some(WORDS)
        );
    }
}
