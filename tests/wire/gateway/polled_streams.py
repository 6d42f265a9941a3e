"""An MCP server of 2025-11-25 over HTTP that ends the streams of its responses early, so that clients resume them. It prints its port. A
POST of `/resumed` returns the time of each resumption in milliseconds and the id of the event that it named, by tool."""

import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAMES = ["polled", "broken", "forgotten", "ended", "endless"]
TOOLS = [{"name": name, "description": f"The tool {name}", "inputSchema": {"type": "object"}} for name in NAMES]
requests: dict = {}
resumed: dict = {name: [] for name in [*NAMES, "list"]}
lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status: int, body=None):
        data = json.dumps(body).encode() if body is not None else b""
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.send_header("mcp-session-id", "one")
        self.end_headers()
        self.wfile.write(data)

    def events(self, text: str, is_whole: bool = True):
        """A stream, which breaks off unless it is whole."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        if is_whole:
            self.send_header("connection", "close")
        else:
            self.send_header("content-length", "100000")
        self.end_headers()
        self.wfile.write(text.encode())
        self.close_connection = True

    def response(self, name: str) -> str:
        result = {"tools": TOOLS} if name == "list" else {"content": [{"type": "text", "text": f"{name} done"}]}
        return "data: " + json.dumps({"jsonrpc": "2.0", "id": requests[name], "result": result}) + "\n\n"

    def do_GET(self):
        last = self.headers["last-event-id"]
        if last is None:
            return self.reply(405)
        name = last.split("-")[0]
        with lock:
            resumed[name].append([time.monotonic() * 1000, last])
            count = len(resumed[name])
        if name == "polled":
            return self.events(f"id: polled-{count}\nretry: 150\n\n" if count < 3 else f"id: polled-{count}\n{self.response(name)}")
        if name == "broken":
            return self.reply(503) if count == 1 else self.events(self.response(name))
        if name == "list":
            return self.events(self.response(name))
        if name == "forgotten":
            return self.reply(400)
        return self.events("retry: 1\n\n")

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"] or 0)) or "{}")
        if self.path == "/resumed":
            with lock:
                return self.reply(200, resumed)
        if "id" not in message:
            return self.reply(202)
        answer = {"jsonrpc": "2.0", "id": message["id"]}
        if message["method"] == "initialize":
            info = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "polled", "version": "1"}}
            return self.reply(200, {**answer, "result": info})
        if message["method"] == "tools/list":
            requests["list"] = message["id"]
            return self.events("id: list-0\nretry: 20\ndata:\n\n")
        if message["method"] != "tools/call":
            return self.reply(200, {**answer, "error": {"code": -32601, "message": "no such method"}})
        name = message["params"]["name"]
        requests[name] = message["id"]
        if name == "ended":
            return self.events(": nothing to resume after\n\n")
        self.events(f"id: {name}-0\n" + ("retry: 50\n" if name != "broken" else "") + "data:\n\n", name != "broken")


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    sys.exit()
