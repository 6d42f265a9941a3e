//! The listener on 127.0.0.1 that the browser is redirected to at the end of a login.

use futures::{StreamExt, stream::FuturesUnordered};
use std::{io, net::Ipv4Addr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::timeout,
};

const PATH: &str = "/callback";
/// The longest head of a request.
const HEAD_MAX: usize = 16 * 1024;
/// How long a request may take to arrive. Browsers open connections that they do not use.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// The most connections at once. Further ones wait.
const CONNECTIONS_MAX: usize = 16;

/// The page that the browser shows. No part of it comes from the request.
const DONE: &str = "<!doctype html><meta charset=utf-8><title>pd-gateway</title>\
    <p>You can close this page. The terminal shows whether the login has succeeded.\n";
const UNKNOWN: &str = "<!doctype html><meta charset=utf-8><title>pd-gateway</title>\
    <p>This page is not part of a login that the gateway waits for.\n";

/// A listener for one redirect.
#[derive(Debug)]
pub(super) struct RedirectListener {
    listener: TcpListener,
    port: u16,
}

impl RedirectListener {
    /// Listens on a port, or on any free one.
    pub(super) async fn open(port: Option<u16>) -> io::Result<Self> {
        // Loopback only: another machine must not end the login (RFC 8252, section 7.3).
        let opened = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0))).await;
        let listener = opened.map_err(|error| {
            let port = port.map(|port| format!(" {port}")).unwrap_or_default();
            io::Error::new(
                error.kind(),
                format!("cannot listen on the port{port} of `redirectPort`: {error}"),
            )
        })?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port })
    }

    /// Returns the URL for the redirect. Names of this machine could resolve to another one, so it
    /// has the address.
    pub(super) fn uri(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for the redirect that `belongs` to the login, and returns its URL. Other requests get
    /// an error page.
    pub(super) async fn wait(&self, belongs: impl Fn(&str) -> bool) -> io::Result<String> {
        let mut connections = FuturesUnordered::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if connections.len() < CONNECTIONS_MAX => {
                    let (connection, _) = accepted?;
                    connections.push(timeout(HEAD_TIMEOUT, self.handle(connection, &belongs)));
                }
                // Without a connection, `next` is `None`, and only a new one is waited for.
                Some(handled) = connections.next() => {
                    if let Ok(Ok(Some(url))) = handled {
                        return Ok(url);
                    }
                }
            }
        }
    }

    /// Answers one request. Returns its URL if it is the redirect.
    async fn handle(
        &self,
        mut connection: TcpStream,
        belongs: &impl Fn(&str) -> bool,
    ) -> io::Result<Option<String>> {
        let head = read_head(&mut connection).await?;
        // Every page in the browser can send requests here, so the URL must belong to the login.
        let redirect_url = self.url(&head).filter(|url| belongs(url));
        let (status, page) = if redirect_url.is_some() {
            ("200 OK", DONE)
        } else {
            ("404 Not Found", UNKNOWN)
        };
        // The URL has the code of the login. No cache keeps it, and no link passes it on.
        let headers = "content-type: text/html\r\ncache-control: no-store\r\nreferrer-policy: no-referrer\r\n\
            connection: close";
        let response = format!(
            "HTTP/1.1 {status}\r\n{headers}\r\ncontent-length: {}\r\n\r\n{page}",
            page.len()
        );
        // The login goes on even if the browser is gone already.
        let sent = connection.write_all(response.as_bytes()).await;
        let sent = sent.and(connection.shutdown().await);
        if redirect_url.is_some() {
            Ok(redirect_url)
        } else {
            sent.map(|()| None)
        }
    }

    /// Returns the URL of a GET request for the path of redirects.
    fn url(&self, head: &str) -> Option<String> {
        let target = head
            .lines()
            .next()?
            .strip_prefix("GET ")?
            .split(' ')
            .next()?;
        let query = target.strip_prefix(PATH)?.strip_prefix('?')?;
        // With the known address, because a `Host` header contains what its sender likes.
        Some(format!("{}?{query}", self.uri()))
    }
}

/// Reads up to the end of the head. The whole head is read, because some browsers report an error
/// if a connection is closed before.
async fn read_head(connection: &mut TcpStream) -> io::Result<String> {
    let mut head = Vec::new();
    let mut part = [0; 2_048];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") && head.len() < HEAD_MAX {
        let read = connection.read(&mut part).await?;
        if read == 0 {
            break;
        }
        head.extend_from_slice(part.get(..read).unwrap_or_default());
    }
    Ok(String::from_utf8_lossy(&head).into_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// Sends a request, and returns the answer.
    async fn send(port: u16, head: &str) -> String {
        let mut connection = TcpStream::connect((Ipv4Addr::LOCALHOST, port))
            .await
            .unwrap();
        connection.write_all(head.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        connection.read_to_end(&mut answer).await.unwrap();
        String::from_utf8(answer).unwrap()
    }

    #[tokio::test]
    async fn only_the_redirect_of_the_login_ends_the_wait() {
        let listener = RedirectListener::open(None).await.unwrap();
        let port = listener.port;
        let requests = async {
            // A browser opens connections that it does not use.
            let idle = TcpStream::connect((Ipv4Addr::LOCALHOST, port))
                .await
                .unwrap();
            let long = "x".repeat(2 * HEAD_MAX);
            for other in [
                "GET /callback?state=2",
                "POST /callback?state=1",
                "GET /?state=1",
                "GET /callback",
            ] {
                let answer = send(port, &format!("{other} HTTP/1.1\r\nhost: x\r\n\r\n")).await;
                assert!(answer.starts_with("HTTP/1.1 404 "), "{other}: {answer}");
            }
            let mut flood = TcpStream::connect((Ipv4Addr::LOCALHOST, port))
                .await
                .unwrap();
            let _ = flood.write_all(long.as_bytes()).await;
            let answer = send(
                port,
                "GET /callback?state=1&code=<b> HTTP/1.1\r\nhost: x\r\n\r\n",
            )
            .await;
            assert!(
                answer.starts_with("HTTP/1.1 200 ") && !answer.contains("<b>"),
                "{answer}"
            );
            drop(idle);
        };
        let (redirect_url, ()) =
            tokio::join!(listener.wait(|url| url.contains("state=1")), requests);
        assert_eq!(
            redirect_url.unwrap(),
            format!("http://127.0.0.1:{port}/callback?state=1&code=<b>")
        );
    }
}
