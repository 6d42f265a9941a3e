//! Answers of something that is not an MCP server, such as a proxy's login page or another path of
//! the same host, and what the owner of the gateway can do.

use crate::failure::failure_text::FailureText;
use reqwest::StatusCode;

/// The advice where a server was not found at its URL.
const OTHER_PATH: &str = "check the path in `url`: streamable HTTP is usually at `/mcp`, and HTTP+SSE at `/sse`, with \
     `\"type\": \"sse\"` in the entry";
/// The advice where a page for people was found.
const PAGE: &str = "a proxy or a login page may answer in place of the server, or the path in `url` is wrong; open the \
     URL in a browser";
/// The longest content type that is shown, in bytes.
const TYPE_MAX: usize = 60;

/// Explains a response that is not what was expected. `body` is its beginning, without secrets.
pub(super) fn explain(
    status: StatusCode,
    content_type: &str,
    body: &str,
    expected: &str,
) -> FailureText {
    let is_page = content_type.starts_with("text/html") || is_html(body);
    let kind = match is_page {
        true => "an HTML page".to_owned(),
        false => shown_type(content_type),
    };
    let failure = FailureText::from(format!("HTTP {status} with {kind} in place of {expected}"));
    match is_page {
        // The last line of a page says nothing, and its title says what it is.
        true => failure
            .with_body(title(body).unwrap_or_default())
            .with_advice(PAGE),
        false => failure.with_body(body).with_advice(OTHER_PATH),
    }
}

/// Adds advice to the refusal of a handshake, because the URL may need another path or transport.
pub(super) fn with_path_advice(failure: FailureText, status: StatusCode) -> FailureText {
    match status {
        StatusCode::NOT_FOUND
        | StatusCode::METHOD_NOT_ALLOWED
        | StatusCode::NOT_ACCEPTABLE
        | StatusCode::GONE => failure.with_advice(OTHER_PATH),
        _ => failure,
    }
}

/// Returns whether a body is not JSON, by its first byte. A body that was refused, such as a large
/// one, has none.
pub(super) fn is_foreign(body: &str) -> bool {
    let begin = body
        .trim_start_matches('\u{feff}')
        .trim_start()
        .chars()
        .next();
    // JSON that is cut or odd begins like this, too, and has a better reason.
    begin.is_some_and(|begin| !matches!(begin, '{' | '[' | '"'))
}

fn is_html(body: &str) -> bool {
    let start: String = body.trim_start().chars().take(9).collect();
    let start = start.to_ascii_lowercase();
    start.starts_with("<!doctype") || start.starts_with("<html")
}

fn title(page: &str) -> Option<&str> {
    let lower = page.to_ascii_lowercase();
    let start = lower.find("<title>")? + "<title>".len();
    let length = lower.get(start..)?.find("</title>")?;
    page.get(start..start + length)
}

/// Returns the type of a content without its parameters, in characters that a type may have.
fn shown_type(content_type: &str) -> String {
    let name = content_type.split(';').next().unwrap_or_default().trim();
    let is_type = !name.is_empty()
        && name.len() <= TYPE_MAX
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"/+-._".contains(&byte));
    match is_type {
        true => name.to_owned(),
        false => "no content type".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_answers_in_place_of_a_server_is_named() {
        for (kind, body, expected) in [
            (
                "text/html; charset=utf-8",
                "<!doctype html>\n<TITLE>Sign in</TITLE>\n<p>x",
                "HTTP 200 OK with an HTML page in place of a message; it answered: Sign in; a proxy",
            ),
            (
                "",
                " <HTML><body>x",
                "with an HTML page in place of a message; a proxy",
            ),
            (
                "text/plain",
                "It works!\n",
                "HTTP 200 OK with text/plain in place of a message; it answered: It works!; check the path",
            ),
            ("\u{1b}[2J", "ok", "with no content type in place"),
        ] {
            let text = explain(StatusCode::OK, kind, body, "a message").for_owner();
            assert!(text.contains(expected), "{kind}: {text}");
        }
        let others = explain(StatusCode::OK, "text/plain", "It works!", "a message").to_string();
        assert_eq!(others, "HTTP 200 OK with text/plain in place of a message");
    }
}
