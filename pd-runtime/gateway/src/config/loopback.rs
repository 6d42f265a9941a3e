//! URLs that name this machine. No proxy gets a request to one, plain HTTP is safe there, and a
//! person may be led there.

use pd_runtime::upstream::text::loopback::is_loopback_host;
use reqwest::Url;

/// Returns whether a URL names this machine. A proxy that got such a request would send it to the
/// proxy's own machine, with the headers of the entry.
pub(crate) fn is_loopback_url(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback_host)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn loopback_has_several_names() {
        for (url, is_loopback) in [
            ("http://localhost:1/mcp", true),
            ("http://LOCALHOST/mcp", true),
            ("http://localhost./mcp", true),
            ("http://api.localhost/mcp", true),
            ("http://127.9.9.9/mcp", true),
            ("http://[::1]:8/mcp", true),
            ("http://[::ffff:127.0.0.1]/mcp", true),
            ("https://localhost.example/mcp", false),
            ("https://127.0.0.1.example/mcp", false),
            ("https://notlocalhost/mcp", false),
            ("http://10.0.0.1/mcp", false),
            ("data:text/plain,localhost", false),
        ] {
            assert_eq!(is_loopback_url(&url.parse().unwrap()), is_loopback, "{url}");
        }
    }
}
