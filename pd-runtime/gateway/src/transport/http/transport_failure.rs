//! Why a request over HTTP got no response, and what the owner of the gateway can do.

use crate::failure::failure_text::FailureText;

/// What TLS reports, and the reason in plain words with what to do. The first that fits counts.
const TLS_REASONS: [(&str, &str); 8] = [
    (
        "CaUsedAsEndEntity",
        "its certificate is that of a certificate authority, which a server must not use; make one for the server, \
         such as by `openssl req -x509` with `-addext basicConstraints=critical,CA:FALSE`, and set SSL_CERT_FILE to it",
    ),
    (
        "UnknownIssuer",
        "its certificate is self-signed, or of a certificate authority that this system does not know; set the \
         variable SSL_CERT_FILE of the gateway to the PEM file of its CA",
    ),
    (
        "self-signed",
        "its certificate is self-signed; set the variable SSL_CERT_FILE of the gateway to its PEM file",
    ),
    (
        "certificate expired",
        "its certificate has expired; it needs a new one, or the clock of this machine is wrong",
    ),
    (
        "not valid yet",
        "its certificate is not valid yet; check the clock of this machine",
    ),
    (
        "not valid for name",
        "its certificate is for another name; use the name of the certificate in `url`",
    ),
    (
        "NotValidForName",
        "its certificate is for another name; use the name of the certificate in `url`",
    ),
    (
        "InvalidContentType",
        "it does not speak TLS at this port; write `http://` in `url`, or the port of HTTPS",
    ),
];

/// Explains an error of the transport, without the URL: a query may contain a secret.
pub(super) fn explain(error: &reqwest::Error) -> FailureText {
    let text = if error.is_timeout() {
        "no answer in time"
    } else {
        "it cannot be reached"
    };
    let causes = causes(error);
    FailureText::from(text).with_owner_text(match tls_reason(&causes) {
        Some(reason) => format!("{text}: {reason} (TLS{causes})"),
        None => format!("{text}{causes}"),
    })
}

/// Explains why no HTTP client can be built. That is nearly always for want of certificates, which
/// small images do not have.
pub(super) fn explain_build(error: &reqwest::Error) -> String {
    let causes = causes(error);
    format!(
        "no HTTP client can be built{causes}; if certificates are missing, install them (Debian and \
         Alpine: `ca-certificates`)"
    )
}

/// Renders the causes alone, because the text of the error itself contains the URL.
pub(super) fn causes(error: &reqwest::Error) -> String {
    let mut causes = String::new();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        causes.push_str(&format!(": {error}"));
        cause = error.source();
    }
    causes
}

fn tls_reason(causes: &str) -> Option<&'static str> {
    TLS_REASONS
        .iter()
        .find(|(report, _)| causes.contains(report))
        .map(|(_, reason)| *reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_are_explained_with_what_to_do() {
        for (causes, said) in [
            (
                ": invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))",
                "make one for the server",
            ),
            (": invalid peer certificate: UnknownIssuer", "SSL_CERT_FILE"),
            (
                ": invalid peer certificate: certificate expired: verified at time 1",
                "has expired",
            ),
            (
                ": certificate not valid for name \"b\"; certificate is only valid for a",
                "for another name",
            ),
        ] {
            assert!(
                tls_reason(causes).is_some_and(|reason| reason.contains(said)),
                "{causes}"
            );
        }
        assert_eq!(tls_reason(": connection refused"), None);
    }
}
