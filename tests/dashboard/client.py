"""A small MCP client over HTTP, and servers as processes, for the load behind the dashboard."""

import contextlib
import http.client
import itertools
import json
import os
import random
import re
import socket
import subprocess
import tempfile
import time
import urllib.parse
from typing import Any, Dict, List, Optional, Tuple

META = "io.modelcontextprotocol/"
STANDING = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}
# A ticket as descriptions show it. It proves to a later request that the description was read.
TICKET = re.compile(r'"disclosure_ticket\\*":\s*\\*"(\d+)')


class Client:
    """A client at one address: a session of 2025-11-25, or requests of 2026-07-28."""

    def __init__(
        self, url: str, address: str = "127.0.0.1", *, in_session: bool = True, name: str = ""
    ) -> None:
        self.parts = urllib.parse.urlsplit(url)
        self.address, self.ids = address, itertools.count(1)
        self.headers: Dict[str, str] = {}
        self.in_session = in_session
        # A server recognizes anonymous callers by their name, too. Each model is a new one.
        self.info = {"name": name or f"load-{random.getrandbits(32):08x}", "version": "1"}
        if in_session:
            params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": self.info}
            headers, _ = self.post("initialize", params, {})
            self.headers = {"MCP-Protocol-Version": "2025-11-25"}
            if "mcp-session-id" in headers:
                self.headers["Mcp-Session-Id"] = headers["mcp-session-id"]
            self.send("POST", {"jsonrpc": "2.0", "method": "notifications/initialized"}, {})

    def __call__(self, method: str, timeout: float = 30, **params: Any) -> Dict[str, Any]:
        """Returns the message of the answer, with `result` or `error`."""
        if self.in_session:
            return self.post(method, params, {}, timeout)[1]
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
        name = params.get("name") or params.get("uri")
        if name:
            headers["Mcp-Name"] = name
        meta = {
            f"{META}protocolVersion": "2026-07-28",
            f"{META}clientInfo": self.info,
            f"{META}clientCapabilities": {},
        }
        return self.post(method, {**params, "_meta": meta}, headers, timeout)[1]

    def call(self, name: str, timeout: float = 30, **arguments: Any) -> Dict[str, Any]:
        return self("tools/call", timeout, name=name, arguments=arguments)

    def call_described(self, name: str, **arguments: Any) -> Dict[str, Any]:
        """Calls a tool as a model does: a refusal has the description, and the call is repeated."""
        answer = self.call(name, **arguments)
        text = json.dumps(answer)
        if "TOOL_DESCRIPTION_REQUIRED" not in text:
            return answer
        ticket = TICKET.search(text)
        proof = {"disclosure_ticket": ticket.group(1)} if ticket else {}
        return self.call(name, **arguments, **proof)

    def ticket(self, name: str) -> str:
        """Calls a tool without a ticket. Returns the one of the refusal."""
        found = TICKET.search(json.dumps(self.call(name)))
        return found.group(1) if found else ""

    def post(
        self, method: str, params: Dict[str, Any], headers: Dict[str, str], timeout: float = 30
    ) -> Tuple[Dict[str, str], Dict[str, Any]]:
        message = {"jsonrpc": "2.0", "id": next(self.ids), "method": method, "params": params}
        return self.send("POST", message, headers, timeout)

    def send(
        self,
        verb: str,
        message: Optional[Dict[str, Any]],
        headers: Dict[str, str],
        timeout: float = 30,
    ) -> Tuple[Dict[str, str], Dict[str, Any]]:
        connection = http.client.HTTPConnection(
            self.parts.hostname or "", self.parts.port, timeout, (self.address, 0)
        )
        with contextlib.closing(connection):
            body = json.dumps(message) if message else None
            connection.request(verb, self.parts.path, body, {**STANDING, **self.headers, **headers})
            response = connection.getresponse()
            text = response.read().decode()
        found = {name.lower(): value for name, value in response.getheaders()}
        return found, last_message(text)

    def close(self) -> None:
        if "Mcp-Session-Id" in self.headers:
            self.send("DELETE", None, {})


def last_message(text: str) -> Dict[str, Any]:
    """The answer of a body: JSON, or the last event of a stream."""
    lines = [line[5:] for line in text.splitlines() if line.startswith("data:")]
    events = [line for line in lines if line.strip()]
    for candidate in [*reversed(events), text]:
        with contextlib.suppress(ValueError):
            message = json.loads(candidate)
            if isinstance(message, dict):
                return message
    return {}


class Server:
    """A server as a process. It has the same addresses after each start."""

    def __init__(self, command: List[str], *flags: str) -> None:
        http_address, self.metrics_address = free_address(), free_address()
        self.url = f"http://{http_address}/mcp"
        addresses = ["--http", http_address, "--metrics", self.metrics_address]
        self.command = [*command, "serve", *addresses, *flags]
        self.start()

    def start(self) -> None:
        with tempfile.TemporaryFile("w+") as log:
            environment = {**os.environ, "RUST_LOG": "error"}
            self.process = subprocess.Popen(self.command, stderr=log, env=environment)
            deadline = time.monotonic() + 20
            text = ""
            while time.monotonic() < deadline and self.process.poll() is None:
                # The server writes by the same position in the file, so nothing may move it.
                text = os.pread(log.fileno(), 1 << 20, 0).decode(errors="replace")
                if "/metrics\n" in text:
                    return
                time.sleep(0.02)
        self.stop()
        raise AssertionError(f"the server does not run: {text}")

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"127.0.0.1:{free.getsockname()[1]}"
