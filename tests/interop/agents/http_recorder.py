"""Stands between a framework and a server over HTTP, and writes each message to a file, as `recorder.py` does."""

import contextlib
import http.client
import json
import pathlib
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PER_CONNECTION = {"connection", "host", "keep-alive", "transfer-encoding", "content-length"}


class Proxy(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    upstream = ""
    record = pathlib.Path()
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def write(self, sender: str, session: str, text: bytes):
        try:
            message = json.loads(text)
        except ValueError:
            return
        with self.lock, self.record.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"session": session, "from": sender, "message": message}) + "\n")

    def forward(self):
        body = read_body(self)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in PER_CONNECTION}
        connection = http.client.HTTPConnection(self.upstream)
        connection.request(self.command, self.path, body or None, headers)
        answer = connection.getresponse()
        session = answer.headers.get("mcp-session-id") or self.headers.get("mcp-session-id") or "none"
        self.write("client", session, body)
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in PER_CONNECTION:
                self.send_header(name, value)
        if answer.status in (202, 204):
            self.send_header("content-length", "0")
            self.end_headers()
            return
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self.stream(answer, session)

    def stream(self, answer: http.client.HTTPResponse, session: str):
        """Passes parts on as they come: a stream of events may never end."""
        events, received = "event-stream" in answer.headers.get("content-type", ""), b""
        with contextlib.suppress(OSError, http.client.HTTPException):
            while part := answer.read1(65536):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                received += part
                if events:
                    *lines, received = received.split(b"\n")
                    for line in lines:
                        if line.startswith(b"data:"):
                            self.write("server", session, line[5:].strip())
            if not events:
                self.write("server", session, received)
            self.wfile.write(b"0\r\n\r\n")
        answer.close()

    def do_POST(self):
        try:
            self.forward()
        except OSError:
            self.close_connection = True

    do_GET = do_DELETE = do_POST


def read_body(request: BaseHTTPRequestHandler) -> bytes:
    """The body of a request, whole or in chunks."""
    if request.headers.get("transfer-encoding", "").lower() != "chunked":
        return request.rfile.read(int(request.headers.get("content-length") or 0))
    body = b""
    while length := int(request.rfile.readline().split(b";")[0], 16):
        body += request.rfile.read(length)
        request.rfile.readline()
    request.rfile.readline()
    return body


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A framework that leaves with a request under way is no error of the recorder."""


@contextlib.contextmanager
def recorded(url: str, record: pathlib.Path):
    """Yields the URL at which requests to the server at `url` are recorded."""
    parts = urllib.parse.urlsplit(url)
    handler = type("Recorded", (Proxy,), {"upstream": parts.netloc, "record": record})
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{parts.path}"
    finally:
        server.shutdown()
        server.server_close()
