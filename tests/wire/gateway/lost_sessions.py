"""An MCP server of 2025-06-18 over HTTP that refuses unknown sessions as its argument says: `lost_sessions.py STATUS BODY`. It prints its
port. A POST of `/expire` forgets all sessions, and one of `/counts` returns how often sessions were opened and tools have run. `/sse` is the
transport of 2024-11-05, whose stream stays open when the session is forgotten. `/moved` redirects to `/mcp` with 307, `/again` to `/moved`,
`/found` to `/mcp` with 302, `/away` to another origin, and `/denied` is refused. Sessions of `/hangs` are never ended. The
result of the tool `elsewhere` is at another URL, with 303."""

import json
import queue
import sys
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

status, body = int(sys.argv[1]), sys.argv[2]
sessions: dict = {}
counts = {"sessions": 0, "read": 0, "write": 0, "broken": 0, "refused": 0, "elsewhere": 0, "deletes": 0, "moved": 0}
REDIRECTS = {
    "/moved": (307, "/mcp"),
    "/again": (308, "/moved"),
    "/found": (302, "/mcp?key=secret"),
    "/away": (307, "http://user:pass@other.example/mcp?key=secret"),
}


def tool(name: str, **annotations) -> dict:
    return {"name": name, "description": f"The tool {name}", "inputSchema": {"type": "object"}, "annotations": annotations}


TOOLS = [tool("read", readOnlyHint=True), tool("write"), tool("broken", readOnlyHint=True), tool("refused"), tool("elsewhere")]
MEMO = {"uri": "memo://one", "name": "one"}


def result(message: dict) -> dict:
    match message["method"]:
        case "initialize":
            counts["sessions"] += 1
            capabilities = {"tools": {}, "resources": {}, "prompts": {}}
            return {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": {"name": "s", "version": "1"}}
        case "tools/list":
            return {"tools": TOOLS}
        case "resources/list":
            return {"resources": [MEMO]}
        case "prompts/list":
            return {"prompts": [{"name": "greet"}]}
        case "prompts/get":
            return {"messages": [{"role": "user", "content": {"type": "text", "text": "greeted"}}]}
        case "resources/read":
            return {"contents": [{**MEMO, "text": "a memo"}]}
        case "tools/call":
            name = message["params"]["name"]
            counts[name] += 1
            return {"content": [{"type": "text", "text": f"{name} done"}]}
    return {}


def refusal(message: dict) -> bytes:
    error = {"jsonrpc": "2.0", "error": {"code": -32000, "message": "Bad Request: No valid session ID provided"}}
    match body:
        case "null_id":
            return json.dumps({**error, "id": None}).encode()
        case "own_id":
            return json.dumps({**error, "id": message.get("id")}).encode()
    return body.encode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, code: int, data: bytes = b"", **headers):
        self.send_response(code)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path != "/sse":
            return self.reply(405)
        name, messages = uuid.uuid4().hex, queue.Queue()
        sessions[name] = messages
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.wfile.write(f"event: endpoint\ndata: /messages/{name}\n\n".encode())
        while True:
            self.wfile.write(f"event: message\ndata: {json.dumps(messages.get())}\n\n".encode())

    def do_DELETE(self):
        counts["deletes"] += 1
        if self.path == "/hangs":
            time.sleep(600)
        self.reply(405)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/expire":
            sessions.clear()
            return self.reply(200)
        if self.path == "/counts":
            return self.reply(200, json.dumps(counts).encode())
        if self.path in REDIRECTS:
            code, location = REDIRECTS[self.path]
            counts["moved"] += 1
            return self.reply(code, location=location)
        if self.path.startswith("/denied"):
            return self.reply(401)
        method = message["method"]
        if method == "server/discover":
            return self.reply(400)
        is_sse = self.path.startswith("/messages/")
        session = self.path.removeprefix("/messages/") if is_sse else self.headers["mcp-session-id"]
        headers = {}
        if method == "initialize" and not is_sse:
            session = headers["mcp_session_id"] = uuid.uuid4().hex
            sessions[session] = None
        if session not in sessions:
            return self.reply(status, refusal(message))
        if "id" not in message:
            return self.reply(202)
        if method == "tools/call" and message["params"]["name"] == "broken":
            counts["broken"] += 1
            return self.reply(status if status != 200 else 400, b"the tool is broken")
        if method == "tools/call" and message["params"]["name"] == "refused":
            counts["refused"] += 1
            return self.reply(400)
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result(message)}
        if method == "tools/call" and message["params"]["name"] == "elsewhere":
            return self.reply(303, location="/results/1")
        if is_sse:
            sessions[session].put(answer)
            return self.reply(202)
        self.reply(200, json.dumps(answer).encode(), **headers)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
