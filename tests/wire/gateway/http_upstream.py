"""An MCP server over streamable HTTP, before 2026-07-28, that prints its port. Each POST of `/expire` ends all sessions. Each of
`/grow` adds a tool, notifies of it on the streams of the sessions, and ends these streams. `/sse` is the transport of 2024-11-05, and
`/elsewhere/sse` the same with messages that would go to another origin. `/ended-session/mcp` names a session that has ended when
it refuses `server/discover`."""

import json
import queue
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sessions = set()
ready = set()
calls = 0
tools = [{"name": "count", "description": "Count its calls", "inputSchema": {"type": "object"}}]
grown = threading.Condition()
resumed = []
streams = {}


def answer(message: dict) -> dict:
    """The response to a request."""
    global calls
    result = {}
    if message["method"] == "initialize":
        info = {"name": "http", "version": "1"}
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
    elif message["method"] == "tools/list":
        result = {"tools": tools}
    elif message["method"] == "tools/call":
        calls += 1
        result = {"content": [{"type": "text", "text": str(calls)}]}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status: int, body: dict | None = None, session: str | None = None):
        data = json.dumps(body).encode() if body else b""
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        if session:
            self.send_header("mcp-session-id", session)
        self.end_headers()
        self.wfile.write(data)

    def stream(self):
        """The stream of a client before streamable HTTP."""
        name, messages = uuid.uuid4().hex, queue.Queue()
        streams[name] = messages
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        elsewhere = "http://127.0.0.1:1" if self.path.startswith("/elsewhere") else ""
        self.wfile.write(f"event: endpoint\ndata: {elsewhere}/messages/{name}\n\n".encode())
        while (message := messages.get()) is not None:
            self.wfile.write(f"event: message\ndata: {json.dumps(message)}\n\n".encode())
        self.close_connection = True

    def do_GET(self):
        if self.path.endswith("/sse"):
            return self.stream()
        if self.headers["mcp-session-id"] not in sessions:
            return self.reply(404)
        resumed.append(self.headers["last-event-id"])
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(b"id: begin\ndata:\n\n")
        with grown:
            if not grown.wait(30):
                return
        message = json.dumps({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        self.wfile.write(f"id: grown-{len(tools)}\ndata: {message}\n\n".encode())
        self.close_connection = True

    def do_DELETE(self):
        self.reply(405)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/expire":
            sessions.clear()
            return self.reply(200)
        if self.path == "/resumed":
            return self.reply(200, {"resumed": resumed})
        if self.path == "/grow":
            tools.append({**tools[0], "name": f"count_{len(tools)}"})
            with grown:
                grown.notify_all()
            return self.reply(200)
        if self.path == "/end":
            for messages in streams.values():
                messages.put(None)
            return self.reply(200)
        message = json.loads(body)
        method = message["method"]
        if self.path.startswith("/messages/"):
            name = self.path.removeprefix("/messages/")
            if method == "notifications/initialized":
                time.sleep(0.3)
                ready.add(name)
            elif method not in ("initialize", "server/discover") and name not in ready:
                error = {"code": -32600, "message": "a request came before notifications/initialized"}
                streams[name].put({"jsonrpc": "2.0", "id": message["id"], "error": error})
            elif "id" in message:
                streams[name].put(answer(message))
            return self.reply(202)
        if method == "server/discover":
            # The Python SDK 1 names a session in its refusal, and ends it.
            return self.reply(400, session="ended" if self.path.startswith("/ended-session") else None)
        if method == "initialize":
            session = uuid.uuid4().hex
            sessions.add(session)
            return self.reply(200, answer(message), session)
        if self.headers["mcp-session-id"] not in sessions:
            return self.reply(404)
        if method == "notifications/initialized":
            time.sleep(0.3)
            ready.add(self.headers["mcp-session-id"])
        if "id" not in message:
            return self.reply(202)
        if self.headers["mcp-session-id"] not in ready:
            error = {"code": -32600, "message": "a request came before notifications/initialized"}
            return self.reply(200, {"jsonrpc": "2.0", "id": message["id"], "error": error})
        self.reply(200, answer(message))


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
