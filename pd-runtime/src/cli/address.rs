//! The listen addresses of `--http`, `--metrics` and `--data`.

use super::CliError;
use std::{
    fmt,
    io::{self, ErrorKind},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

/// A host and a port to listen on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListenAddress {
    host: ListenHost,
    port: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ListenHost {
    Address(IpAddr),
    /// A name that is resolved when the server starts.
    Name(String),
}

impl ListenAddress {
    /// Parses `127.0.0.1:8000`, `[::1]:8000`, `localhost:8000`, `:8000` or `8000`. Without a host
    /// the address is 127.0.0.1, so that omitting the host never opens a server to the network.
    ///
    /// # Errors
    ///
    /// Returns the text to write instead.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        // Before the split, which would take the colon of the scheme for the one of the port.
        if text.contains("://") {
            return Err(
                "write a host and a port without a scheme and a path, e.g. `127.0.0.1:8000`"
                    .to_owned(),
            );
        }
        let (host, port) = split(text)?;
        let port = port
            .parse()
            .map_err(|_| format!("`{port}` is not a port; write a number from 0 to 65535"))?;
        Ok(Self {
            host: ListenHost::parse(host)?,
            port,
        })
    }

    /// Returns the host and the port to bind. All addresses of a name are tried in turn.
    pub(super) fn target(&self) -> (String, u16) {
        let host = match &self.host {
            ListenHost::Address(address) => address.to_string(),
            ListenHost::Name(name) => name.clone(),
        };
        (host, self.port)
    }

    /// Returns the host name, if the address contains one.
    pub(super) fn name(&self) -> Option<&str> {
        match &self.host {
            ListenHost::Address(_) => None,
            ListenHost::Name(name) => Some(name),
        }
    }

    /// Returns the error of a failed bind, with advice.
    pub(super) fn failure(&self, error: &io::Error) -> CliError {
        let advice = match (error.kind(), &self.host) {
            (ErrorKind::AddrInUse, _) => {
                "the port is in use; end the process that listens there, or choose another port (0 takes a free one)"
            }
            (ErrorKind::PermissionDenied, _) => {
                "this user may not listen on that port; choose a port above 1023"
            }
            (ErrorKind::AddrNotAvailable, _) => {
                "this machine does not have that address; use 127.0.0.1 to serve this machine alone, or 0.0.0.0 to \
                 serve on all its addresses"
            }
            (_, ListenHost::Name(_)) => {
                "write an IP address instead of the name, e.g. 127.0.0.1 or 0.0.0.0"
            }
            _ => "choose another address, e.g. 127.0.0.1:8000",
        };
        format!("{self} cannot be served: {error}: {advice}").into()
    }
}

/// Splits the text into host and port. The host may be empty.
fn split(text: &str) -> Result<(&str, &str), String> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(("", text));
    }
    if text.parse::<Ipv6Addr>().is_ok() {
        // `::1:8000` is a valid IPv6 address, but the author more likely meant the port 8000.
        let (address, port) = match text.rsplit_once(':') {
            Some((address, port)) if address.parse::<Ipv6Addr>().is_ok() => (address, port),
            _ => (text, "8000"),
        };
        return Err(format!(
            "write an IPv6 address in brackets and with a port, e.g. `[{address}]:{port}`"
        ));
    }
    match text.rsplit_once(':') {
        Some((host, port)) if host.ends_with(']') || !host.contains(':') => Ok((host, port)),
        Some(_) => Err("write an IPv6 address in brackets, e.g. `[::1]:8000`".to_owned()),
        None if text.is_empty() => {
            Err("write a port, e.g. `8000`, or a host and a port".to_owned())
        }
        None => Err(format!("`{text}` has no port; write e.g. `{text}:8000`")),
    }
}

