//! Fetches a document from a URL.

use super::{
    answer_memory::UncountedMemory, client::RequestSender, error::OpenApiError,
    request::OperationRequest, text::TEXT_MAX,
};
use reqwest::Url;
use std::time::Duration;
use tokio::time::timeout;

/// How long a document may take.
const FETCH_TIMEOUT: Duration = Duration::from_secs(30);
const ACCEPT: &str = "application/json, application/yaml, text/yaml, */*;q=0.1";

/// Fetches the text of a document. Redirects are followed within the URL's origin.
///
/// # Errors
///
/// Returns an error if there is no answer in time, if it is an error or too large, or if it is not
/// UTF-8.
pub(super) async fn fetch(url: &str, headers: &[(String, String)]) -> Result<String, OpenApiError> {
    let failed = |why: String| OpenApiError::Fetch(why);
    let url = Url::parse(url).map_err(|_| failed("its URL is not valid".to_owned()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(failed("its URL is not one of HTTP".to_owned()));
    }
    let sender = RequestSender::new(&url, headers, TEXT_MAX)?;
    let request = OperationRequest {
        method: "get",
        url,
        headers: Vec::new(),
        body: None,
    };
    let answer = timeout(
        FETCH_TIMEOUT,
        sender.send(&request, ACCEPT, &mut UncountedMemory),
    )
    .await;
    let answer = answer
        .map_err(|_| failed(format!("no answer in {} seconds", FETCH_TIMEOUT.as_secs())))?
        .map_err(|error| failed(error.to_string()))?;
    match answer.status {
        200..=299 => {
            String::from_utf8(answer.body).map_err(|_| failed("its text is not UTF-8".to_owned()))
        }
        status @ 300..=399 => Err(failed(format!(
            "HTTP {status}; it is at another server now, so write the URL there"
        ))),
        status => Err(failed(format!("HTTP {status}"))),
    }
}
