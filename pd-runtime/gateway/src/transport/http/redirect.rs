//! Redirects within a server's origin, which are followed once and remembered for the connection.

use parking_lot::Mutex;
use pd_runtime::upstream::text::truncate::first_chars;
use reqwest::{Response, StatusCode, Url, header::LOCATION};

/// The redirects of one connection that are remembered.
const REDIRECTS_MAX: usize = 16;
/// The characters of a target's URL that an error shows.
const TARGET_SHOWN: usize = 200;

/// The URLs of a server that redirect, each with its target.
#[derive(Debug, Default)]
pub(super) struct Redirects(Mutex<Vec<(Url, Url)>>);

/// Returns whether a response names another URL.
pub(super) fn is_redirect(status: StatusCode) -> bool {
    // 304 answers a conditional request, and names no URL (RFC 9110, section 15.4.5).
    status.is_redirection() && status != StatusCode::NOT_MODIFIED
}

impl Redirects {
    /// Returns where requests to a URL go.
    pub(super) fn target(&self, url: &Url) -> Url {
        let known = self.0.lock();
        known
            .iter()
            .find(|(from, _)| from == url)
            .map_or(url, |(_, target)| target)
            .clone()
    }

    /// Remembers a redirect that keeps method and body (307 and 308) and the origin. `entry` is the
    /// server's URL. Its user information is a secret.
    ///
    /// # Errors
    ///
    /// Returns the URL to write in the entry, without secrets.
    pub(super) fn follow(
        &self,
        entry: &Url,
        response: &Response,
        is_first: bool,
    ) -> Result<(), String> {
        let status = response.status();
        let from = response.url();
        let location = response
            .headers()
            .get(LOCATION)
            .and_then(|location| location.to_str().ok());
        let Some(mut target) = location.and_then(|location| from.join(location).ok()) else {
            return Err(format!(
                "HTTP {status} without a valid `Location`; check the URL in the entry"
            ));
        };
        // After 301 and 302, clients may change a POST to a GET (RFC 9110, section 15.4).
        let keeps_method = matches!(
            status,
            StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
        );
        let own_user = user_of(entry);
        let other_user = user_of(&target);
        // Other user information would send the request with another person's credential.
        let is_own_user = other_user == own_user || other_user == (String::new(), None);
        let is_within = target.origin() == entry.origin() && is_own_user;
        // Absolute targets repeat no user information.
        let is_set = target
            .set_username(&own_user.0)
            .and_then(|()| target.set_password(own_user.1.as_deref()));
        let mut known = self.0.lock();
        // A second redirect in a row, or one to the same URL, can be a loop.
        let is_followed =
            is_first && keeps_method && is_within && is_set.is_ok() && target != *from;
        if !is_followed || known.len() >= REDIRECTS_MAX {
            return Err(format!(
                "HTTP {status} redirects to {}; write this URL in the entry",
                shown(target)
            ));
        }
        known.push((from.clone(), target));
        Ok(())
    }
}

fn user_of(url: &Url) -> (String, Option<String>) {
    (url.username().to_owned(), url.password().map(str::to_owned))
}

/// Returns a URL without user information, query and fragment, which can be secrets.
fn shown(mut url: Url) -> String {
    url.set_query(None);
    url.set_fragment(None);
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    first_chars(url.as_str(), TARGET_SHOWN).to_owned()
}