impl ListenHost {
    fn parse(text: &str) -> Result<Self, String> {
        let bracketed = text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'));
        if let Some(text) = bracketed {
            let address = text
                .parse()
                .map_err(|_| format!("`{text}` is not an IPv6 address"))?;
            return Ok(Self::Address(IpAddr::V6(address)));
        }
        // `localhost` may resolve to ::1 first, and clients that try only 127.0.0.1 would not find
        // the server.
        if text.is_empty() || text.eq_ignore_ascii_case("localhost") {
            return Ok(Self::Address(Ipv4Addr::LOCALHOST.into()));
        }
        if let Ok(address) = text.parse() {
            return Ok(Self::Address(IpAddr::V4(address)));
        }
        let is_name = text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
        // A name of digits and dots is a mistyped IPv4 address, which a resolver would reject
        // later.
        let is_number = text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        match text {
            "*" => {
                Err("write `0.0.0.0` (or `[::]`) as the host to listen on all addresses".to_owned())
            }
            _ if is_name && !is_number => Ok(Self::Name(text.to_owned())),
            _ => Err(format!(
                "`{text}` is not a host name or an IP address; write e.g. `127.0.0.1:8000`"
            )),
        }
    }
}

impl From<SocketAddr> for ListenAddress {
    fn from(address: SocketAddr) -> Self {
        Self {
            host: ListenHost::Address(address.ip()),
            port: address.port(),
        }
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            ListenHost::Address(address) => SocketAddr::new(*address, self.port).fmt(f),
            ListenHost::Name(name) => write!(f, "{name}:{}", self.port),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn an_address_is_read_as_people_write_it() {
        for (text, address) in [
            ("8000", "127.0.0.1:8000"),
            (":8000", "127.0.0.1:8000"),
            ("0", "127.0.0.1:0"),
            ("localhost:8000", "127.0.0.1:8000"),
            ("LocalHost:8000", "127.0.0.1:8000"),
            ("127.0.0.1:8000", "127.0.0.1:8000"),
            ("0.0.0.0:8000", "0.0.0.0:8000"),
            ("[::]:8000", "[::]:8000"),
            ("[::1]:0", "[::1]:0"),
            ("mcp.example.com:80", "mcp.example.com:80"),
            ("my_host-1:80", "my_host-1:80"),
        ] {
            assert_eq!(
                ListenAddress::parse(text).unwrap().to_string(),
                address,
                "{text}"
            );
        }
    }

    #[test]
    fn an_address_that_is_none_is_answered_with_one() {
        for (text, advice) in [
            ("", "write a port, e.g. `8000`"),
            (
                "localhost",
                "`localhost` has no port; write e.g. `localhost:8000`",
            ),
            (
                "127.0.0.1",
                "`127.0.0.1` has no port; write e.g. `127.0.0.1:8000`",
            ),
            (
                "http://127.0.0.1:8000",
                "without a scheme and a path, e.g. `127.0.0.1:8000`",
            ),
            ("127.0.0.1:8000/mcp", "`8000/mcp` is not a port"),
            (
                "127.0.0.1:",
                "`` is not a port; write a number from 0 to 65535",
            ),
            (
                "127.0.0.1:99999",
                "`99999` is not a port; write a number from 0 to 65535",
            ),
            (
                "99999",
                "`99999` is not a port; write a number from 0 to 65535",
            ),
            (
                "::1",
                "write an IPv6 address in brackets and with a port, e.g. `[::1]:8000`",
            ),
            (
                "::1:9000",
                "write an IPv6 address in brackets and with a port, e.g. `[::1]:9000`",
            ),
            ("fe80::x:8000", "write an IPv6 address in brackets"),
            ("[localhost]:80", "`localhost` is not an IPv6 address"),
            ("*:8000", "write `0.0.0.0` (or `[::]`) as the host"),
            (
                "256.0.0.1:80",
                "`256.0.0.1` is not a host name or an IP address",
            ),
            ("a b:80", "`a b` is not a host name or an IP address"),
        ] {
            let error = ListenAddress::parse(text).unwrap_err();
            assert!(error.contains(advice), "{text}: {error}");
        }
    }

    #[test]
    fn a_failure_to_listen_has_advice() {
        let address = ListenAddress::parse("8000").unwrap();
        let failure = |kind: ErrorKind| address.failure(&io::Error::from(kind)).to_string();
        assert!(failure(ErrorKind::AddrInUse).contains("choose another port (0 takes a free one)"));
        assert!(failure(ErrorKind::PermissionDenied).contains("choose a port above 1023"));
        assert!(failure(ErrorKind::AddrNotAvailable).contains("0.0.0.0"));
        assert!(failure(ErrorKind::AddrInUse).starts_with("127.0.0.1:8000 cannot be served: "));
    }
}
