//! What the other server answers: pieces of a body, or words about what went wrong.

use super::{error::FetchError, policy::FetchPolicy};
use reqwest::{Response, StatusCode};
use serde_json::Value;
use std::time::Instant;

/// How much of a refusal is read, in bytes.
const REFUSAL: usize = 4096;

/// How much of another server's words is repeated, in characters.
const WORDS: usize = 200;

/// An answer whose body is on its way. It has no `Debug`, which would show its URL.
pub(crate) struct Answer {
    response: Response,
    origin: String,
    policy: FetchPolicy,
    started: Instant,
    read: usize,
}

impl Answer {
    /// The answer, if it is what was asked for.
    pub(super) async fn of(
        response: Response,
        origin: String,
        policy: &FetchPolicy,
        started: Instant,
        secrets: &[String],
    ) -> Result<Self, FetchError> {
        let mut answer = Self { response, origin, policy: policy.clone(), started, read: 0 };
        let status = answer.response.status();
        if status.is_redirection() {
            return Err(FetchError::Redirect(answer.origin));
        }
        if status != StatusCode::OK {
            let words = answer.words(secrets).await;
            return Err(answer.refusal(status, words));
        }
        let announced = answer.response.content_length().and_then(|length| usize::try_from(length).ok());
        answer.count(announced.unwrap_or(0))?;
        answer.read = 0;
        Ok(answer)
    }

    /// The next piece.
    ///
    /// # Errors
    ///
    /// There is too much, it takes too long, or the connection broke.
    pub(crate) async fn piece(&mut self) -> Result<Option<impl AsRef<[u8]> + use<>>, FetchError> {
        let piece = self.response.chunk().await.map_err(|error| {
            let timed_out = self.policy.timed_out(&error, &self.origin, self.started);
            timed_out.unwrap_or_else(|| FetchError::BrokenOff(self.origin.clone()))
        })?;
        self.count(piece.as_ref().map_or(0, |piece| piece.len()))?;
        Ok(piece)
    }

    /// What to say of a body that is no rows.
    pub(crate) fn unreadable(&self, problem: &str) -> FetchError {
        FetchError::Unreadable { origin: self.origin.clone(), problem: problem.to_owned() }
    }

    fn count(&mut self, bytes: usize) -> Result<(), FetchError> {
        self.read = self.read.saturating_add(bytes);
        if self.read > self.policy.max_bytes {
            return Err(FetchError::TooLarge { origin: self.origin.clone(), limit: self.policy.max_bytes });
        }
        Ok(())
    }

    fn refusal(self, status: StatusCode, words: Option<String>) -> FetchError {
        let words = words.unwrap_or_else(|| format!("status {}", status.as_u16()));
        let origin = self.origin;
        match status {
            StatusCode::NOT_FOUND | StatusCode::GONE => FetchError::Gone { origin, words },
            StatusCode::CONFLICT => FetchError::Busy { origin, words },
            _ => FetchError::Refused { origin, words },
        }
    }

    /// What a JSON error says.
    async fn words(&mut self, secrets: &[String]) -> Option<String> {
        let mut text = Vec::new();
        while let Some(piece) = self.response.chunk().await.ok()? {
            text.extend_from_slice(&piece);
            if text.len() > REFUSAL {
                return None;
            }
        }
        let said: Value = serde_json::from_slice(&text).ok()?;
        let words = ["error", "message", "detail"].iter().find_map(|key| said.get(key)?.as_str());
        words.and_then(|words| presentable(words, secrets))
    }
}

/// The words without URLs or what of one takes the rows, on one line and cut.
fn presentable(words: &str, secrets: &[String]) -> Option<String> {
    let is_fit = |word: &&str| {
        let gives_away = |secret: &String| secret.len() >= 8 && word.contains(secret.as_str());
        !word.contains("://") && !word.contains("/s2sp/") && !secrets.iter().any(gives_away)
    };
    let kept: Vec<&str> = words
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .filter(is_fit)
        .collect();
    let kept: String = kept.join(" ").chars().take(WORDS).collect();
    (!kept.is_empty()).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_urls_and_secrets() {
        let secrets = ["s2sp".to_owned(), "AbCdEfGh123".to_owned()];
        let told = |words: &str| presentable(words, &secrets);
        assert_eq!(told("Unknown or expired resource").as_deref(), Some("Unknown or expired resource"));
        assert_eq!(told("no http://a/s2sp/data/x\nhere: AbCdEfGh123!").as_deref(), Some("no here:"));
        assert_eq!(told("/s2sp/data/x"), None);
        assert_eq!(told(&"a".repeat(500)).map(|words| words.len()), Some(WORDS));
    }
}
