//! The challenge of a server that refuses a request without a token.

use reqwest::{Response, header::WWW_AUTHENTICATE};

/// The longest challenge that is read and stored, in bytes.
const CHALLENGE_MAX: usize = 4_096;

/// Returns the challenge that names the server's metadata, or the first one for bearer tokens.
pub(super) fn bearer_challenge(response: &Response) -> Option<String> {
    let challenges = response
        .headers()
        .get_all(WWW_AUTHENTICATE)
        .iter()
        .filter_map(|value| value.to_str().ok());
    // A longer one would be kept in the file of tokens as well.
    let challenges: Vec<&str> = challenges
        .filter(|text| text.len() <= CHALLENGE_MAX)
        .collect();
    // A challenge with the URL of the metadata needs no search for it (RFC 9728, section 5.1).
    let named = challenges
        .iter()
        .find(|text| text.to_ascii_lowercase().contains("resource_metadata="));
    named
        .or_else(|| challenges.iter().find(|text| is_bearer(text)))
        .map(|text| (*text).to_owned())
}

fn is_bearer(challenge: &str) -> bool {
    challenge
        .get(..6)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("bearer"))
}
