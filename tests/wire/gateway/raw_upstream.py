"""An MCP server that answers with bytes of a test: `raw_upstream.py stdio|http|sse LOG [FIXED]`. The tool `raw` writes what its arguments say: `lines` over
standard output, or `body` with `type` and `status` over HTTP. Over HTTP+SSE each line is an event. A line is a text, whose characters are bytes, or a list of
texts and of pairs (a text and how often). `$ID` is the id of the call. `wait` delays the answer. The tool `never` is not answered. FIXED is a file of answers by
method, in the same form, with `delays` in seconds by method, and with `session` for a session over HTTP. `endless` is a text that the stream outside of responses
repeats until the client closes it. HTTP prints its port."""

import json
import queue
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

transport, log_path, *rest = sys.argv[1:]
fixed = json.load(open(rest[0])) if rest else {}
delays, session, endless = fixed.pop("delays", {}), fixed.pop("session", False), fixed.pop("endless", None)
tool = {"name": "raw", "description": "Write bytes", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": False}}
CAPABILITIES = {"tools": {}, "prompts": {}, "resources": {}}


def render(line, id) -> bytes:
    parts = line if isinstance(line, list) else [line]
    parts = [part if isinstance(part, str) else part[0] * part[1] for part in parts]
    return b"".join(part.replace("$ID", json.dumps(id)).encode("latin-1") for part in parts)


def delay(message: dict) -> float:
    """How long the answer to a message takes."""
    arguments = message.get("params", {}).get("arguments") or {}
    return delays.get(message.get("method"), 0) or arguments.get("wait", 0)


def is_never(message: dict) -> bool:
    return message.get("params", {}).get("name") == "never"


def respond(message: dict):
    """The lines that answer a message, or None for a tool call that says more."""
    method, id = message.get("method"), message.get("id")
    if method in fixed:
        return [render(line, id) for line in fixed[method]]
    if method == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": CAPABILITIES, "serverInfo": {"name": "raw", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [tool]}
    elif method == "prompts/list":
        result = {"prompts": [{"name": "p"}]}
    elif method == "resources/list":
        result = {"resources": [{"uri": "raw://r", "name": "r"}]}
    elif method == "resources/templates/list":
        result = {"resourceTemplates": []}
    elif method == "tools/call" and "lines" in message["params"].get("arguments", {}):
        return [render(line, id) for line in message["params"]["arguments"]["lines"]]
    elif method == "tools/call" and message["params"].get("arguments", {}).get("body") is None:
        result = {"content": [{"type": "text", "text": "ok"}]}
    elif id is None or method is None:
        return []
    else:
        return [json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "unknown"}}).encode()]
    return [json.dumps({"jsonrpc": "2.0", "id": id, "result": result}).encode()]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    streams = {}

    def log_message(self, *_):
        pass

    def reply(self, status: int, body: bytes, kind="application/json"):
        self.send_response(status)
        if session:
            self.send_header("mcp-session-id", "s")
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def repeat_until_closed(self):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        try:
            self.wfile.write(endless["begin"].encode())
            while True:
                self.wfile.write(endless["part"].encode())
        except OSError:
            with open(log_path, "a") as log:
                log.write("closed\n")

    def do_GET(self):
        if endless:
            return self.repeat_until_closed()
        if transport != "sse":
            return self.reply(405, b"")
        events = self.streams["s"] = queue.Queue()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b"event: endpoint\ndata: /messages\n\n")
        while True:
            self.wfile.write(b"data: " + events.get() + b"\n\n")

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if transport == "sse":
            self.reply(202, b"")
        time.sleep(30 if is_never(message) else delay(message))
        if transport == "sse":
            for line in respond(message):
                self.streams["s"].put(line)
            return
        arguments = message.get("params", {}).get("arguments") or {}
        if message.get("method") == "tools/call" and "body" in arguments:
            body = render(arguments["body"], message["id"])
            return self.reply(arguments.get("status", 200), body, arguments.get("type", "application/json"))
        lines = respond(message)
        if message.get("method") == "tools/call" and "lines" in arguments:
            return self.reply(200, b"".join(b"data: " + line + b"\n\n" for line in lines), "text/event-stream")
        self.reply(200 if lines else 202, b"\n".join(lines))

    def do_DELETE(self):
        self.reply(405, b"")


def write(lines):
    for line in lines:
        sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


if transport == "stdio":
    for line in sys.stdin:
        with open(log_path, "a") as log:
            log.write(line[:2000].rstrip("\n") + "\n")
        message = json.loads(line)
        if is_never(message):
            continue
        if delay(message):
            # Answered later, so that two requests are open at once.
            threading.Timer(delay(message), write, [respond(message)]).start()
            continue
        write(respond(message))
else:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
